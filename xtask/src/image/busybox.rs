// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding the busybox that goes into images.

use std::ffi::OsStr;
use std::path::PathBuf;

use wire::Task;

use super::Definition;
use super::error::Error;
use crate::host::package::{REQUIREMENTS, Requirement, find_program};

impl Definition {
    /// A busybox of this machine that runs without shared libraries, if these tasks need one.
    ///
    /// # Errors
    /// [`Error::NoBusybox`], which names the package, and [`Error::NoPlaceForBusybox`] if the image
    /// has none.
    pub fn find_busybox(&self, tasks: &[Task]) -> Result<Option<PathBuf>, Error> {
        if !self.needs_busybox(tasks)? {
            return Ok(None);
        }
        REQUIREMENTS
            .iter()
            .find(|requirement| requirement.name() == "busybox")
            .and_then(Requirement::find)
            .map(Some)
            .ok_or_else(|| Error::NoBusybox { dynamic: find_program(OsStr::new("busybox")) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_stress_run_does_without() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vm-images/initramfs.yaml");
        let definition = Definition::load(&root).unwrap();
        assert_eq!(definition.find_busybox(&[]).unwrap(), None);
        let command = [Task::Command { argv: vec!["true".into()] }];
        match definition.find_busybox(&command) {
            Ok(found) => assert!(found.is_some_and(|path| path.is_file())),
            Err(error) => assert!(matches!(error, Error::NoBusybox { .. }), "{error}"),
        }
    }
}
