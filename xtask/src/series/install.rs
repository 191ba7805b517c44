// SPDX-License-Identifier: MIT OR Apache-2.0
//! Putting a variant's patches and its `series.yaml` in place: all of it, or nothing.

use std::path::Path;

use crate::diagnosis::{Diagnosis, on_path};
use crate::store::write_atomic;

/// Writes the patches (name, bytes) into `series/directory`, in the place of those that were there,
/// and `series.yaml`. On an error, all is as it was.
pub fn install(
    series: &Path,
    directory: &str,
    files: &[(String, Vec<u8>)],
    yaml: &str,
) -> Result<(), Diagnosis> {
    let parent = series.parent().unwrap_or(Path::new("."));
    let directory = series.join(directory);
    let is_new = !series.exists();
    // A hidden name is no series: what a kill leaves behind does no harm.
    std::fs::create_dir_all(parent).map_err(|e| on_path("create", parent, &e))?;
    let staging = tempfile::Builder::new()
        .prefix(".staging-")
        .tempdir_in(parent)
        .map_err(|e| on_path("create a directory in", parent, &e))?;
    let (new, old) = (staging.path().join("new"), staging.path().join("old"));
    std::fs::create_dir(&new).map_err(|e| on_path("create", &new, &e))?;
    for (name, bytes) in files {
        let path = new.join(name);
        std::fs::write(&path, bytes).map_err(|e| on_path("write", &path, &e))?;
    }
    std::fs::create_dir_all(series).map_err(|e| on_path("create", series, &e))?;
    let mut placed = false;
    let mut swap = || {
        if directory.exists() {
            std::fs::rename(&directory, &old).map_err(|e| on_path("move", &directory, &e))?;
        }
        std::fs::rename(&new, &directory).map_err(|e| on_path("move", &new, &e))?;
        placed = true;
        write_atomic(&series.join("series.yaml"), yaml.as_bytes())
    };
    swap().inspect_err(|_| {
        if placed {
            let _ = std::fs::remove_dir_all(&directory);
        }
        if old.exists() {
            let _ = std::fs::rename(&old, &directory);
        }
        if is_new {
            let _ = std::fs::remove_dir(series);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_leaves_all_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let series = dir.path().join("s");
        let files = |text: &str| vec![("1.patch".to_owned(), text.as_bytes().to_vec())];
        install(&series, "5.10", &files("one"), "yaml one").unwrap();
        let read = |name: &str| std::fs::read_to_string(series.join(name)).unwrap_or_default();
        assert_eq!((read("5.10/1.patch"), read("series.yaml")), ("one".into(), "yaml one".into()));

        // series.yaml cannot be replaced: it is a directory now.
        std::fs::remove_file(series.join("series.yaml")).unwrap();
        std::fs::create_dir(series.join("series.yaml")).unwrap();
        std::fs::write(series.join("series.yaml/x"), "").unwrap();
        install(&series, "5.10", &files("two"), "yaml two").unwrap_err();
        assert_eq!(read("5.10/1.patch"), "one");
        install(&series, "6.1", &files("two"), "yaml two").unwrap_err();
        assert!(!series.join("6.1").exists());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
