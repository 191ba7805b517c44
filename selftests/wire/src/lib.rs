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

pub use frame::{Decoder, Encoder, FrameError, MAX_RECORD};
pub use record::{
    Counters, End, FromGuest, Heartbeat, Hello, Job, ModuleSpec, Outcome, StressSpec, Task,
    TestResult,
};
