// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of runs that are not over, or that ended before a guest did.

use std::collections::BTreeMap;

use super::Request;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::verdict::{ConfigResult, RunResult, SCHEMA, SeriesResult, Verdict};

/// The result that is written first: whoever finds it knows that the run was cut off.
pub fn new_result(request: &Request) -> RunResult {
    RunResult {
        schema: SCHEMA,
        verdict: Verdict::Infra,
        reason: "the run did not come to its end".to_owned(),
        exit_code: ExitKind::Incomplete.code(),
        details: Vec::new(),
        kernel: None,
        series: SeriesResult { name: request.series.name().to_owned(), ..SeriesResult::default() },
        subject: request.subject.name().to_owned(),
        suite: request.suite.name.clone(),
        config: ConfigResult { requested: request.requests.len(), ..ConfigResult::default() },
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
        reproduce: request.reproduce.clone(),
        started: jiff::Timestamp::now(),
    }
}

/// Writes down how a run ended that did not get to a verdict of its own.
pub fn finish_with(result: &mut RunResult, diagnosis: &Diagnosis) {
    result.verdict = match diagnosis.exit {
        ExitKind::CheckFailed => Verdict::Fail,
        ExitKind::Skipped => Verdict::Skip,
        _ => Verdict::Infra,
    };
    result.reason.clone_from(&diagnosis.what);
    result.exit_code = diagnosis.exit.code();
    result.details.clone_from(&diagnosis.details);
}
