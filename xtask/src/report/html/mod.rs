// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results as one HTML page that needs nothing else: no network, no other file, no script. Pure.
//!
//! Whatever comes from a result or a console is escaped by maud; `PreEscaped` stands for the style
//! sheet only.

mod anchor;
mod cell;
mod facts;
mod finding;
mod grid;
mod look;
mod page;
mod plot;
mod visible;
mod words;

use super::Shown;
use super::history::History;
use super::log::Log;

/// A cell, with what there is to read of its console.
#[derive(Debug, Clone)]
pub struct PageCell {
    /// The cell.
    pub shown: Shown,
    /// The parts of its console that its findings are about.
    pub log: Log,
}

/// All cells.
pub fn html(cells: &[PageCell], history: &History) -> String {
    visible::visible(&page::page(cells, history).into_string())
}

#[cfg(test)]
mod tests;
