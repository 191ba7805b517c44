// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;

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

/// A pass, a failure with a finding, a series that does not apply, and a broken machine.
pub fn sample() -> Vec<Shown> {
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
    let with = |changes: serde_json::Value| {
        let mut value = base.clone();
        for (key, change) in changes.as_object().unwrap() {
            value[key] = change.clone();
        }
        serde_json::from_value::<RunResult>(value).unwrap()
    };
    let finding = serde_json::json!({
        "kind": "lockdep", "title": "possible <recursive> locking | ftrace_lock", "signature": "s",
        "first_line": 7, "excerpt": "WARNING: x\n```\n]]> & <b>", "frames": [],
    });
    let results = [
        with(serde_json::json!({})),
        with(serde_json::json!({
            "verdict": "fail", "exit_code": 1, "reason": "possible <recursive> locking | ftrace_lock",
            "series": {"name": "pause", "variant": "6.1", "applied": ["1"], "not_applied": ["2"], "offsets": []},
            "properties": [{"name": "no-missed-call", "verdict": "fail", "detail": "9 of 10 # missed"}],
            "findings": [finding],
        })),
        with(serde_json::json!({
            "verdict": "fail", "exit_code": 1, "reason": "patch 1/5 does not apply", "properties": [],
            "details": ["the hunk\nexpects"], "stress": {}, "kernel": null,
        })),
        with(serde_json::json!({
            "verdict": "infra", "exit_code": 3, "reason": "no space left", "properties": [], "stress": {},
        })),
        with(serde_json::json!({
            "verdict": "skip", "exit_code": 0, "reason": "no Rust here", "properties": [], "stress": {},
            "subject": "rust",
        })),
    ];
    let shown = |(n, result)| Shown {
        run: format!("run-{n}"),
        directory: format!("runs/run-{n}").into(),
        result,
        standing: None,
    };
    results.into_iter().enumerate().map(shown).collect()
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
