// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding the busybox that goes into images.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::error::Error;
use crate::host::package::{REQUIREMENTS, find_program};

/// A busybox of this machine that runs without shared libraries.
///
/// # Errors
/// [`Error::NoBusybox`], which names the package.
pub fn find_busybox() -> Result<PathBuf, Error> {
    REQUIREMENTS
        .iter()
        .find(|requirement| requirement.name() == "busybox")
        .and_then(crate::host::package::Requirement::find)
        .ok_or_else(|| Error::NoBusybox { dynamic: find_program(OsStr::new("busybox")) })
}
