// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results as GitHub-flavoured Markdown, for the summary of a CI job. Pure.

use std::fmt::Write as _;

use super::{Shown, cell_name, count, mark};
use crate::verdict::Verdict;

/// Lines of a finding that are shown.
const EXCERPT: usize = 30;

/// A table of all cells, and what is known of each that did not pass.
pub fn markdown(shown: &[Shown]) -> String {
    let mut out =
        String::from("| | kernel | series | subject | stress | why |\n|---|---|---|---|---|---|\n");
    for Shown { result, .. } in shown {
        let kernel = result.kernel.as_ref().map(|k| k.version.to_string()).unwrap_or_default();
        let number = |key: &str| result.stress.get(key).and_then(|n| u64::try_from(*n).ok());
        let stress = match (number("modifies"), number("calls")) {
            (Some(modifies), Some(calls)) => format!("{modifies} modifies, {} calls", count(calls)),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "| {} {} | {} | {} | {} | {} | {} |",
            mark(result.verdict),
            result.verdict.name(),
            cell(&kernel),
            cell(&result.series.name),
            cell(&result.subject),
            stress,
            cell(&result.reason)
        );
    }
    for Shown { run, result, .. } in shown.iter().filter(|s| s.result.verdict != Verdict::Pass) {
        let _ = writeln!(out, "\n### {} {}\n", mark(result.verdict), text(&cell_name(result)));
        let _ = writeln!(out, "{}\n", text(&result.reason));
        for property in result.properties.iter().filter(|p| p.verdict != Verdict::Pass) {
            let _ = writeln!(
                out,
                "- {} `{}`: {}",
                mark(property.verdict),
                property.name,
                text(&property.detail)
            );
        }
        for finding in &result.findings {
            // Within a tag nothing is Markdown.
            let title = finding.title.replace('&', "&amp;").replace('<', "&lt;");
            let _ = writeln!(
                out,
                "\n<details><summary>{title} (console.log line {})</summary>\n",
                finding.first_line
            );
            let lines: Vec<&str> = finding.excerpt.lines().take(EXCERPT).collect();
            let _ = writeln!(out, "{}\n</details>", fenced(&lines.join("\n")));
        }
        for detail in &result.details {
            let _ = writeln!(out, "\n{}", fenced(detail));
        }
        let _ = writeln!(out, "\nRun `{run}`. Again: `{}`", result.reproduce);
    }
    out
}

/// Text in a cell of a table: one line, no bars.
fn cell(words: &str) -> String {
    text(&words.split_whitespace().collect::<Vec<_>>().join(" ")).replace('|', "\\|")
}

/// Text that means what it says: no tags, no emphasis from `__x__`.
fn text(words: &str) -> String {
    let mut out = String::new();
    for c in words.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '*' | '_' | '`' | '[' | ']' | '\\' | '#' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// A block of code, with a fence that is longer than any in it.
fn fenced(words: &str) -> String {
    let ticks = |line: &str| line.trim_start().bytes().take_while(|b| *b == b'`').count();
    let longest = words.lines().map(ticks).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}", words.trim_end())
}
