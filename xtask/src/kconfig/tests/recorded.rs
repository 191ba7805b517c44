// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests judged against what the kernel's own kconfig made of them.
//!
//! `fixtures/cases/NAME.config` is the work of Linux 6.1's `scripts/kconfig/conf --olddefconfig`
//! in `fixtures/tree`, with ARCH and SRCARCH set to x86, on the requests of `NAME.fragment` over
//! `fixtures/base.config` (the work of `conf --allnoconfig` there). Set `KCONFIG_CONF` to a built
//! conf to compare the records with it instead of trusting them.

use std::path::Path;
use std::process::Command;

use super::super::{Fragment, Report, Requests, judge, merge};
use super::{fixture_tree, fixtures};
use crate::diagnosis::Diagnosis;

fn requests(name: &str) -> Requests {
    let path = fixtures().join(format!("cases/{name}.fragment"));
    let text = std::fs::read_to_string(path).expect("a fragment");
    let fragment = Fragment::parse(&format!("{name}.fragment"), &text).expect("a good fragment");
    merge(&[fragment]).expect("one fragment cannot disagree")
}

fn recorded(name: &str) -> String {
    let path = fixtures().join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    match std::env::var_os("KCONFIG_CONF") {
        Some(conf) => {
            let fresh = run_conf(Path::new(&conf), name);
            if std::env::var_os("KCONFIG_RECORD").is_some() {
                std::fs::write(&path, &fresh).expect("a writable checkout");
                return fresh;
            }
            assert_eq!(text, fresh, "{name}");
            text
        }
        None => text,
    }
}

/// Runs the kernel's conf; its own warnings about overrides fail the test.
fn run_conf(conf: &Path, name: &str) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let config = directory.path().join(".config");
    let case = name.strip_prefix("cases/").and_then(|name| name.strip_suffix(".config"));
    let mode = match case {
        Some(case) => {
            let start = requests(case).over(&recorded("base.config"), &fixture_tree());
            std::fs::write(&config, start).expect("a file");
            "--olddefconfig"
        }
        None => "--allnoconfig",
    };
    let output = Command::new(conf)
        .args(["-s", mode, "Kconfig"])
        .current_dir(fixtures().join("tree"))
        .envs([("ARCH", "x86"), ("SRCARCH", "x86"), ("srctree", ".")])
        .env("KCONFIG_CONFIG", &config)
        .output()
        .expect("conf runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let warnings = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(case == Some("choice") || !warnings.contains("override"), "{warnings}");
    std::fs::read_to_string(config).expect("conf wrote it")
}

fn judged(name: &str) -> Report {
    let report =
        judge(&requests(name), &fixture_tree(), &recorded(&format!("cases/{name}.config")));
    assert_eq!(report.len(), requests(name).len(), "every request is judged once");
    report
}

#[test]
fn every_record_is_tested() {
    let mut names: Vec<String> = std::fs::read_dir(fixtures().join("cases"))
        .expect("the cases")
        .filter_map(|entry| {
            let name = entry.expect("an entry").file_name().into_string().expect("a name");
            name.strip_suffix(".fragment").map(str::to_owned)
        })
        .collect();
    names.sort();
    let mut tested: Vec<&str> = REFUSED.iter().chain(ACCEPTED).copied().collect();
    tested.sort_unstable();
    assert_eq!(names, tested);
}

const ACCEPTED: &[&str] = &["kept", "promptless-kept", "string"];
const REFUSED: &[&str] = &[
    "chain",
    "choice",
    "choice-none",
    "forced",
    "hidden",
    "kinds",
    "misspelt",
    "module-limit",
    "no-modules",
    "promptless",
    "range",
    "unmet",
];

#[test]
fn what_kconfig_kept_is_kept() {
    for name in ACCEPTED {
        let report = judged(name);
        assert!(report.check().is_ok(), "{name}: {report}");
        assert_eq!(report.kept.len(), report.len(), "{name}");
    }
}

#[test]
fn what_kconfig_dropped_is_explained() {
    for name in REFUSED {
        let error = judged(name).check().expect_err(name);
        insta::assert_snapshot!(*name, Diagnosis::from(error).to_string());
    }
}

#[test]
fn the_report_of_a_check_names_what_the_version_lacks() {
    insta::assert_snapshot!(judged("misspelt").to_string());
}

#[test]
fn an_option_lost_from_the_final_configuration_is_noticed() {
    let kept = recorded("cases/kept.config");
    for (line, without) in [
        ("CONFIG_PREEMPT=y", "# CONFIG_PREEMPT is not set"),
        ("CONFIG_SMP=y", ""),
        ("CONFIG_NR_CPUS=4", "CONFIG_NR_CPUS=8"),
    ] {
        assert!(kept.contains(line));
        let report = judge(&requests("kept"), &fixture_tree(), &kept.replace(line, without));
        assert_eq!((report.kept.len(), report.dropped.len()), (2, 1), "{report}");
        assert!(report.dropped.iter().all(|dropped| !dropped.reasons.is_empty()));
        assert!(report.check().is_err());
    }
}
