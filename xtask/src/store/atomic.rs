// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writing so that a kill at any moment leaves either the old content or the new.

use std::io::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::diagnosis::{Diagnosis, on_path};

/// Writes a file under a temporary name in the same directory, syncs it and renames it.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), Diagnosis> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let write = || {
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(directory)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        // Temporary files are private; what is published may be read like any other file.
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        file.as_file().set_permissions(mode)?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|e: std::io::Error| on_path("write", path, &e))
}

/// [`write_atomic`] of a value as indented JSON.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Diagnosis> {
    let mut text = serde_json::to_vec_pretty(value)
        .map_err(|e| Diagnosis::infra(format!("cannot put {} into JSON: {e}", path.display())))?;
    text.push(b'\n');
    write_atomic(path, &text)
}

/// Publishes a finished directory under its final name. If another process was first, its directory
/// stands: both have the same content key.
pub fn finish_dir(building: tempfile::TempDir, path: &Path) -> Result<(), Diagnosis> {
    if path.exists() {
        return Ok(());
    }
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(building.path(), mode)
        .and_then(|()| std::fs::rename(building.path(), path))
        .map_err(|e| on_path("publish", path, &e))?;
    // It has moved: there is nothing left to delete at the old name.
    let _ = building.keep();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_keeps_the_old_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        write_json(&path, &1).unwrap();
        let unwritable = dir.path().join("missing/a.json");
        assert!(write_json(&unwritable, &2).is_err());
        write_json(&path, &3).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "3\n");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
    }
}
