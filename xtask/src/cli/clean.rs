// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask clean`: shows and trims the caches.

use std::fmt::Write as _;
use std::path::Path;

use clap::Args;
use serde_json::json;

use super::Session;
use crate::diagnosis::{Diagnosis, ExitKind, on_path};

/// What may be removed: directory, option, and what it costs to get it back.
const PARTS: &[(&str, &str)] = &[
    ("runs", "results of runs"),
    ("artefacts", "built kernels"),
    ("build", "build directories"),
    ("ccache", "compiler cache"),
    ("guest", "the guest's init"),
    ("downloads", "source archives"),
    ("trees", "work trees"),
    ("objects.git", "kernel sources"),
    ("kernels", "what is known of kernel sources"),
    ("apt", "Debian's indexes"),
    ("probe", "what the accelerator probes found"),
];

/// Show and trim the caches.
#[derive(Debug, Args)]
pub struct Clean {
    /// Remove these parts, by the names that are shown
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    remove: Vec<String>,
    /// Remove everything
    #[arg(long, conflicts_with = "remove")]
    all: bool,
}

impl Clean {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        let known: Vec<_> = PARTS.iter().map(|(name, _)| *name).collect();
        if let Some(unknown) = self.remove.iter().find(|r| !known.contains(&r.as_str())) {
            return Err(Diagnosis::usage(format!("no such part: {unknown}"))
                .detail(format!("parts: {}", known.join(", "))));
        }
        let root = session.store.root();
        let mut text = format!("{}\n", root.display());
        let mut values = Vec::new();
        for (name, what) in PARTS {
            let path = root.join(name);
            let bytes = size(&path);
            let remove = self.all || self.remove.iter().any(|r| r == name);
            let _ = write!(text, "  {name:<12} {:>8} MiB  {what}", bytes >> 20);
            if remove && path.exists() && !session.dry_run {
                // Work trees and build directories may be in use by another run.
                let trees: Vec<_> = std::fs::read_dir(root.join("trees"))
                    .into_iter()
                    .flatten()
                    .flatten()
                    .map(|e| e.file_name().to_string_lossy().into_owned())
                    .collect();
                let _locks = trees
                    .iter()
                    .map(|id| session.store.lock(&session.host, &format!("tree-{id}")))
                    .collect::<Result<Vec<_>, _>>()?;
                std::fs::remove_dir_all(&path).map_err(|e| on_path("remove", &path, &e))?;
                text.push_str(", removed");
            }
            text.push('\n');
            values
                .push(json!({"part": name, "bytes": bytes, "removed": remove && !session.dry_run}));
        }
        if self.remove.is_empty() && !self.all {
            text.push_str("remove with: cargo xtask clean --remove PART,… or --all\n");
        }
        session.print(&text, &values)?;
        Ok(ExitKind::Pass)
    }
}

fn size(path: &Path) -> u64 {
    let Ok(meta) = path.symlink_metadata() else { return 0 };
    if !meta.is_dir() {
        return meta.len();
    }
    std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| size(&e.path())).sum()
}
