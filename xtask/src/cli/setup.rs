// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask setup`.

use clap::Args;

use super::Session;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::host::{rust, setup};

/// Install what the host lacks.
#[derive(Debug, Args)]
pub struct Setup {
    /// Use sudo, and replace packages where that cannot be avoided
    #[arg(long)]
    yes: bool,
}

impl Setup {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        if session.dry_run {
            let plan = setup::plan(&session.host)?;
            session.print(&plan.to_string(), &plan.to_string())?;
            return Ok(ExitKind::Pass);
        }
        let summary = install(session, self.yes)?;
        let text = if summary.is_empty() {
            "nothing is missing".to_owned()
        } else {
            format!("installed: {}", summary.join(", "))
        };
        session.print(&text, &summary)?;
        Ok(ExitKind::Pass)
    }
}

/// Installs, and gives back what was installed.
pub fn install(session: &Session, yes: bool) -> Result<Vec<String>, Diagnosis> {
    let summary = setup::run(&session.host, yes)?;
    for note in &summary.notes {
        session.host.progress.note(note);
    }
    let mut installed: Vec<_> = summary.installed.iter().map(ToString::to_string).collect();
    // No package brings it in the version that kernels need; without libclang it would be of no use.
    let candidates = rust::find(&session.host, &session.store);
    let lacks_bindgen = candidates.bindgen.iter().all(|b| b.trouble.is_some());
    if lacks_bindgen && !candidates.libclang.is_empty() {
        match rust::install_bindgen(&session.host, &session.store) {
            Ok(()) => installed.push("bindgen-cli".to_owned()),
            // The main job runs without it.
            Err(error) => session.host.progress.note(&format!("bindgen is not installed: {error}")),
        }
    }
    Ok(installed)
}
