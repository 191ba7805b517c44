// SPDX-License-Identifier: MIT OR Apache-2.0
//! What changed in one cell.

use serde::Serialize;

use super::Noise;
use super::cell::is_fault;
use super::number::{Number, Quantity, numbers};
use crate::verdict::{PropertyResult, RunResult, Verdict};

/// What a change means. In order: what needs a look comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It was right.
    Worse,
    /// It is right now.
    Better,
    /// A time or a rate is beyond noise, in the wrong direction.
    Slower,
    /// … in the right direction.
    Faster,
    /// It is another, which is neither good nor bad.
    Moved,
}

/// What changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// The verdict on the cell.
    Verdict,
    /// What was tested, and with what.
    Input,
    /// A property.
    Property,
    /// A finding on the console.
    Finding,
    /// A number.
    Number,
}

/// A change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// What it means.
    pub effect: Effect,
    /// What changed.
    pub subject: Subject,
    /// Its name: of the property, of the number, the title of the finding.
    pub name: String,
    /// What it was; `None` if it was not there.
    pub before: Option<String>,
    /// What it is; `None` if it is not there.
    pub after: Option<String>,
    /// More about what it is now.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Change {
    /// In a line, without what it means.
    pub fn text(&self) -> String {
        let name = match self.subject {
            Subject::Verdict | Subject::Input | Subject::Number => self.name.clone(),
            Subject::Property => format!("property {}", self.name),
            Subject::Finding => format!("finding: {}", self.name),
        };
        let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".into());
        let detail = match self.detail.as_str() {
            "" => String::new(),
            detail => format!(" ({detail})"),
        };
        match (self.subject, &self.before) {
            (Subject::Finding, None) => format!("new {name}{detail}"),
            (Subject::Finding, Some(_)) => format!("no more {name}{detail}"),
            _ => format!("{name}: {} → {}{detail}", side(&self.before), side(&self.after)),
        }
    }
}

/// Everything that changed.
pub fn changes(before: &RunResult, after: &RunResult, noise: Noise) -> Vec<Change> {
    let mut all = Vec::new();
    let fault = is_fault(before) && is_fault(after);
    if before.verdict != after.verdict {
        all.push(Change {
            effect: of_verdict(before.verdict, after.verdict, fault),
            subject: Subject::Verdict,
            name: "verdict".into(),
            before: Some(before.verdict.name().into()),
            after: Some(after.verdict.name().into()),
            detail: after.reason.clone(),
        });
    }
    inputs(before, after, &mut all);
    properties(&before.properties, &after.properties, fault, &mut all);
    findings(before, after, fault, &mut all);
    let now = numbers(after);
    for was in numbers(before) {
        if let Some(is) = now.iter().find(|n| n.name == was.name) {
            all.extend(number(&was, is, fault, noise));
        }
    }
    all
}

/// A pass that is none any more is worse, and so is a skip that fails. What is broken on purpose has
/// to fail: there it is the failure that must not go.
fn of_verdict(before: Verdict, after: Verdict, fault: bool) -> Effect {
    let good = if fault { Verdict::Fail } else { Verdict::Pass };
    match (before, after) {
        (before, after) if before == after => Effect::Moved,
        (before, _) if before == good => Effect::Worse,
        (_, after) if after == good => Effect::Better,
        (Verdict::Skip, Verdict::Fail | Verdict::Pass) => Effect::Worse,
        _ => Effect::Moved,
    }
}

/// What went in: if it moved, the rest may have moved with it.
fn inputs(before: &RunResult, after: &RunResult, all: &mut Vec<Change>) {
    let key = |result: &RunResult, step: &str| {
        let step = result.steps.iter().find(|s| s.name == step && !s.key.is_empty());
        step.map(|s| s.key.chars().take(12).collect::<String>())
    };
    let kernel = |r: &RunResult| r.kernel.as_ref().map(|k| k.version.to_string());
    let cc = |r: &RunResult| r.toolchain.as_ref().map(|t| t.cc.clone());
    let accel = |r: &RunResult| r.accel.map(|a| a.argument().to_owned());
    for (name, before, after) in [
        ("kernel", kernel(before), kernel(after)),
        ("tree", key(before, "tree"), key(after, "tree")),
        ("tree with series", key(before, "series"), key(after, "series")),
        ("compiler", cc(before), cc(after)),
        ("accelerator", accel(before), accel(after)),
    ] {
        // What only one side got to know did not move.
        if before.is_some() && after.is_some() && before != after {
            all.push(Change {
                effect: Effect::Moved,
                subject: Subject::Input,
                name: name.into(),
                before,
                after,
                detail: String::new(),
            });
        }
    }
}

fn properties(
    before: &[PropertyResult],
    after: &[PropertyResult],
    fault: bool,
    all: &mut Vec<Change>,
) {
    let mut add = |name: &str, was: Option<Verdict>, is: Option<Verdict>, detail: &str| {
        let effect = match (was, is) {
            // Which properties a fault breaks may change; that it fails is the verdict's matter.
            _ if fault => Effect::Moved,
            (Some(was), Some(is)) => of_verdict(was, is, false),
            // A claim that held is not checked any more.
            (Some(Verdict::Pass), None) | (None, Some(Verdict::Fail)) => Effect::Worse,
            _ => Effect::Moved,
        };
        let word = |verdict: Option<Verdict>| verdict.map(|v| v.name().to_owned());
        all.push(Change {
            effect,
            subject: Subject::Property,
            name: name.to_owned(),
            before: word(was),
            after: word(is),
            detail: detail.to_owned(),
        });
    };
    for was in before {
        match after.iter().find(|p| p.name == was.name) {
            Some(is) if is.verdict == was.verdict => {}
            Some(is) => add(&was.name, Some(was.verdict), Some(is.verdict), &is.detail),
            None => add(&was.name, Some(was.verdict), None, ""),
        }
    }
    let known = |name: &str| before.iter().any(|p| p.name == name);
    for is in after.iter().filter(|p| !known(&p.name)) {
        add(&is.name, None, Some(is.verdict), &is.detail);
    }
}

fn findings(before: &RunResult, after: &RunResult, fault: bool, all: &mut Vec<Change>) {
    for (from, to, is_new) in [(after, before, true), (before, after, false)] {
        let mut seen: Vec<&str> = to.findings.iter().map(|f| f.signature.as_str()).collect();
        for finding in &from.findings {
            if seen.contains(&finding.signature.as_str()) {
                continue;
            }
            seen.push(&finding.signature);
            let effect = match (fault, is_new) {
                (true, _) => Effect::Moved,
                (false, true) => Effect::Worse,
                (false, false) => Effect::Better,
            };
            let signature = Some(finding.signature.clone());
            all.push(Change {
                effect,
                subject: Subject::Finding,
                name: finding.title.clone(),
                before: if is_new { None } else { signature.clone() },
                after: if is_new { signature } else { None },
                detail: format!("console.log line {}", finding.first_line),
            });
        }
    }
}

fn number(was: &Number, is: &Number, fault: bool, noise: Noise) -> Option<Change> {
    let more = is.value > was.value;
    let wrong = was.quantity == Quantity::Wrong;
    let to_or_from_zero = wrong && (was.value == 0) != (is.value == 0);
    if !to_or_from_zero && !noise.is_exceeded(was.value, is.value, was.floor) {
        return None;
    }
    let effect = match was.quantity {
        Quantity::Wrong if fault || !to_or_from_zero => Effect::Moved,
        Quantity::Wrong if more => Effect::Worse,
        Quantity::Wrong => Effect::Better,
        Quantity::Rate if more => Effect::Faster,
        Quantity::Rate => Effect::Slower,
        Quantity::Milliseconds | Quantity::Nanoseconds if more => Effect::Slower,
        Quantity::Milliseconds | Quantity::Nanoseconds => Effect::Faster,
    };
    let (less, larger) = (was.value.min(is.value), was.value.max(is.value));
    let detail = match larger.saturating_mul(10).checked_div(less) {
        Some(tenths) => format!("{}.{}×", tenths / 10, tenths % 10),
        None => String::new(),
    };
    Some(Change {
        effect,
        subject: Subject::Number,
        name: was.name.clone(),
        before: Some(was.text()),
        after: Some(is.text()),
        detail,
    })
}
