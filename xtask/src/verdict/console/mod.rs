// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding bad news in a console log, as it comes.
//!
//! The scanner takes bytes in pieces of any size and keeps a bounded amount of them. It is pure: the
//! VM room feeds it while the guest runs, and asks it for events that end a guest early.

mod finding;
mod line;
mod patterns;
mod report;
mod scanner;

pub use finding::{FindingKind, RawFrame};
pub use scanner::{Scan, ScanEvent, Scanner};
