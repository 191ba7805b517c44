// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask report`.

use clap::Args;

use super::{Format, Session};
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::report;
use crate::verdict::RunResult;

/// Show results.
#[derive(Debug, Args)]
pub struct Report {
    /// Run directories, names of runs, or `last`
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<String>,
}

impl Report {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
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
            if session.format == Format::Text {
                session.print(&report::summary(&result, run.path()), &())?;
            }
            results.push(result);
        }
        if session.format == Format::Json {
            match results.as_slice() {
                [only] => session.print("", only)?,
                all => session.print("", &all)?,
            }
        }
        Ok(ExitKind::Pass)
    }
}
