// SPDX-License-Identifier: MIT OR Apache-2.0
//! A finding: where the console says it, and the frames it names.

use maud::{Markup, html};

use super::words;
use crate::report::log::{Log, Part};
use crate::verdict::FindingResult;

/// Findings that are shown. What goes wrong once often does so a thousand times.
const FINDINGS: usize = 8;

/// Frames of each.
const FRAMES: usize = 24;

/// All findings of a cell.
pub fn findings(findings: &[FindingResult], log: &Log) -> Markup {
    html! {
        @for (n, finding) in findings.iter().take(FINDINGS).enumerate() {
            (one(finding, n, log))
        }
        @if findings.len() > FINDINGS {
            p { "… and " (words::plural(findings.len() - FINDINGS, "more finding")) " in result.json." }
        }
    }
}

fn one(finding: &FindingResult, n: usize, log: &Log) -> Markup {
    html! {
        h5 { (finding.title) }
        @match log {
            Log::Parts(parts) => @match parts.get(n).filter(|part| !part.lines.is_empty()) {
                Some(part) => (console(part, finding.first_line)),
                None => {
                    p { "console.log ends before line " (finding.first_line) ". What was seen then:" }
                    (kept(finding))
                }
            },
            Log::Missing(why) => {
                p { "The console log is not there (" (why) "). What was kept of its line "
                    (finding.first_line) " and those after it:" }
                (kept(finding))
            }
        }
        (frames(finding))
    }
}

fn console(part: &Part, first_line: u64) -> Markup {
    html! {
        pre.console tabindex="0" {
            @for (number, line) in (part.first..).zip(&part.lines) {
                i { (number) }
                @if number == first_line { mark { (line) } } @else { (line) }
                "\n"
            }
        }
    }
}

/// The report as `result.json` has it: without the lines between its own.
fn kept(finding: &FindingResult) -> Markup {
    html! {
        pre.console tabindex="0" {
            @for (n, line) in finding.excerpt.lines().enumerate() {
                @if n == 0 { mark { (line) } } @else { (line) }
                "\n"
            }
        }
    }
}

fn frames(finding: &FindingResult) -> Markup {
    let sure: Vec<_> = finding.frames.iter().filter(|f| !f.doubtful).collect();
    html! {
        @if !sure.is_empty() {
            ol.frames {
                @for frame in sure.iter().take(FRAMES) {
                    @for inlined in &frame.inlined { li { (inlined) " (inlined)" } }
                    li {
                        (frame.place())
                        @if let Some(why) = &frame.undecoded { " (" (why) ")" }
                    }
                }
                @if sure.len() > FRAMES {
                    li { "… " (words::plural(sure.len() - FRAMES, "more frame")) " in result.json" }
                }
            }
        }
    }
}
