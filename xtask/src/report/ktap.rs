// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results as KTAP (Documentation/dev-tools/ktap.rst): a test a cell, a subtest a property. Pure.

use std::fmt::Write as _;

use super::{Check, Shown, cell_name, checks};
use crate::verdict::Verdict;

/// All cells.
pub fn ktap(shown: &[Shown]) -> String {
    let mut out = format!("KTAP version 1\n1..{}\n", shown.len());
    for (n, Shown { run, result, .. }) in shown.iter().enumerate() {
        let checks = checks(result);
        let _ = writeln!(
            out,
            "  KTAP version 1\n  # Subtest: {}\n  1..{}",
            line(&cell_name(result)),
            checks.len()
        );
        let _ = writeln!(out, "  # run: {}\n  # again: {}", line(run), line(&result.reproduce));
        for (n, check) in checks.iter().enumerate() {
            let Check { name, verdict, detail, .. } = check;
            let _ = writeln!(
                out,
                "  {} {} {}{}",
                ok(*verdict),
                n + 1,
                line(name),
                directive(*verdict, detail)
            );
        }
        let directive = directive(result.verdict, &result.reason);
        let _ = writeln!(
            out,
            "{} {} {}{directive}",
            ok(result.verdict),
            n + 1,
            line(&cell_name(result))
        );
    }
    out
}

fn ok(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass | Verdict::Skip => "ok",
        Verdict::Fail | Verdict::Infra => "not ok",
    }
}

/// What stands behind `#`: the directives of the specification, else a diagnosis.
fn directive(verdict: Verdict, why: &str) -> String {
    let why = line(why);
    match verdict {
        Verdict::Pass if why.is_empty() => String::new(),
        Verdict::Pass | Verdict::Fail => format!(" # {why}"),
        Verdict::Skip => format!(" # SKIP {why}"),
        Verdict::Infra => format!(" # ERROR {why}"),
    }
}

/// One line without `#`, which would start a directive.
fn line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ").replace('#', "_")
}
