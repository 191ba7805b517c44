// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results as KTAP (Documentation/dev-tools/ktap.rst): a test a cell, a subtest a property. Pure.

use std::fmt::Write as _;

use super::check::{Outcome, checks, why};
use super::{Shown, cell_name};

/// All cells.
pub fn ktap(shown: &[Shown]) -> String {
    let mut out = format!("KTAP version 1\n1..{}\n", shown.len());
    for (n, one) in shown.iter().enumerate() {
        let name = line(&cell_name(one));
        let checks = checks(one);
        let _ = writeln!(out, "  KTAP version 1\n  # Subtest: {name}\n  1..{}", checks.len());
        let again = &one.result.reproduce;
        let _ = writeln!(out, "  # run: {}\n  # again: {}", line(&one.run), line(again));
        for (n, check) in checks.iter().enumerate() {
            let _ = writeln!(
                out,
                "  {} {} {}{}",
                ok(check.outcome),
                n + 1,
                line(&check.name),
                directive(check.outcome, &check.detail)
            );
        }
        let outcome = Outcome::of_cell(one.standing.as_ref(), one.result.verdict);
        let directive = directive(outcome, why(one));
        let _ = writeln!(out, "{} {} {name}{directive}", ok(outcome), n + 1);
    }
    out
}

fn ok(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed | Outcome::FailsAsExpected | Outcome::PreExisting | Outcome::Skipped => {
            "ok"
        }
        Outcome::Failed | Outcome::Error => "not ok",
    }
}

/// What stands behind `#`: the directives of the specification, else a diagnosis. What was broken
/// before says nothing about the series, as if it had been skipped.
fn directive(outcome: Outcome, why: &str) -> String {
    let why = line(why);
    match outcome {
        Outcome::Passed if why.is_empty() => String::new(),
        Outcome::Passed | Outcome::Failed => format!(" # {why}"),
        Outcome::FailsAsExpected => format!(" # XFAIL {why}"),
        Outcome::PreExisting => format!(" # SKIP pre-existing: {why}"),
        Outcome::Skipped => format!(" # SKIP {why}"),
        Outcome::Error => format!(" # ERROR {why}"),
    }
}

/// One line without `#`, which would start a directive.
fn line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ").replace('#', "_")
}
