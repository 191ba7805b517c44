// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask report`.

use clap::Args;

use super::{Format, Session};
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::report::{self, Shown};
use crate::verdict::RunResult;

/// Show results.
#[derive(Debug, Args)]
pub struct Report {
    /// Run directories, names of runs, or `last`
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<String>,
    /// Name of this CI system in KCIDB: lower-case letters, digits and `_`  [default: xtask]
    #[arg(long, value_name = "NAME")]
    origin: Option<String>,
}

impl Report {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        if self.origin.is_some() && session.format != Format::Kcidb {
            return Err(Diagnosis::usage("--origin goes with --format kcidb"));
        }
        let origin = report::Origin::new(self.origin.as_deref().unwrap_or("xtask"))?;
        let mut results = Vec::new();
        for name in &self.runs {
            let run = session.store.find_run(name)?;
            let path = run.file("result.json");
            let text = std::fs::read(&path).map_err(|e| {
                Diagnosis::new(ExitKind::Incomplete, format!("{}: {e}", path.display()))
            })?;
            let result: RunResult = serde_json::from_slice(&text).map_err(|e| {
                Diagnosis::new(ExitKind::Incomplete, format!("{}: {e}", path.display()))
            })?;
            let name = run.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
            let directory = run.path().to_owned();
            results.push((run, Shown { run: name, directory, result, standing: None }));
        }
        let shown: Vec<Shown> = results.iter().map(|(_, shown)| shown.clone()).collect();
        match session.format {
            Format::Text => match results.as_slice() {
                [(run, only)] => session.print(&report::summary(&only.result, run.path()), &())?,
                _ => session.print(&report::table(&shown), &())?,
            },
            Format::Json => match shown.as_slice() {
                [only] => session.print("", &only.result)?,
                all => session.print("", &all.iter().map(|s| &s.result).collect::<Vec<_>>())?,
            },
            Format::Md => session.print(&report::markdown(&shown), &())?,
            Format::Junit => session.print(&report::junit(&shown)?, &())?,
            Format::Kcidb => session.print("", &report::kcidb(&shown, &origin))?,
            Format::Ktap => session.print(&report::ktap(&shown), &())?,
        }
        Ok(ExitKind::Pass)
    }
}
