// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a patch went onto a tree.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What may be done to make a patch apply. Strict by default: every line of context must be there,
/// at the place that the hunk names or at another one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    /// Lines of context, at most 2, that need not match at each end of a hunk.
    pub fuzz: u8,
    /// Whether a three-way merge may be tried, where the object store has what the patch was made
    /// on.
    pub three_way: bool,
}

impl Policy {
    /// Names it in keys of the store.
    pub(super) fn name(self) -> String {
        format!("fuzz {} three-way {}", self.fuzz, self.three_way)
    }
}

/// A hunk that applied at another line than it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The file.
    pub file: String,
    /// The hunk in the file, from 1.
    pub hunk: usize,
    /// How many lines further down; negative for up.
    pub lines: i64,
}

impl fmt::Display for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, hunk, lines } = self;
        write!(f, "{file}: hunk {hunk} applied {lines} lines off")
    }
}

/// How it is known that a tree has a change already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Known {
    /// Its reverse applies.
    Reverse,
    /// A commit of the tree's history has the same patch id.
    PatchId(String),
}

/// How a patch went onto a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum Outcome {
    /// Every hunk where it says.
    Clean,
    /// Every hunk with all of its context, some at other lines.
    Offset {
        /// Those.
        moved: Vec<Moved>,
    },
    /// With less context than it has. Not clean.
    Fuzz {
        /// Lines of context that were not looked at.
        lines: u8,
        /// Hunks at other lines.
        moved: Vec<Moved>,
    },
    /// By a three-way merge. Not clean.
    ThreeWay,
    /// The tree has it already; nothing was done.
    AlreadyApplied {
        /// How that is known.
        known: Known,
    },
}

impl Outcome {
    /// Whether nothing was done, since the tree has the change.
    pub fn is_already_applied(&self) -> bool {
        matches!(self, Self::AlreadyApplied { .. })
    }

    /// Hunks at other lines.
    pub fn moved(&self) -> &[Moved] {
        match self {
            Self::Offset { moved } | Self::Fuzz { moved, .. } => moved,
            _ => &[],
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let furthest = self.moved().iter().map(|m| m.lines).max_by_key(|n| n.abs()).unwrap_or(0);
        match self {
            Self::Clean => f.write_str("clean"),
            Self::Offset { .. } => write!(f, "offset {furthest:+}"),
            Self::Fuzz { lines, .. } if furthest != 0 => {
                write!(f, "fuzz {lines}, offset {furthest:+}")
            }
            Self::Fuzz { lines, .. } => write!(f, "fuzz {lines}"),
            Self::ThreeWay => f.write_str("3-way"),
            Self::AlreadyApplied { .. } => f.write_str("already applied"),
        }
    }
}
