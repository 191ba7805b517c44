// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::matrix::{Role, StandingKind};

#[test]
fn counts_are_short() {
    let cases = [
        (0, "0"),
        (9_999, "9999"),
        (10_000, "10.0 k"),
        (53_849_000, "53.8 M"),
        (1_500_000_000, "1.5 G"),
    ];
    for (n, want) in cases {
        assert_eq!(count(n), want);
    }
}

/// One result for each change of a good one.
pub fn results(changes: &[serde_json::Value]) -> Vec<RunResult> {
    let base = serde_json::json!({
        "schema": 1, "verdict": "pass", "reason": "every property held", "exit_code": 0,
        "kernel": {"version": "6.1.187", "source": "a package", "sha": "00", "skipped": []},
        "series": {"name": "none", "variant": null, "applied": [], "not_applied": [], "offsets": []},
        "subject": "c", "suite": "direct", "config": {"requested": 1, "missing": []},
        "toolchain": null, "accel": null, "boot_ms": 3000,
        "stress": {"modifies": 144, "calls": 34_800_000}, "tests": [],
        "properties": [{"name": "no-missed-call", "verdict": "pass", "detail": "0 missed"}],
        "findings": [], "steps": [{"name": "vm", "key": "", "cached": false, "ms": 1500}],
        "reproduce": "cargo xtask run --kernel 6.1", "started": "2026-12-01T10:00:00Z",
    });
    let with = |changes: &serde_json::Value| {
        let mut value = base.clone();
        for (key, change) in changes.as_object().unwrap() {
            value[key] = change.clone();
        }
        serde_json::from_value::<RunResult>(value).unwrap()
    };
    changes.iter().map(with).collect()
}

/// A pass, a failure with a finding, a series that does not apply, and a broken machine.
pub fn sample() -> Vec<Shown> {
    let finding = serde_json::json!({
        "kind": "lockdep", "title": "possible <recursive> locking | ftrace_lock", "signature": "s",
        "first_line": 7, "excerpt": "WARNING: x\n```\n]]> & <b>", "frames": [],
    });
    let results = results(&[
        serde_json::json!({}),
        serde_json::json!({
            "verdict": "fail", "exit_code": 1, "reason": "possible <recursive> locking | ftrace_lock",
            "series": {"name": "pause", "variant": "6.1", "applied": ["1"], "not_applied": ["2"], "offsets": []},
            "properties": [{"name": "no-missed-call", "verdict": "fail", "detail": "9 of 10 # missed"}],
            "findings": [finding],
        }),
        serde_json::json!({
            "verdict": "fail", "exit_code": 1, "reason": "patch 1/5 does not apply", "properties": [],
            "details": ["the hunk\nexpects"], "stress": {}, "kernel": null,
        }),
        serde_json::json!({
            "verdict": "infra", "exit_code": 3, "reason": "no space left", "properties": [], "stress": {},
        }),
        serde_json::json!({
            "verdict": "skip", "exit_code": 0, "reason": "no Rust here", "properties": [], "stress": {},
            "subject": "rust",
        }),
    ]);
    let shown = |(n, result)| Shown {
        run: format!("run-{n}"),
        directory: format!("runs/run-{n}").into(),
        result,
        standing: None,
    };
    results.into_iter().enumerate().map(shown).collect()
}

/// A cell of every standing, among them one that fails as it must and one that passes and must not.
pub fn matrix() -> Vec<Shown> {
    let missed = serde_json::json!(
        [{"name": "no-missed-call", "verdict": "fail", "detail": "9 of 10 missed"}]);
    let named = |name: &str| {
        serde_json::json!(
            {"name": name, "variant": null, "applied": [], "not_applied": [], "offsets": []})
    };
    let not_run = serde_json::json!({
        "verdict": "infra", "reason": "not run: the matrix was ended", "kernel": null,
        "properties": [], "stress": {}, "steps": [],
    });
    let results = results(&[
        serde_json::json!({}),
        serde_json::json!(
            {"verdict": "fail", "reason": "calls missed", "properties": missed, "series": named("pause")}),
        serde_json::json!({"series": named("no-pause-reply")}),
        serde_json::json!({"verdict": "fail", "reason": "calls missed", "properties": missed,
            "series": named("mine"), "details": ["a fact"]}),
        serde_json::json!({"verdict": "skip", "reason": "no Rust", "properties": [],
            "subject": "rust", "steps": []}),
        serde_json::json!({"verdict": "infra", "reason": "no space left", "properties": [],
            "series": named("mine"), "subject": "rust"}),
        not_run,
    ]);
    let standings = [
        ("6.1-none-c", Role::Baseline, StandingKind::AsExpected, "pass", "passes"),
        ("6.1-pause-c", Role::Fault, StandingKind::AsExpected, "fail of no-missed-call", "fails"),
        (
            "6.1-no-pause-reply-c",
            Role::Fault,
            StandingKind::Unexpected,
            "a hang",
            "it passes | here",
        ),
        ("6.1-mine-c", Role::Series, StandingKind::PreExisting, "pass", "6.1-none-c fails, too"),
        ("6.1-none-rust", Role::Baseline, StandingKind::Skipped, "pass", "no Rust before 6.12"),
        ("6.1-mine-rust", Role::Series, StandingKind::Unknown, "pass", "no space left"),
        ("7.1-none-c", Role::Baseline, StandingKind::NotRun, "pass", "not run"),
    ];
    let shown =
        |(result, (id, role, kind, expected, note)): (RunResult, (&str, _, _, &str, &str))| {
            let (expected, note) = (expected.to_owned(), note.to_owned());
            Shown {
                run: "m".into(),
                directory: format!("runs/m/cells/{id}").into(),
                result,
                standing: Some(Standing { id: id.to_owned(), role, kind, expected, note }),
            }
        };
    results.into_iter().zip(standings).map(shown).collect()
}

#[test]
fn markdown_shows_every_cell_and_why() {
    insta::assert_snapshot!(markdown(&sample()));
}

#[test]
fn ktap_has_a_subtest_a_property() {
    insta::assert_snapshot!(ktap(&sample()));
}

#[test]
fn junit_has_a_case_a_property() {
    let xml = junit(&sample()).unwrap();
    insta::assert_snapshot!(xml);
    // Its own reader takes it, and no cell is lost.
    let report = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    let suites: Vec<_> = report.test_suites.iter().map(|s| s.name.to_string()).collect();
    assert_eq!(suites.len(), 5, "{suites:?}");
    assert_eq!((report.failures, report.errors), (4, 1));
}

#[test]
fn the_standing_decides_in_a_matrix() {
    insta::assert_snapshot!("matrix_markdown", markdown(&matrix()));
    insta::assert_snapshot!("matrix_ktap", ktap(&matrix()));
    insta::assert_snapshot!("matrix_table", table(&matrix()));
    let xml = junit(&matrix()).unwrap();
    insta::assert_snapshot!("matrix_junit", xml);
    let report = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    // The fault that passes; what is unknown and what was not run.
    assert_eq!((report.test_suites.len(), report.failures, report.errors), (7, 1, 2));
}

#[test]
fn single_runs_are_a_table_too() {
    insta::assert_snapshot!("table", table(&sample()));
    assert_eq!(table(&[]), "no cells\n");
}

/// Programs that read KTAP fail a test for each of its subtests that failed.
#[test]
fn a_test_that_is_ok_has_no_subtest_that_is_not() {
    let text = ktap(&matrix());
    let mut failed = false;
    for line in text.lines() {
        if line.starts_with("  not ok") {
            failed = true;
        } else if line.starts_with("ok") {
            assert!(!failed, "{line}\n{text}");
        } else if line.starts_with("not ok") {
            failed = false;
        }
    }
}
