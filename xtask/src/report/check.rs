// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was checked in a cell, and how each check comes out for a machine that reads the report.
//! Pure.

use super::Shown;
use crate::matrix::{Standing, StandingKind};
use crate::verdict::Verdict;

/// How a check comes out. Without a matrix its verdict decides, in a matrix the cell's standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All is well.
    Passed,
    /// It fails, and it has to.
    FailsAsExpected,
    /// It fails, and so does the tree without the series.
    PreExisting,
    /// It fails, or it passes where it must not.
    Failed,
    /// Nothing is known.
    Error,
    /// It cannot be checked here.
    Skipped,
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Passed,
            Verdict::Fail => Self::Failed,
            Verdict::Skip => Self::Skipped,
            Verdict::Infra => Self::Error,
        }
    }
}

impl Outcome {
    /// The outcome of a cell as a whole.
    pub fn of_cell(standing: Option<&Standing>, verdict: Verdict) -> Self {
        let Some(standing) = standing else { return verdict.into() };
        match standing.kind {
            StandingKind::AsExpected => Self::excused(verdict, Self::FailsAsExpected),
            StandingKind::Skipped => Self::Skipped,
            StandingKind::PreExisting => Self::PreExisting,
            StandingKind::Unexpected => Self::Failed,
            StandingKind::Unknown | StandingKind::NotRun => Self::Error,
        }
    }

    /// The outcome of one thing that was checked in a cell. What a cell is excused for, its parts
    /// are, too: programs that read results fail a test for each part that failed.
    fn of_part(standing: Option<&Standing>, verdict: Verdict) -> Self {
        match standing.map(|s| s.kind) {
            Some(StandingKind::AsExpected) => Self::excused(verdict, Self::FailsAsExpected),
            Some(StandingKind::PreExisting) => Self::excused(verdict, Self::PreExisting),
            Some(StandingKind::Skipped) => Self::excused(verdict, Self::Skipped),
            Some(StandingKind::Unexpected | StandingKind::Unknown | StandingKind::NotRun)
            | None => verdict.into(),
        }
    }

    fn excused(verdict: Verdict, excuse: Self) -> Self {
        match verdict {
            Verdict::Pass | Verdict::Skip => verdict.into(),
            Verdict::Fail | Verdict::Infra => excuse,
        }
    }
}

/// One thing that was checked in a cell.
#[derive(Debug)]
pub struct Check {
    pub name: String,
    pub outcome: Outcome,
    /// In a line.
    pub detail: String,
    /// What there is to read of it.
    pub text: String,
}

/// Why a cell stands as it does, else why it has its verdict.
pub fn why(shown: &Shown) -> &str {
    match &shown.standing {
        Some(standing) if !standing.note.is_empty() => &standing.note,
        _ => &shown.result.reason,
    }
}

/// Everything that was checked in a cell: that it ran at all, each property, and the console. A cell
/// that did not get to its properties has the first one, and it did not pass.
pub fn checks(shown: &Shown) -> Vec<Check> {
    let (result, standing) = (&shown.result, shown.standing.as_ref());
    let outcome = Outcome::of_cell(standing, result.verdict);
    let ran = !result.properties.is_empty();
    // What went wrong with a cell as a whole is in no property.
    let passed = outcome == Outcome::Passed;
    let mut all = vec![Check {
        name: "cell".into(),
        outcome,
        detail: if passed { String::new() } else { why(shown).to_owned() },
        text: result.details.join("\n"),
    }];
    all.extend(result.properties.iter().map(|p| Check {
        name: p.name.clone(),
        outcome: Outcome::of_part(standing, p.verdict),
        detail: p.detail.clone(),
        text: String::new(),
    }));
    if ran || !result.findings.is_empty() {
        let titles: Vec<_> = result.findings.iter().map(|f| f.title.clone()).collect();
        let texts: Vec<_> = result.findings.iter().map(|f| f.excerpt.clone()).collect();
        let verdict = if titles.is_empty() { Verdict::Pass } else { Verdict::Fail };
        all.push(Check {
            name: "console".into(),
            outcome: Outcome::of_part(standing, verdict),
            detail: titles.join("; "),
            text: texts.join("\n\n"),
        });
    }
    all
}
