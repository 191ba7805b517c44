// SPDX-License-Identifier: MIT OR Apache-2.0
//! The initramfs: from an image definition to a cpio archive.
//!
//! [`Definition`] is read from `vm-images/*.yaml`, [`build_init`] and [`find_busybox`] get the
//! programs, and [`write`] puts all of it together.

mod busybox;
mod contents;
mod definition;
mod error;
mod init;
mod path;
mod write;

pub use busybox::find_busybox;
pub use contents::{ExtraFile, Parts};
pub use definition::Definition;
pub use error::Error;
pub use init::build_init;
pub use path::ImagePath;
pub use write::{Summary, write};
