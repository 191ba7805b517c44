// SPDX-License-Identifier: MIT OR Apache-2.0
//! A cell of a side, and what makes two cells the same.

use crate::tree::KernelVersion;
use crate::verdict::RunResult;

/// A cell of a side.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Name of its directory in a matrix; `None` for a single run.
    pub name: Option<String>,
    /// Its result.
    pub result: RunResult,
}

/// What a cell is about, whatever it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    kernel: String,
    series: String,
    /// How many patches, if not all.
    level: Option<usize>,
    subject: String,
    suite: String,
}

impl Cell {
    /// What it is about.
    pub fn identity(&self) -> Identity {
        let RunResult { series, subject, suite, .. } = &self.result;
        Identity {
            kernel: self.kernel(),
            series: series.name.clone(),
            level: (!series.not_applied.is_empty()).then_some(series.applied.len()),
            subject: subject.clone(),
            suite: suite.clone(),
        }
    }

    /// The line of its kernel. A run that did not get to know it tells which one was asked for.
    fn kernel(&self) -> String {
        if let Some(kernel) = &self.result.kernel {
            return kernel.version.line().to_string();
        }
        let mut words = self.result.reproduce.split_whitespace();
        let asked = words.find(|word| *word == "--kernel").and_then(|_| words.next());
        let asked = asked.unwrap_or("?");
        asked.parse::<KernelVersion>().map_or(asked.to_owned(), |v| v.line().to_string())
    }

    /// What to call it.
    pub fn label(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let Identity { kernel, series, level, subject, suite } = self.identity();
        let level = level.map(|n| format!(":{n}")).unwrap_or_default();
        format!("{kernel}/{series}{level}/{subject}/{suite}")
    }
}

/// Whether the cell is broken on purpose: then to fail is right.
pub fn is_fault(result: &RunResult) -> bool {
    result.reproduce.split_whitespace().any(|word| word == "--fault" || word == "--sabotage")
}
