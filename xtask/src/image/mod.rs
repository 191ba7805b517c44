// SPDX-License-Identifier: MIT OR Apache-2.0
//! The initramfs: from an image definition to a cpio archive.

mod definition;
mod init;
mod write;

pub use definition::Definition;
pub use init::build_init;
pub use write::{Parts, write};
