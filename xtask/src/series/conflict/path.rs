// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of a file that is not where a patch expects it. Pure.

use std::collections::HashMap;

use super::image;
use super::judge;
use super::reason::{Likeness, Reason, Witness};
use crate::diff::{FileDiff, Side};

/// A file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its path.
    pub(super) path: String,
    /// Its object name.
    pub(super) blob: String,
}

/// What was seen of a file that is not there.
#[derive(Debug, Default)]
pub(super) struct Missing {
    /// Proof that it was there once.
    pub(super) witness: Option<Witness>,
    /// The content that the patch was made for, if the object store has it.
    pub(super) old: Option<Vec<u8>>,
    /// Files that may be it.
    pub(super) candidates: Vec<Candidate>,
}

/// A file that may be the one that is not there.
#[derive(Debug)]
pub(super) struct Candidate {
    /// Its path and object name.
    pub(super) entry: Entry,
    /// Its content.
    pub(super) text: Vec<u8>,
}

/// From how many percent on a file counts as the same one; git's own choice for renames.
const SIMILAR: usize = 50;

/// How many files of the same base name are looked into: there are thousands called Makefile.
const NAMESAKES: usize = 20;

/// How many of them are shown.
const SHOWN: usize = 3;

/// Files that may be the one that a patch expects at `path`: those with its content (`blob` may be
/// abbreviated), then those of the same base name, the closest path first.
pub(super) fn candidates(listing: Vec<Entry>, path: &str, blob: Option<&str>) -> Vec<Entry> {
    let base = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let wanted = base(path);
    let same = |e: &Entry| blob.is_some_and(|b| e.blob.starts_with(b));
    let mut found: Vec<Entry> =
        listing.into_iter().filter(|e| same(e) || base(&e.path) == wanted).collect();
    let common = |e: &Entry| {
        let pairs = e.path.split('/').zip(path.split('/'));
        pairs.take_while(|(a, b)| a == b).count()
    };
    found.sort_by_key(|e| (!same(e), base(&e.path) != wanted, usize::MAX - common(e)));
    found.truncate(NAMESAKES);
    found
}

/// Why a file that the patch changes is not there.
pub(super) fn missing(diff: &FileDiff, path: &str, seen: &Missing) -> Reason {
    if diff.new.is_none() {
        return Reason::FileRemovedAlready;
    }
    let hunks = diff.hunks.len();
    let renamed = |candidate: &Candidate, likeness| Reason::FileRenamed {
        to: candidate.entry.path.clone(),
        likeness,
        fit: judge::fit(diff, &candidate.text),
        hunks,
    };
    let blob = diff.blobs().map(|(old, _)| old);
    let same = |c: &&Candidate| blob.is_some_and(|b| c.entry.blob.starts_with(b));
    if let Some(candidate) = seen.candidates.iter().find(same) {
        return renamed(candidate, Likeness::SameContent);
    }
    let similar = seen.old.as_deref().and_then(|old| {
        let percents = seen.candidates.iter().map(|c| (c, similarity(old, &c.text)));
        // The first of equals is the closest path.
        percents.rev().max_by_key(|(_, percent)| *percent).filter(|(_, p)| *p >= SIMILAR)
    });
    if let Some((candidate, percent)) = similar {
        return renamed(candidate, Likeness::Similar(percent));
    }
    let fitting = seen.candidates.iter().rev().map(|c| (c, judge::fit(diff, &c.text)));
    if let Some((candidate, _)) =
        fitting.max_by_key(|(_, fit)| *fit).filter(|(_, fit)| *fit > 0 && fit * 2 >= hunks)
    {
        return renamed(candidate, Likeness::HunksFit);
    }
    let base = path.rsplit('/').next();
    let same_name = seen.candidates.iter().map(|c| &c.entry.path);
    let same_name: Vec<String> =
        same_name.filter(|p| p.rsplit('/').next() == base).take(SHOWN).cloned().collect();
    match &seen.witness {
        Some(witness) => Reason::FileGone { witness: witness.clone(), same_name },
        None => Reason::FileNeverExisted { same_name },
    }
}

/// Why a file that the patch makes cannot be made: it is there, with this content.
pub(super) fn exists(diff: &FileDiff, text: &[u8]) -> Reason {
    let mut made = Vec::new();
    for line in diff.hunks.iter().flat_map(|h| &h.lines).filter(|l| l.side == Side::Added) {
        made.extend_from_slice(&line.text);
        if line.newline {
            made.push(b'\n');
        }
    }
    let identical = diff.old.is_none() && diff.binary.is_empty() && made == text;
    Reason::FileExists { identical }
}

/// How many percent of their lines two files have in common.
fn similarity(one: &[u8], other: &[u8]) -> usize {
    let (one, other) = (image::lines(one), image::lines(other));
    let all = one.len() + other.len();
    let mut left: HashMap<_, usize> = HashMap::new();
    for line in one {
        *left.entry(line).or_default() += 1;
    }
    let mut common: usize = 0;
    for line in other {
        if let Some(count) = left.get_mut(&line).filter(|c| **c > 0) {
            *count -= 1;
            common += 1;
        }
    }
    (common * 200).checked_div(all).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_comes_first_and_then_the_closest_path() {
        let entry = |path: &str, blob: &str| Entry { path: path.into(), blob: blob.into() };
        let listing = vec![
            entry("Makefile", "1"),
            entry("arch/x86/f.c", "2"),
            entry("kernel/trace/old/f.c", "3"),
            entry("lib/g.c", "abcdef"),
            entry("lib/of.c", "4"),
        ];
        let found = candidates(listing, "kernel/trace/f.c", Some("abc"));
        let paths: Vec<_> = found.iter().map(|e| e.path.as_str()).collect();
        assert_eq!(paths, ["lib/g.c", "kernel/trace/old/f.c", "arch/x86/f.c"]);
    }

    #[test]
    fn similarity_counts_lines() {
        assert_eq!(similarity(b"a\nb\nc\nd\n", b"d\nb\nx\na\n"), 75);
        assert_eq!(similarity(b"", b""), 100);
        assert_eq!(similarity(b"a\na\n", b"a\nb\n"), 50);
    }
}
