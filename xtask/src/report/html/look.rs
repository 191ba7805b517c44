// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a cell looks: a glyph, a word, and a class that gives it colour, luminance and pattern.

use crate::matrix::StandingKind;
use crate::report::Shown;
use crate::verdict::Verdict;

/// What is shown of a standing or a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// A class of the style sheet.
    pub class: &'static str,
    /// One character.
    pub glyph: &'static str,
    /// A word or two.
    pub word: &'static str,
}

/// All kinds of standings, in the order of the headline.
pub const KINDS: [StandingKind; 6] = [
    StandingKind::AsExpected,
    StandingKind::Unexpected,
    StandingKind::PreExisting,
    StandingKind::Skipped,
    StandingKind::Unknown,
    StandingKind::NotRun,
];

/// All verdicts, in the order of the headline.
pub const VERDICTS: [Verdict; 4] = [Verdict::Pass, Verdict::Fail, Verdict::Skip, Verdict::Infra];

/// How a standing looks.
pub fn of_kind(kind: StandingKind) -> Look {
    let (class, glyph, word) = match kind {
        StandingKind::AsExpected => ("good", "✓", "expected"),
        StandingKind::Unexpected => ("bad", "✗", "unexpected"),
        StandingKind::PreExisting => ("old", "≈", "pre-existing"),
        StandingKind::Skipped => ("skip", "–", "skipped"),
        StandingKind::Unknown => ("unknown", "?", "unknown"),
        StandingKind::NotRun => ("todo", "○", "not run"),
    };
    Look { class, glyph, word }
}

/// How a verdict looks.
pub fn of_verdict(verdict: Verdict) -> Look {
    let (class, glyph) = match verdict {
        Verdict::Pass => ("good", "✓"),
        Verdict::Fail => ("bad", "✗"),
        Verdict::Skip => ("skip", "–"),
        Verdict::Infra => ("unknown", "!"),
    };
    Look { class, glyph, word: verdict.name() }
}

/// How a cell looks: by its standing, or without a matrix by its verdict.
pub fn of_cell(shown: &Shown) -> Look {
    match &shown.standing {
        Some(standing) => of_kind(standing.kind),
        None => of_verdict(shown.result.verdict),
    }
}

/// The verdict, where the standing does not say it already.
pub fn verdict_beside(shown: &Shown) -> Option<&'static str> {
    use StandingKind::{AsExpected, PreExisting, Unexpected};
    let kind = shown.standing.as_ref()?.kind;
    matches!(kind, AsExpected | PreExisting | Unexpected).then(|| shown.result.verdict.name())
}

/// Whether a person has to look at the cell.
pub fn wants_attention(shown: &Shown) -> bool {
    match &shown.standing {
        Some(s) => matches!(s.kind, StandingKind::Unexpected | StandingKind::Unknown),
        None => matches!(shown.result.verdict, Verdict::Fail | Verdict::Infra),
    }
}
