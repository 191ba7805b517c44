// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cells of a matrix as a grid: series and subjects down, kernels across. Pure.

use super::super::words::cell;
use super::super::{Shown, cell_name, standing};
use crate::matrix::Role;

/// Head and rows of the grid. Every cell is in it: two that would share a place are both there.
pub fn grid(shown: &[Shown]) -> (String, Vec<String>) {
    let placed: Vec<_> = shown.iter().map(|one| (place(one), standing::short(one))).collect();
    let mut kernels: Vec<&str> = Vec::new();
    let mut rows: Vec<&str> = Vec::new();
    for ((kernel, row), _) in &placed {
        if !kernels.contains(&kernel.as_str()) {
            kernels.push(kernel);
        }
        if !rows.contains(&row.as_str()) {
            rows.push(row);
        }
    }
    let heads: Vec<_> = kernels.iter().map(|k| cell(k)).collect();
    let head = format!("| | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    let line = |row: &str| {
        let fields = kernels.iter().map(|kernel| {
            let here = placed.iter().filter(|((k, r), _)| k == kernel && r == row);
            here.map(|(_, words)| words.as_str()).collect::<Vec<_>>().join("<br>")
        });
        format!("| {} | {} |\n", cell(row), fields.collect::<Vec<_>>().join(" | "))
    };
    let lines = rows.iter().map(|row| line(row)).collect();
    (head, lines)
}

/// Column and row of a cell. A matrix names its cells after kernel, series and the rest, and only
/// the name tells the kernel of a cell that was never run.
fn place(one: &Shown) -> (String, String) {
    let series = &one.result.series.name;
    let id = cell_name(one);
    let of_name = id.split_once(&format!("-{series}")).filter(|(kernel, _)| !kernel.is_empty());
    let (kernel, rest) = if let Some((kernel, rest)) = of_name {
        (kernel.to_owned(), rest.trim_start_matches('-').to_owned())
    } else {
        let kernel = one.result.kernel.as_ref().map(|k| k.version.line().to_string());
        (kernel.unwrap_or_else(|| "?".into()), one.result.subject.clone())
    };
    let role = match one.standing.as_ref().map(|s| s.role) {
        Some(Role::Fault) => "fault ",
        Some(Role::Baseline | Role::Series) | None => "",
    };
    (kernel, format!("{role}{series}, {rest}"))
}
