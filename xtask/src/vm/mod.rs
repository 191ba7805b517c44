// SPDX-License-Identifier: MIT OR Apache-2.0
//! Booting a kernel in QEMU and watching it to its end.
//!
//! [`qemu`] says how QEMU is called, [`watch`] decides when a guest is over (both pure), [`session`]
//! does it, and [`terminal`] lends the user's terminal to a guest's console.

pub mod bzimage;
pub mod qemu;
pub mod session;
pub mod terminal;
pub mod watch;

pub use qemu::{Accel, Machine};
pub use session::{Console, Session, run};
pub use watch::{Ended, Limits};
