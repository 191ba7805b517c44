// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask kernel`: sources.

mod add;
mod file;
mod list;
mod update;

use std::fmt::Write as _;

use clap::Subcommand;

use super::Session;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::tree::{self, WorkTree};

/// Kernel sources.
#[derive(Debug, Subcommand)]
pub enum Kernel {
    /// Show the kernels in matrix.yaml and those in the store
    List,
    /// Get kernels into the store
    Fetch {
        /// Names, point releases, PATH@REF, URL@REF or directories
        #[arg(required = true)]
        kernels: Vec<String>,
        /// Look for a newer one even if that was done today; a pin stays where it is
        #[arg(long)]
        refresh: bool,
    },
    /// Print the path of a kernel's work tree, checked out without patches
    Path {
        /// The kernel
        kernel: String,
    },
    Add(add::Add),
    Update(update::Update),
}

impl Kernel {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        let (host, store) = (&session.host, &session.store);
        let matrix = session.workspace.matrix()?;
        match self {
            Self::List => list::run(session, &matrix)?,
            Self::Fetch { kernels, refresh } => {
                // All names are looked up before the first download.
                let specs =
                    kernels.iter().map(|k| matrix.find(k)).collect::<Result<Vec<_>, _>>()?;
                let mut fetched = Vec::new();
                for spec in &specs {
                    if session.dry_run {
                        host.progress.note(&format!("would fetch {}", spec.name));
                        continue;
                    }
                    fetched.push(tree::fetch(host, store, spec, *refresh)?);
                }
                let mut text = String::new();
                for s in &fetched {
                    let _ = writeln!(text, "{}  {}  {}", s.id, s.commit, s.origin);
                }
                session.print(&text, &fetched)?;
            }
            Self::Path { kernel } => {
                let spec = matrix.find(kernel)?;
                let source = tree::fetch(host, store, &spec, false)?;
                let work = WorkTree::lock(host, store, &source)?;
                work.checkout(host, store, &source.commit)?;
                session.print(&work.path().display().to_string(), &work.path())?;
            }
            Self::Add(add) => add.run(session, &matrix)?,
            Self::Update(update) => return update.run(session),
        }
        Ok(ExitKind::Pass)
    }
}
