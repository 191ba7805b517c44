// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finished kernels, by content key.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{DirectApi, Toolchain};
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::Host;
use crate::store::{Key, Store, finish_dir, write_json};

/// File that is written last into an artefact: where it is, the artefact is complete.
const MANIFEST: &str = "artefact.json";

/// A kernel and the modules that belong to it.
#[derive(Debug, Clone)]
pub struct Artefact {
    /// Its directory.
    pub directory: PathBuf,
    /// What is known about it.
    pub manifest: Manifest,
}

/// What is known about an artefact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The content key it was made under.
    pub key: Key,
    /// `include/config/kernel.release`: what `uname -r` will say.
    pub release: String,
    /// The source tree's directory at build time; debug information names it.
    pub source: PathBuf,
    /// What built it.
    pub toolchain: Toolchain,
    /// The direct-call API of the tree.
    pub direct_api: Option<DirectApi>,
    /// Options that were asked for only where a tree knows them, and that this one does not.
    pub not_in_version: Vec<String>,
    /// Whether lock debugging makes it slow.
    pub debug: bool,
    /// Length of each file, in bytes, so that a cut copy is noticed.
    pub files: std::collections::BTreeMap<String, u64>,
}

impl Artefact {
    /// The bootable image.
    pub fn image(&self) -> PathBuf {
        self.directory.join("bzImage")
    }

    /// The kernel with its debug information.
    pub fn vmlinux(&self) -> PathBuf {
        self.directory.join("vmlinux")
    }

    /// The final configuration.
    pub fn config(&self) -> PathBuf {
        self.directory.join("config")
    }

    /// All modules, sorted by name.
    pub fn modules(&self) -> Result<Vec<PathBuf>, Diagnosis> {
        let directory = self.directory.join("modules");
        let entries = std::fs::read_dir(&directory).map_err(|e| on_path("read", &directory, &e))?;
        let mut all: Vec<_> = entries.flatten().map(|e| e.path()).collect();
        all.sort();
        Ok(all)
    }

    fn path_of(store: &Store, key: &Key) -> PathBuf {
        store.root().join("artefacts").join(key.short())
    }

    /// The artefact of this key if it is there and whole. One that is not whole is removed, and that
    /// is said.
    pub fn find(host: &Host, store: &Store, key: &Key) -> Result<Option<Self>, Diagnosis> {
        let directory = Self::path_of(store, key);
        let Ok(text) = std::fs::read(directory.join(MANIFEST)) else {
            return Ok(None);
        };
        if let Ok(manifest) = serde_json::from_slice::<Manifest>(&text)
            && manifest.key == *key
            && manifest.files.iter().all(|(name, length)| {
                directory.join(name).metadata().is_ok_and(|m| m.len() == *length)
            })
        {
            return Ok(Some(Self { directory, manifest }));
        }
        host.progress.note(&format!(
            "{} is damaged (a file is missing or cut): it is made anew",
            directory.display()
        ));
        std::fs::remove_dir_all(&directory).map_err(|e| on_path("remove", &directory, &e))?;
        Ok(None)
    }

    /// Removes the artefact of this key, if there is one.
    pub fn remove(store: &Store, key: &Key) -> Result<(), Diagnosis> {
        let directory = Self::path_of(store, key);
        match std::fs::remove_dir_all(&directory) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(on_path("remove", &directory, &e))
            }
            _ => Ok(()),
        }
    }

    /// Copies files (destination name, source path) into a new artefact and publishes it.
    pub fn publish(
        store: &Store,
        mut manifest: Manifest,
        files: &[(String, PathBuf)],
    ) -> Result<Self, Diagnosis> {
        let directory = Self::path_of(store, &manifest.key);
        let parent = store.dir("artefacts")?;
        let building = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(&parent)
            .map_err(|e| on_path("create a directory in", &parent, &e))?;
        for (name, from) in files {
            let to = building.path().join(name);
            if let Some(parent) = to.parent() {
                std::fs::create_dir_all(parent).map_err(|e| on_path("create", parent, &e))?;
            }
            let length = copy(from, &to)?;
            manifest.files.insert(name.clone(), length);
        }
        write_json(&building.path().join(MANIFEST), &manifest)?;
        finish_dir(building, &directory)?;
        Ok(Self { directory, manifest })
    }
}

fn copy(from: &Path, to: &Path) -> Result<u64, Diagnosis> {
    std::fs::copy(from, to).map_err(|e| {
        let path = if from.exists() { to } else { from };
        on_path("copy", path, &e)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(key: &Key) -> Manifest {
        Manifest {
            key: key.clone(),
            release: "6.1.0".into(),
            source: "/s".into(),
            toolchain: Toolchain {
                cc: "gcc".into(),
                ld: "ld".into(),
                make: "make".into(),
                ccache: false,
                rust: None,
            },
            direct_api: Some(DirectApi::Multi),
            not_in_version: vec![],
            debug: false,
            files: std::collections::BTreeMap::new(),
        }
    }

    #[test]
    fn a_cut_artefact_is_never_used() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::for_tests();
        let store = Store::at(dir.path().join("home"));
        let key = Key::of("test").finish();
        assert!(Artefact::find(&host, &store, &key).unwrap().is_none());
        let image = dir.path().join("image");
        std::fs::write(&image, "0123456789").unwrap();
        let files = [("bzImage".to_owned(), image)];
        let made = Artefact::publish(&store, manifest(&key), &files).unwrap();
        assert!(Artefact::find(&host, &store, &key).unwrap().is_some());
        std::fs::write(made.image(), "01234").unwrap();
        assert!(Artefact::find(&host, &store, &key).unwrap().is_none());
        assert!(!made.directory.exists());
    }
}
