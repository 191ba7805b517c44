// SPDX-License-Identifier: MIT OR Apache-2.0
//! A section of the page: everything that is known about one cell.

use maud::{Markup, html};

use super::{PageCell, facts, finding, look, plot, words};
use crate::matrix::StandingKind;
use crate::report::cell_name;
use crate::report::check::why;
use crate::report::history::History;
use crate::verdict::{PropertyResult, StepResult};

/// The section, folded up unless `open`.
pub fn section(cell: &PageCell, anchor: &str, open: bool, history: &History) -> Markup {
    let PageCell { shown, log } = cell;
    let result = &shown.result;
    let look = look::of_cell(shown);
    let ran = shown.standing.as_ref().is_none_or(|s| s.kind != StandingKind::NotRun);
    html! {
        details.cell open[open] {
            summary {
                span class={ "box " (look.class) } {
                    b { (look.glyph) " " (look.word) }
                    @if let Some(verdict) = look::verdict_beside(shown) { span { (verdict) } }
                }
                h3 {
                    @if let Some(standing) = &shown.standing { (standing.id) } @else { (cell_name(shown)) }
                }
                span.why { (why(shown)) }
            }
            // A link into a folded section unfolds it, but one to the section itself does not.
            div.inside id=(anchor) {
                p.again { "Again: " code { (result.reproduce) } }
                (facts::facts(shown))
                @if !result.details.is_empty() {
                    h4 { "Details" }
                    @for detail in &result.details { pre.console tabindex="0" { (detail) } }
                }
                @if !result.findings.is_empty() {
                    h4 { "Findings on the console" }
                    (finding::findings(&result.findings, log))
                }
                @if !result.properties.is_empty() {
                    h4 { "Properties" }
                    (properties(&result.properties))
                }
                @if !result.samples.is_empty() || !result.modify_latency.is_empty() {
                    h4 { "Course of the run" }
                    div.plots {
                        (plot::rates(&result.samples))
                        (plot::latency(&result.modify_latency))
                    }
                }
                @if !result.steps.is_empty() {
                    h4 { "Steps" }
                    (steps(&result.steps))
                }
                @if ran {
                    h4 { "Past runs" }
                    (plot::runs(&history.with(result), result.started))
                }
            }
        }
    }
}

fn properties(all: &[PropertyResult]) -> Markup {
    html! {
        div.wide {
            table {
                thead {
                    tr { th scope="col" { "property" } th scope="col" { "held" } th scope="col" { "numbers" } }
                }
                tbody {
                    @for property in all {
                        @let look = look::of_verdict(property.verdict);
                        tr {
                            th scope="row" { (property.name) }
                            td { span class={ "box " (look.class) } { b { (look.glyph) " " (look.word) } } }
                            td { (property.detail) }
                        }
                    }
                }
            }
        }
    }
}

fn steps(all: &[StepResult]) -> Markup {
    let longest = all.iter().map(|s| s.ms).max().unwrap_or(0).max(1);
    let sum: u64 = all.iter().map(|s| s.ms).sum();
    html! {
        p { (words::time(sum)) " in all." }
        table.steps {
            thead {
                tr { th scope="col" { "step" } th scope="col" { "time" } th scope="col" { "" span.hidden { "share" } } }
            }
            tbody {
                @for step in all {
                    tr {
                        th scope="row" { (step.name) }
                        td.number { (words::time(step.ms)) }
                        td {
                            svg.bar width="240" height="12" aria-hidden="true" {
                                rect class=[step.cached.then_some("cached")] x="0.5" y="0.5" height="11"
                                    width=(u128::from(step.ms) * 238 / u128::from(longest) + 1) {}
                            }
                            @if step.cached { " " span.tag { "cached" } }
                        }
                    }
                }
            }
        }
    }
}
