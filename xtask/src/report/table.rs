// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many results for a terminal: a line a cell, then the totals. Pure.

use super::check::why;
use super::{Shown, cell_name, standing};

/// One line a cell: name, kernel, verdict, how it stands if it belongs to a matrix, and why.
pub fn table(shown: &[Shown]) -> String {
    let in_matrix = shown.iter().any(|s| s.standing.is_some());
    let mut rows = Vec::new();
    for one in shown {
        let kernel = one.result.kernel.as_ref().map(|k| k.version.to_string());
        let mut row = vec![
            format!("{} {}", standing::glyph(one), one_line(&cell_name(one))),
            kernel.unwrap_or_else(|| "-".into()),
            one.result.verdict.name().to_owned(),
        ];
        if in_matrix {
            let kind = one.standing.as_ref().map(|s| standing::word(s.kind));
            row.push(kind.unwrap_or("-").to_owned());
        }
        row.push(one_line(why(one)));
        rows.push(row);
    }
    let mut widths = vec![0; rows.first().map_or(0, Vec::len)];
    for row in &rows {
        for (width, field) in widths.iter_mut().zip(row) {
            *width = (*width).max(console::measure_text_width(field));
        }
    }
    let mut out = String::new();
    for row in &rows {
        let fields: Vec<_> = row
            .iter()
            .zip(&widths)
            .map(|(field, width)| {
                console::pad_str(field, *width, console::Alignment::Left, None).into_owned()
            })
            .collect();
        out.push_str(fields.join("  ").trim_end());
        out.push('\n');
    }
    out.push_str(&standing::totals(shown));
    out.push('\n');
    out
}

/// One line, whatever whitespace there was.
fn one_line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
