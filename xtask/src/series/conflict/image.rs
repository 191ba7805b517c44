// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where `git apply` would place a hunk: `apply_one_fragment()` and `find_pos()` of git's apply.c.
//!
//! git stops at the first hunk of a file that fails; here the others go on, as with `--reject`.

use crate::diff::{Hunk, Line, Side};

/// A line of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FileLine<'a> {
    /// Without its newline.
    pub(super) text: &'a [u8],
    /// Whether there is one.
    pub(super) newline: bool,
}

/// The lines of a file.
pub(super) fn lines(bytes: &[u8]) -> Vec<FileLine<'_>> {
    bytes
        .split_inclusive(|b| *b == b'\n')
        .map(|line| match line.strip_suffix(b"\n") {
            Some(text) => FileLine { text, newline: true },
            None => FileLine { text: line, newline: false },
        })
        .collect()
}

/// What is looked for.
#[derive(Debug, Clone)]
pub(super) struct Sought<'a> {
    /// The lines.
    pub(super) lines: Vec<FileLine<'a>>,
    /// How many at its start are context.
    leading: usize,
    /// How many at its end are context.
    trailing: usize,
    /// It must be at the start of the file.
    start: bool,
    /// It must be at the end of the file.
    end: bool,
    /// Where it is expected, from 0.
    line: usize,
}

impl<'a> Sought<'a> {
    /// What a hunk expects in the file as the patch's author had it.
    pub(super) fn before(hunk: &'a Hunk) -> Self {
        Self::of(hunk, Side::Added, hunk.start)
    }

    /// What a hunk leaves behind.
    pub(super) fn after(hunk: &'a Hunk) -> Self {
        Self::of(hunk, Side::Removed, hunk.new_start)
    }

    fn of(hunk: &'a Hunk, without: Side, start: usize) -> Self {
        let context = |l: &&Line| l.side == Side::Context;
        let trailing = hunk.lines.iter().rev().take_while(context).count();
        let line = |l: &'a Line| FileLine { text: &l.text, newline: l.newline };
        Self {
            lines: hunk.lines.iter().filter(|l| l.side != without).map(line).collect(),
            leading: hunk.lines.iter().take_while(context).count(),
            trailing,
            start: start <= 1,
            end: trailing == 0,
            line: start.saturating_sub(1),
        }
    }

    /// The same, with no need to be at the end of the file.
    pub(super) fn not_at_end(&self) -> Self {
        Self { end: false, ..self.clone() }
    }

    /// The same, wherever in the file it is.
    pub(super) fn anywhere(&self) -> Self {
        Self { start: false, end: false, ..self.clone() }
    }
}

/// A file on the way from one content to the next.
#[derive(Debug, Clone)]
pub(super) struct Image<'a> {
    lines: Vec<FileLine<'a>>,
    /// git does not let a hunk change what an earlier one made.
    patched: Vec<bool>,
}

impl<'a> Image<'a> {
    /// A file that no hunk has changed yet.
    pub(super) fn new(lines: &[FileLine<'a>]) -> Self {
        Self { lines: lines.to_vec(), patched: vec![false; lines.len()] }
    }

    /// Applies a hunk, if git would.
    pub(super) fn apply(&mut self, hunk: &'a Hunk) -> bool {
        // git starts looking where the hunk says it will be when those before it are applied.
        let line = hunk.new_start.saturating_sub(1);
        let before = Sought { line, ..Sought::before(hunk) };
        let Some(&at) = self.places(&before).first() else { return false };
        let after = Sought::after(hunk).lines;
        let range = at..at + before.lines.len();
        self.patched.splice(range.clone(), vec![true; after.len()]);
        self.lines.splice(range, after);
        true
    }

    /// Every place that has the lines, the one that git would take first.
    pub(super) fn places(&self, sought: &Sought<'_>) -> Vec<usize> {
        let Some(last) = self.lines.len().checked_sub(sought.lines.len()) else {
            return Vec::new();
        };
        let from = if sought.end { last } else { 0 };
        let to = if sought.start { 0 } else { last };
        let fits = |at: &usize| {
            let range = *at..*at + sought.lines.len();
            self.lines[range.clone()] == sought.lines[..] && !self.patched[range].contains(&true)
        };
        let mut places: Vec<usize> = (from..=to).filter(fits).collect();
        // Of two places as near as each other, git looks at the later one first.
        places.sort_by_key(|&at| (at.abs_diff(sought.line), usize::MAX - at));
        places
    }

    /// The least context to leave out for the lines to be found.
    pub(super) fn fuzzy(&self, sought: &Sought<'_>) -> Option<Fuzzy> {
        let mut left = sought.clone();
        let context = left.leading.max(left.trailing);
        let mut dropped = 0;
        while left.leading > 0 || left.trailing > 0 {
            let lines = context - left.leading.max(left.trailing) + 1;
            if left.start || left.end {
                (left.start, left.end) = (false, false);
            } else {
                // The longer side goes first, so that both come to the same length.
                if left.leading >= left.trailing {
                    left.lines.remove(0);
                    (left.leading, left.line, dropped) =
                        (left.leading - 1, left.line + 1, dropped + 1);
                }
                if left.trailing > left.leading {
                    left.lines.pop();
                    left.trailing -= 1;
                }
            }
            if !has_substance(&left.lines) {
                return None;
            }
            let places = self.places(&left);
            if !places.is_empty() {
                return Some(Fuzzy { lines, dropped, places });
            }
        }
        None
    }
}

/// Places that are found when context is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fuzzy {
    /// Lines of context left out at the longer end.
    pub(super) lines: usize,
    /// Lines left out at the start.
    pub(super) dropped: usize,
    /// Where the lines that are left were found; the one git would take first.
    pub(super) places: Vec<usize>,
}

/// Whether there is a line that is not found all over a C file, as blank ones and braces are.
pub(super) fn has_substance(lines: &[FileLine<'_>]) -> bool {
    lines.iter().any(|l| l.text.iter().filter(|b| b.is_ascii_alphanumeric()).count() >= 3)
}
