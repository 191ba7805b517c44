// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names within the page that links lead to.

use std::collections::HashSet;

use crate::report::Shown;

/// Where the headline is.
pub const TOP: &str = "top";

/// Where the grid is.
pub const GRID: &str = "matrix";

/// Where the sections are.
pub const CELLS: &str = "cells";

/// A name for each cell: its id in the matrix, else its run. Each is there once, also where two runs
/// of the same matrix are shown.
pub fn anchors<'a>(shown: impl Iterator<Item = &'a Shown>) -> Vec<String> {
    let mut taken: HashSet<String> = [TOP, GRID, CELLS].map(str::to_owned).into();
    let mut names = Vec::new();
    for shown in shown {
        let wanted = shown.standing.as_ref().map_or(shown.run.as_str(), |s| s.id.as_str());
        let clean: String = wanted
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "._-:+@".contains(c) { c } else { '-' })
            .collect();
        let base = if clean.is_empty() { "cell".to_owned() } else { clean };
        let mut name = base.clone();
        let mut n = 1;
        while !taken.insert(name.clone()) {
            n += 1;
            name = format!("{base}-{n}");
        }
        names.push(name);
    }
    names
}
