// SPDX-License-Identifier: MIT OR Apache-2.0
//! The main job on real kernels: fetch, apply, build, boot, stress, judge.
//!
//! These take minutes and are ignored unless asked for: `cargo xtask test`. They share the user's
//! caches, so that a second run is quick, and go from one kernel to the next in one test, so that
//! each kernel is built once and no two builds compete.

use std::process::Stdio;

use serde_json::Value;

use crate::tool::{Ended, eventually, own_processes, run, start, xtask};

fn cell(args: &[&str]) -> (Ended, Value) {
    let duration: &[&str] = if args.contains(&"--duration") { &[] } else { &["--duration", "5s"] };
    let args = [&["run", "--format", "json"], duration, args].concat();
    eprintln!("cargo xtask {}", args.join(" "));
    let mut call = xtask(&args);
    call.stderr(Stdio::inherit());
    let ended = run(&mut call);
    let json = ended.json();
    eprintln!("  exit {}: {}", ended.code, json["reason"]);
    (ended, json)
}

fn number(result: &Value, key: &str) -> i64 {
    result["stress"][key].as_i64().unwrap_or_else(|| panic!("no {key} in {}", result["stress"]))
}

fn property<'a>(result: &'a Value, name: &str) -> &'a Value {
    let all = result["properties"].as_array().unwrap();
    all.iter().find(|p| p["name"] == name).unwrap_or_else(|| panic!("no property {name}"))
}

fn assert_passes(ended: &Ended, result: &Value) {
    assert_eq!(ended.code, 0, "{result:#}");
    assert_eq!(result["verdict"], "pass");
    assert_eq!(
        (number(result, "missed"), number(result, "doubled"), number(result, "stale")),
        (0, 0, 0)
    );
    assert!(
        number(result, "modifies") >= 5 && number(result, "calls") > 100_000,
        "{}",
        result["stress"]
    );
    assert_eq!(result["findings"].as_array().unwrap().len(), 0);
    assert!(result["properties"].as_array().unwrap().iter().all(|p| p["verdict"] == "pass"));
}

fn assert_misses_calls(ended: &Ended, result: &Value) {
    assert_eq!(ended.code, 1, "{result:#}");
    assert_eq!(result["verdict"], "fail");
    let missed = property(result, "no-missed-call");
    assert_eq!(missed["verdict"], "fail");
    let words = format!("{} of {}", number(result, "missed"), number(result, "checked"));
    assert!(missed["detail"].as_str().unwrap().contains(&words), "{missed}");
    assert_eq!(number(result, "doubled"), 0);
}

#[test]
#[ignore = "builds and boots linux 5.10"]
fn linux_5_10_needs_the_last_patch_of_the_series() {
    let (ended, result) = cell(&[]);
    assert_passes(&ended, &result);
    assert_eq!(result["series"]["applied"].as_array().unwrap().len(), 5);
    assert_eq!(result["schema"], 1);

    let (ended, result) = cell(&["--upto", "4"]);
    assert_misses_calls(&ended, &result);
    assert_eq!(result["series"]["not_applied"].as_array().unwrap().len(), 1);

    // The first two levels have no modify of their own: the old API must still work.
    let (ended, result) = cell(&["--upto", "2"]);
    assert_eq!(ended.code, 0, "{result:#}");
    assert_eq!(result["tests"][0]["words"]["era"], "single");

    let (ended, result) = cell(&[]);
    assert_passes(&ended, &result);
    for name in ["tree", "series", "build"] {
        let steps = result["steps"].as_array().unwrap();
        let step = steps.iter().find(|s| s["name"] == name).unwrap();
        assert_eq!(step["cached"], true, "{step}");
    }
}

#[test]
#[ignore = "builds and boots linux 6.1"]
fn linux_6_1_passes_and_both_faults_are_caught() {
    let (ended, result) = cell(&["--kernel", "6.1", "--series", "none"]);
    assert_passes(&ended, &result);

    // Every counter of the stress loop is able to fail its property.
    for (how, name) in [
        ("pause", "no-missed-call"),
        ("double", "no-doubled-call"),
        ("stale", "no-stale-call"),
        ("late", "no-call-outside-registration"),
        ("corrupt", "arguments-and-return-preserved"),
    ] {
        let (ended, result) =
            cell(&["--kernel", "6.1", "--series", "none", "--duration", "1s", "--sabotage", how]);
        assert_eq!(ended.code, 1, "{how}: {result:#}");
        assert_eq!(property(&result, name)["verdict"], "fail", "{how}");
    }

    let (ended, result) = cell(&["--kernel", "6.1", "--fault", "pause"]);
    assert_misses_calls(&ended, &result);
    assert_eq!(result["findings"].as_array().unwrap().len(), 0);

    let (ended, result) = cell(&["--kernel", "6.1", "--fault", "unregister-under-lock"]);
    assert_eq!(ended.code, 1, "{result:#}");
    let findings = result["findings"].as_array().unwrap();
    let lock = &findings[0];
    assert_eq!(lock["kind"], "lockdep");
    assert!(
        lock["title"]
            .as_str()
            .unwrap()
            .contains("possible recursive locking detected: ftrace_lock")
    );
    let task = findings.iter().find(|f| f["kind"] == "hung-task").expect("the blocked task");
    for finding in [lock, task] {
        let place = finding["frames"].as_array().unwrap().iter().find(|f| {
            f["function"] == "unregister_ftrace_function" && f["file"] == "kernel/trace/ftrace.c"
        });
        assert!(place.is_some_and(|f| f["line"].as_u64() > Some(1000)), "{finding:#}");
    }
}

#[test]
#[ignore = "builds and boots linux 6.1"]
fn one_command_in_a_guest_gives_its_output_and_status() {
    let args = ["boot", "--kernel", "6.1", "--series", "none", "--", "sh", "-c"];
    let ended = run(&mut xtask(&[&args[..], &["uname -r; ls /modules; exit 7"]].concat()));
    assert_eq!(ended.code, 7, "{}", ended.stderr);
    assert!(ended.stdout.starts_with("6.1."), "{}", ended.stdout);
    assert!(ended.stdout.contains("direct_c.ko"), "{}", ended.stdout);
    let ended = run(&mut xtask(&[&args[..6], &["no-such-command"]].concat()));
    assert_eq!(ended.code, 127, "{}", ended.stderr);
}

/// Kills the tool while make runs and while QEMU runs. Nothing may be left, and the next run works.
#[test]
#[ignore = "builds and boots linux 6.1"]
fn a_killed_run_leaves_nothing_and_the_next_one_works() {
    let args =
        ["run", "--kernel", "6.1", "--fault", "pause", "--format", "json", "--duration", "60s"];
    // Built beforehand, QEMU comes up within seconds.
    let built =
        run(xtask(&["build", "--kernel", "6.1", "--fault", "pause"]).stderr(Stdio::inherit()));
    assert_eq!(built.code, 0);
    for signal in ["-KILL", "-TERM", "-INT"] {
        let mut stress = start(&args);
        eventually("QEMU", || !own_processes("qemu-system-x86_64").is_empty());
        let pid = stress.0.id().to_string();
        assert!(
            std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success()
        );
        let code = stress.0.wait().unwrap().code();
        let want = match signal {
            "-TERM" => Some(143),
            "-INT" => Some(130),
            _ => None,
        };
        assert_eq!(code, want, "{signal}");
        eventually("the end of QEMU", || own_processes("qemu-system-x86_64").is_empty());
    }
    let mut rebuild = start(&["build", "--kernel", "6.1", "--series", "none", "--rebuild"]);
    eventually("make", || !own_processes("make").is_empty());
    std::thread::sleep(std::time::Duration::from_secs(5));
    rebuild.0.kill().unwrap();
    rebuild.0.wait().unwrap();
    eventually("the end of make", || own_processes("make").is_empty());
    let (ended, result) = cell(&["--kernel", "6.1", "--series", "none"]);
    assert_passes(&ended, &result);
}
