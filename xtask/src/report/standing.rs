// SPDX-License-Identifier: MIT OR Apache-2.0
//! How cells stand in their matrix, in glyphs, words and counts. Pure.

use super::{Shown, mark};
use crate::matrix::StandingKind;
use crate::verdict::Verdict;

/// All kinds, the worst first, with the glyph and the word for each.
const KINDS: [(StandingKind, &str, &str); 6] = [
    (StandingKind::Unexpected, "✗", "unexpected"),
    (StandingKind::Unknown, "!", "unknown"),
    (StandingKind::NotRun, "?", "not run"),
    (StandingKind::PreExisting, "~", "pre-existing"),
    (StandingKind::Skipped, "-", "skipped"),
    (StandingKind::AsExpected, "✓", "as expected"),
];

/// The word for a kind.
pub fn word(kind: StandingKind) -> &'static str {
    KINDS.iter().find(|(k, ..)| *k == kind).map_or("", |(.., word)| word)
}

/// The glyph for a cell: that of its standing, else that of its verdict.
pub fn glyph(shown: &Shown) -> &'static str {
    match &shown.standing {
        Some(s) => KINDS.iter().find(|(k, ..)| *k == s.kind).map_or("", |(_, glyph, _)| glyph),
        None => mark(shown.result.verdict),
    }
}

/// Glyph and word for a cell of a matrix. `✓ pass` and `✗ fail` need no more words than that.
pub fn short(shown: &Shown) -> String {
    let (glyph, verdict) = (glyph(shown), shown.result.verdict);
    match shown.standing.as_ref().map(|s| s.kind) {
        None => format!("{glyph} {}", verdict.name()),
        Some(StandingKind::AsExpected) if verdict == Verdict::Pass => format!("{glyph} pass"),
        Some(StandingKind::AsExpected) => format!("{glyph} {} as expected", verdict.name()),
        Some(StandingKind::Unexpected) => format!("{glyph} unexpected {}", verdict.name()),
        Some(kind) => format!("{glyph} {}", word(kind)),
    }
}

/// How many cells there are of each kind, in a line: `5 cells: 1 unexpected, 4 as expected`.
pub fn totals(shown: &[Shown]) -> String {
    let mut parts = Vec::new();
    for (kind, _, word) in KINDS {
        let of_kind = |s: &&Shown| s.standing.as_ref().is_some_and(|s| s.kind == kind);
        parts.push((shown.iter().filter(of_kind).count(), word));
    }
    for verdict in [Verdict::Fail, Verdict::Infra, Verdict::Skip, Verdict::Pass] {
        let has = |s: &&Shown| s.standing.is_none() && s.result.verdict == verdict;
        parts.push((shown.iter().filter(has).count(), verdict.name()));
    }
    let parts: Vec<_> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let cells = if shown.len() == 1 { "cell" } else { "cells" };
    match parts.as_slice() {
        [] => "no cells".to_owned(),
        parts => format!("{} {cells}: {}", shown.len(), parts.join(", ")),
    }
}
