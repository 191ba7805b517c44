// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command surface: what scripts rely on.

use crate::tool::{run, xtask, xtask_at};

#[test]
fn help_names_every_command() {
    let help = run(&mut xtask(&["--help"]));
    assert_eq!(help.code, 0);
    for command in [
        "setup",
        "doctor",
        "kernel",
        "series",
        "kconfig",
        "build",
        "boot",
        "run",
        "report",
        "compare",
        "clean",
        "test",
        "completions",
        "man",
    ] {
        assert!(help.stdout.contains(command), "{command}");
    }
}

#[test]
fn a_dry_run_plans_and_leaves_nothing_behind() {
    let home = tempfile::tempdir().unwrap();
    let plan = run(&mut xtask_at(home.path(), &["run", "--dry-run", "--format", "json"]));
    assert_eq!(plan.code, 0, "{}", plan.stderr);
    let steps = plan.json();
    let names: Vec<_> =
        steps.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["tree", "series", "config", "build", "vm"]);
    assert_eq!(steps[0]["cached"], false);
    assert!(steps[4]["commands"][0].as_str().unwrap().starts_with("qemu-system-x86_64 "));
    assert!(!home.path().join("runs").exists());
    assert!(!home.path().join("downloads").exists());
}

#[test]
fn series_and_fragments_are_listed() {
    let list = run(&mut xtask(&["series", "list", "--format", "json"]));
    let names: Vec<_> = list.json().as_array().unwrap().iter().map(|s| s["name"].clone()).collect();
    let want = ["direct-multi", "rust-1.95", "no-pause-reply", "pause", "unregister-under-lock"];
    assert_eq!(names, want);
    let show = run(&mut xtask(&["series", "show", "direct-multi"]));
    assert!(show.stdout.contains("  5 ftrace: Do not miss calls"), "{}", show.stdout);
    let options = run(&mut xtask(&["kconfig", "show"]));
    assert!(options.stdout.contains("CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y"));
}

#[test]
fn the_manual_and_completions_are_there() {
    assert!(run(&mut xtask(&["man"])).stdout.contains(".TH"));
    assert!(run(&mut xtask(&["completions", "bash"])).stdout.contains("_cargo"));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let shell =
        format!("{} series list | true; exit ${{PIPESTATUS[0]}}", env!("CARGO_BIN_EXE_xtask"));
    let status = std::process::Command::new("bash").args(["-c", &shell]).status().unwrap();
    assert!(status.success());
}
