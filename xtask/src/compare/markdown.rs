// SPDX-License-Identifier: MIT OR Apache-2.0
//! A comparison as GitHub-flavoured Markdown.

use super::Comparison;
use super::text::{in_short, word};
use crate::report::page::{LIMIT, Page};
use crate::report::words::cell;

/// All that changed in a table, the worst first; the answer comes first of all.
pub fn markdown(comparison: &Comparison) -> String {
    let mut page = Page::new(LIMIT);
    let (a, b) = (cell(&in_short(&comparison.a)), cell(&in_short(&comparison.b)));
    let totals = comparison.totals();
    page.add("headings", &format!("**{totals}**\n\nA: {a}  \nB: {b}\n"));
    if !comparison.changed.is_empty() {
        page.add("tables", "\n| cell | | what |\n|---|---|---|\n");
    }
    for pair in &comparison.changed {
        for (n, change) in pair.changes.iter().enumerate() {
            let (glyph, word) = word(change.effect);
            let name = if n == 0 { cell(&pair.cell) } else { String::new() };
            let row = format!("| {name} | {glyph} {word} | {} |\n", cell(&change.text()));
            page.add("changes", &row);
        }
    }
    for (letter, lone) in [("A", &comparison.only_a), ("B", &comparison.only_b)] {
        if !lone.is_empty() {
            page.add("headings", &format!("\nOnly in {letter}:\n\n"));
        }
        for one in lone {
            page.add("cells", &format!("- {} ({})\n", cell(&one.cell), one.verdict.name()));
        }
    }
    for (letter, side) in [("A", &comparison.a), ("B", &comparison.b)] {
        if !side.damaged.is_empty() {
            page.add("headings", &format!("\nMissing or damaged in {letter}:\n\n"));
        }
        for damage in &side.damaged {
            page.add("damaged results", &format!("- {}\n", cell(&damage.why)));
        }
    }
    page.finish()
}
