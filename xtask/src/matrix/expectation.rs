// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a cell must report, and how it stands beside that. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Cell, Role, Standing, StandingKind};
use crate::diagnosis::ExitKind;
use crate::series::{Expect, ExpectedVerdict};
use crate::verdict::{RunResult, Verdict};

/// What a cell must report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expectation {
    /// Whether it must fail.
    pub fails: bool,
    /// A property that must fail.
    pub property: Option<String>,
    /// Text in the title of a finding that must appear.
    pub finding: Option<String>,
}

impl Expectation {
    /// What is written down, or else what goes without saying: a fault fails, all else passes.
    pub fn of(stated: Option<&Expect>, fault: bool) -> Self {
        let property = stated.and_then(|e| e.property.clone());
        let finding = stated.and_then(|e| e.finding.clone());
        let named = property.is_some() || finding.is_some();
        let fails = match stated.and_then(|e| e.verdict) {
            Some(ExpectedVerdict::Fail) => true,
            Some(ExpectedVerdict::Pass) => false,
            None => named || fault,
        };
        Self { fails, property, finding }
    }

    /// In a few words.
    pub fn in_words(&self) -> String {
        let named: Vec<_> = self.property.iter().chain(&self.finding).map(String::as_str).collect();
        match (self.fails, named.as_slice()) {
            (false, _) => "pass".to_owned(),
            (true, []) => "fail".to_owned(),
            (true, named) => format!("fail: {}", named.join(", ")),
        }
    }

    /// What a failed result lacks of it.
    fn lacks(&self, result: &RunResult) -> Vec<String> {
        let property = self.property.iter().filter(|name| {
            !result.properties.iter().any(|p| p.name == **name && p.verdict == Verdict::Fail)
        });
        let finding = self
            .finding
            .iter()
            .filter(|text| !result.findings.iter().any(|f| f.title.contains(text.as_str())));
        let finding = finding.map(|text| format!("the finding {text:?}"));
        property.map(|name| format!("a failure of {name}")).chain(finding).collect()
    }
}

/// What is wrong with a result: signatures of findings, properties, or else its reason. The same
/// for the same failure on the same kernel.
fn failures(result: &RunResult) -> BTreeMap<String, String> {
    if result.verdict != Verdict::Fail {
        return BTreeMap::new();
    }
    let findings = result.findings.iter().map(|f| (f.signature.clone(), f.title.clone()));
    let failed = result.properties.iter().filter(|p| p.verdict == Verdict::Fail);
    let all: BTreeMap<_, _> =
        findings.chain(failed.map(|p| (p.name.clone(), p.name.clone()))).collect();
    if all.is_empty() {
        return BTreeMap::from([(result.reason.clone(), result.reason.clone())]);
    }
    all
}

/// How a cell stands. Without a result it has not been run; `baseline` is the result of its
/// baseline, if there is one by now.
pub fn stand(cell: &Cell, result: Option<&RunResult>, baseline: Option<&RunResult>) -> Standing {
    let (kind, note) = match result {
        None => (StandingKind::NotRun, "it has not been run".to_owned()),
        Some(result) if result.exit_code == ExitKind::Incomplete.code() => {
            (StandingKind::NotRun, result.reason.clone())
        }
        Some(result) => match result.verdict {
            Verdict::Infra => (StandingKind::Unknown, result.reason.clone()),
            Verdict::Skip => (StandingKind::Skipped, result.reason.clone()),
            Verdict::Pass if cell.expect.fails => {
                let words = "it passes, and should not".to_owned();
                (StandingKind::Unexpected, words)
            }
            Verdict::Pass => (StandingKind::AsExpected, result.reason.clone()),
            Verdict::Fail if cell.expect.fails => expected_failure(cell, result, baseline),
            Verdict::Fail => failure(cell, result, baseline),
        },
    };
    Standing {
        id: cell.id.clone(),
        role: cell.role,
        kind,
        expected: if cell.skip.is_some() { "skip".to_owned() } else { cell.expect.in_words() },
        note,
    }
}

fn expected_failure(
    cell: &Cell,
    result: &RunResult,
    baseline: Option<&RunResult>,
) -> (StandingKind, String) {
    let lacks = cell.expect.lacks(result);
    if !lacks.is_empty() {
        let words = format!("it fails without {}: {}", lacks.join(" and "), result.reason);
        return (StandingKind::Unexpected, words);
    }
    // A fault proves nothing where the tree fails like that by itself.
    let own: BTreeSet<_> = failures(result).into_keys().collect();
    let before: BTreeSet<_> = baseline.map(failures).unwrap_or_default().into_keys().collect();
    if cell.role == Role::Fault && own.is_subset(&before) {
        let words = "it fails as expected, but so does its baseline: that proves nothing";
        return (StandingKind::Unexpected, words.to_owned());
    }
    (StandingKind::AsExpected, result.reason.clone())
}

fn failure(
    cell: &Cell,
    result: &RunResult,
    baseline: Option<&RunResult>,
) -> (StandingKind, String) {
    if cell.role == Role::Baseline {
        return (StandingKind::Unexpected, format!("the tree as it is: {}", result.reason));
    }
    let (own, before) = (failures(result), baseline.map(failures).unwrap_or_default());
    let new: Vec<_> = own.iter().filter(|(key, _)| !before.contains_key(*key)).collect();
    if new.is_empty() {
        return (
            StandingKind::PreExisting,
            format!("its baseline fails so, too: {}", result.reason),
        );
    }
    let note = if new.len() < own.len() {
        let new: Vec<_> = new.into_iter().map(|(_, words)| words.as_str()).collect();
        format!("{}; the rest is in its baseline, too", new.join("; "))
    } else {
        match (baseline, &cell.baseline) {
            (Some(_), _) | (None, None) => result.reason.clone(),
            (None, Some(id)) => format!("{} (its baseline {id} was not run)", result.reason),
        }
    };
    (StandingKind::Unexpected, note)
}

/// What the standings of all cells come to.
pub fn conclude<'a>(standings: impl IntoIterator<Item = &'a Standing>) -> ExitKind {
    let kinds: BTreeSet<_> = standings.into_iter().map(|s| s.kind).collect();
    // A cell that fails says more than one of which nothing is known.
    if kinds.contains(&StandingKind::Unexpected) {
        ExitKind::CheckFailed
    } else if kinds.contains(&StandingKind::Unknown) {
        ExitKind::Infra
    } else if kinds.contains(&StandingKind::NotRun) {
        ExitKind::Incomplete
    } else {
        ExitKind::Pass
    }
}
