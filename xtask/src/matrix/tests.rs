// SPDX-License-Identifier: MIT OR Apache-2.0

use std::path::Path;

use super::*;
use crate::diagnosis::ExitKind;
use crate::series::{Kind, Series};
use crate::verdict::{RunResult, Verdict};

/// The plan of the shipped `matrix.yaml`.
fn shipped() -> Plan {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let definition = Definition::load(&root.join("matrix.yaml")).unwrap();
    let kernels: Vec<_> = crate::tree::Matrix::load(&root.join("matrix.yaml"))
        .unwrap()
        .kernels
        .iter()
        .map(|k| k.name)
        .collect();
    let load = |name: &str, kind| Series::load(&root.join("patches"), name, kind).unwrap();
    let series = [
        load("direct-multi", Kind::Series),
        load("pause", Kind::Fault),
        load("no-pause-reply", Kind::Fault),
        load("unregister-under-lock", Kind::Fault),
    ];
    plan(&definition, &kernels, &series).unwrap()
}

fn ids(cells: &[Cell], filter: &str) -> Vec<String> {
    let selector: Selector = filter.parse().unwrap();
    cells.iter().filter(|c| selector.has(c)).map(|c| c.id.clone()).collect()
}

#[test]
fn the_shipped_matrix_has_these_cells() {
    let plan = shipped();
    let lines: Vec<_> = plan
        .cells
        .iter()
        .map(|c| {
            let baseline = c.baseline.as_deref().unwrap_or("-");
            let expect = c.skip.clone().map_or(c.expect.in_words(), |_| "skip".to_owned());
            format!("{} {:?} {baseline} {expect}", c.id, c.role)
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn expressions_choose_cells() {
    let cells = shipped().cells;
    let cases: &[(&str, &[&str])] = &[
        ("6.1-none-c", &["6.1-none-c"]),
        ("7.1-*", &["7.1-none-c", "7.1-none-rust"]),
        ("kernel=6.18.. & subject=rust", &["6.18-none-rust", "7.1-none-rust"]),
        ("series=pause & !subject=rust", &["6.1-pause-c"]),
        ("series=direct-multi-upto4&subject!=rust", &["5.10-direct-multi-upto4-c"]),
        ("(kernel=5.10 | kernel=6.1) & role=baseline & subject=c", &["5.10-none-c", "6.1-none-c"]),
        ("config=kasan", &[]),
    ];
    for (text, want) in cases {
        assert_eq!(ids(&cells, text), *want, "{text}");
    }
    let all = cells.len();
    assert_eq!(ids(&cells, "role=fault").len() + ids(&cells, "role!=fault").len(), all);
    let deep = "!".repeat(100_000);
    for text in ["", "&", "kernel=", "kernel=x", "(a", "a b", "nokey=1", "a!", deep.as_str()] {
        let error = text.parse::<Selector>().unwrap_err().to_string();
        assert!(error.contains("column"), "{text}: {error}");
    }
}

#[test]
fn shards_have_every_cell_once_and_kernels_whole() {
    let cells = shipped().cells;
    for count in 1..=12 {
        let shards = deal(&cells, count);
        assert_eq!(shards.len(), cells.len());
        assert!(shards.iter().all(|s| (1..=count).contains(s)));
        for (a, cell) in cells.iter().enumerate() {
            for (b, other) in cells.iter().enumerate() {
                assert!(cell.kernel != other.kernel || shards[a] == shards[b]);
            }
        }
        let jobs = jobs(&cells, Some(count));
        let listed: usize = jobs.iter().map(|j| j.cells.len() + j.skipped.len()).sum();
        assert_eq!((listed, jobs.len()), (cells.len(), count.min(5)));
    }
    assert_eq!(deal(&cells, 5).iter().collect::<std::collections::BTreeSet<_>>().len(), 5);
}

#[test]
fn each_level_is_built_once_the_tree_as_it_is_first_and_long_chains_begin() {
    let cells = shipped().cells;
    let chains = chains(&cells);
    let seconds: Vec<_> = chains.iter().map(|c| c.seconds).collect();
    assert!(seconds.is_sorted_by(|a, b| a >= b), "{seconds:?}");
    let mut seen: Vec<usize> =
        chains.iter().flat_map(|c| &c.builds).flat_map(|b| b.cells.clone()).collect();
    seen.sort_unstable();
    let wanted: Vec<_> = (0..cells.len()).filter(|&at| cells[at].skip.is_none()).collect();
    assert_eq!(seen, wanted);
    for chain in &chains {
        let labels: Vec<_> = chain.builds.iter().map(|b| b.patches.label()).collect();
        assert_eq!(labels[0], "none");
        let mut unique = labels.clone();
        unique.dedup();
        assert_eq!(unique, labels);
    }
}

#[test]
fn the_lists_for_ci_are_what_these_read() {
    let cells = shipped().cells;
    let jobs = jobs(&cells, None);
    let value: serde_json::Value = serde_json::from_str(&github(&jobs)).unwrap();
    assert_eq!(value["include"].as_array().unwrap().len(), 5);
    assert_eq!(value["include"][0]["shard"], "1/5");
    let value: serde_yaml::Value = serde_yaml::from_str(&gitlab(&jobs)).unwrap();
    assert_eq!(value.as_mapping().unwrap().len(), 5);
}

#[expect(clippy::needless_pass_by_value, reason = "callers write a literal")]
fn result(verdict: &str, changes: serde_json::Value) -> RunResult {
    let code = match verdict {
        "fail" => 1,
        "infra" => 3,
        _ => 0,
    };
    let mut value = serde_json::json!({
        "schema": 1, "verdict": verdict, "reason": "why", "exit_code": code, "kernel": null,
        "series": {"name": "s", "variant": null, "applied": [], "not_applied": [], "offsets": []},
        "subject": "c", "suite": "direct", "config": {"requested": 1, "missing": []},
        "toolchain": null, "accel": null, "boot_ms": null, "stress": {}, "tests": [],
        "properties": [], "findings": [], "steps": [], "reproduce": "r",
        "started": "2026-12-01T10:00:00Z",
    });
    for (key, change) in changes.as_object().unwrap() {
        value[key] = change.clone();
    }
    serde_json::from_value(value).unwrap()
}

fn lockdep() -> serde_json::Value {
    serde_json::json!({"kind": "lockdep", "title": "possible recursive locking detected",
        "signature": "lock", "first_line": 1, "excerpt": "", "frames": []})
}

fn missed() -> serde_json::Value {
    serde_json::json!({"name": "no-missed-call", "verdict": "fail", "detail": "9"})
}

#[test]
fn a_cell_stands_beside_what_was_expected_and_its_baseline() {
    use StandingKind::{AsExpected, NotRun, PreExisting, Skipped, Unexpected, Unknown};
    let cells = shipped().cells;
    let cell = |id: &str| cells.iter().find(|c| c.id == id).unwrap();
    let none = || result("pass", serde_json::json!({}));
    let fail = |changes| Some(result("fail", changes));
    let build = || fail(serde_json::json!({"reason": "the build fails: x.c"}));
    let with_lockdep = || fail(serde_json::json!({"findings": [lockdep()]}));
    let with_missed = || fail(serde_json::json!({"properties": [missed()]}));
    let with_both = || fail(serde_json::json!({"findings": [lockdep()], "properties": [missed()]}));
    let series = "5.10-direct-multi-c";
    let (pause, reply) = ("6.1-pause-c", "6.1-no-pause-reply-c");
    let cases = vec![
        (series, None, None, NotRun),
        (series, Some(result("pass", serde_json::json!({"exit_code": 4}))), None, NotRun),
        (series, Some(none()), Some(none()), AsExpected),
        (series, Some(result("infra", serde_json::json!({}))), Some(none()), Unknown),
        (series, Some(result("skip", serde_json::json!({}))), Some(none()), Skipped),
        (series, with_lockdep(), Some(none()), Unexpected),
        (series, with_lockdep(), None, Unexpected),
        (series, with_lockdep(), with_lockdep(), PreExisting),
        (series, with_both(), with_lockdep(), Unexpected),
        (series, build(), build(), PreExisting),
        (series, build(), with_lockdep(), Unexpected),
        ("5.10-none-c", with_lockdep(), None, Unexpected),
        (pause, with_missed(), Some(none()), AsExpected),
        (pause, Some(none()), Some(none()), Unexpected),
        (pause, with_lockdep(), Some(none()), Unexpected),
        (pause, build(), Some(none()), Unexpected),
        (pause, with_missed(), with_missed(), Unexpected),
        (reply, with_lockdep(), Some(none()), AsExpected),
        (reply, with_missed(), Some(none()), Unexpected),
        ("5.10-direct-multi-upto4-c", with_missed(), Some(none()), AsExpected),
    ];
    for (nth, (id, result, baseline, want)) in cases.iter().enumerate() {
        let standing = stand(cell(id), result.as_ref(), baseline.as_ref());
        assert_eq!(standing.kind, *want, "case {nth}, {id}: {}", standing.note);
        assert!(!standing.note.is_empty());
    }
    let kind = |kind| Standing { kind, ..stand(cell(series), None, None) };
    let ends = [
        (vec![AsExpected, Skipped, PreExisting], ExitKind::Pass),
        (vec![AsExpected, NotRun], ExitKind::Incomplete),
        (vec![NotRun, Unknown], ExitKind::Infra),
        (vec![Unknown, Unexpected, NotRun], ExitKind::CheckFailed),
    ];
    for (kinds, want) in ends {
        let standings: Vec<_> = kinds.into_iter().map(kind).collect();
        assert_eq!(conclude(&standings), want);
    }
}

#[test]
fn what_says_nothing_of_the_kernel_is_to_be_done_again() {
    let result = |verdict| result(verdict, serde_json::json!({}));
    assert!(to_do(None) && to_do(Some(&result("infra"))));
    assert!(!to_do(Some(&result("fail"))) && !to_do(Some(&result("skip"))));
    assert_eq!(not_run(&shipped().cells[0]).verdict, Verdict::Infra);
}
