// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of runs that are not over, or that ended before a guest did.

use super::Request;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::verdict::{ConfigResult, RunResult, Verdict};

/// The result that is written first: whoever finds it knows that the run was cut off.
pub fn new_result(request: &Request) -> RunResult {
    let unfinished = RunResult::unfinished(
        request.series.name(),
        request.subject.name(),
        &request.suite.name,
        "the run did not come to its end",
        request.reproduce.clone(),
    );
    let config = ConfigResult { requested: request.requests.len(), ..ConfigResult::default() };
    RunResult { config, ..unfinished }
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
