// SPDX-License-Identifier: MIT OR Apache-2.0
//! All cells at a glance: series and faults down, kernels across.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::{anchor, look};
use crate::matrix::Role;
use crate::report::Shown;
use crate::report::check::why;
use crate::tree::KernelVersion;
use crate::verdict::RunResult;

/// A column. Lines of kernels stand in their order, other trees behind them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Column {
    Line(u32, u32),
    Named(String),
    Unknown,
}

impl Column {
    fn of(shown: &Shown) -> Self {
        let line = |v: KernelVersion| Self::Line(v.major(), v.minor());
        if let Some(kernel) = &shown.result.kernel {
            return line(kernel.version);
        }
        // A cell that was not run knows only what it was asked for.
        let mut words = shown.result.reproduce.split_whitespace();
        let asked = words.find(|w| *w == "--kernel").and_then(|_| words.next());
        match asked.map(str::parse) {
            Some(Ok(version)) => line(version),
            Some(Err(_)) => Self::Named(asked.unwrap_or_default().to_owned()),
            None => of_id(shown).map_or(Self::Unknown, line),
        }
    }

    fn title(&self) -> String {
        match self {
            Self::Line(major, minor) => format!("{major}.{minor}"),
            Self::Named(name) => name.clone(),
            Self::Unknown => "unknown kernel".into(),
        }
    }
}

/// The kernel that an id such as `6.1-none-c` begins with.
fn of_id(shown: &Shown) -> Option<KernelVersion> {
    let id = &shown.standing.as_ref()?.id;
    let ends = id.match_indices('-').map(|(at, _)| at).chain([id.len()]);
    ends.rev().find_map(|end| id[..end].parse().ok())
}

/// A row: why it is there, then what it is of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    role: Role,
    series: String,
    /// Applied and all patches, where some were left out.
    level: Option<(usize, usize)>,
    subject: String,
    suite: String,
}

impl Row {
    fn of(shown: &Shown) -> Self {
        let RunResult { series, subject, suite, .. } = &shown.result;
        let all = series.applied.len() + series.not_applied.len();
        Self {
            role: shown.standing.as_ref().map_or_else(
                || if series.name == "none" { Role::Baseline } else { Role::Series },
                |s| s.role,
            ),
            series: series.name.clone(),
            level: (!series.not_applied.is_empty()).then_some((series.applied.len(), all)),
            subject: subject.clone(),
            suite: suite.clone(),
        }
    }
}

/// A cell and its anchor.
type Linked<'a> = (&'a Shown, &'a str);

/// The grid, with links to the sections.
pub fn grid(cells: &[Linked<'_>]) -> Markup {
    let mut rows: BTreeMap<Row, BTreeMap<Column, Vec<Linked<'_>>>> = BTreeMap::new();
    for (shown, anchor) in cells {
        let row = rows.entry(Row::of(shown)).or_default();
        row.entry(Column::of(shown)).or_default().push((shown, anchor));
    }
    let mut columns: Vec<&Column> = rows.values().flat_map(BTreeMap::keys).collect();
    columns.sort();
    columns.dedup();
    let suites = rows.keys().any(|row| Some(&row.suite) != rows.keys().next().map(|r| &r.suite));
    html! {
        div.scroll role="region" tabindex="0" aria-labelledby=(anchor::GRID) {
            table.grid {
                thead {
                    tr {
                        th scope="col" { "series, subject" }
                        @for column in &columns { th scope="col" { (column.title()) } }
                    }
                }
                tbody {
                    @for (row, boxes) in &rows {
                        tr {
                            th scope="row" { (row_title(row, suites)) }
                            @for column in &columns {
                                td {
                                    @for (shown, anchor) in boxes.get(column).into_iter().flatten() {
                                        (one(shown, anchor))
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn row_title(row: &Row, suites: bool) -> Markup {
    html! {
        b { @if row.series == "none" { "no series" } @else { (row.series) } }
        @if let Some((applied, all)) = row.level { " " (applied) " of " (all) }
        " " span.subject { (row.subject) }
        @if suites { " " span.subject { (row.suite) } }
        @if row.role == Role::Fault { " " span.tag { "fault" } }
    }
}

fn one(shown: &Shown, anchor: &str) -> Markup {
    let look = look::of_cell(shown);
    html! {
        a class={ "box " (look.class) } href={ "#" (anchor) } title=(why(shown)) {
            b { (look.glyph) " " (look.word) }
            @if let Some(verdict) = look::verdict_beside(shown) { span { (verdict) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Standing, StandingKind};
    use crate::report::tests::sample;

    #[test]
    fn columns_are_found_and_in_order() {
        let with = |version: Option<&str>, reproduce: &str, id: Option<&str>| {
            let mut shown = sample().remove(0);
            shown.result.reproduce = reproduce.into();
            match (version, &mut shown.result.kernel) {
                (Some(version), Some(kernel)) => kernel.version = version.parse().unwrap(),
                (_, kernel) => *kernel = None,
            }
            shown.standing = id.map(|id| Standing {
                id: id.into(),
                role: Role::Series,
                kind: StandingKind::NotRun,
                expected: String::new(),
                note: String::new(),
            });
            shown
        };
        let cases = [
            (with(Some("6.1.190"), "--kernel 7.1", None), "6.1"),
            (with(None, "cargo xtask run --kernel 6.1.3 --series s", None), "6.1"),
            (with(None, "", Some("6.12-none-c")), "6.12"),
            (with(None, "", Some("7.1-rc3-none-c")), "7.1"),
            (with(None, "cargo xtask run --kernel ~/linux", None), "~/linux"),
            (with(None, "", Some("none-c")), "unknown kernel"),
            (with(None, "cargo xtask run", None), "unknown kernel"),
        ];
        let mut columns: Vec<_> = cases.iter().map(|(shown, _)| Column::of(shown)).collect();
        let titles: Vec<_> = columns.iter().map(Column::title).collect();
        assert_eq!(titles, cases.map(|(_, want)| want));
        columns.sort();
        columns.dedup();
        let titles: Vec<_> = columns.iter().map(Column::title).collect();
        assert_eq!(titles, ["6.1", "6.12", "7.1", "~/linux", "unknown kernel"]);
    }
}
