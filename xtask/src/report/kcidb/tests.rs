// SPDX-License-Identifier: MIT OR Apache-2.0

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::tests::{matrix, results, sample};
use super::*;

fn document(shown: &[Shown]) -> Value {
    serde_json::to_value(kcidb(shown, &Origin::new("our_ci").unwrap())).unwrap()
}

fn schema() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(include_str!("../kcidb.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn errors(document: &Value) -> Vec<String> {
    schema().iter_errors(document).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

/// Steps of a cell that came to its guest, and of one whose kernel did not build.
fn with_steps() -> Vec<Shown> {
    let step = |name: &str, key: &str, cached: bool, ms: u64| json!({"name": name, "key": key, "cached": cached, "ms": ms});
    let (tree, series) = (step("tree", "aa", true, 1), step("series", "bb", true, 2));
    let git =
        json!({"version": "6.1.1", "source": "repo at main", "sha": "c".repeat(40), "skipped": []});
    let directory =
        json!({"version": "6.1.1", "source": "directory x", "sha": "d".repeat(40), "skipped": []});
    let toolchain = json!({"cc": "gcc 12", "ld": "ld 2", "make": "make 4", "ccache": false});
    let built = |cached| {
        json!([tree, series, step("build", "cc", cached, 4000), step("vm", "", false, 9000)])
    };
    let results = results(&[
        json!({"kernel": git, "steps": built(true), "toolchain": toolchain, "accel": "tcg-single"}),
        json!({"kernel": git, "steps": built(false), "toolchain": toolchain, "subject": "rust"}),
        json!({"kernel": directory, "steps": [tree, series], "verdict": "fail", "properties": [],
            "reason": "it does not build", "details": ["error: a\u{0}b"]}),
        json!({"kernel": git, "steps": [tree, series], "verdict": "infra", "properties": []}),
        json!({"kernel": git, "steps": built(true), "verdict": "infra", "properties": [],
            "details": ["x".repeat(20_000)]}),
    ]);
    let shown = |(n, result)| Shown {
        run: format!("run-{n}"),
        directory: "runs".into(),
        result,
        standing: None,
    };
    results.into_iter().enumerate().map(shown).collect()
}

#[test]
fn all_that_is_written_is_valid() {
    for shown in [sample(), matrix(), with_steps(), Vec::new()] {
        let document = document(&shown);
        assert_eq!(errors(&document), Vec::<String>::new(), "{document:#}");
    }
    insta::assert_json_snapshot!("single_runs", document(&sample()));
    insta::assert_json_snapshot!("matrix", document(&matrix()));
}

/// Whoever reads it must find what each record refers to, and no identifier twice.
#[test]
fn every_reference_leads_somewhere() {
    for shown in [sample(), matrix(), with_steps()] {
        let document = document(&shown);
        let ids = |list: &str, field: &str| -> Vec<String> {
            let all = document[list].as_array().unwrap().iter();
            all.map(|record| record[field].as_str().unwrap().to_owned()).collect()
        };
        for list in ["checkouts", "builds", "tests", "issues", "incidents"] {
            let unique: BTreeSet<_> = ids(list, "id").into_iter().collect();
            assert_eq!(unique.len(), ids(list, "id").len(), "{list}");
        }
        for (list, field, to) in [
            ("builds", "checkout_id", "checkouts"),
            ("tests", "build_id", "builds"),
            ("incidents", "issue_id", "issues"),
            ("incidents", "test_id", "tests"),
        ] {
            let known = ids(to, "id");
            for id in ids(list, field) {
                assert!(known.contains(&id), "{list}: no {id} in {to}");
            }
        }
        let properties: usize = shown.iter().map(|s| s.result.properties.len()).sum();
        assert_eq!(ids("tests", "id").len(), shown.len() + properties);
    }
}

#[test]
fn only_what_is_known_is_said() {
    let document = document(&with_steps());
    let list = |name: &str| document[name].as_array().unwrap().clone();
    let commits: Vec<_> = list("checkouts").iter().map(|c| c["git_commit_hash"].clone()).collect();
    let known = commits.iter().filter(|c| **c == json!("c".repeat(40))).count();
    assert_eq!((commits.len(), known), (2, 1), "the commit of a directory is our own");
    // The build that two cells share is that of the cell that made it.
    let shared: Vec<_> = list("builds").into_iter().filter(|b| b["id"] == "our_ci:cc").collect();
    assert_eq!((shared.len(), shared[0]["duration"].as_f64()), (1, Some(4.0)));
    let failed: Vec<_> = list("builds").into_iter().filter(|b| b["status"] == "FAIL").collect();
    assert_eq!(failed[0]["log_excerpt"], "error: a\u{fffd}b");
    let cells: Vec<_> =
        list("tests").into_iter().filter(|t| t["path"] == "ftrace.direct").collect();
    let statuses: Vec<_> = cells.iter().map(|t| t["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["PASS", "PASS", "FAIL", "MISS", "ERROR"]);
    let log = cells[4]["log_excerpt"].as_str().unwrap();
    assert_eq!(log.chars().count(), EXCERPT);
    assert!(log.ends_with("have the rest]"));
}

#[test]
fn planted_bugs_are_no_issues() {
    let mut shown = matrix();
    let finding = sample()[1].result.findings[0].clone();
    for cell in &mut shown {
        cell.result.findings = vec![finding.clone()];
    }
    let document = document(&shown);
    let tests: Vec<_> =
        document["incidents"].as_array().unwrap().iter().map(|i| &i["test_id"]).collect();
    // Of the cells that failed, one is of a fault, and what is infra is not the kernel's.
    assert_eq!(tests.len(), 1);
    assert!(tests[0].as_str().unwrap().contains("/6.1-mine-c/"), "{tests:?}");
}

#[test]
fn a_broken_document_is_refused() {
    let good = document(&with_steps());
    let cases = [
        ("/version/major", json!(4)),
        ("/version", json!({})),
        ("/tests/0/status", json!("pass")),
        ("/tests/0/path", json!("ftrace..direct")),
        ("/tests/0/id", json!("no-colon")),
        ("/tests/0/origin", json!("Our CI")),
        ("/tests/0/start_time", json!("yesterday")),
        ("/tests/0/duration", json!("9 s")),
        ("/tests/0/log_excerpt", json!("x".repeat(EXCERPT + 1))),
        ("/tests/0/comment", json!("a\u{0}")),
        ("/tests/0/comment", Value::Null),
        ("/tests/0/colour", json!("red")),
        ("/builds/0/architecture", json!("x86-64")),
        ("/builds/0/checkout_id", json!("")),
        ("/checkouts/0/git_commit_hash", json!("f".repeat(64))),
        ("/checkouts/0/valid", json!("yes")),
        ("/issues", json!({})),
        ("/incidents", json!([{"id": "a:b"}])),
        ("/surprise", json!([])),
    ];
    for (pointer, value) in cases {
        let mut broken = good.clone();
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        broken.pointer_mut(parent).unwrap()[field] = value.clone();
        assert!(!errors(&broken).is_empty(), "{pointer} = {value} was taken");
    }
    for field in ["id", "origin", "build_id", "path", "status"] {
        let mut broken = good.clone();
        broken["tests"][0].as_object_mut().unwrap().remove(field);
        assert!(!errors(&broken).is_empty(), "a test without {field} was taken");
    }
}

#[test]
fn names_of_origins() {
    for (name, good) in [
        ("xtask", true),
        ("our_ci2", true),
        ("", false),
        ("Our", false),
        ("a:b", false),
        ("a-b", false),
    ] {
        assert_eq!(Origin::new(name).is_ok(), good, "{name}");
    }
}
