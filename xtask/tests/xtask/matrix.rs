// SPDX-License-Identifier: MIT OR Apache-2.0
//! The matrix: its plan as CI systems get it, and a small one for real, killed and resumed.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::tool::{eventually, own_processes, run, start, xtask, xtask_at};

#[test]
fn the_plan_is_listed_for_people_and_ci_systems() {
    let home = tempfile::tempdir().unwrap();
    let list = |args: &[&str]| {
        let ended = run(&mut xtask_at(home.path(), &[&["matrix", "--list"], args].concat()));
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.stderr);
        ended
    };
    let all = list(&["--format", "json"]).json();
    let cells = all["cells"].as_array().unwrap();
    let github = list(&["--format", "github"]).json();
    let shards = github["include"].as_array().unwrap();
    assert_eq!(shards.len(), 5, "{github}");
    let mut dealt = 0;
    for shard in shards {
        let shard = shard["shard"].as_str().unwrap();
        let part = list(&["--format", "json", "--shard", shard]).json();
        dealt += part["cells"].as_array().unwrap().len();
    }
    assert_eq!(dealt, cells.len(), "each cell is in one shard");
    assert!(list(&["--format", "gitlab"]).stdout.contains("extends: .xtask-matrix"));
    let text = list(&["--only", "subject=rust & kernel=6.1"]).stdout;
    assert!(text.contains("6.1-none-rust") && text.contains("skip: "), "{text}");
    assert!(std::fs::read_dir(home.path()).unwrap().next().is_none(), "listing writes nothing");
}

#[test]
fn wrong_selections_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&["--only", "kernel=x"], "no range of kernels"),
        (&["--only", "6.1-none-c &"], "column"),
        (&["--only", "9.9-*"], "no cell of the matrix fits"),
        (&["--shard", "3/2"], "I/N"),
        (&["--resume"], "no matrix"),
        (&["--resume", "nope"], "no such run"),
        (&["--format", "github"], "matrix --list"),
        (&["--shards", "2"], "--list"),
        (&["--keep-free", "999999999", "--only", "6.1-none-c"], "not enough disk space"),
    ];
    for (args, want) in cases {
        let ended = run(&mut xtask_at(home.path(), &[&["matrix"], *args].concat()));
        let infra = args.contains(&"--keep-free");
        assert_eq!(ended.code, if infra { 3 } else { 2 }, "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(want), "{args:?}: {}", ended.stderr);
    }
}

/// Two kernels, in C and in Rust, with a fault.
const SMALL: &str = "kernel=6.1 & (role=baseline | series=pause) | kernel=7.1";

/// What stands in a record, without what differs from run to run.
fn standings(record: &Value) -> BTreeMap<String, (String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let cells = record["cells"].as_array().unwrap().iter();
    cells.map(|c| (text(&c["id"]), (text(&c["verdict"]), text(&c["standing"]["kind"])))).collect()
}

#[test]
#[ignore = "builds and boots linux 6.1 and 7.1"]
fn a_small_matrix_gives_the_same_when_it_is_killed_and_resumed() {
    let matrix = |args: &[&str]| {
        let mut call = xtask(&[&["matrix", "--format", "json"], args].concat());
        let ended = run(call.stderr(Stdio::inherit()));
        let record = ended.json();
        assert_eq!(ended.code, 0, "{record:#}");
        record
    };
    let whole = matrix(&["--only", SMALL]);
    let want: BTreeMap<String, (String, String)> = [
        ("6.1-none-c", "pass", "as-expected"),
        ("6.1-none-rust", "skip", "skipped"),
        ("6.1-pause-c", "fail", "as-expected"),
        ("6.1-pause-rust", "skip", "skipped"),
        ("7.1-none-c", "pass", "as-expected"),
        ("7.1-none-rust", "pass", "as-expected"),
    ]
    .map(|(id, verdict, kind)| (id.to_owned(), (verdict.to_owned(), kind.to_owned())))
    .into();
    assert_eq!(standings(&whole), want);

    // Any moment will do; it differs from run to run.
    let moment = Duration::from_millis(u64::from(std::process::id()) * 37 % 15_000);
    eprintln!("killed after {moment:?}");
    let mut cut_off = start(&["matrix", "--only", SMALL]);
    std::thread::sleep(moment);
    cut_off.0.kill().unwrap();
    cut_off.0.wait().unwrap();
    eventually("the end of QEMU", || own_processes("qemu-system-x86_64").is_empty());
    let resumed = matrix(&["--resume"]);
    assert_eq!(standings(&resumed), want);
    assert_eq!(resumed["resumed"], 1, "the run that was cut off went on");

    for format in ["text", "md", "junit", "ktap", "kcidb"] {
        let ended = run(&mut xtask(&["report", "last", "--format", format]));
        assert_eq!(ended.code, 0, "{format}: {}", ended.stderr);
        for id in want.keys() {
            assert!(ended.stdout.contains(id.as_str()), "{format} lacks {id}:\n{}", ended.stdout);
        }
    }
}
