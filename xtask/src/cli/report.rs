// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask report`.

use clap::Args;

use super::{Format, Session};
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::matrix::{self, Record};
use crate::report::{self, Shown};
use crate::store::RunDir;
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
            if let Some(record) = Record::load(&run)? {
                let cells = cells_of(&record, &run).into_iter();
                results.extend(cells.map(|shown| (run.clone(), shown)));
                continue;
            }
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
            Format::Text | Format::Github | Format::Gitlab => match results.as_slice() {
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

/// The cells of a matrix, as reports show them: each that was planned, with or without a result.
pub fn cells_of(record: &Record, run: &RunDir) -> Vec<Shown> {
    let results = record.results(run);
    let mut record = record.clone();
    record.judge(&results);
    record
        .cells
        .into_iter()
        .zip(results)
        .map(|(known, result)| Shown {
            run: known.cell.id.clone(),
            directory: matrix::directory(run, &known.cell),
            result: result.unwrap_or_else(|| matrix::not_run(&known.cell)),
            standing: Some(known.standing),
        })
        .collect()
}
