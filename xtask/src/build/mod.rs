// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a work tree to a kernel with its modules.
//!
//! A kernel × configuration has one build directory that moves through the patch levels, so that a
//! level costs what differs from the one before. What a level made is copied out as an artefact
//! under its content key; only artefacts are booted.

mod artefact;
mod configure;
mod era;
mod interrupted;
mod kernel;
mod make_error;
mod modules;
mod toolchain;
mod warning;

pub use artefact::{Artefact, Manifest};
pub use configure::Configured;
pub use era::DirectApi;
pub use kernel::Made;
pub use make_error::MakeError;
pub use modules::{ModuleSources, check_vermagic, modules_below};
pub use toolchain::Toolchain;
pub use warning::{Identity, Said, Warning, object_of, read as read_output, without_numbers};

use std::path::{Path, PathBuf};

use crate::host::Host;
use crate::store::Store;

/// Where something is built, and with what.
#[derive(Debug, Clone)]
pub struct Site<'a> {
    /// The machine.
    pub host: &'a Host,
    /// The caches.
    pub store: &'a Store,
    /// The compilers.
    pub toolchain: &'a Toolchain,
    /// The source tree.
    pub tree: &'a Path,
    /// The build directory of this kernel and configuration: holds `config/`, `out/` and
    /// `modules/`.
    pub directory: PathBuf,
}

impl Site<'_> {
    /// kbuild's output directory.
    pub fn out(&self) -> PathBuf {
        self.directory.join("out")
    }
}
