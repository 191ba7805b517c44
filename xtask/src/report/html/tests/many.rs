// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cells such as a real matrix has, as many as wanted, always the same.

use crate::matrix::{Role, Standing, StandingKind};
use crate::report::html::PageCell;
use crate::report::log::{Log, Part};
use crate::report::tests::sample;
use crate::report::{History, Shown};
use crate::verdict::{LatencyBucket, RunResult, Sample, Verdict};

const KERNELS: [&str; 8] =
    ["5.10.262", "5.15.180", "6.1.192", "6.6.90", "6.12.117", "6.18.15", "7.1.13", "7.2-rc3"];

/// Series, role and subject.
const ROWS: [(&str, Role, &str); 7] = [
    ("none", Role::Baseline, "c"),
    ("none", Role::Baseline, "rust"),
    ("direct-multi", Role::Series, "c"),
    ("direct-multi", Role::Series, "rust"),
    ("pause", Role::Fault, "c"),
    ("no-pause-reply", Role::Fault, "c"),
    ("unregister-under-lock", Role::Fault, "rust"),
];

const REPORT: &str = "\
WARNING: possible recursive locking detected
6.1.192 #1 Not tainted
--------------------------------------------
modify/71 is trying to acquire lock:
ffffffff82c4a2e8 (ftrace_lock){+.+.}-{3:3}, at: unregister_ftrace_function+0x1b/0x140

but task is already holding lock:
ffffffff82c4a2e8 (ftrace_lock){+.+.}-{3:3}, at: modify_ftrace_direct_multi+0x5f/0x1b0
Call Trace:
 <TASK>
 dump_stack_lvl+0x5b/0x77
 __lock_acquire.cold+0xd8/0x2c1
 mutex_lock_nested+0x1b/0x30";

/// The first `count` cells; beyond all kernels and rows, other suites follow.
pub fn many(count: usize) -> Vec<PageCell> {
    let wide = if count < 20 { 2 } else { KERNELS.len() };
    (0..count).map(|n| cell(n, wide)).collect()
}

fn cell(n: usize, wide: usize) -> PageCell {
    let version = KERNELS[(n % wide + if wide == 2 { 2 } else { 0 }) % KERNELS.len()];
    let (series, role, subject) = ROWS[n / wide % ROWS.len()];
    let suite = ["direct", "direct-long", "churn", "boot"][n / wide / ROWS.len() % 4];
    let kind = match n % 23 {
        1 => StandingKind::Unexpected,
        3 | 19 => StandingKind::Skipped,
        6 => StandingKind::PreExisting,
        11 => StandingKind::Unknown,
        17 => StandingKind::NotRun,
        _ => StandingKind::AsExpected,
    };
    let verdict = match (kind, role) {
        (StandingKind::Skipped, _) => Verdict::Skip,
        (StandingKind::Unknown | StandingKind::NotRun, _) => Verdict::Infra,
        (StandingKind::AsExpected, Role::Baseline | Role::Series) => Verdict::Pass,
        _ => Verdict::Fail,
    };
    let kernel: crate::tree::KernelVersion = version.parse().unwrap();
    let id = format!("{}-{series}-{subject}-{suite}", kernel.line());
    let mut result = sample().remove(0).result;
    result.verdict = verdict;
    result.series.name = series.into();
    result.subject = subject.into();
    result.suite = suite.into();
    result.reproduce = format!(
        "cargo xtask run --kernel {version} --series {series} --subject {subject} --suite {suite} --duration 30s"
    );
    result.started += jiff::SignedDuration::from_secs(i64::try_from(n).unwrap() * 40);
    result.reason = reason(verdict).into();
    let ran = matches!(verdict, Verdict::Pass | Verdict::Fail);
    if ran {
        fill(&mut result, n, version, verdict);
    } else {
        result.kernel = None;
        result.properties.clear();
        result.stress.clear();
        result.steps.clear();
    }
    let log = log(&result, n);
    let (expected, note) = match (kind, role) {
        (StandingKind::NotRun, _) => ("pass", "the matrix was ended before it".to_owned()),
        (StandingKind::AsExpected, Role::Fault) => {
            ("fail: no-missed-call", "the fault is found".into())
        }
        (_, Role::Fault) => ("fail: no-missed-call", result.reason.clone()),
        _ => ("pass", result.reason.clone()),
    };
    let standing = Standing { id: id.clone(), role, kind, expected: expected.into(), note };
    let shown = Shown {
        run: format!("20261201-100000-matrix/cells/{id}"),
        directory: format!("runs/20261201-100000-matrix/cells/{id}").into(),
        result,
        standing: Some(standing),
    };
    PageCell { shown, log }
}

fn reason(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "every property held",
        Verdict::Fail => "no-missed-call: 237,912,004 of 253,801,337 calls reached no trampoline",
        Verdict::Skip => "the tree has no Rust API for ftrace before 6.12",
        Verdict::Infra => "QEMU ended with status 1: failed to set MSR 0x10a",
    }
}

fn fill(result: &mut RunResult, n: usize, version: &str, verdict: Verdict) {
    let bad = verdict == Verdict::Fail;
    let step = u64::try_from(n).unwrap();
    let json = serde_json::json!({
        "kernel": {
            "version": version,
            "source": "Debian source package linux, suite bookworm-security",
            "sha": "8c1ea0fd73c2f59cbd4d7ab1b0b2e1c70ecf9d58d9c3f1b0e6bb6e6ecf5a9a51",
            "skipped": ["6.1.194-1: the archive answers 404"],
        },
        "config": {
            "requested": 47, "missing": ["CONFIG_X86_KERNEL_IBT"],
            "worked_around": ["rust-dma-buf: CONFIG_SYNC_FILE=y, a Rust helper's symbol is missing without it"],
        },
        "toolchain": {
            "cc": "gcc (Debian 12.2.0-14+deb12u1) 12.2.0", "ld": "GNU ld (GNU Binutils for Debian) 2.40",
            "make": "GNU Make 4.3", "ccache": true,
        },
        "accel": "tcg-single", "boot_ms": 3120 + step * 7,
        "stress": {
            "modifies": 112 + step % 31, "calls": 53_800_000 + step * 17_113, "duration_ms": 30_000,
            "missed": if bad { 237_912 } else { 0 }, "doubled": 0, "stale": 0,
        },
        "properties": [
            {"name": "no-missed-call", "verdict": if bad { "fail" } else { "pass" },
             "detail": if bad { "237,912 of 253,801,337 calls missed" } else { "0 of 53,817,113 calls missed" }},
            {"name": "no-doubled-call", "verdict": "pass", "detail": "0 of 53,817,113 calls doubled"},
            {"name": "no-stale-call", "verdict": "skip", "detail": "the API of this kernel has no modify"},
            {"name": "arguments-and-return-preserved", "verdict": "pass", "detail": "53,817,113 checked"},
        ],
        "steps": [
            {"name": "tree", "key": "k", "cached": true, "ms": 12},
            {"name": "series", "key": "k", "cached": false, "ms": 2310},
            {"name": "config", "key": "k", "cached": false, "ms": 14_200},
            {"name": "build", "key": "k", "cached": step % 3 == 0, "ms": if step % 3 == 0 { 40 } else { 361_000 }},
            {"name": "vm", "key": "", "cached": false, "ms": 36_900},
        ],
    });
    let mut value = serde_json::to_value(&*result).unwrap();
    for (key, change) in json.as_object().unwrap() {
        value[key] = change.clone();
    }
    if result.series.name != "none" {
        value["series"]["variant"] = "6.1..".into();
        value["series"]["applied"] =
            serde_json::json!(["0001-ftrace-Add-multi-direct-modify-interface.patch"]);
        value["series"]["offsets"] =
            serde_json::json!(["0001: kernel/trace/ftrace.c, hunk 3: offset 295"]);
    }
    if bad {
        value["findings"] = serde_json::json!([{
            "kind": "lockdep", "title": "possible recursive locking detected", "signature": "s",
            "first_line": 214, "excerpt": REPORT, "frames": [
                {"function": "unregister_ftrace_function", "file": "kernel/trace/ftrace.c", "line": 7913,
                 "inlined": ["ftrace_lock_take at kernel/trace/ftrace.c:98"]},
                {"function": "modify_ftrace_direct_multi", "file": "kernel/trace/ftrace.c", "line": 5566},
                {"function": "modify_thread", "module": "direct_c", "undecoded": "no debug information"},
            ],
        }]);
    }
    *result = serde_json::from_value(value).unwrap();
    result.samples = samples(step, bad);
    result.modify_latency = latencies(step);
}

fn samples(step: u64, bad: bool) -> Vec<Sample> {
    let test = |name: &str, begin: u64, length: u64| {
        let name = name.to_owned();
        (0..length).map(move |s| Sample {
            test: name.clone(),
            uptime_ms: begin + s * 1000 + (s * step) % 90,
            calls: s * 1_790_000 + (s * s * 7919 + step * 13) % 400_000,
            missed: if bad { s.saturating_sub(4) * 9_100 + (s * 53) % 700 } else { 0 },
            modifies: s * 4,
        })
    };
    test("modify", 4100, 30).chain(test("attach-detach", 35_300, 11)).collect()
}

fn latencies(step: u64) -> Vec<LatencyBucket> {
    let mut from_ns: u64 = 1 << 16;
    let mut all = Vec::new();
    while from_ns < 1 << 29 {
        let to_ns = from_ns * 5 / 4 - 1;
        let far = from_ns.ilog2().abs_diff(21);
        let count = (60 >> (2 * far).min(20)) + (from_ns / 7 + step) % 3 * u64::from(far < 3);
        if count > 0 {
            all.push(LatencyBucket { from_ns, to_ns, count });
        }
        from_ns = to_ns + 1;
    }
    // The one that nobody expects.
    all.push(LatencyBucket { from_ns: 1 << 30, to_ns: (1 << 30) * 5 / 4 - 1, count: 1 });
    all
}

fn log(result: &RunResult, n: usize) -> Log {
    let Some(finding) = result.findings.first() else { return Log::Parts(Vec::new()) };
    if n % 3 == 2 {
        return Log::Missing("no such file".into());
    }
    let before = (1..=6).map(|n| format!("[    7.10{n}000] direct_c: modify {n} done"));
    let report = finding.excerpt.lines().enumerate();
    let report = report.map(|(n, line)| format!("[    7.2{n:02}113][   T71] {line}"));
    let after = ["\u{1b}[0m<guest: heartbeat>\r".to_owned()];
    let lines = before.chain(report).chain(after).collect();
    Log::Parts(vec![Part { first: finding.first_line - 6, lines }])
}

/// Twenty past runs of each, some of which failed.
pub fn past(cells: &[PageCell]) -> History {
    let mut history = History::default();
    for (n, cell) in cells.iter().enumerate() {
        for day in 1..=(n * 7 % 29) {
            let mut result = cell.shown.result.clone();
            let day = i64::try_from(day).unwrap();
            result.started -= jiff::SignedDuration::from_hours(24 * day);
            if day % 6 == 3 {
                result.verdict = Verdict::Fail;
            }
            if let Some(calls) = result.stress.get_mut("calls") {
                *calls -= day * day % 17 * 900_000;
            }
            history.add(&result);
        }
    }
    history
}
