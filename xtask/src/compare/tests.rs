// SPDX-License-Identifier: MIT OR Apache-2.0

use serde_json::{Value, json};

use super::change::Subject;
use super::*;
use crate::verdict::RunResult;

/// A good result with changes.
fn result(changes: &Value) -> RunResult {
    let mut value = json!({
        "schema": 1, "verdict": "pass", "reason": "every property held", "exit_code": 0,
        "kernel": {"version": "6.1.187", "source": "a package", "sha": "00", "skipped": []},
        "series": {"name": "none", "variant": null, "applied": [], "not_applied": [], "offsets": []},
        "subject": "c", "suite": "direct", "config": {"requested": 1, "missing": []},
        "toolchain": {"cc": "gcc 12", "ld": "ld", "make": "make", "ccache": true},
        "accel": "tcg-single", "boot_ms": 3000,
        "stress": {"modifies": 140, "calls": 50_000_000, "attached_ms": 10_000,
            "missed": 0, "doubled": 0, "stale": 0},
        "tests": [], "modify_latency": [{"from_ns": 50_000_000, "to_ns": 50_999_999, "count": 140}],
        "properties": [{"name": "no-missed-call", "verdict": "pass", "detail": "0 missed"}],
        "findings": [], "steps": [
            {"name": "tree", "key": "aaaa", "cached": true, "ms": 15},
            {"name": "series", "key": "bbbb", "cached": true, "ms": 0},
            {"name": "build", "key": "cccc", "cached": false, "ms": 100_000},
        ],
        "reproduce": "cargo xtask run --kernel 6.1 --series none", "started": "2026-12-01T10:00:00Z",
    });
    for (key, change) in changes.as_object().unwrap() {
        value[key] = change.clone();
    }
    serde_json::from_value(value).unwrap()
}

fn cell(name: Option<&str>, changes: &Value) -> Cell {
    Cell { name: name.map(str::to_owned), result: result(changes) }
}

fn side(name: &str, cells: Vec<Cell>) -> Side {
    Side { name: name.into(), cells, damaged: Vec::new() }
}

fn noise() -> Noise {
    "1.5".parse().unwrap()
}

/// What changes between two results, one line each.
fn lines(before: &Value, after: &Value) -> Vec<String> {
    let changes = change::changes(&result(before), &result(after), noise());
    changes.iter().map(|c| format!("{:?}: {}", c.effect, c.text())).collect()
}

fn finding(signature: &str) -> Value {
    json!({"kind": "warn", "title": format!("WARNING in {signature}"), "signature": signature,
        "first_line": 7, "excerpt": "x", "frames": []})
}

fn stress(changes: &Value) -> Value {
    let mut stress = json!({"modifies": 140, "calls": 50_000_000, "attached_ms": 10_000,
        "missed": 0, "doubled": 0, "stale": 0});
    for (key, change) in changes.as_object().unwrap() {
        stress[key] = change.clone();
    }
    json!({"stress": stress})
}

#[test]
fn each_kind_of_change_is_seen() {
    let good = json!({});
    let property = |verdict: &str| json!({"properties": [{"name": "no-missed-call", "verdict": verdict, "detail": "9 of 10"}]});
    let fails = json!({"verdict": "fail", "reason": "calls missed"});
    let skips = json!({"verdict": "skip", "reason": "no Rust"});
    let infra = json!({"verdict": "infra", "reason": "no space"});
    let one = json!({"findings": [finding("f"), finding("f")]});
    let other = json!({"findings": [finding("g")]});
    let version =
        |v: &str| json!({"kernel": {"version": v, "source": "s", "sha": "1", "skipped": []}});
    let step = |name: &str, key: &str, cached: bool, ms: u64| json!({"steps": [{"name": name, "key": key, "cached": cached, "ms": ms}]});
    let cases: Vec<(&Value, Value, &[&str])> = vec![
        (&good, json!({}), &[]),
        (&good, fails.clone(), &["Worse: verdict: pass → fail (calls missed)"]),
        (&good, infra.clone(), &["Worse: verdict: pass → infra (no space)"]),
        (&good, skips.clone(), &["Worse: verdict: pass → skip (no Rust)"]),
        (&skips, fails.clone(), &["Worse: verdict: skip → fail (calls missed)"]),
        (&infra, fails.clone(), &["Moved: verdict: infra → fail (calls missed)"]),
        (&fails, infra.clone(), &["Moved: verdict: fail → infra (no space)"]),
        (&fails, json!({}), &["Better: verdict: fail → pass (every property held)"]),
        (&good, property("fail"), &["Worse: property no-missed-call: pass → fail (9 of 10)"]),
        (&good, json!({"properties": []}), &["Worse: property no-missed-call: pass → none"]),
        (&good, one.clone(), &["Worse: new finding: WARNING in f (console.log line 7)"]),
        (&one, json!({}), &["Better: no more finding: WARNING in f (console.log line 7)"]),
        (
            &one,
            other.clone(),
            &[
                "Worse: new finding: WARNING in g (console.log line 7)",
                "Better: no more finding: WARNING in f (console.log line 7)",
            ],
        ),
        (&good, version("6.1.192"), &["Moved: kernel: 6.1.187 → 6.1.192"]),
        (&good, json!({"kernel": null}), &[]),
        (&good, step("tree", "dddd", true, 0), &["Moved: tree: aaaa → dddd"]),
        (&good, step("series", "dddd", true, 0), &["Moved: tree with series: bbbb → dddd"]),
        (&good, json!({"accel": "kvm"}), &["Moved: accelerator: tcg,thread=single → kvm"]),
        (
            &good,
            step("build", "cccc", false, 151_000),
            &["Slower: step build: 100.0 s → 151.0 s (1.5×)"],
        ),
        (&good, step("build", "cccc", true, 200_000), &[]),
        (&good, json!({"boot_ms": 4400}), &[]),
        (&good, json!({"boot_ms": 1000}), &["Faster: boot: 3.0 s → 1.0 s (3.0×)"]),
        (
            &good,
            json!({"modify_latency": [{"from_ns": 90_000_000, "to_ns": 90_999_999, "count": 3}]}),
            &["Slower: modify latency (median): 50.4 ms → 90.4 ms (1.7×)"],
        ),
        (
            &good,
            stress(&json!({"modifies": 70})),
            &["Slower: modifies per second: 14.0/s → 7.0/s (2.0×)"],
        ),
        (
            &good,
            stress(&json!({"calls": 500_000_000})),
            &["Faster: calls per second: 5.0 M/s → 50.0 M/s (10.0×)"],
        ),
        (&good, stress(&json!({"missed": 1})), &["Worse: missed: 0 → 1"]),
        (&good, stress(&json!({"doubled": 1})), &["Worse: doubled: 0 → 1"]),
        (&good, stress(&json!({"stale": 1})), &["Worse: stale: 0 → 1"]),
    ];
    for (before, after, want) in cases {
        assert_eq!(lines(before, &after), want, "{before} {after}");
    }
    assert_eq!(lines(&stress(&json!({"missed": 5})), &json!({})), ["Better: missed: 5 → 0"]);
    let more = lines(&stress(&json!({"missed": 5})), &stress(&json!({"missed": 50})));
    assert_eq!(more, ["Moved: missed: 5 → 50 (10.0×)"]);
}

/// Without the loops' own clock, the heartbeats tell the rates.
#[test]
fn rates_come_from_samples_too() {
    let sample = |test: &str, ms: u64, calls: u64| json!({"test": test, "uptime_ms": ms, "calls": calls, "missed": 0, "modifies": 0});
    let with = |factor: u64| {
        json!({"stress": {}, "samples": [
            sample("one", 1000, 0), sample("one", 2000, 50_000 * factor),
            sample("two", 3000, 0), sample("two", 4000, 50_000 * factor),
        ]})
    };
    assert_eq!(
        lines(&with(1), &with(3)),
        ["Faster: calls per second: 50.0 k/s → 150.0 k/s (3.0×)"]
    );
}

#[test]
fn a_fault_has_to_fail() {
    let fault = |verdict: &str| {
        json!({"verdict": verdict, "reason": "r", "findings": if verdict == "fail" { json!([finding("f")]) } else { json!([]) },
            "reproduce": "cargo xtask run --kernel 6.1 --fault pause"})
    };
    let lost = lines(&fault("fail"), &fault("pass"));
    assert_eq!(lost[0], "Worse: verdict: fail → pass (r)");
    let found = lines(&fault("pass"), &fault("fail"));
    assert_eq!(
        found,
        [
            "Better: verdict: pass → fail (r)",
            "Moved: new finding: WARNING in f (console.log line 7)",
        ]
    );
}

#[test]
fn cells_are_matched_by_name_or_by_what_they_are_about() {
    let named = |name: &str| json!({"series": {"name": name, "variant": null, "applied": [], "not_applied": [], "offsets": []}});
    let level = |n: usize| {
        let (applied, left) = (vec!["p"; n], vec!["p"; 5 - n]);
        json!({"series": {"name": "s", "variant": null, "applied": applied, "not_applied": left, "offsets": []}})
    };
    let unknown =
        json!({"kernel": null, "reproduce": "cargo xtask run --kernel 6.1.5 --series none"});
    let elsewhere =
        json!({"kernel": null, "reproduce": "cargo xtask run --kernel 7.1 --series none"});
    let matched = |a: &Cell, b: &Cell| {
        pair::pair(std::slice::from_ref(a), std::slice::from_ref(b)).both.len() == 1
    };
    let good = json!({});
    let cases = vec![
        (cell(Some("x"), &good), cell(Some("x"), &named("other")), true),
        (cell(Some("x"), &good), cell(Some("y"), &good), true),
        (cell(None, &good), cell(Some("y"), &good), true),
        (
            cell(None, &good),
            cell(
                None,
                &json!({"kernel": {"version": "6.1.1", "source": "", "sha": "", "skipped": []}}),
            ),
            true,
        ),
        (
            cell(None, &good),
            cell(
                None,
                &json!({"kernel": {"version": "6.2.1", "source": "", "sha": "", "skipped": []}}),
            ),
            false,
        ),
        (cell(None, &good), cell(None, &named("other")), false),
        (cell(None, &good), cell(None, &json!({"subject": "rust"})), false),
        (cell(None, &good), cell(None, &json!({"suite": "other"})), false),
        (cell(None, &level(1)), cell(None, &level(1)), true),
        (cell(None, &level(1)), cell(None, &level(2)), false),
        (cell(None, &level(5)), cell(None, &level(4)), false),
        (cell(None, &good), cell(None, &unknown), true),
        (cell(None, &good), cell(None, &elsewhere), false),
    ];
    for (a, b, want) in cases {
        assert_eq!(matched(&a, &b), want, "{} {}", a.label(), b.label());
    }
    // A name that both have is taken by its own, whatever else is about the same.
    let a = [cell(Some("other"), &good), cell(Some("x"), &good)];
    let b = [cell(Some("x"), &good)];
    let pairing = pair::pair(&a, &b);
    assert_eq!(pairing.both[0].0.name.as_deref(), Some("x"));
    assert_eq!(pairing.only_a.len(), 1);
}

fn sample() -> Comparison {
    let finding = json!({"findings": [finding("a|b")]});
    let fails = json!({"verdict": "fail", "reason": "calls missed"});
    let a = vec![
        cell(Some("6.1-none-c"), &json!({})),
        cell(Some("6.1-mine-c"), &fails),
        cell(Some("6.1-other-c"), &json!({})),
        cell(Some("6.12-none-c"), &json!({})),
        cell(Some("7.1-none-c"), &json!({})),
    ];
    let gone = json!({"subject": "rust"});
    let b = vec![
        cell(Some("6.1-none-c"), &json!({"boot_ms": 9000})),
        cell(Some("6.1-mine-c"), &json!({})),
        cell(Some("6.1-other-c"), &finding),
        cell(Some("6.12-none-c"), &json!({})),
        cell(Some("7.1-none-rust"), &gone),
    ];
    compare(&side("before", a), &side("after", b), noise())
}

#[test]
fn all_formats_show_all_of_it() {
    let comparison = sample();
    insta::assert_snapshot!("text", text(&comparison));
    insta::assert_snapshot!("markdown", markdown(&comparison));
    insta::assert_json_snapshot!("json", comparison);
}

#[test]
fn the_exit_code_tells_whether_it_got_worse() {
    let good = || vec![cell(Some("x"), &json!({}))];
    let slower = || vec![cell(Some("x"), &json!({"boot_ms": 90_000}))];
    let failing = || vec![cell(Some("x"), &json!({"verdict": "fail"}))];
    let exit = |a: Vec<Cell>, b: Vec<Cell>| compare(&side("a", a), &side("b", b), noise()).exit();
    let two = || vec![cell(Some("x"), &json!({})), cell(Some("y"), &json!({"subject": "rust"}))];
    assert_eq!(exit(good(), good()), ExitKind::Pass);
    assert_eq!(exit(good(), slower()), ExitKind::Pass);
    assert_eq!(exit(failing(), failing()), ExitKind::Pass);
    assert_eq!(exit(failing(), good()), ExitKind::Pass);
    assert_eq!(exit(good(), failing()), ExitKind::CheckFailed);
    assert_eq!(exit(good(), two()), ExitKind::Pass);
    assert_eq!(exit(two(), good()), ExitKind::CheckFailed);
    let damage = |cell: Option<&str>| Damage { cell: cell.map(str::to_owned), why: "cut".into() };
    for (name, worse) in [(Some("y"), false), (None, false), (Some("z"), true)] {
        let mut b = side("b", good());
        b.damaged.push(damage(name));
        let comparison = compare(&side("a", two()), &b, noise());
        assert_eq!(comparison.exit(), ExitKind::Incomplete);
        assert_eq!(comparison.worse, worse, "{name:?}");
    }
    let mut a = side("a", good());
    a.damaged.push(damage(None));
    assert_eq!(compare(&a, &side("b", failing()), noise()).exit(), ExitKind::Incomplete);
}

#[test]
fn the_worst_comes_first() {
    let comparison = sample();
    let effects: Vec<_> = comparison.changed.iter().filter_map(Pair::effect).collect();
    assert_eq!(effects, [Effect::Worse, Effect::Better, Effect::Slower]);
    assert_eq!(comparison.changed[0].changes[0].subject, Subject::Finding);
}
