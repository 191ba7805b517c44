// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask kernel`: sources.

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
        /// Look for a newer one even if that was done today
        #[arg(long)]
        refresh: bool,
    },
    /// Print the path of a kernel's work tree, checked out without patches
    Path {
        /// The kernel
        kernel: String,
    },
}

impl Kernel {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        let (host, store) = (&session.host, &session.store);
        let matrix = session.workspace.matrix()?;
        match self {
            Self::List => {
                let known = tree::known(store);
                let mut text = String::from("in matrix.yaml:\n");
                for listed in &matrix.kernels {
                    let spec = listed.spec().map_err(Diagnosis::usage)?;
                    let have = tree::resolve(host, store, &spec, false)?;
                    let have = have.map_or("not fetched".into(), |s| format!("have {}", s.version));
                    let _ = writeln!(text, "  {:<8} {have}", listed.name.to_string());
                }
                text.push_str("in the store:\n");
                for source in &known {
                    let _ = writeln!(text, "  {:<20} {}", source.id, source.origin);
                }
                session.print(&text, &known)?;
            }
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
        }
        Ok(ExitKind::Pass)
    }
}
