// SPDX-License-Identifier: MIT OR Apache-2.0
//! A test a cell and one a property, and the bugs that were seen in it.

use serde_json::{Map, Value, json};

use super::record::{Culprit, Environment, Incident, Issue, Status, Submission, Test};
use super::{Origin, excerpt, own_key, seconds, words};
use crate::matrix::Role;
use crate::report::{Shown, cell_name};
use crate::store::Key;
use crate::verdict::{FindingResult, Verdict};

/// The place of all suites in the tree of tests that CI systems share.
const ROOT: &str = "ftrace";

/// Adds what came of one cell.
pub fn tests(one: &Shown, origin: &Origin, build_id: &str, to: &mut Submission) {
    let result = &one.result;
    let name = cell_name(one);
    let id = format!("{}/{name}/{}", one.run, own_key(one).short());
    let path = format!("{ROOT}.{}", segment(&result.suite));
    let vm = result.steps.iter().find(|s| s.name == "vm");
    let environment =
        result.accel.map(|accel| Environment { comment: format!("QEMU, {}", accel.argument()) });
    let status = |verdict| match verdict {
        Verdict::Pass => Status::Pass,
        Verdict::Fail => Status::Fail,
        Verdict::Skip => Status::Skip,
        Verdict::Infra if vm.is_some() => Status::Error,
        Verdict::Infra => Status::Miss,
    };
    let texts = result.details.iter().chain(result.findings.iter().map(|f| &f.excerpt));
    let log = texts.map(String::as_str).collect::<Vec<_>>().join("\n\n");
    let cell = Test {
        build_id: build_id.to_owned(),
        id: origin.id(&id),
        origin: origin.0.clone(),
        environment: environment.clone(),
        path: path.clone(),
        comment: words(&format!("{name}: {}", result.reason)),
        log_excerpt: excerpt(&log),
        status: status(result.verdict),
        start_time: result.started.to_string(),
        duration: vm.map(|s| seconds(s.ms)),
        misc: facts(one),
    };
    for finding in result.findings.iter().filter(|_| blames_the_code(one)) {
        seen(finding, origin, &cell.id, to);
    }
    to.tests.push(cell);
    for property in &result.properties {
        to.tests.push(Test {
            build_id: build_id.to_owned(),
            id: origin.id(&format!("{id}/{}", property.name)),
            origin: origin.0.clone(),
            environment: environment.clone(),
            path: format!("{path}.{}", segment(&property.name)),
            comment: words(&format!("{name}: {}", property.detail)),
            log_excerpt: None,
            status: status(property.verdict),
            start_time: result.started.to_string(),
            duration: None,
            misc: Map::new(),
        });
    }
}

/// Own numbers, and how the cell stands.
fn facts(one: &Shown) -> Map<String, Value> {
    let result = &one.result;
    let mut misc = Map::new();
    misc.insert("run".into(), json!(one.run));
    misc.insert("subject".into(), json!(result.subject));
    misc.insert("reproduce".into(), json!(result.reproduce));
    if let Some(boot_ms) = result.boot_ms {
        misc.insert("boot_ms".into(), json!(boot_ms));
    }
    if !result.stress.is_empty() {
        misc.insert("stress".into(), json!(result.stress));
    }
    if let Some(standing) = &one.standing {
        misc.insert("standing".into(), json!(standing));
    }
    misc
}

/// Bugs that were planted are nobody's, and those of the tool or the machine are not the kernel's.
fn blames_the_code(one: &Shown) -> bool {
    let planted = one.standing.as_ref().is_some_and(|s| s.role == Role::Fault);
    one.result.verdict == Verdict::Fail && !planted
}

/// One issue for each signature, which is the same for the same bug wherever it is seen.
fn seen(finding: &FindingResult, origin: &Origin, test_id: &str, to: &mut Submission) {
    const VERSION: u32 = 1;
    let signature = Key::of("kcidb-issue").with("signature", &finding.signature).finish();
    let issue_id = origin.id(signature.short());
    let id = format!("{issue_id}@{}", test_id.split_once(':').map_or(test_id, |(_, rest)| rest));
    if to.incidents.iter().any(|i| i.id == id) {
        return;
    }
    if !to.issues.iter().any(|i| i.id == issue_id) {
        let mut misc = Map::new();
        misc.insert("signature".into(), json!(finding.signature));
        misc.insert("kind".into(), json!(finding.kind));
        to.issues.push(Issue {
            id: issue_id.clone(),
            version: VERSION,
            origin: origin.0.clone(),
            culprit: Culprit { code: true, tool: false, harness: false },
            comment: words(&finding.title),
            misc,
        });
    }
    to.incidents.push(Incident {
        id,
        origin: origin.0.clone(),
        issue_id,
        issue_version: VERSION,
        test_id: test_id.to_owned(),
        present: true,
        comment: words(&format!("{}, console.log line {}", finding.title, finding.first_line)),
    });
}

/// A name within a path: letters, digits, `_` and `-`.
fn segment(name: &str) -> String {
    let good = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let segment: String = name.chars().map(|c| if good(c) { c } else { '_' }).collect();
    if segment.is_empty() { "_".to_owned() } else { segment }
}
