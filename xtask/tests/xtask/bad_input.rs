// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bad input: its own message, the documented exit code, and nothing left behind.

use std::fs;
use std::path::Path;

use crate::tool::{Ended, root, run, tiny_tree, xtask, xtask_at};

fn refused(args: &[&str], code: i32, words: &[&str]) -> Ended {
    let home = tempfile::tempdir().unwrap();
    let ended = run(&mut xtask_at(home.path(), args));
    assert_eq!(ended.code, code, "{args:?}: {}", ended.stderr);
    for word in words {
        assert!(ended.stderr.contains(word), "{args:?}: no {word:?} in\n{}", ended.stderr);
    }
    assert!(!home.path().join("runs").exists(), "{args:?} left a run behind");
    ended
}

#[test]
fn unknown_names_are_usage_errors_and_list_the_known() {
    refused(&["run", "--kernel", "9.9"], 2, &["unknown kernel \"9.9\"", "known: 5.10, 6.1"]);
    refused(&["run", "--series", "nope"], 2, &["unknown series \"nope\"", "known: direct-multi"]);
    refused(&["run", "--fault", "nope"], 2, &["unknown fault \"nope\"", "pause"]);
    refused(&["run", "--suite", "nope"], 2, &["unknown suite \"nope\"", "known: direct"]);
    refused(&["run", "--kernel", "6.1"], 2, &["no variant for linux 6.1", "--series none"]);
    refused(&["run", "--upto", "9"], 2, &["has 5 patches"]);
    refused(&["run", "--upto", "1", "--series", "none"], 2, &["--upto"]);
    refused(&["run", "--subject", "in-tree"], 2, &["not available"]);
    refused(&["run", "--duration", "1h"], 2, &["give a time"]);
    refused(&["run", "--nonsense"], 2, &["--nonsense"]);
    refused(&["report", "no-such-run"], 2, &["no such run"]);
    refused(&["clean", "--remove", "nope"], 2, &["no such part"]);
}

#[test]
fn formats_of_results_go_with_report_only() {
    for format in ["md", "junit", "ktap", "html"] {
        refused(&["run", "--format", format], 2, &["they go with `report`"]);
        refused(&["doctor", "--format", format], 2, &["they go with `report`"]);
    }
}

#[test]
fn errors_in_json_mode_are_one_document() {
    let ended = refused(&["run", "--kernel", "9.9", "--format", "json"], 2, &["unknown kernel"]);
    assert_eq!(ended.json()["exit_code"], 2);
}

#[test]
fn fragments_that_cannot_be_used() {
    let dir = tempfile::tempdir().unwrap();
    let with = |text: &str, words: &[&str]| {
        let path = dir.path().join("x.config");
        fs::write(&path, text).unwrap();
        refused(&["run", "--config", path.to_str().unwrap()], 2, words);
    };
    with(
        "CONFIG_SMP=n\n",
        &["two fragments disagree about CONFIG_SMP", "base.config:", "x.config:1"],
    );
    with("CONFIG_SMP = y\n", &["x.config:1:", "white space"]);
    refused(
        &["run", "--config", "/no/such.config"],
        2,
        &["cannot read the fragment /no/such.config"],
    );
}

/// Applies the shipped series to a tree that is not what it was made for.
#[test]
fn a_patch_that_does_not_apply_is_shown_beside_the_tree() {
    let dir = tempfile::tempdir().unwrap();
    let tree = dir.path().join("linux");
    tiny_tree(&tree, (5, 10, 1));
    let path = tree.to_str().unwrap();
    let words = ["patch 1/5 does not apply", "kernel/trace/ftrace.c", "no such file", "reproduce:"];
    refused(&["series", "apply", "direct-multi", "--kernel", path], 1, &words);

    fs::create_dir_all(tree.join("kernel/trace")).unwrap();
    let other = "int one;\nstatic int register_ftrace_something(void)\n{\n\treturn 0;\n}\n";
    fs::write(tree.join("kernel/trace/ftrace.c"), other).unwrap();
    let words = ["patch 1/5 does not apply", "hunk 1", "0001-ftrace", "@@ -"];
    refused(&["series", "apply", "direct-multi", "--kernel", path], 1, &words);

    tiny_tree(&tree, (4, 19, 1));
    refused(
        &["series", "apply", "direct-multi", "--kernel", path],
        2,
        &["no variant for linux 4.19"],
    );
    fs::write(tree.join("Makefile"), "all:\n").unwrap();
    refused(&["series", "apply", "direct-multi", "--kernel", path], 2, &["no kernel tree"]);
}

#[test]
fn a_missing_program_names_its_package() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    tiny_tree(&dir.path().join("linux"), (5, 10, 1));
    let tree = dir.path().join("linux");
    let args = ["series", "apply", "direct-multi", "--kernel", tree.to_str().unwrap()];
    let ended = run(xtask_at(&home, &args).env("PATH", dir.path()));
    assert_eq!(ended.code, 3, "{}", ended.stderr);
    assert!(ended.stderr.contains("git is not installed"), "{}", ended.stderr);
    assert!(ended.stderr.contains("cargo xtask setup"), "{}", ended.stderr);
}

#[test]
fn without_a_home_it_says_what_to_set() {
    let ended = run(xtask(&["clean"])
        .env_remove("HOME")
        .env_remove("XTASK_HOME")
        .env_remove("XDG_CACHE_HOME"));
    assert_eq!(ended.code, 3);
    assert!(ended.stderr.contains("set XTASK_HOME"), "{}", ended.stderr);
}

/// `/dev/full` stands for a disk that is full at the first byte.
#[test]
fn a_full_disk_is_the_machines_fault() {
    let dir = tempfile::tempdir().unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(dir.path())
        .status();
    if !mounted.is_ok_and(|s| s.success()) {
        // Only root may make a small file system; an unwritable home is the next best thing.
        let ended = run(&mut xtask_at(
            Path::new("/proc/xtask"),
            &["kernel", "fetch", root().to_str().unwrap()],
        ));
        assert_eq!(ended.code, 3, "{}", ended.stderr);
        return;
    }
    let tree = tempfile::tempdir().unwrap();
    tiny_tree(tree.path(), (5, 10, 1));
    let noise: Vec<u8> =
        (0..100_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    fs::write(tree.path().join("big"), noise).unwrap();
    let ended = run(&mut xtask_at(dir.path(), &["kernel", "fetch", tree.path().to_str().unwrap()]));
    let unmounted = std::process::Command::new("umount").arg(dir.path()).status();
    assert!(unmounted.is_ok_and(|s| s.success()));
    assert_eq!(ended.code, 3, "{}", ended.stderr);
    assert!(ended.stderr.to_lowercase().contains("no space left"), "{}", ended.stderr);
}

/// A series that is not made for the tree ends in a result, in both formats.
#[test]
fn a_run_that_cannot_apply_its_series_says_so_in_its_result() {
    let dir = tempfile::tempdir().unwrap();
    let (home, tree) = (dir.path().join("home"), dir.path().join("linux"));
    tiny_tree(&tree, (5, 10, 1));
    let args = ["run", "--kernel", tree.to_str().unwrap(), "--format", "json"];
    let ended = run(&mut xtask_at(&home, &args));
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let result = ended.json();
    assert_eq!((result["verdict"].as_str(), result["exit_code"].as_u64()), (Some("fail"), Some(1)));
    assert!(result["reason"].as_str().unwrap().starts_with("patch 1/5 does not apply"));
    assert_eq!(result["kernel"]["version"], "5.10.1");
    let runs: Vec<_> = fs::read_dir(home.join("runs")).unwrap().flatten().collect();
    let written = fs::read(runs[0].path().join("result.json")).unwrap();
    let written: serde_json::Value = serde_json::from_slice(&written).unwrap();
    assert_eq!(written, result);
}
