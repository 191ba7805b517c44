// SPDX-License-Identifier: MIT OR Apache-2.0
//! Build directories whose last make was cut off.
//!
//! make deletes the target it was writing when it gets SIGTERM, but not when it is killed outright or
//! the machine stops. A half-written object that is newer than its source would then count as made.
//! So a marker lies in the build directory while make runs; if it is still there at the next build,
//! every file that is not older than the marker is deleted and made again.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::diagnosis::{Diagnosis, on_path};

/// Name of the marker; kbuild has no file of this name.
const MARKER: &str = ".xtask-building";

/// A marker that lies in the build directory until [`Marker::clear`].
#[derive(Debug)]
pub struct Marker(PathBuf);

impl Marker {
    /// Repairs the directory if its last build was cut off, then marks it. Gives back how many
    /// files were deleted.
    pub fn set(directory: &Path) -> Result<(Self, usize), Diagnosis> {
        let path = directory.join(MARKER);
        let mut deleted = 0;
        if let Ok(since) = path.metadata().and_then(|m| m.modified()) {
            delete_newer(directory, since, &mut deleted)?;
        }
        File::create(&path).map_err(|e| on_path("create", &path, &e))?;
        Ok((Self(path), deleted))
    }

    /// Removes the marker: make ended by itself.
    pub fn clear(self) -> Result<(), Diagnosis> {
        std::fs::remove_file(&self.0).map_err(|e| on_path("remove", &self.0, &e))
    }
}

fn delete_newer(directory: &Path, since: SystemTime, deleted: &mut usize) -> Result<(), Diagnosis> {
    let entries = std::fs::read_dir(directory).map_err(|e| on_path("read", directory, &e))?;
    for entry in entries {
        let entry = entry.map_err(|e| on_path("read", directory, &e))?;
        let path = entry.path();
        let meta = path.symlink_metadata().map_err(|e| on_path("read", &path, &e))?;
        if meta.is_dir() {
            delete_newer(&path, since, deleted)?;
        } else if meta.is_file()
            && entry.file_name() != MARKER
            && entry.file_name() != ".config"
            && meta.modified().is_ok_and(|m| m >= since)
        {
            std::fs::remove_file(&path).map_err(|e| on_path("remove", &path, &e))?;
            *deleted += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn only_what_the_cut_off_build_wrote_goes() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, age: u64| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let file = File::create(&path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        };
        write("kernel/old.o", 100);
        let (marker, deleted) = Marker::set(dir.path()).unwrap();
        assert_eq!(deleted, 0);
        write("kernel/half.o", 0);
        write(".config", 0);
        // Killed here: the marker stays.
        drop(marker);
        let (marker, deleted) = Marker::set(dir.path()).unwrap();
        assert_eq!(deleted, 1);
        assert!(dir.path().join("kernel/old.o").exists());
        assert!(dir.path().join(".config").exists());
        assert!(!dir.path().join("kernel/half.o").exists());
        write("kernel/whole.o", 0);
        marker.clear().unwrap();
        assert_eq!(Marker::set(dir.path()).unwrap().1, 0);
    }
}
