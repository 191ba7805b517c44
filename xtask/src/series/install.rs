// SPDX-License-Identifier: MIT OR Apache-2.0
//! Putting a variant's patches and its `series.yaml` in place: all of it at once, or nothing.

use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::diagnosis::{Diagnosis, on_path};

/// A hidden name is no series: what a kill leaves behind does no harm.
const STAGING: &str = ".staging-";

/// Writes the patches (name, bytes) into `series/directory`, in the place of those that were there,
/// and `series.yaml`. The series is made anew beside the old one, which it then changes places with:
/// at any moment, one of the two is there, and whole. The caller keeps others away.
pub fn install(
    series: &Path,
    directory: &str,
    files: &[(String, Vec<u8>)],
    yaml: &str,
) -> Result<(), Diagnosis> {
    let parent = series.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(|e| on_path("create", parent, &e))?;
    sweep(parent)?;
    let staging = tempfile::Builder::new()
        .prefix(STAGING)
        .tempdir_in(parent)
        .map_err(|e| on_path("create a directory in", parent, &e))?;
    let new = staging.path().join("series");
    let there = series.is_dir();
    if there {
        copy(series, &new)?;
    }
    let variant = new.join(directory);
    if variant.exists() {
        std::fs::remove_dir_all(&variant).map_err(|e| on_path("remove", &variant, &e))?;
    }
    std::fs::create_dir_all(&variant).map_err(|e| on_path("create", &variant, &e))?;
    for (name, bytes) in files {
        let path = variant.join(name);
        std::fs::write(&path, bytes).map_err(|e| on_path("write", &path, &e))?;
    }
    let path = new.join("series.yaml");
    std::fs::write(&path, yaml).map_err(|e| on_path("write", &path, &e))?;
    let moved = |e: std::io::Error| on_path("replace", series, &e);
    if !there {
        return std::fs::rename(&new, series).map_err(moved);
    }
    match renameat_with(CWD, &new, CWD, series, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // Some file systems cannot; then there is a moment with neither.
        Err(Errno::INVAL | Errno::NOSYS) => {
            let old = staging.path().join("old");
            std::fs::rename(series, &old).map_err(moved)?;
            std::fs::rename(&new, series).map_err(|e| {
                let _ = std::fs::rename(&old, series);
                moved(e)
            })
        }
        Err(e) => Err(moved(e.into())),
    }
}

/// Removes what a kill left behind.
fn sweep(parent: &Path) -> Result<(), Diagnosis> {
    let entries = std::fs::read_dir(parent).map_err(|e| on_path("read", parent, &e))?;
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(STAGING) {
            let path = entry.path();
            std::fs::remove_dir_all(&path).map_err(|e| on_path("remove", &path, &e))?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), Diagnosis> {
    std::fs::create_dir_all(to).map_err(|e| on_path("create", to, &e))?;
    let entries = std::fs::read_dir(from).map_err(|e| on_path("read", from, &e))?;
    for entry in entries {
        let entry = entry.map_err(|e| on_path("read", from, &e))?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(|e| on_path("read", &path, &e))?;
        if kind.is_dir() {
            copy(&path, &target)?;
        } else if kind.is_symlink() {
            std::fs::read_link(&path)
                .and_then(|link| std::os::unix::fs::symlink(link, &target))
                .map_err(|e| on_path("copy", &path, &e))?;
        } else {
            std::fs::copy(&path, &target).map_err(|e| on_path("copy", &path, &e))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> Vec<(String, Vec<u8>)> {
        vec![("1.patch".to_owned(), text.as_bytes().to_vec())]
    }

    #[test]
    fn a_variant_changes_and_all_else_stays() {
        let dir = tempfile::tempdir().unwrap();
        let series = dir.path().join("s");
        install(&series, "5.10", &files("one"), "yaml one").unwrap();
        std::fs::write(series.join("notes.txt"), "mine").unwrap();
        std::fs::create_dir(dir.path().join(".staging-of-a-killed-one")).unwrap();
        install(&series, "6.1", &files("two"), "yaml two").unwrap();
        install(&series, "5.10", &files("three"), "yaml three").unwrap();
        let read = |name: &str| std::fs::read_to_string(series.join(name)).unwrap_or_default();
        let all = ["5.10/1.patch", "6.1/1.patch", "series.yaml", "notes.txt"].map(read);
        assert_eq!(all, ["three", "two", "yaml three", "mine"]);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_error_leaves_all_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let series = dir.path().join("s");
        install(&series, "5.10", &files("one"), "yaml one").unwrap();
        let bad = [("no/such/1.patch".to_owned(), Vec::new())];
        install(&series, "5.10", &bad, "yaml two").unwrap_err();
        install(&dir.path().join("t"), "5.10", &bad, "yaml two").unwrap_err();
        let read = |name: &str| std::fs::read_to_string(series.join(name)).unwrap();
        assert_eq!((read("5.10/1.patch"), read("series.yaml")), ("one".into(), "yaml one".into()));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
