// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results as GitHub-flavoured Markdown, for the summary of a CI job. Pure.

mod grid;

use std::fmt::Write as _;

use super::check::why;
use super::page::{LIMIT, Page};
use super::words::{cell, fenced, html, text};
use super::{Shown, cell_name, count, mark, standing};
use crate::matrix::StandingKind;
use crate::verdict::Verdict;

/// Lines of a finding that are shown.
const EXCERPT: usize = 30;

/// All cells, and what is known of each that needs a look. In a matrix, its standing tells which do.
pub fn markdown(shown: &[Shown]) -> String {
    within(shown, LIMIT)
}

fn within(shown: &[Shown], limit: usize) -> String {
    let mut page = Page::new(limit);
    if shown.iter().any(|s| s.standing.is_some()) {
        matrix(shown, &mut page);
    } else {
        list(shown, &mut page);
    }
    page.finish()
}

fn list(shown: &[Shown], page: &mut Page) {
    let heads = "| | kernel | series | subject | stress | why |\n|---|---|---|---|---|---|\n";
    page.add("tables", heads);
    for Shown { result, .. } in shown {
        let kernel = result.kernel.as_ref().map(|k| k.version.to_string()).unwrap_or_default();
        let number = |key: &str| result.stress.get(key).and_then(|n| u64::try_from(*n).ok());
        let stress = match (number("modifies"), number("calls")) {
            (Some(modifies), Some(calls)) => format!("{modifies} modifies, {} calls", count(calls)),
            _ => String::new(),
        };
        let row = format!(
            "| {} {} | {} | {} | {} | {} | {} |\n",
            mark(result.verdict),
            result.verdict.name(),
            cell(&kernel),
            cell(&result.series.name),
            cell(&result.subject),
            stress,
            cell(&result.reason)
        );
        page.add("rows of the table", &row);
    }
    for one in shown.iter().filter(|s| s.result.verdict != Verdict::Pass) {
        page.add("cells with all that is known of them", &section(one));
    }
}

fn matrix(shown: &[Shown], page: &mut Page) {
    page.add("headings", &format!("**{}**\n\n", standing::totals(shown)));
    let (head, rows) = grid::grid(shown);
    page.add("tables", &head);
    for row in rows {
        page.add("rows of the grid", &row);
    }
    let quiet = |s: &Shown| {
        let kind = s.standing.as_ref().map(|s| s.kind);
        match kind {
            Some(StandingKind::AsExpected | StandingKind::Skipped) => true,
            Some(_) => false,
            None => matches!(s.result.verdict, Verdict::Pass | Verdict::Skip),
        }
    };
    let mut loud: Vec<_> = shown.iter().filter(|s| !quiet(s)).collect();
    loud.sort_by_key(|s| s.standing.as_ref().is_some_and(|s| s.kind == StandingKind::PreExisting));
    for one in loud {
        page.add("cells with all that is known of them", &section(one));
    }
    let rest: Vec<_> = shown.iter().filter(|s| quiet(s)).collect();
    if rest.is_empty() {
        return;
    }
    let heads = "| cell | | why | again |\n|---|---|---|---|\n";
    let title = format!("<summary>{} cells as expected or skipped</summary>", rest.len());
    let open = page.add("headings", &format!("\n<details>{title}\n\n{heads}"));
    for one in rest {
        let row = format!(
            "| {} | {} | {} | {} |\n",
            cell(&cell_name(one)),
            standing::short(one),
            cell(why(one)),
            cell(&one.result.reproduce)
        );
        page.add("cells as expected or skipped", &row);
    }
    if open {
        page.close("\n</details>\n");
    }
}

/// All that is known of a cell.
fn section(shown: &Shown) -> String {
    let result = &shown.result;
    let mut out = String::new();
    let glyph = standing::glyph(shown);
    let _ = writeln!(out, "\n### {glyph} {}\n", text(&cell_name(shown)));
    if let Some(standing) = &shown.standing {
        let _ = writeln!(
            out,
            "**{}**: {}. Expected: {}.\n",
            standing::short(shown),
            text(standing.note.trim_end_matches('.')),
            text(standing.expected.trim_end_matches('.'))
        );
    }
    if shown.standing.as_ref().is_none_or(|s| s.note != result.reason) {
        let _ = writeln!(out, "{}\n", text(&result.reason));
    }
    for property in result.properties.iter().filter(|p| p.verdict != Verdict::Pass) {
        let (mark, detail) = (mark(property.verdict), text(&property.detail));
        let _ = writeln!(out, "- {mark} `{}`: {detail}", property.name);
    }
    for finding in &result.findings {
        let _ = writeln!(
            out,
            "\n<details><summary>{} (console.log line {})</summary>\n",
            html(&finding.title),
            finding.first_line
        );
        let lines: Vec<&str> = finding.excerpt.lines().take(EXCERPT).collect();
        let _ = writeln!(out, "{}\n</details>", fenced(&lines.join("\n")));
    }
    for detail in &result.details {
        let _ = writeln!(out, "\n{}", fenced(detail));
    }
    let _ = writeln!(out, "\nRun `{}`. Again: `{}`", shown.run, result.reproduce);
    out
}

#[cfg(test)]
mod tests;
