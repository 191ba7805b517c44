// SPDX-License-Identifier: MIT OR Apache-2.0
//! `matrix.json`: what a matrix run was to do, and how far it came. Scripts read it; fields are
//! only ever added.
//!
//! ```text
//! runs/TIME-matrix/
//!   matrix.json           this
//!   cells/ID/result.json  as of a run; written first as one that did not come to its end
//!   cells/ID/log.txt      what the cell's steps and their programs said
//!   cells/ID/…            console.log and the rest, as of a run
//! ```

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Cell, Standing, conclude, stand};
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::store::{Key, RunDir, write_json};
use crate::verdict::{RunResult, Verdict};

/// Version of the format.
const SCHEMA: u32 = 1;

/// Its name.
const FILE: &str = "matrix.json";

/// `matrix.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// Version of the format.
    pub schema: u32,
    /// What the whole matrix comes to.
    pub exit_code: u8,
    /// The same in words.
    pub conclusion: String,
    /// When it began.
    pub started: jiff::Timestamp,
    /// When it ended; absent as long as it runs, or if it was stopped.
    pub ended: Option<jiff::Timestamp>,
    /// How often it was resumed.
    #[serde(default)]
    pub resumed: u32,
    /// Of `matrix.yaml`, patches, configurations and tests: a resumed matrix must have the same.
    pub inputs: Key,
    /// Which cells were asked for.
    pub selection: Selection,
    /// The cells, with what was last known of each.
    pub cells: Vec<CellRecord>,
    /// A command line that does it again.
    pub reproduce: String,
}

/// Which cells of the plan were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// `--only`
    pub only: Option<String>,
    /// `--exclude`
    pub exclude: Option<String>,
    /// `--shard`
    pub shard: Option<String>,
    /// `--duration`, in milliseconds.
    #[serde(default)]
    pub duration_ms: Option<u64>,
}

/// A cell.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CellRecord {
    /// What it is.
    #[serde(flatten)]
    pub cell: Cell,
    /// Its verdict, once it has one.
    pub verdict: Option<Verdict>,
    /// How it stands.
    pub standing: Standing,
}

impl Record {
    /// The record of a matrix in which nothing has been run.
    pub fn new(cells: Vec<Cell>, inputs: Key, selection: Selection, reproduce: String) -> Self {
        let results = vec![None; cells.len()];
        let mut record = Self {
            schema: SCHEMA,
            exit_code: ExitKind::Incomplete.code(),
            conclusion: String::new(),
            started: jiff::Timestamp::now(),
            ended: None,
            resumed: 0,
            inputs,
            selection,
            cells: cells
                .into_iter()
                .map(|cell| CellRecord { standing: stand(&cell, None, None), verdict: None, cell })
                .collect(),
            reproduce,
        };
        record.judge(&results);
        record
    }

    /// Judges all cells by the results that there are.
    pub fn judge(&mut self, results: &[Option<RunResult>]) -> ExitKind {
        let places: Vec<Option<usize>> = self
            .cells
            .iter()
            .map(|c| self.cells.iter().position(|b| Some(&b.cell.id) == c.cell.baseline.as_ref()))
            .collect();
        for ((record, result), baseline) in self.cells.iter_mut().zip(results).zip(places) {
            let baseline = baseline.and_then(|at| results[at].as_ref());
            record.standing = stand(&record.cell, result.as_ref(), baseline);
            record.verdict = result.as_ref().map(|r| r.verdict);
        }
        let exit = conclude(self.cells.iter().map(|c| &c.standing));
        self.exit_code = exit.code();
        let words = match exit {
            ExitKind::CheckFailed => "a cell is not as expected",
            ExitKind::Infra => "of a cell nothing is known: the tool or the machine failed",
            ExitKind::Incomplete => "not all cells have been run",
            _ => "every cell is as expected",
        };
        words.clone_into(&mut self.conclusion);
        exit
    }

    /// Writes it.
    pub fn save(&self, run: &RunDir) -> Result<(), Diagnosis> {
        write_json(&run.file(FILE), self)
    }

    /// Reads the record of a run; `None` if the run is no matrix.
    pub fn load(run: &RunDir) -> Result<Option<Self>, Diagnosis> {
        let path = run.file(FILE);
        if !path.is_file() {
            return Ok(None);
        }
        let damaged = |why: String| {
            Diagnosis::new(ExitKind::Incomplete, format!("{}: {why}", path.display()))
                .next("it cannot be shown or resumed; run the matrix again")
        };
        let text = std::fs::read(&path).map_err(|e| damaged(e.to_string()))?;
        serde_json::from_slice(&text).map(Some).map_err(|e| damaged(e.to_string()))
    }

    /// The results that a run has, cell by cell. A damaged one is none.
    pub fn results(&self, run: &RunDir) -> Vec<Option<RunResult>> {
        self.cells
            .iter()
            .map(|c| {
                let text = std::fs::read(directory(run, &c.cell).join("result.json")).ok()?;
                serde_json::from_slice(&text).ok()
            })
            .collect()
    }
}

/// What reports show of a cell that has no result.
pub fn not_run(cell: &Cell) -> RunResult {
    RunResult::unfinished(
        cell.patches.name(),
        cell.subject.name(),
        &cell.suite,
        "it has not been run",
        format!("cargo xtask matrix --only {}", cell.id),
    )
}

/// Where a cell's files lie.
pub fn directory(run: &RunDir, cell: &Cell) -> PathBuf {
    run.file("cells").join(&cell.id)
}
