// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask build`.

use clap::Args;
use serde_json::json;

use super::Session;
use super::select::Select;
use crate::cell;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::report;

/// Build a kernel and its modules.
#[derive(Debug, Args)]
pub struct Build {
    #[command(flatten)]
    select: Select,
    /// Build even if it was built before
    #[arg(long)]
    rebuild: bool,
}

impl Build {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        let (host, store, workspace) = (&session.host, &session.store, &session.workspace);
        let request = self.select.request(session, None)?;
        if session.dry_run {
            let mut steps = cell::plan(host, store, workspace, &request)?;
            steps.retain(|s| s.name != "vm");
            session.print(&report::plan(&steps), &steps)?;
            return Ok(ExitKind::Pass);
        }
        let mut result = cell::new_result(&request);
        let prepared = cell::prepare(host, store, workspace, &request, self.rebuild, &mut result)
            .map_err(super::as_usage)?;
        let artefact = &prepared.artefact;
        let value = json!({
            "kernel": prepared.source.version, "series": result.series,
            "directory": artefact.directory, "manifest": artefact.manifest, "steps": result.steps,
        });
        session.print(&artefact.directory.display().to_string(), &value)?;
        Ok(ExitKind::Pass)
    }
}
