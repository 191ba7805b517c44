// SPDX-License-Identifier: MIT OR Apache-2.0
//! A comparison for a terminal.

use std::fmt::Write as _;

use super::change::Effect;
use super::{Comparison, SideSummary};

/// Glyph and word for what a change means.
pub(super) fn word(effect: Effect) -> (&'static str, &'static str) {
    match effect {
        Effect::Worse => ("✗", "worse"),
        Effect::Better => ("✓", "better"),
        Effect::Slower => ("▼", "slower"),
        Effect::Faster => ("▲", "faster"),
        Effect::Moved => ("·", "moved"),
    }
}

/// All that changed, cell by cell, the worst first; the answer comes last.
pub fn text(comparison: &Comparison) -> String {
    let mut out = String::new();
    for (letter, side) in [("A", &comparison.a), ("B", &comparison.b)] {
        let _ = writeln!(out, "{letter}  {}", in_short(side));
    }
    for pair in &comparison.changed {
        let _ = writeln!(out, "\n{}", pair.cell);
        for change in &pair.changes {
            let (glyph, word) = word(change.effect);
            let line = change.text().split_whitespace().collect::<Vec<_>>().join(" ");
            let _ = writeln!(out, "  {glyph} {word:<6}  {line}");
        }
    }
    for (letter, lone) in [("A", &comparison.only_a), ("B", &comparison.only_b)] {
        if !lone.is_empty() {
            let _ = writeln!(out, "\nonly in {letter}");
        }
        for one in lone {
            let _ = writeln!(out, "  {} ({})", one.cell, one.verdict.name());
        }
    }
    for (letter, side) in [("A", &comparison.a), ("B", &comparison.b)] {
        if !side.damaged.is_empty() {
            let _ = writeln!(out, "\nmissing or damaged in {letter}");
        }
        for damage in &side.damaged {
            let _ = writeln!(out, "  {}", damage.why);
        }
    }
    let _ = writeln!(out, "\n{}", comparison.totals());
    out
}

pub(super) fn in_short(side: &SideSummary) -> String {
    let cells = if side.cells == 1 { "cell" } else { "cells" };
    format!("{} ({} {cells})", side.name, side.cells)
}
