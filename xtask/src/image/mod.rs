// SPDX-License-Identifier: MIT OR Apache-2.0
//! The initramfs: from an image definition to a cpio archive.
//!
//! [`Definition`] is read from `vm-images/*.yaml`, [`build_init`] and [`Definition::find_busybox`] get
//! the programs, and [`write()`] puts all of it together.

mod busybox;
mod contents;
mod definition;
mod error;
mod init;
mod path;
mod write;

pub use contents::Parts;
pub use definition::Definition;
pub use init::build_init;
pub use write::write;
