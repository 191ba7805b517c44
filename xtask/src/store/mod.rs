// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything that outlives a run: caches, locks and run directories, outside the checkout.
//!
//! ```text
//! $XTASK_HOME/
//!   objects.git/       one object store for all kernel sources and applied series
//!   downloads/         verified source archives
//!   kernels/           one JSON file a fetched kernel
//!   trees/ID/          a work tree per kernel, moved between patch levels
//!   build/ID/          build directories, one per kernel and configuration
//!   artefacts/KEY/     finished kernels with their modules, by content key
//!   probe/             what the accelerator probes found
//!   runs/NAME/         one directory a run
//!   locks/             lock files; a lock is held by flock(2), never by a file's existence
//! ```

mod atomic;
mod key;
mod lock;
mod run_dir;

use std::path::{Path, PathBuf};

pub use atomic::{finish_dir, write_atomic, write_json};
pub use key::{Key, hex};
pub use lock::Lock;
pub use run_dir::RunDir;

use crate::diagnosis::{Diagnosis, on_path};

/// The caches' root.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// `$XTASK_HOME`, else `$XDG_CACHE_HOME/kernel-xtask`, else `~/.cache/kernel-xtask`. Creates
    /// nothing yet.
    pub fn locate() -> Result<Self, Diagnosis> {
        let var = |key: &str| std::env::var_os(key).filter(|v| !v.is_empty()).map(PathBuf::from);
        let root = var("XTASK_HOME")
            .or_else(|| var("XDG_CACHE_HOME").map(|d| d.join("kernel-xtask")))
            .or_else(|| var("HOME").map(|d| d.join(".cache/kernel-xtask")));
        match root {
            Some(root) => {
                let root = std::path::absolute(&root).map_err(|e| on_path("use", &root, &e))?;
                Ok(Self { root })
            }
            None => Err(Diagnosis::infra("no place for the caches: HOME is not set")
                .next("set XTASK_HOME to a directory with some 20 GiB of free space")),
        }
    }

    /// A store at a given place.
    #[cfg(test)]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The caches' root directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path in the store whose parent directory exists.
    pub fn path(&self, relative: impl AsRef<Path>) -> Result<PathBuf, Diagnosis> {
        let path = self.root.join(relative);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|e| on_path("create", parent, &e))?;
        }
        Ok(path)
    }

    /// A directory in the store, created if need be.
    pub fn dir(&self, relative: impl AsRef<Path>) -> Result<PathBuf, Diagnosis> {
        let path = self.root.join(relative);
        std::fs::create_dir_all(&path).map_err(|e| on_path("create", &path, &e))?;
        Ok(path)
    }
}
