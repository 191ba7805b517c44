// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of a patch beside lines of a tree.

use serde::Serialize;

/// Which side of the patch a line that it expects is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// It stays.
    Context,
    /// The patch removes it.
    Removed,
}

/// A line of the comparison. `line` is that of the tree's file, from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Row {
    /// On both sides.
    Same { line: usize, side: Side, text: String },
    /// On both sides, but for white space.
    WhiteSpace { line: usize, side: Side, expected: String, found: String },
    /// Only in the patch.
    Missing { side: Side, expected: String },
    /// Only in the tree.
    Extra { line: usize, found: String },
}

/// What a file has where a hunk belongs, or where most of its lines are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Beside {
    /// The lines.
    pub rows: Vec<Row>,
}

impl Beside {
    /// How many of the lines with anything but white space were expected, and found.
    pub(super) fn score(&self) -> (usize, usize) {
        let is_blank = |text: &str| text.trim().is_empty();
        let mut score = (0, 0);
        for row in &self.rows {
            match row {
                Row::Same { text, .. } if !is_blank(text) => score = (score.0 + 1, score.1 + 1),
                Row::WhiteSpace { .. } => score = (score.0 + 1, score.1 + 1),
                Row::Missing { expected, .. } if !is_blank(expected) => score.1 += 1,
                _ => {}
            }
        }
        score
    }

    /// How many of the expected lines of one side differ.
    pub(super) fn differ(&self, which: Side) -> usize {
        let differs = |row: &&Row| match row {
            Row::Missing { side, .. } | Row::WhiteSpace { side, .. } => *side == which,
            Row::Same { .. } | Row::Extra { .. } => false,
        };
        self.rows.iter().filter(differs).count()
    }

    /// Whether nothing but white space differs, blank lines included.
    pub(super) fn is_white_space(&self) -> bool {
        self.rows.iter().all(|row| match row {
            Row::Same { .. } | Row::WhiteSpace { .. } => true,
            Row::Missing { expected: text, .. } | Row::Extra { found: text, .. } => {
                text.trim().is_empty()
            }
        })
    }

    /// How many lines only the tree has, and whether some are between lines that the hunk removes;
    /// none if there are no such lines.
    pub(super) fn between(&self) -> Option<(usize, bool)> {
        let is_extra = |row: &Row| matches!(row, Row::Extra { .. });
        let is_removed = |row: &Row| {
            matches!(
                row,
                Row::Same { side: Side::Removed, .. } | Row::WhiteSpace { side: Side::Removed, .. }
            )
        };
        let more = self.rows.iter().filter(|row| is_extra(row)).count();
        let runs: Vec<_> = self.rows.chunk_by(|a, b| is_extra(a) == is_extra(b)).collect();
        let within = runs.windows(3).any(|runs| {
            is_extra(&runs[1][0])
                && runs[0].last().is_some_and(is_removed)
                && runs[2].first().is_some_and(is_removed)
        });
        (more > 0).then_some((more, within))
    }

    /// First line in the tree, from 1.
    pub(super) fn line(&self) -> Option<usize> {
        self.rows.iter().find_map(Row::line)
    }
}

impl Row {
    /// Its line in the tree's file, from 1.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Same { line, .. } | Self::WhiteSpace { line, .. } | Self::Extra { line, .. } => {
                Some(*line)
            }
            Self::Missing { .. } => None,
        }
    }

    /// What the patch expects there.
    pub fn expected(&self) -> Option<&str> {
        match self {
            Self::Same { text, .. } => Some(text),
            Self::WhiteSpace { expected, .. } | Self::Missing { expected, .. } => Some(expected),
            Self::Extra { .. } => None,
        }
    }
}
