// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which cell of one side is which of the other.

use super::Cell;

/// Cells of both sides, and of one.
#[derive(Debug)]
pub struct Pairing<'c> {
    /// The same cell before and after.
    pub both: Vec<(&'c Cell, &'c Cell)>,
    /// What is left of A.
    pub only_a: Vec<&'c Cell>,
    /// What is left of B.
    pub only_b: Vec<&'c Cell>,
}

/// Matches cells by name if both sides have it, and the rest by what they are about. Of several that
/// are about the same, the first goes with the first.
pub fn pair<'c>(a: &'c [Cell], b: &'c [Cell]) -> Pairing<'c> {
    let (mut both, mut only_a) = (Vec::new(), Vec::new());
    let mut only_b: Vec<&Cell> = b.iter().collect();
    let mut unnamed = Vec::new();
    for cell in a {
        let same = |other: &&Cell| cell.name.is_some() && other.name == cell.name;
        match only_b.iter().position(same) {
            Some(at) => both.push((cell, only_b.remove(at))),
            None => unnamed.push(cell),
        }
    }
    for cell in unnamed {
        match only_b.iter().position(|other| other.identity() == cell.identity()) {
            Some(at) => both.push((cell, only_b.remove(at))),
            None => only_a.push(cell),
        }
    }
    Pairing { both, only_a, only_b }
}
