// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of a cell in past runs, and when two runs were of the same cell. Pure.

use std::collections::BTreeMap;

use crate::verdict::{RunResult, Verdict};

/// What makes runs comparable. The point release is not part of it: how a cell fares as a line moves
/// on is just what a history is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    kernel: Option<String>,
    series: String,
    applied: usize,
    not_applied: usize,
    subject: String,
    suite: String,
}

impl Identity {
    /// Of the cell that a result is about.
    pub fn of(result: &RunResult) -> Self {
        Self {
            kernel: result.kernel.as_ref().map(|k| k.version.line().to_string()),
            series: result.series.name.clone(),
            applied: result.series.applied.len(),
            not_applied: result.series.not_applied.len(),
            subject: result.subject.clone(),
            suite: result.suite.clone(),
        }
    }
}

/// One past run of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// When it began.
    pub started: jiff::Timestamp,
    /// Its verdict.
    pub verdict: Verdict,
    /// Why, in one line.
    pub reason: String,
    /// The kernel's version.
    pub version: Option<String>,
    /// Calls made, if it came to that.
    pub calls: Option<u64>,
    /// Modifies done, if it came to that.
    pub modifies: Option<u64>,
}

impl Past {
    /// What is kept of a result.
    pub fn of(result: &RunResult) -> Self {
        let number = |key: &str| result.stress.get(key).and_then(|n| u64::try_from(*n).ok());
        Self {
            started: result.started,
            verdict: result.verdict,
            reason: result.reason.clone(),
            version: result.kernel.as_ref().map(|k| k.version.to_string()),
            calls: number("calls"),
            modifies: number("modifies"),
        }
    }
}

/// Past runs by cell.
#[derive(Debug, Clone, Default)]
pub struct History {
    cells: BTreeMap<Identity, Vec<Past>>,
    /// Results that could not be read.
    pub damaged: usize,
}

impl History {
    /// Takes a result in.
    pub fn add(&mut self, result: &RunResult) {
        self.cells.entry(Identity::of(result)).or_default().push(Past::of(result));
    }

    /// The runs of a result's cell, the oldest first, the result itself among them.
    pub fn with(&self, result: &RunResult) -> Vec<Past> {
        let mut runs = self.cells.get(&Identity::of(result)).cloned().unwrap_or_default();
        runs.push(Past::of(result));
        runs.sort_by_key(|past| past.started);
        // Most results that are shown lie among the past ones, too.
        runs.dedup_by_key(|past| past.started);
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn only_runs_of_the_same_cell_are_its_history() {
        let mut base = sample().remove(0).result;
        base.series.name = "s".into();
        base.series.applied = vec!["1".into()];
        base.series.not_applied = vec!["2".into()];
        let changed = |change: fn(&mut RunResult)| {
            let mut result = base.clone();
            result.started += jiff::SignedDuration::from_hours(1);
            change(&mut result);
            result
        };
        let version = |text: &str| text.parse().unwrap();
        let mut later = base.kernel.clone().unwrap();
        later.version = version("6.1.200");
        let mut other = later.clone();
        other.version = version("6.12.200");
        let mut same_line = changed(|_| {});
        same_line.kernel = Some(later);
        let mut other_line = changed(|_| {});
        other_line.kernel = Some(other);
        let cases: [(&str, RunResult, bool); 9] = [
            ("the same again", changed(|_| {}), true),
            ("another point release", same_line, true),
            ("another verdict", changed(|r| r.verdict = Verdict::Fail), true),
            ("another line", other_line, false),
            ("no kernel", changed(|r| r.kernel = None), false),
            ("another series", changed(|r| r.series.name = "t".into()), false),
            ("another level", changed(|r| r.series.not_applied.clear()), false),
            ("another subject", changed(|r| r.subject = "rust".into()), false),
            ("another suite", changed(|r| r.suite = "long".into()), false),
        ];
        for (what, result, same) in cases {
            let mut history = History::default();
            history.add(&result);
            assert_eq!(history.with(&base).len(), if same { 2 } else { 1 }, "{what}");
        }
    }

    #[test]
    fn runs_are_in_order_and_the_shown_one_is_there_once() {
        let now = sample().remove(0).result;
        let mut before = now.clone();
        before.started -= jiff::SignedDuration::from_hours(1);
        before.verdict = Verdict::Fail;
        let mut history = History::default();
        history.add(&now);
        history.add(&before);
        let verdicts: Vec<_> = history.with(&now).iter().map(|p| p.verdict).collect();
        assert_eq!(verdicts, [Verdict::Fail, Verdict::Pass]);
    }
}
