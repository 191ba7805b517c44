// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many cells: which there are, what is expected of each, running them all.

mod standing;

pub use standing::{Role, Standing, StandingKind};
