// SPDX-License-Identifier: MIT OR Apache-2.0
//! `result.json`: what is known about one cell. Scripts read it; fields are only ever added.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::console::FindingKind;
use super::frames::Frame;
use crate::build::Toolchain;
use crate::diagnosis::ExitKind;
use crate::tree::KernelVersion;
use crate::vm::Accel;

/// Version of the format.
pub const SCHEMA: u32 = 1;

/// The verdict on a cell, and on a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Positive proof that all is well.
    Pass,
    /// The kernel or the series is at fault.
    Fail,
    /// It cannot be checked here, for a reason.
    Skip,
    /// The tool or the machine failed.
    Infra,
}

impl Verdict {
    /// As written in `result.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Skip => "skip",
            Self::Infra => "infra",
        }
    }
}

/// `result.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunResult {
    /// Version of the format.
    pub schema: u32,
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in one line.
    pub reason: String,
    /// The exit code that goes with it.
    pub exit_code: u8,
    /// Facts about a run that did not get to a guest: what a hunk expected, a compiler's words.
    #[serde(default)]
    pub details: Vec<String>,
    /// The kernel, once it is known.
    pub kernel: Option<KernelResult>,
    /// The series.
    pub series: SeriesResult,
    /// The subject under test: `c` or `rust`.
    pub subject: String,
    /// The suite that was run.
    pub suite: String,
    /// The configuration.
    pub config: ConfigResult,
    /// What built the kernel.
    pub toolchain: Option<Toolchain>,
    /// What executed the guest.
    pub accel: Option<Accel>,
    /// From QEMU's start to the guest's first word, in milliseconds.
    pub boot_ms: Option<u64>,
    /// Counters of the stress loops, summed over the suite's tests.
    pub stress: BTreeMap<String, i64>,
    /// Counters of each test.
    pub tests: Vec<TestCounters>,
    /// How far the loops were at each heartbeat, in order of time.
    #[serde(default)]
    pub samples: Vec<Sample>,
    /// How long the calls of modify took.
    #[serde(default)]
    pub modify_latency: Vec<LatencyBucket>,
    /// Properties that were checked.
    pub properties: Vec<PropertyResult>,
    /// Findings, in the order of the console.
    pub findings: Vec<FindingResult>,
    /// What was done to get here.
    pub steps: Vec<StepResult>,
    /// A command line that does it again.
    pub reproduce: String,
    /// When it began.
    pub started: jiff::Timestamp,
}

impl RunResult {
    /// What is known of a cell that has come to no verdict: what it is, why it has none, and the
    /// command line that gives it one.
    pub fn unfinished(
        series: &str,
        subject: &str,
        suite: &str,
        reason: &str,
        reproduce: String,
    ) -> Self {
        Self {
            schema: SCHEMA,
            verdict: Verdict::Infra,
            reason: reason.to_owned(),
            exit_code: ExitKind::Incomplete.code(),
            details: Vec::new(),
            kernel: None,
            series: SeriesResult { name: series.to_owned(), ..SeriesResult::default() },
            subject: subject.to_owned(),
            suite: suite.to_owned(),
            config: ConfigResult::default(),
            toolchain: None,
            accel: None,
            boot_ms: None,
            stress: BTreeMap::new(),
            tests: Vec::new(),
            samples: Vec::new(),
            modify_latency: Vec::new(),
            properties: Vec::new(),
            findings: Vec::new(),
            steps: Vec::new(),
            reproduce,
            started: jiff::Timestamp::now(),
        }
    }
}

/// The kernel of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelResult {
    /// Its version, from its own Makefile.
    pub version: KernelVersion,
    /// Where it came from.
    pub source: String,
    /// SHA-256 of the archive, or the commit.
    pub sha: String,
    /// Newer ones that could not be had.
    pub skipped: Vec<String>,
}

/// The series of a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesResult {
    /// Its name; `none` without a series.
    pub name: String,
    /// The variant's range of kernels.
    pub variant: Option<String>,
    /// Files of the patches that were applied.
    pub applied: Vec<String>,
    /// Files of the patches that `--upto` left out.
    pub not_applied: Vec<String>,
    /// Hunks that did not apply at the line they name.
    pub offsets: Vec<String>,
    /// Patches that the tree had already, and those that came out as something else than their
    /// author had.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The configuration of a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigResult {
    /// Options that were asked for.
    pub requested: usize,
    /// Options that are known to other versions only.
    pub missing: Vec<String>,
    /// The tree's own build breaks that were worked around: name, options and reason.
    #[serde(default)]
    pub worked_around: Vec<String>,
}

/// Counters of one test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCounters {
    /// The test.
    pub name: String,
    /// Its numbers.
    pub numbers: BTreeMap<String, i64>,
    /// Its words.
    pub words: BTreeMap<String, String>,
}

/// How far a test was at one moment. The counts go on over a test, and begin anew with the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The test.
    pub test: String,
    /// Time since the guest's kernel started, in milliseconds.
    pub uptime_ms: u64,
    /// Calls made so far.
    pub calls: u64,
    /// Calls so far that reached no trampoline.
    pub missed: u64,
    /// Modifies done so far.
    pub modifies: u64,
}

/// A bar of a histogram.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyBucket {
    /// The shortest time that belongs to it, in nanoseconds.
    pub from_ns: u64,
    /// The longest, in nanoseconds.
    pub to_ns: u64,
    /// How many calls took so long.
    pub count: u64,
}

/// A property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyResult {
    /// Its name.
    pub name: String,
    /// Whether it held.
    pub verdict: Verdict,
    /// The numbers, in words.
    pub detail: String,
}

/// A finding with its frames decoded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingResult {
    /// What it is.
    pub kind: FindingKind,
    /// One line.
    pub title: String,
    /// The same for the same bug.
    pub signature: String,
    /// Line of `console.log`, 1-based.
    pub first_line: u64,
    /// The report.
    pub excerpt: String,
    /// Its frames.
    pub frames: Vec<Frame>,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepResult {
    /// Its name.
    pub name: String,
    /// Content key of what it made; empty for steps that make nothing that is kept.
    pub key: String,
    /// Whether it was there already.
    pub cached: bool,
    /// How long it took, in milliseconds.
    pub ms: u64,
}
