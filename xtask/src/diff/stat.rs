// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `--stat` summary that `git format-patch` puts before a diff.

use std::fmt;
use std::sync::LazyLock;

use regex::bytes::Regex;

/// How much a diff changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Files.
    pub files: usize,
    /// Lines that it adds.
    pub insertions: usize,
    /// Lines that it removes.
    pub deletions: usize,
}

impl fmt::Display for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: usize, what: &str| match n {
            1 => format!("1 {what}"),
            n => format!("{n} {what}s"),
        };
        let (files, insertions) = (count(self.files, "file"), count(self.insertions, "insertion"));
        write!(f, "{files}, {insertions}, {}", count(self.deletions, "deletion"))
    }
}

static SUMMARY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^ (\d{1,9}) files? changed(?:, (\d{1,9}) insertions?\(\+\))?(?:, (\d{1,9}) deletions?\(-\))?\s*$",
    )
    .ok()
});

/// What the last summary line before a diff says, if there is one.
pub fn claimed(before: &[&[u8]]) -> Option<Stat> {
    let regex = SUMMARY.as_ref()?;
    before.iter().rev().find_map(|line| {
        let found = regex.captures(line)?;
        let number = |n: usize| match found.get(n) {
            Some(digits) => std::str::from_utf8(digits.as_bytes()).ok()?.parse().ok(),
            None => Some(0),
        };
        Some(Stat { files: number(1)?, insertions: number(2)?, deletions: number(3)? })
    })
}
