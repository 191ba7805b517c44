// SPDX-License-Identifier: MIT OR Apache-2.0
//! A cell over past runs: a strip of verdicts, and how much was done in each.

use maud::{Markup, html};

use super::Tick;
use super::line::{line, spaced};
use crate::report::history::Past;
use crate::report::html::{look, words};
use crate::verdict::Verdict;

/// Runs that are shown.
const RUNS: usize = 24;

/// The strip and its plots. The last run is the one that is shown.
pub fn runs(all: &[Past], shown: jiff::Timestamp) -> Markup {
    let runs = &all[all.len().saturating_sub(RUNS)..];
    let count = |verdict: Verdict| runs.iter().filter(|r| r.verdict == verdict).count();
    let counts: Vec<_> = look::VERDICTS
        .into_iter()
        .filter(|v| count(*v) > 0)
        .map(|v| format!("{} {}", count(v), v.name()))
        .collect();
    html! {
        p {
            @if runs.len() < 2 {
                "There is no other run of this cell."
            } @else {
                "The last " (runs.len()) " runs of this cell, the oldest first: "
                (counts.join(", ")) "."
            }
        }
        ol.strip {
            @for run in runs {
                @let look = look::of_verdict(run.verdict);
                @let this = run.started == shown;
                li class={ "box " (look.class) @if this { " this" } } title=(told(run)) {
                    b { (look.glyph) " " (look.word) }
                    span { (words::day(run.started)) }
                    @if this { span { "this run" } }
                }
            }
        }
        div.plots {
            (amount("Calls in each run", "calls", runs, |run| run.calls))
            (amount("Modifies in each run", "modifies", runs, |run| run.modifies))
        }
    }
}

fn told(run: &Past) -> String {
    let version = run.version.as_deref().unwrap_or("unknown kernel");
    format!("{}, {version}: {}", words::minute(run.started), run.reason)
}

fn amount(title: &str, class: &str, runs: &[Past], of: impl Fn(&Past) -> Option<u64>) -> Markup {
    let known: Vec<_> = runs.iter().filter_map(|run| Some((run, of(run)?))).collect();
    let (Some((first, _)), Some((last, newest))) = (known.first(), known.last()) else {
        return html! {};
    };
    if known.len() < 2 {
        return html! {};
    }
    let points: Vec<_> =
        known.iter().enumerate().map(|(n, (_, y))| (spaced(n, known.len()), *y)).collect();
    let least = known.iter().map(|(_, n)| *n).min().unwrap_or(0);
    let most = known.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let summary = format!(
        "{} to {}, the newest {}",
        words::short(least),
        words::short(most),
        words::short(*newest)
    );
    let x = [
        Tick { at: 0.0, label: words::day(first.started) },
        Tick { at: 1.0, label: words::day(last.started) },
    ];
    line(title, &summary, &x, class, &points)
}
