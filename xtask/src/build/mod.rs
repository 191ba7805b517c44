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

pub use artefact::{Artefact, Manifest};
pub use configure::{Configured, configure, configure_call};
pub use era::DirectApi;
pub use kernel::{BuildDir, kernel, kernel_call};
pub use make_error::MakeError;
pub use modules::{ModuleSources, check_vermagic, modules, modules_below, modules_call};
pub use toolchain::Toolchain;
