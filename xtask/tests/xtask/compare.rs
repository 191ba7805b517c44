// SPDX-License-Identifier: MIT OR Apache-2.0
//! `compare`: what it finds in run directories, and how it ends.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::tool::{Ended, run, xtask_at};

fn result(changes: &Value) -> Value {
    let mut value = json!({
        "schema": 1, "verdict": "pass", "reason": "every property held", "exit_code": 0,
        "kernel": {"version": "6.1.187", "source": "a package", "sha": "00", "skipped": []},
        "series": {"name": "none", "variant": null, "applied": [], "not_applied": [], "offsets": []},
        "subject": "c", "suite": "direct", "config": {"requested": 1, "missing": []},
        "toolchain": null, "accel": null, "boot_ms": 3000,
        "stress": {"missed": 0}, "tests": [], "properties": [], "findings": [], "steps": [],
        "reproduce": "cargo xtask run --kernel 6.1", "started": "2026-12-01T10:00:00Z",
    });
    for (key, change) in changes.as_object().unwrap() {
        value[key] = change.clone();
    }
    value
}

fn write(directory: &Path, changes: &Value) {
    fs::create_dir_all(directory).unwrap();
    fs::write(directory.join("result.json"), result(changes).to_string()).unwrap();
}

/// Two matrices `a` and `b` of two cells each, with changes in one cell of `b`.
fn matrices(home: &Path, changes: &Value) {
    for (name, changes) in [("a", &json!({})), ("b", changes)] {
        let cells = home.join("runs").join(name).join("cells");
        write(&cells.join("6.1-none-c"), changes);
        write(&cells.join("6.1-none-rust"), &json!({"subject": "rust"}));
    }
}

fn compare(home: &Path, args: &[&str]) -> Ended {
    run(&mut xtask_at(home, &[&["compare"], args].concat()))
}

#[test]
fn the_exit_code_tells_whether_something_got_worse() {
    let finding = json!({"kind": "warn", "title": "WARNING: x", "signature": "s", "first_line": 1,
        "excerpt": "x", "frames": []});
    let cases = [
        (json!({}), 0, "nothing got worse: 2 unchanged"),
        (
            json!({"verdict": "fail", "reason": "calls missed"}),
            1,
            "verdict: pass → fail (calls missed)",
        ),
        (json!({"verdict": "infra", "reason": "no space"}), 1, "verdict: pass → infra (no space)"),
        (json!({"findings": [finding]}), 1, "new finding: WARNING: x"),
        (json!({"stress": {"missed": 1}}), 1, "missed: 0 → 1"),
        (json!({"boot_ms": 9000}), 0, "boot: 3.0 s → 9.0 s (3.0×)"),
        (json!({"exit_code": 4, "verdict": "infra", "reason": "did not end"}), 4, "did not end"),
        (json!({"schema": 2}), 4, "schema 2 is not known"),
    ];
    for (changes, code, words) in cases {
        let home = tempfile::tempdir().unwrap();
        matrices(home.path(), &changes);
        let ended = compare(home.path(), &["a", "b"]);
        assert_eq!(ended.code, code, "{changes}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains(words), "{changes}: {}", ended.stdout);
    }
}

#[test]
fn noise_is_what_the_user_says() {
    let home = tempfile::tempdir().unwrap();
    matrices(home.path(), &json!({"boot_ms": 4200}));
    for (args, seen) in [(["--noise", "1.5"], false), (["--noise", "1.3"], true)] {
        let ended = compare(home.path(), &[&args[..], &["a", "b"]].concat());
        assert_eq!((ended.code, ended.stdout.contains("boot:")), (0, seen), "{}", ended.stdout);
    }
    for bad in ["0.5", "much", "inf"] {
        let ended = compare(home.path(), &["a", "b", "--noise", bad]);
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains("give a ratio"), "{}", ended.stderr);
    }
}

#[test]
fn a_lost_cell_is_worse_and_a_new_one_is_not() {
    let home = tempfile::tempdir().unwrap();
    matrices(home.path(), &json!({}));
    fs::remove_dir_all(home.path().join("runs/b/cells/6.1-none-rust")).unwrap();
    let lost = compare(home.path(), &["a", "b"]);
    assert_eq!(lost.code, 1, "{}", lost.stdout);
    assert!(lost.stdout.contains("only in A\n  6.1-none-rust (pass)"), "{}", lost.stdout);
    let gained = compare(home.path(), &["b", "a"]);
    assert_eq!(gained.code, 0, "{}", gained.stdout);
    assert!(gained.stdout.contains("only in B\n  6.1-none-rust (pass)"), "{}", gained.stdout);
}

/// Does something to the directory of a matrix.
type Damage = fn(&Path);

#[test]
fn what_is_missing_or_damaged_leaves_no_answer() {
    let damages: [(&str, Damage); 4] = [
        ("result.json", |b| fs::remove_file(b.join("cells/6.1-none-c/result.json")).unwrap()),
        ("EOF", |b| fs::write(b.join("cells/6.1-none-c/result.json"), "{\"schema\": 1").unwrap()),
        ("there are no cells", |b| {
            fs::remove_dir_all(b.join("cells")).unwrap();
            fs::create_dir(b.join("cells")).unwrap();
        }),
        ("result.json", |b| fs::remove_dir_all(b.join("cells")).unwrap()),
    ];
    for (words, damage) in damages {
        let home = tempfile::tempdir().unwrap();
        matrices(home.path(), &json!({}));
        damage(&home.path().join("runs/b"));
        for sides in [["a", "b"], ["b", "a"]] {
            let ended = compare(home.path(), &sides);
            assert_eq!(ended.code, 4, "{words}: {}{}", ended.stdout, ended.stderr);
            assert!(ended.stdout.contains(words), "{words}: {}", ended.stdout);
            assert!(ended.stdout.contains("results are missing"), "{}", ended.stdout);
        }
    }
}

/// The record of a matrix that was to have these cells.
fn plan(matrix: &Path, ids: &[&str]) {
    let cell = |id: &&str| {
        json!({"id": id, "kernel": "6.1", "patches": "none", "config": "standard", "fragments": [],
            "subject": "c", "suite": "direct", "duration_ms": 5000, "role": "baseline",
            "expect": {"fails": false, "property": null, "finding": null}, "baseline": null,
            "skip": null, "verdict": null, "standing": {"id": id, "role": "baseline",
            "kind": "not-run", "expected": "pass", "note": "it has not been run"}})
    };
    let record = json!({"schema": 1, "exit_code": 4, "conclusion": "not all cells have been run",
        "started": "2026-12-01T10:00:00Z", "ended": null, "inputs": "0".repeat(64),
        "selection": {"only": null, "exclude": null, "shard": null},
        "cells": ids.iter().map(cell).collect::<Vec<_>>(), "reproduce": "cargo xtask matrix"});
    fs::write(matrix.join("matrix.json"), record.to_string()).unwrap();
}

/// A matrix that was stopped has no directory for what was not run: two such are not the same.
#[test]
fn a_planned_cell_that_was_not_run_is_missing() {
    let both = ["6.1-none-c", "6.1-none-rust"];
    let more = ["6.1-none-c", "6.1-none-rust", "7.1-none-c"];
    for (of_b, code) in [(&both[..], 0), (&more[..], 4)] {
        let home = tempfile::tempdir().unwrap();
        let runs = home.path().join("runs");
        matrices(home.path(), &json!({}));
        plan(&runs.join("a"), &both);
        plan(&runs.join("b"), of_b);
        for sides in [["a", "b"], ["b", "a"], ["b", "b"]] {
            let ended = compare(home.path(), &sides);
            assert_eq!(ended.code, code, "{sides:?}: {}{}", ended.stdout, ended.stderr);
            assert_eq!(ended.stdout.contains("7.1-none-c/result.json"), code == 4, "{sides:?}");
        }
        fs::write(runs.join("b/matrix.json"), "{").unwrap();
        let ended = compare(home.path(), &["a", "b"]);
        assert_eq!(ended.code, 4, "{}", ended.stdout);
        assert!(ended.stdout.contains("matrix.json"), "{}", ended.stdout);
        assert!(ended.stdout.contains("2 unchanged"), "{}", ended.stdout);
    }
}

#[test]
fn runs_are_named_as_elsewhere() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    matrices(home.path(), &json!({}));
    write(&runs.join("c-single"), &json!({}));
    let unknown = compare(home.path(), &["a", "nope"]);
    assert_eq!(unknown.code, 2, "{}", unknown.stderr);
    assert!(unknown.stderr.contains("no such run: nope"), "{}", unknown.stderr);
    let path = runs.join("a/cells/6.1-none-c");
    let single = compare(home.path(), &[path.to_str().unwrap(), "last"]);
    assert_eq!(single.code, 0, "{}{}", single.stdout, single.stderr);
    assert!(single.stdout.contains("1 unchanged"), "{}", single.stdout);
    // A single run against a matrix: the cell is found by what it is about.
    let mixed = compare(home.path(), &["c-single", "b"]);
    assert_eq!(mixed.code, 0, "{}", mixed.stdout);
    assert!(mixed.stdout.contains("1 only in B, 1 unchanged"), "{}", mixed.stdout);
}

#[test]
fn the_help_has_the_rules() {
    let home = tempfile::tempdir().unwrap();
    let help = compare(home.path(), &["--help"]);
    for words in ["pass that became another verdict", "1000 calls a second", "Exit codes: 0"] {
        assert!(help.stdout.contains(words), "{}", help.stdout);
    }
}

#[test]
fn formats() {
    let home = tempfile::tempdir().unwrap();
    matrices(home.path(), &json!({"verdict": "fail", "reason": "a | b"}));
    let md = compare(home.path(), &["a", "b", "--format", "md"]);
    assert_eq!(md.code, 1);
    assert!(
        md.stdout.contains("| 6.1-none-c | ✗ worse | verdict: pass → fail (a \\| b) |"),
        "{}",
        md.stdout
    );
    let document = compare(home.path(), &["a", "b", "--format", "json"]);
    assert_eq!(document.code, 1);
    let document = document.json();
    assert_eq!(document["worse"], true);
    assert_eq!(document["changed"][0]["changes"][0]["effect"], "worse");
    for format in ["junit", "ktap", "kcidb"] {
        let ended = compare(home.path(), &["a", "b", "--format", format]);
        assert_eq!(ended.code, 2, "{format}: {}", ended.stderr);
    }
}

/// KCIDB's own name for a CI system, and where it belongs.
#[test]
fn origins_are_checked() {
    let home = tempfile::tempdir().unwrap();
    write(&home.path().join("runs/one"), &json!({}));
    let report =
        |args: &[&str]| run(&mut xtask_at(home.path(), &[&["report", "one"], args].concat()));
    let good = report(&["--format", "kcidb", "--origin", "our_ci"]);
    assert_eq!(good.code, 0, "{}", good.stderr);
    let document = good.json();
    assert_eq!(document["version"]["major"], 5);
    assert_eq!(document["tests"][0]["origin"], "our_ci");
    assert_eq!(report(&["--format", "kcidb"]).json()["tests"][0]["origin"], "xtask");
    assert_eq!(report(&["--format", "kcidb", "--origin", "Our CI"]).code, 2);
    assert_eq!(report(&["--format", "json", "--origin", "our_ci"]).code, 2);
}
