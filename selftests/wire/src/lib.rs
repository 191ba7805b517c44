// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records that the guest and the host exchange over a virtio-serial port.
//!
//! One record is one line of text:
//!
//! ```text
//! kx1 SEQ LEN CRC JSON\n
//! ```
//!
//! `SEQ` counts from 0 without gaps in each direction, `LEN` is the length of `JSON` in bytes, `CRC`
//! the CRC-32 (IEEE) of `JSON` in eight hex digits. A reader therefore notices a record that was
//! cut, altered, lost or repeated, and the last record of a complete run is [`FromGuest::End`].
//! The crate does no I/O.

mod frame;
mod record;

/// Name of the virtio-serial port for records, both ways.
pub const RECORDS_PORT: &str = "kx.wire";

/// Name of the virtio-serial port for what commands print, as it is.
pub const OUTPUT_PORT: &str = "kx.out";

/// Where the image holds kernel modules.
pub const MODULES_DIRECTORY: &str = "/modules";

/// What begins a line that init itself writes to the console.
pub const CONSOLE_PREFIX: &str = "kx-init: ";

pub use frame::{Decoder, Encoder, FrameError, MAX_RECORD};
pub use record::{
    Counters, End, FromGuest, Heartbeat, Hello, Job, ModuleSpec, Outcome, StressSpec, Task,
    TestResult,
};
