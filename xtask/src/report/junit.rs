// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results as JUnit XML: a test suite a cell, a test case a property, as CI systems read it. Pure.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Check, Shown, cell_name, checks};
use crate::diagnosis::Diagnosis;
use crate::verdict::Verdict;

/// All cells.
pub fn junit(shown: &[Shown]) -> Result<String, Diagnosis> {
    let mut report = Report::new("kernel-xtask");
    for Shown { run, result, .. } in shown {
        let name = cell_name(result);
        let mut suite = TestSuite::new(name.clone());
        let ms: u64 = result.steps.iter().map(|s| s.ms).sum();
        suite.set_time(Duration::from_millis(ms));
        suite.add_property(("run", run.as_str()));
        suite.add_property(("reproduce", result.reproduce.as_str()));
        for Check { name: check, verdict, detail, text } in checks(result) {
            let mut status = match verdict {
                Verdict::Pass => TestCaseStatus::success(),
                Verdict::Fail => TestCaseStatus::non_success(NonSuccessKind::Failure),
                Verdict::Infra => TestCaseStatus::non_success(NonSuccessKind::Error),
                Verdict::Skip => TestCaseStatus::skipped(),
            };
            if verdict != Verdict::Pass {
                status.set_message(detail);
            }
            let mut case = TestCase::new(check, status);
            case.set_classname(name.clone());
            if !text.is_empty() {
                case.set_system_out(text);
            }
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
    }
    report.to_string().map_err(|e| Diagnosis::infra(format!("cannot write the JUnit report: {e}")))
}
