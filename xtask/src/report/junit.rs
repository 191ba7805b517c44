// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results as JUnit XML: a test suite a cell, a test case a property, as CI systems read it. Pure.
//! `junit.xsd` beside this file says what the document looks like.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::check::{Check, Outcome, checks};
use super::{Shown, cell_name};
use crate::diagnosis::Diagnosis;

/// All cells.
pub fn junit(shown: &[Shown]) -> Result<String, Diagnosis> {
    let mut report = Report::new("kernel-xtask");
    for one in shown {
        let Shown { run, result, standing, .. } = one;
        let name = legal(&cell_name(one));
        let mut suite = TestSuite::new(name.clone());
        let ms: u64 = result.steps.iter().map(|s| s.ms).sum();
        suite.set_time(Duration::from_millis(ms));
        suite.add_property(("run", legal(run).as_str()));
        suite.add_property(("reproduce", legal(&result.reproduce).as_str()));
        if let Some(standing) = standing {
            suite.add_property(("expected", legal(&standing.expected).as_str()));
        }
        for check in checks(one) {
            suite.add_test_case(case(check, &name));
        }
        report.add_test_suite(suite);
    }
    report.to_string().map_err(|e| Diagnosis::infra(format!("cannot write the JUnit report: {e}")))
}

fn case(Check { name, outcome, detail, text }: Check, class: &str) -> TestCase {
    let mut status = match outcome {
        // JUnit knows no failure that has to be: it is said in the output of a success.
        Outcome::Passed | Outcome::FailsAsExpected => TestCaseStatus::success(),
        Outcome::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Outcome::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
        Outcome::Skipped | Outcome::PreExisting => TestCaseStatus::skipped(),
    };
    let (name, mut output) = (legal(&name), legal(&text));
    let detail = match legal(&detail) {
        words if words.chars().all(|c| c.is_whitespace() || c.is_control()) => {
            "no reason is given".to_owned()
        }
        words => words,
    };
    match outcome {
        Outcome::Passed => {}
        Outcome::FailsAsExpected => {
            output = ["fails as expected: ", &detail, "\n", &output].concat();
            output.truncate(output.trim_end().len());
        }
        Outcome::PreExisting => {
            status.set_message(format!("pre-existing: {detail}"));
        }
        Outcome::Failed | Outcome::Error | Outcome::Skipped => {
            status.set_message(detail);
        }
    }
    let mut case = TestCase::new(name, status);
    case.set_classname(class.to_owned());
    if !output.is_empty() {
        case.set_system_out(output);
    }
    case
}

/// The writer drops control characters, but passes on these two, which XML does not have either.
fn legal(words: &str) -> String {
    words.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

#[cfg(test)]
mod tests;
