// SPDX-License-Identifier: MIT OR Apache-2.0
//! Unified diffs, as `git diff`, `diff -u` and quilt write them: read strictly, written canonically.
//!
//! Pure: bytes in, values out. The format is that of git-diff(1), "Generating patch text with -p",
//! and of POSIX `diff -u`.

mod binary;
mod error;
mod file;
mod hunk;
mod name;
mod reader;
mod spoiled;
mod stat;

pub use error::{DiffError, Reason};
pub use file::FileDiff;
pub use hunk::{Hunk, Line, Side};
pub use name::quote;
pub use reader::{Text, first_line, read, text_end};
pub use spoiled::tabs_lost;
pub use stat::{Stat, claimed};

/// The changes of one patch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// One entry a file, in the order of the text.
    pub files: Vec<FileDiff>,
    /// Index of the first line behind it, from 0.
    pub end: usize,
    /// Numbers of blank context lines (from 1) that had lost their space, and were given it back.
    pub mended: Vec<usize>,
}

impl Diff {
    /// What it adds up to.
    pub fn stat(&self) -> Stat {
        let count = |side: Side| {
            let lines = self.files.iter().flat_map(|f| &f.hunks).flat_map(|h| &h.lines);
            lines.filter(|l| l.side == side).count()
        };
        Stat {
            files: self.files.len(),
            insertions: count(Side::Added),
            deletions: count(Side::Removed),
        }
    }

    /// The canonical text: paths with `a/` and `b/`, LF, spaces of blank context lines in place.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut after_git = false;
        for file in &self.files {
            // Its names would be taken for those of the file before.
            if after_git && !file.git {
                out.push(b'\n');
            }
            file.write(&mut out);
            after_git = file.git;
        }
        out
    }

    /// All paths that it needs or makes, without duplicates.
    pub fn paths(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for path in self.files.iter().flat_map(|f| f.old.iter().chain(&f.new)) {
            if !all.contains(&path.as_str()) {
                all.push(path);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests;
