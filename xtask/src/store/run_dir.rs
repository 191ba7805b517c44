// SPDX-License-Identifier: MIT OR Apache-2.0
//! Run directories: everything that one run writes.

use std::path::{Path, PathBuf};

use super::Store;
use crate::diagnosis::{Diagnosis, on_path};

/// The directory of one run.
#[derive(Debug, Clone)]
pub struct RunDir {
    path: PathBuf,
}

impl Store {
    /// Creates a new run directory. `label` tells a person which run it was.
    pub fn new_run(&self, label: &str) -> Result<RunDir, Diagnosis> {
        let runs = self.dir("runs")?;
        let time = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
        let label: String = label
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
            .collect();
        for attempt in 0..1000 {
            let suffix = if attempt == 0 { String::new() } else { format!("-{attempt}") };
            let path = runs.join(format!("{time}-{label}{suffix}"));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(RunDir { path }),
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(on_path("create", &path, &e)),
            }
        }
        Err(Diagnosis::infra(format!("too many runs named {time}-{label} in {}", runs.display())))
    }

    /// The last run of a matrix.
    pub fn last_matrix(&self) -> Result<RunDir, Diagnosis> {
        let runs = self.root().join("runs");
        let all = std::fs::read_dir(&runs).into_iter().flatten().flatten().map(|e| e.path());
        let last = all.filter(|path| path.join("matrix.json").is_file()).max();
        last.map(|path| RunDir { path })
            .ok_or_else(|| Diagnosis::usage(format!("there is no matrix in {}", runs.display())))
    }

    /// A run that was made before: by directory, by name under `runs/`, or `last`.
    pub fn find_run(&self, name: &str) -> Result<RunDir, Diagnosis> {
        let runs = self.root().join("runs");
        let path = if name == "last" {
            let mut all: Vec<_> = std::fs::read_dir(&runs)
                .map(|entries| entries.flatten().map(|e| e.path()).collect())
                .unwrap_or_default();
            all.sort();
            all.pop()
        } else {
            [PathBuf::from(name), runs.join(name)].into_iter().find(|p| p.is_dir())
        };
        path.map(|path| RunDir { path }).ok_or_else(|| {
            Diagnosis::usage(format!("no such run: {name}"))
                .next(format!("see what is in {}", runs.display()))
        })
    }
}

impl RunDir {
    /// A directory in it that has the files of one part of the run, created if need be.
    pub fn part(&self, name: impl AsRef<Path>) -> Result<Self, Diagnosis> {
        let path = self.path.join(name);
        std::fs::create_dir_all(&path).map_err(|e| on_path("create", &path, &e))?;
        Ok(Self { path })
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}
