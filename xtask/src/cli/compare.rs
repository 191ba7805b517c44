// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask compare`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use clap::Args;

use super::{Format, Session};
use crate::compare::{self, Cell, Damage, Noise, Side};
use crate::diagnosis::{Diagnosis, ExitKind, on_path};
use crate::matrix::Record;
use crate::verdict::{RunResult, SCHEMA};

/// What follows the options in `--help`.
const RULES: &str = "\
A cell of A goes with the cell of B that has its name in the matrix, else with the one that is about \
the same kernel line, series, level, subject and suite.

Worse is: a pass that became another verdict, a skip that became a failure, a property that held and \
does not any more, a new finding, missed, doubled or stale calls where there were none, and a cell \
that only A has. For a fault, which has to fail, it is a failure that is gone.

Times and rates are shown if they moved beyond noise: one is more than --noise times the other, and \
they differ by more than 1000 calls a second, 1 modify a second, 1 ms of the median modify, 0.5 s of \
booting, or 2 s of a step that was done in both. They do not make a cell worse, as machines differ.

Exit codes: 0 nothing got worse; 1 something did; 2 no such run; 4 results are missing or damaged on \
a side, or a planned cell has not been run, so that there is no answer (what could be compared is \
shown).";

/// Show what changed between two runs or matrices
#[derive(Debug, Args)]
#[command(after_long_help = RULES)]
pub struct Compare {
    /// The earlier one: a run's or a matrix's directory or name, or `last`
    #[arg(value_name = "A")]
    before: String,
    /// The later one
    #[arg(value_name = "B")]
    after: String,
    /// How many times larger a number may be than the other before that is more than noise
    #[arg(long, value_name = "RATIO", default_value = "1.5")]
    noise: Noise,
}

impl Compare {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        let a = side(session, &self.before)?;
        let b = side(session, &self.after)?;
        let comparison = compare::compare(&a, &b, self.noise);
        let text = match session.format {
            Format::Md => compare::markdown(&comparison),
            _ => compare::text(&comparison),
        };
        session.print(&text, &comparison)?;
        Ok(comparison.exit())
    }
}

/// Reads all results of a run or a matrix.
fn side(session: &Session, name: &str) -> Result<Side, Diagnosis> {
    let run = session.store.find_run(name)?;
    let called = run.path().file_name().map_or(name.into(), |n| n.to_string_lossy().into_owned());
    let mut side = Side { name: called, cells: Vec::new(), damaged: Vec::new() };
    // What was planned and never run has no directory: only the record tells that it is missing.
    let record = Record::load(&run).unwrap_or_else(|damaged| {
        side.damaged.push(Damage { cell: None, why: damaged.what });
        None
    });
    let cells = run.file("cells");
    if record.is_none() && side.damaged.is_empty() && !cells.is_dir() {
        add(&mut side, None, run.path());
        return Ok(side);
    }
    let planned = record.into_iter().flat_map(|r| r.cells).map(|c| c.cell.id.into());
    let mut names: BTreeSet<OsString> = planned.collect();
    if cells.is_dir() {
        let failed = |e: std::io::Error| on_path("read", &cells, &e);
        for entry in std::fs::read_dir(&cells).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.path().is_dir() {
                names.insert(entry.file_name());
            }
        }
    }
    for name in names {
        add(&mut side, Some(name.to_string_lossy().into_owned()), &cells.join(&name));
    }
    if side.cells.is_empty() && side.damaged.is_empty() {
        let why = format!("{}: there are no cells", cells.display());
        side.damaged.push(Damage { cell: None, why });
    }
    Ok(side)
}

fn add(side: &mut Side, name: Option<String>, directory: &Path) {
    match read(directory) {
        Ok(result) => {
            // What is written first, and stays if the tool is killed.
            if result.exit_code == ExitKind::Incomplete.code() {
                let why = format!("{}: {}", directory.display(), result.reason);
                side.damaged.push(Damage { cell: name, why });
            } else {
                side.cells.push(Cell { name, result });
            }
        }
        Err(why) => side.damaged.push(Damage { cell: name, why }),
    }
}

fn read(directory: &Path) -> Result<RunResult, String> {
    let path = directory.join("result.json");
    let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let result: RunResult =
        serde_json::from_slice(&bytes).map_err(|e| format!("{}: {e}", path.display()))?;
    if result.schema != SCHEMA {
        return Err(format!("{}: schema {} is not known here", path.display(), result.schema));
    }
    Ok(result)
}
