// SPDX-License-Identifier: MIT OR Apache-2.0
//! What changed between two runs, or two matrices. Pure.
//!
//! Cells are matched by identity, and each pair is compared from its verdict down to its times. Only
//! what is certain makes it worse: a verdict, a property, a finding, a count that was zero, a cell
//! that is gone. Times and rates are shown if they moved by more than noise, and decide nothing.

mod cell;
mod change;
mod markdown;
mod noise;
mod number;
mod pair;
mod text;

use serde::Serialize;

pub use cell::Cell;
use change::{Change, Effect};
pub use markdown::markdown;
pub use noise::Noise;
pub use text::text;

use crate::diagnosis::ExitKind;
use crate::verdict::Verdict;

/// One of the two: a run, or a matrix.
#[derive(Debug, Clone)]
pub struct Side {
    /// What the user called it, or the name of its directory.
    pub name: String,
    /// Its cells.
    pub cells: Vec<Cell>,
    /// Results that are missing or cannot be read.
    pub damaged: Vec<Damage>,
}

/// A result that is missing or cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// Name of the cell's directory in a matrix; `None` for a single run.
    pub cell: Option<String>,
    /// Which file, and why.
    pub why: String,
}

/// One of the two, in short.
#[derive(Debug, Clone, Serialize)]
pub struct SideSummary {
    /// Its name.
    pub name: String,
    /// How many results could be read.
    pub cells: usize,
    /// Results that are missing or damaged.
    pub damaged: Vec<Damage>,
}

/// A cell that only one side has.
#[derive(Debug, Clone, Serialize)]
pub struct Lone {
    /// Its name.
    pub cell: String,
    /// Its verdict.
    pub verdict: Verdict,
}

/// A cell that both sides have.
#[derive(Debug, Clone, Serialize)]
pub struct Pair {
    /// Its name.
    pub cell: String,
    /// What changed in it, the worst first.
    pub changes: Vec<Change>,
}

impl Pair {
    /// The worst and, if there is none, the best that happened to it.
    fn effect(&self) -> Option<Effect> {
        self.changes.iter().map(|c| c.effect).min()
    }
}

/// All that changed.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The earlier one.
    pub a: SideSummary,
    /// The later one.
    pub b: SideSummary,
    /// What is taken for noise.
    pub noise: Noise,
    /// Whether anything got worse.
    pub worse: bool,
    /// Cells that B lost.
    pub only_a: Vec<Lone>,
    /// Cells that B has anew.
    pub only_b: Vec<Lone>,
    /// Cells in which something changed.
    pub changed: Vec<Pair>,
    /// Cells in which nothing did.
    pub unchanged: Vec<String>,
}

/// Compares B with A.
pub fn compare(a: &Side, b: &Side, noise: Noise) -> Comparison {
    let pairing = pair::pair(&a.cells, &b.cells);
    let (mut changed, mut unchanged) = (Vec::new(), Vec::new());
    for (before, after) in &pairing.both {
        let mut changes = change::changes(&before.result, &after.result, noise);
        changes.sort_by_key(|c| c.effect);
        if changes.is_empty() {
            unchanged.push(after.label());
        } else {
            changed.push(Pair { cell: after.label(), changes });
        }
    }
    changed.sort_by_key(Pair::effect);
    let lone = |cells: &[&Cell]| -> Vec<Lone> {
        cells.iter().map(|c| Lone { cell: c.label(), verdict: c.result.verdict }).collect()
    };
    let (only_a, only_b) = (lone(&pairing.only_a), lone(&pairing.only_b));
    let summary = |side: &Side| SideSummary {
        name: side.name.clone(),
        cells: side.cells.len(),
        damaged: side.damaged.clone(),
    };
    let (a, b) = (summary(a), summary(b));
    // A cell of B that cannot be read may be the one that seems to be lost.
    let may_be = |d: &Damage, lone: &Lone| d.cell.as_ref().is_none_or(|name| *name == lone.cell);
    let lost = only_a.iter().any(|lone| !b.damaged.iter().any(|d| may_be(d, lone)));
    let worse = lost || changed.iter().any(|pair| pair.effect() == Some(Effect::Worse));
    Comparison { a, b, noise, worse, only_a, only_b, changed, unchanged }
}

impl Comparison {
    /// How the command ends. What is missing may be what got worse, or what shows that nothing did:
    /// then there is no answer.
    pub fn exit(&self) -> ExitKind {
        if !self.a.damaged.is_empty() || !self.b.damaged.is_empty() {
            ExitKind::Incomplete
        } else if self.worse {
            ExitKind::CheckFailed
        } else {
            ExitKind::Pass
        }
    }

    /// The whole in a line.
    fn totals(&self) -> String {
        let with = |effect| self.changed.iter().filter(|p| p.effect() == Some(effect)).count();
        let damaged = self.a.damaged.len() + self.b.damaged.len();
        let mut parts = Vec::new();
        for (n, words) in [
            (with(Effect::Worse), "worse"),
            (with(Effect::Better), "better"),
            (with(Effect::Slower), "slower"),
            (with(Effect::Faster), "faster"),
            (with(Effect::Moved), "moved"),
            (self.only_a.len(), "only in A"),
            (self.only_b.len(), "only in B"),
            (damaged, "not to be read"),
        ] {
            if n > 0 {
                parts.push(format!("{n} {words}"));
            }
        }
        parts.push(format!("{} unchanged", self.unchanged.len()));
        let answer = match self.exit() {
            ExitKind::Incomplete => "results are missing",
            ExitKind::CheckFailed => "something got worse",
            _ => "nothing got worse",
        };
        format!("{answer}: {}", parts.join(", "))
    }
}

#[cfg(test)]
mod tests;
