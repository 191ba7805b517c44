// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be wrong with a diff.

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct DiffError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: Reason,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Nothing in the text is a diff.
    #[error("there is no diff in it")]
    NoDiff,
    /// The text ends within a hunk.
    #[error("the hunk of line {hunk} is cut: {old} old and {new} new lines are missing")]
    Cut {
        /// Line of the hunk's header.
        hunk: usize,
        /// Lines of the old file that did not come.
        old: usize,
        /// Lines of the new file that did not come.
        new: usize,
    },
    /// The text ends in the midst of a line.
    #[error("the text ends in the midst of a line")]
    CutLine,
    /// A hunk goes on after it has all the lines that its header announces.
    #[error("the hunk of line {hunk} has more lines than it says")]
    Longer {
        /// Line of the hunk's header.
        hunk: usize,
    },
    /// A line in a hunk starts with none of space, `+`, `-` and `\`.
    #[error(
        "{text:?} is no line of a diff: a mailer wrapped the line before it, or text stands within \
         the hunk of line {hunk}"
    )]
    Wrapped {
        /// Line of the hunk's header.
        hunk: usize,
        /// The line.
        text: String,
    },
    /// A header of a hunk that cannot be read.
    #[error("no hunk header: {0:?}")]
    HunkHeader(String),
    /// A hunk without a file.
    #[error("a hunk before any file")]
    NoFile,
    /// `---` without `+++`, or a name that cannot be used.
    #[error("no file header: {0}")]
    FileHeader(String),
    /// A path that leads out of the tree.
    #[error("the path {0:?} leads out of the tree")]
    Outside(String),
    /// A binary change that cannot be read.
    #[error("a binary change that is cut or has no content (make it with `git diff --binary`)")]
    Binary,
    /// A part of a diff behind its end.
    #[error("{0:?} looks like a part of a diff, and does not belong to any hunk")]
    Stray(String),
}

impl Reason {
    /// The same, for a text that starts `lines` lines further down in its file.
    #[must_use]
    pub fn below(self, lines: usize) -> Self {
        match self {
            Self::Cut { hunk, old, new } => Self::Cut { hunk: hunk + lines, old, new },
            Self::Longer { hunk } => Self::Longer { hunk: hunk + lines },
            Self::Wrapped { hunk, text } => Self::Wrapped { hunk: hunk + lines, text },
            other => other,
        }
    }

    /// The error at a line, counted from 1.
    pub(super) fn at(self, line: usize) -> DiffError {
        DiffError { line, reason: self }
    }
}
