// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lines that a hunk expects beside those that a file has, aligned by a line diff.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::image::FileLine;
use super::rows::{Beside, Row, Side};
use crate::diff::{self, Hunk};

/// A line a hunk expects.
struct Expected<'a> {
    line: FileLine<'a>,
    side: Side,
    key: u32,
}

/// A file whose lines can be looked up.
pub(super) struct Indexed<'a> {
    lines: &'a [FileLine<'a>],
    /// A number for each line; lines that differ only in white space have the same.
    keys: Vec<u32>,
    known: HashMap<Vec<u8>, u32>,
    /// Where the lines of a number are.
    positions: Vec<Vec<usize>>,
}

fn bare(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect()
}

fn shown(line: FileLine<'_>) -> String {
    let text = String::from_utf8_lossy(line.text);
    if line.newline { text.into_owned() } else { format!("{text} (no newline at the end)") }
}

/// A line found more often than this says nothing about where a hunk belongs, if others do.
const COMMON: usize = 300;

/// How many places are compared line by line.
const CANDIDATES: usize = 8;

impl<'a> Indexed<'a> {
    pub(super) fn new(lines: &'a [FileLine<'a>]) -> Self {
        let mut index =
            Self { lines, keys: Vec::new(), known: HashMap::new(), positions: Vec::new() };
        for (at, line) in lines.iter().enumerate() {
            let next = index.positions.len();
            let key = *index
                .known
                .entry(bare(line.text))
                .or_insert_with(|| u32::try_from(next).unwrap_or(u32::MAX));
            if key as usize == next {
                index.positions.push(Vec::new());
            }
            index.positions[key as usize].push(at);
            index.keys.push(key);
        }
        index
    }

    fn expected<'h>(&self, hunk: &'h Hunk) -> Vec<Expected<'h>> {
        let old = hunk.lines.iter().filter(|l| l.side != diff::Side::Added);
        old.map(|l| Expected {
            line: FileLine { text: &l.text, newline: l.newline },
            side: if l.side == diff::Side::Removed { Side::Removed } else { Side::Context },
            key: self.known.get(&bare(&l.text)).copied().unwrap_or(u32::MAX),
        })
        .collect()
    }

    /// Where all lines of a hunk are, white space aside; from 0.
    pub(super) fn but_for_space(&self, hunk: &Hunk) -> Vec<usize> {
        let keys: Vec<u32> = self.expected(hunk).iter().map(|e| e.key).collect();
        if keys.is_empty() {
            return Vec::new();
        }
        let windows = self.keys.windows(keys.len()).enumerate();
        windows.filter(|(_, w)| *w == keys).map(|(at, _)| at).collect()
    }

    /// The hunk beside the place among some lines of the file (from 0) that comes closest to it. None
    /// if it expects nothing.
    pub(super) fn closest(&self, hunk: &Hunk, among: Range<usize>) -> Option<Beside> {
        let expected = self.expected(hunk);
        if expected.is_empty() {
            return None;
        }
        let last = among.end.saturating_sub(1).max(among.start);
        let wanted = hunk.start.saturating_sub(1);
        let wanted =
            if among.len() < self.lines.len() { wanted.clamp(among.start, last) } else { wanted };
        let starts = self.starts(&expected, wanted, &among).into_iter();
        let all = starts.map(|(at, slack)| self.beside(&expected, at, slack, &among));
        let distance = |b: &Beside| b.line().map_or(usize::MAX, |l| (l - 1).abs_diff(wanted));
        let best = all.max_by_key(|b| {
            let extra = b.rows.iter().filter(|r| matches!(r, Row::Extra { .. })).count();
            (b.score().0, usize::MAX - extra, usize::MAX - distance(b))
        });
        Some(best.unwrap_or_else(|| self.beside(&expected, wanted, 0, &among)))
    }

    /// The hunk beside the lines from `at` on.
    pub(super) fn at(&self, hunk: &Hunk, at: usize) -> Beside {
        let expected = self.expected(hunk);
        self.beside(&expected, at, slack(expected.len()), &(0..self.lines.len()))
    }

    /// Lines (from 0) at which most of what is expected seems to start, the likeliest first. Each
    /// expected line votes for the places that would have it; rare lines have more weight. With each
    /// comes how many lines around it are worth a look.
    fn starts(
        &self,
        expected: &[Expected<'_>],
        wanted: usize,
        among: &Range<usize>,
    ) -> Vec<(usize, usize)> {
        let votes = |most: usize| {
            let mut votes: Vec<(usize, u64)> = Vec::new();
            for (n, e) in expected.iter().enumerate() {
                let Some(found) = self.positions.get(e.key as usize) else { continue };
                if found.len() <= most && !e.line.text.trim_ascii().is_empty() {
                    let weight = 1_000_000 / found.len() as u64;
                    let found = found.iter().filter(|at| among.contains(at));
                    votes.extend(found.map(|at| (at.saturating_sub(n), weight)));
                }
            }
            votes.sort_unstable();
            votes
        };
        let mut all = votes(COMMON);
        if all.is_empty() {
            all = votes(usize::MAX);
        }
        let slack = slack(expected.len());
        let mut sums: Vec<(u64, usize)> = Vec::new();
        let (mut first, mut sum) = (0, 0);
        for &(start, weight) in &all {
            sum += weight;
            while all[first].0 + slack < start {
                sum -= all[first].1;
                first += 1;
            }
            // The middle of the window, so that lines may be missing before and behind.
            sums.push((sum, usize::midpoint(all[first].0, start)));
        }
        let by_votes = |&(sum, at): &(u64, usize)| (u64::MAX - sum, at.abs_diff(wanted));
        sums.sort_by_key(by_votes);
        let mut starts: Vec<(usize, usize)> = Vec::new();
        for (_, at) in sums {
            if starts.len() < CANDIDATES && starts.iter().all(|s| s.0.abs_diff(at) > slack / 2) {
                starts.push((at, slack));
            }
        }
        // Where nothing came in or went, the very line: of places alike, the nearest is meant.
        let votes_at = |run: &[(usize, u64)]| (run.iter().map(|v| v.1).sum(), run[0].0);
        let mut exact: Vec<_> = all.chunk_by(|a, b| a.0 == b.0).map(votes_at).collect();
        exact.sort_by_key(by_votes);
        starts.extend(exact.iter().take(CANDIDATES).map(|&(_, at)| (at, 0)));
        starts
    }

    /// Aligns what is expected with the lines around `at` (from 0).
    fn beside(
        &self,
        expected: &[Expected<'_>],
        at: usize,
        slack: usize,
        among: &Range<usize>,
    ) -> Beside {
        let to = (at + expected.len() + slack).min(among.end);
        let from = at.saturating_sub(slack).clamp(among.start, to.max(among.start));
        let to = to.max(from);
        let keys: Vec<u32> = expected.iter().map(|e| e.key).collect();
        let ops = capture_diff_slices(Algorithm::Patience, &keys, &self.keys[from..to]);
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for op in ops {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                pairs.extend((0..len).map(|n| (old_index + n, from + new_index + n)));
            }
        }
        let blank = |&(e, _): &(usize, usize)| expected[e].line.text.trim_ascii().is_empty();
        if pairs.iter().all(blank) {
            pairs.clear();
        }
        self.draw_together(&mut pairs, &keys);
        Beside { rows: self.rows(expected, &pairs, at) }
    }

    /// Of equal lines, such as braces, a diff may take one far off: takes the one that is as far from
    /// its neighbour as it is in the patch.
    fn draw_together(&self, pairs: &mut [(usize, usize)], keys: &[u32]) {
        for n in 1..pairs.len() {
            let ((e0, f0), (e, f)) = (pairs[n - 1], pairs[n]);
            let near = f0 + (e - e0);
            if near < f && self.keys[near] == keys[e] {
                pairs[n].1 = near;
            }
        }
        for n in (1..pairs.len()).rev() {
            let ((e, f), (e1, f1)) = (pairs[n - 1], pairs[n]);
            if let Some(near) = f1.checked_sub(e1 - e).filter(|near| *near > f)
                && self.keys[near] == keys[e]
            {
                pairs[n - 1].1 = near;
            }
        }
    }

    fn rows(&self, expected: &[Expected<'_>], pairs: &[(usize, usize)], at: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        let missing = |rows: &mut Vec<Row>, from: usize, to: usize| {
            rows.extend(
                expected[from..to]
                    .iter()
                    .map(|e| Row::Missing { side: e.side, expected: shown(e.line) }),
            );
        };
        let extra = |rows: &mut Vec<Row>, from: usize, to: usize| {
            let to = to.min(self.lines.len());
            let range = from.min(to)..to;
            rows.extend(range.map(|n| Row::Extra { line: n + 1, found: shown(self.lines[n]) }));
        };
        // Before the first line that is on both sides, and behind the last one, stands what the
        // tree has at that distance.
        let mut next = match pairs.first() {
            Some(&(e, f)) => (0, f.saturating_sub(e)),
            None => (0, at),
        };
        for &(e, f) in pairs {
            missing(&mut rows, next.0, e);
            extra(&mut rows, next.1, f);
            let (want, have) = (&expected[e], self.lines[f]);
            let (line, side) = (f + 1, want.side);
            rows.push(if want.line == have {
                Row::Same { line, side, text: shown(have) }
            } else {
                Row::WhiteSpace { line, side, expected: shown(want.line), found: shown(have) }
            });
            next = (e + 1, f + 1);
        }
        missing(&mut rows, next.0, expected.len());
        extra(&mut rows, next.1, next.1 + expected.len() - next.0);
        rows
    }
}

/// How many lines of the tree may have come in or gone within a hunk of some length.
fn slack(expected: usize) -> usize {
    expected.clamp(16, 60)
}
