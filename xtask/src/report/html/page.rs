// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page around the cells: headline, what wants attention, the grid, the sections.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::anchor::{CELLS, GRID, TOP, anchors};
use super::{PageCell, cell, grid, look, words};
use crate::matrix::StandingKind;
use crate::report::Shown;
use crate::report::check::why;
use crate::report::history::History;
use crate::verdict::Verdict;

/// Nothing is fetched and nothing is run, whatever a log may hold.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// Up to so many cells, a reader can take all of them in without unfolding them.
const ALL_OPEN: usize = 12;

const STYLE: &str = include_str!("style.css");

/// The page.
pub fn page(cells: &[PageCell], history: &History) -> Markup {
    let names = anchors(cells.iter().map(|cell| &cell.shown));
    let mut all: Vec<(&PageCell, &str)> =
        cells.iter().zip(names.iter().map(String::as_str)).collect();
    let shown: Vec<_> = all.iter().map(|(cell, anchor)| (&cell.shown, *anchor)).collect();
    // A stable sort: within each half, the order is that of the matrix.
    all.sort_by_key(|(cell, _)| !look::wants_attention(&cell.shown));
    let overall = Overall::of(&shown);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (overall.word()) ": " (words::plural(cells.len(), "cell")) " – kernel-xtask" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header id=(TOP) {
                    h1 { span class={ "overall " (overall.class()) } { (overall.word()) } " " (overall.sentence(&shown)) }
                    (headline(&shown))
                    (about(&shown, history))
                }
                main {
                    (attention(&shown))
                    section {
                        h2 id=(GRID) { "Matrix" }
                        (grid::grid(&shown))
                    }
                    section {
                        h2 id=(CELLS) { "Cells" }
                        @for (cell, anchor) in &all {
                            @let open = all.len() <= ALL_OPEN || look::wants_attention(&cell.shown);
                            (cell::section(cell, anchor, open, history))
                        }
                    }
                }
                footer { a href={ "#" (TOP) } { "to the top" } }
            }
        }
    }
}

/// What all cells together say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overall {
    /// All is as it should be.
    Pass,
    /// A kernel or a series is not what it should be.
    Fail,
    /// Nothing failed, but something is not known.
    Incomplete,
}

impl Overall {
    /// Of some cells; of none, nothing is known.
    pub fn of(shown: &[(&Shown, &str)]) -> Self {
        let one = |shown: &Shown| match (&shown.standing, shown.result.verdict) {
            (Some(standing), _) => match standing.kind {
                StandingKind::Unexpected => Self::Fail,
                StandingKind::Unknown | StandingKind::NotRun => Self::Incomplete,
                _ => Self::Pass,
            },
            (None, Verdict::Fail) => Self::Fail,
            (None, Verdict::Infra) => Self::Incomplete,
            (None, Verdict::Pass | Verdict::Skip) => Self::Pass,
        };
        let all: Vec<_> = shown.iter().map(|(shown, _)| one(shown)).collect();
        if all.contains(&Self::Fail) {
            Self::Fail
        } else if all.contains(&Self::Incomplete) || all.is_empty() {
            Self::Incomplete
        } else {
            Self::Pass
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Pass => "good",
            Self::Fail => "bad",
            Self::Incomplete => "unknown",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Pass => "✓ PASS",
            Self::Fail => "✗ FAIL",
            Self::Incomplete => "? INCOMPLETE",
        }
    }

    fn sentence(self, shown: &[(&Shown, &str)]) -> String {
        let attention = shown.iter().filter(|(s, _)| look::wants_attention(s)).count();
        let all = words::plural(shown.len(), "cell");
        match self {
            Self::Pass => format!("{all}, none wants a look"),
            Self::Fail | Self::Incomplete if attention > 0 => {
                let verb = if attention == 1 { "wants" } else { "want" };
                format!("{attention} of {all} {verb} a look")
            }
            _ => format!("{all}, not all of them were run"),
        }
    }
}

/// How many cells stand in which way. It is the legend of the grid, too.
fn headline(shown: &[(&Shown, &str)]) -> Markup {
    let standing = |kind| {
        shown.iter().filter(|(s, _)| s.standing.as_ref().is_some_and(|s| s.kind == kind)).count()
    };
    let alone = |verdict| {
        shown.iter().filter(|(s, _)| s.standing.is_none() && s.result.verdict == verdict).count()
    };
    let of_matrix = shown.iter().any(|(s, _)| s.standing.is_some());
    let of_none = shown.iter().any(|(s, _)| s.standing.is_none());
    html! {
        @if of_matrix {
            ul.counts aria-label="How the cells stand" {
                @for kind in look::KINDS { (chip(look::of_kind(kind), standing(kind))) }
            }
        }
        @if of_none {
            ul.counts aria-label="Verdicts of single runs" {
                @if of_matrix { li { "single runs:" } }
                @for verdict in look::VERDICTS { (chip(look::of_verdict(verdict), alone(verdict))) }
            }
        }
    }
}

fn chip(look: look::Look, count: usize) -> Markup {
    html! {
        li class={ "box " (look.class) @if count == 0 { " none" } } {
            b { (look.glyph) " " (count) } span { (look.word) }
        }
    }
}

fn about(shown: &[(&Shown, &str)], history: &History) -> Markup {
    let times = || shown.iter().map(|(s, _)| s.result.started);
    html! {
        p.note {
            @if let (Some(first), Some(last)) = (times().min(), times().max()) {
                "Runs of " (words::minute(first))
                @if words::minute(first) != words::minute(last) { " to " (words::minute(last)) }
                "."
            }
            @if history.damaged > 0 {
                " " (words::plural(history.damaged, "past result"))
                " could not be read: the past runs of cells may have gaps."
            }
        }
    }
}

/// What a person has to look at, and why.
fn attention(shown: &[(&Shown, &str)]) -> Markup {
    let mut wanted: Vec<_> = shown.iter().filter(|(s, _)| look::wants_attention(s)).collect();
    wanted.sort_by_key(|(s, _)| look::of_cell(s).class != "bad");
    html! {
        @if !wanted.is_empty() {
            section {
                h2 { "Look at these first" }
                ul.attention {
                    @for (shown, anchor) in wanted {
                        @let look = look::of_cell(shown);
                        li {
                            span class={ "box " (look.class) } { b { (look.glyph) " " (look.word) } }
                            " " a href={ "#" (anchor) } {
                                @if let Some(standing) = &shown.standing { (standing.id) }
                                @else { (crate::report::cell_name(shown)) }
                            }
                            " " span.why { (why(shown)) }
                        }
                    }
                }
            }
        }
    }
}
