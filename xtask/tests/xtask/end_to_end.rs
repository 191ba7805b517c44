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

/// Made-up patches to a small file of linux 5.10: each but the third has one fault.
const FAULTY: [(&str, &str, &str); 4] = [
    ("lib: Leave something unused", " */\n\n", " */\n\nstatic int unused_by_anybody;\n\n"),
    ("lib: Break the build", "EXPORT_SYMBOL(_ctype);", "EXPORT_SYMBOL(_ctype)!"),
    ("lib: Build again", "EXPORT_SYMBOL(_ctype)!", "EXPORT_SYMBOL(_ctype);"),
    (
        "lib: Indent with spaces",
        "EXPORT_SYMBOL(_ctype);",
        "EXPORT_SYMBOL(_ctype);\n\nint add_one(int n);\nint add_one(int n)\n{\n        return n + 1;\n}",
    ),
];

/// A workspace with a series of these patches, made by git itself.
fn faulty_workspace(dir: &std::path::Path) {
    let ws = dir.join("ws");
    std::fs::create_dir_all(ws.join("xtask")).unwrap();
    for name in ["matrix.yaml", "kconfigs", "selftests", "vm-images"] {
        std::os::unix::fs::symlink(crate::tool::root().join(name), ws.join(name)).unwrap();
    }
    let args = ["series", "apply", "direct-multi", "--kernel", "5.10", "--upto", "0"];
    let bare = run(xtask(&args).args(["--format", "json"]));
    assert_eq!(bare.code, 0, "{}", bare.stderr);
    let commit = bare.json()["commit"].as_str().unwrap().to_owned();
    let tree = dir.join("tree");
    let git = |args: &[&str]| {
        let output = std::process::Command::new("git")
            .args(["-c", "user.name=U", "-c", "user.email=u@example.org", "-C"])
            .arg(&tree)
            .args(args)
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    std::fs::create_dir_all(tree.join("lib")).unwrap();
    git(&["init", "--quiet"]);
    let objects = format!("{}/objects.git", crate::tool::home());
    let show = std::process::Command::new("git")
        .args(["--git-dir", &objects, "show", &format!("{commit}:lib/ctype.c")])
        .output()
        .unwrap();
    let mut text = String::from_utf8(show.stdout).unwrap();
    let write = |text: &str| std::fs::write(tree.join("lib/ctype.c"), text).unwrap();
    write(&text);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "base"]);
    for (subject, from, to) in FAULTY {
        assert!(text.contains(from), "{from:?} in {text}");
        text = text.replacen(from, to, 1);
        write(&text);
        let message = format!("{subject}\n\nTo see that it is noticed.");
        git(&["commit", "--quiet", "--signoff", "--all", "--message", &message]);
    }
    let patches = ws.join("patches/faulty/any");
    std::fs::create_dir_all(&patches).unwrap();
    git(&["format-patch", "--quiet", "--output-directory", patches.to_str().unwrap(), "HEAD~4"]);
    let mut names: Vec<_> = std::fs::read_dir(&patches)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let listed: Vec<_> = names.iter().map(|name| format!("  - file: {name}\n")).collect();
    let yaml = format!(
        "name: faulty\ndescription: Faults\nvariants:\n- directory: any\n  patches:\n{}",
        listed.concat()
    );
    std::fs::write(ws.join("patches/faulty/series.yaml"), yaml).unwrap();
}

#[test]
#[ignore = "builds linux 5.10"]
fn linux_5_10_levels_are_judged_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    faulty_workspace(dir.path());
    let args = ["series", "check", "faulty", "--kernels", "5.10", "--build", "--format", "json"];
    let mut call = xtask(&args);
    call.env("CARGO_MANIFEST_DIR", dir.path().join("ws/xtask")).stderr(Stdio::inherit());
    let ended = run(&mut call);
    assert_eq!(ended.code, 1, "{}", ended.stdout);
    let result = ended.json();
    let levels = result["levels"][0]["levels"].as_array().unwrap();
    let verdicts: Vec<_> = levels.iter().map(|l| l["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["fail", "fail", "pass", "fail"], "{result:#}");
    let reasons = |n: usize| levels[n]["reasons"].to_string();
    assert!(reasons(0).contains("new warning: lib/ctype.c:"), "{}", reasons(0));
    assert!(reasons(0).contains("unused_by_anybody"), "{}", reasons(0));
    assert!(reasons(1).contains("the build fails: lib/ctype.c:"), "{}", reasons(1));
    assert_eq!(levels[1]["build"]["file"], "lib/ctype.c");
    assert_eq!(levels[1]["build"]["touched"], true);
    let notes = levels[1]["notes"].to_string();
    assert!(notes.contains("it breaks bisection: only patch 3 builds again"), "{notes}");
    // The unused variable is still there, and is not the fourth patch's fault.
    assert_eq!(levels[3]["old_warnings"], 1, "{result:#}");
    assert!(reasons(3).contains("checkpatch: line"), "{}", reasons(3));
    assert!(reasons(3).contains("CODE_INDENT"), "{}", reasons(3));
}

#[test]
#[ignore = "builds and boots linux 5.10"]
fn linux_5_10_hangs_with_the_reply_as_it_was_posted() {
    let (ended, result) = cell(&["--kernel", "5.10", "--fault", "no-pause-reply"]);
    assert_eq!(ended.code, 1, "{result:#}");
    let title = result["findings"][0]["title"].as_str().unwrap();
    assert!(title.contains("possible recursive locking detected: ftrace_lock"), "{title}");
    // It was made for another base.
    let offsets = result["series"]["offsets"].to_string();
    assert!(offsets.contains("kernel/trace/ftrace.c: hunk 1 applied 123 lines off"), "{offsets}");
}
