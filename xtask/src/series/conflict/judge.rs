// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which hunks of a file do not apply to its content, and why. Pure.

use super::align::Indexed;
use super::function::{self, Name, Own};
use super::image::{self, FileLine, Image, Sought, has_substance};
use super::reason::{Edge, Fuzz, Place, Reason};
use super::rows::{Beside, Row, Side};
use crate::diff::{FileDiff, Hunk};

/// Below that share (in percent) of its lines, no place is called a hunk's own.
const ALIKE: usize = 50;

/// The same where nothing but the lines says that a place is a hunk's own.
const CLEARLY_ALIKE: usize = 75;

/// With more places than this, lines say nothing about where they belong.
const MANY: usize = 8;

/// A hunk that does not apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failing {
    /// Its index in the file.
    pub(super) index: usize,
    /// Why.
    pub(super) reason: Reason,
    /// The closest place; none if its lines are there.
    pub(super) beside: Option<Beside>,
    /// A function that other files may have: whether they do decides about the reason.
    pub(super) asks: Option<Name>,
}

/// How many hunks of a file would apply to a content.
pub(super) fn fit(diff: &FileDiff, text: &[u8]) -> usize {
    let lines = image::lines(text);
    let mut image = Image::new(&lines);
    diff.hunks.iter().filter(|hunk| image.apply(hunk)).count()
}

/// The hunks of a file that do not apply to a content.
pub(super) fn failing(diff: &FileDiff, text: &[u8]) -> Vec<Failing> {
    let lines = image::lines(text);
    let mut image = Image::new(&lines);
    let fails: Vec<_> = diff.hunks.iter().enumerate().filter(|(_, h)| !image.apply(h)).collect();
    if fails.is_empty() {
        return Vec::new();
    }
    let has_functions = [".c", ".h"].iter().any(|end| diff.name().ends_with(end));
    let (image, index) = (Image::new(&lines), Indexed::new(&lines));
    let file = File { lines: &lines, image, index, has_functions };
    fails.into_iter().map(|(index, hunk)| file.judge(index, hunk)).collect()
}

struct File<'a> {
    lines: &'a [FileLine<'a>],
    image: Image<'a>,
    index: Indexed<'a>,
    /// Whether the file is C: a line of a Makefile may look like a function, too.
    has_functions: bool,
}

impl File<'_> {
    fn judge(&self, index: usize, hunk: &Hunk) -> Failing {
        let (reason, beside) = match self.whole(hunk) {
            Some(reason) => (reason, None),
            None => self.parted(hunk),
        };
        let asks = match &reason {
            Reason::FunctionGone { function, .. } => Some(function.clone()),
            _ => None,
        };
        Failing { index, reason, beside, asks }
    }

    fn own(&self, hunk: &Hunk) -> Option<Own> {
        self.has_functions.then(|| function::own(hunk)).flatten()
    }

    /// The closest place: one that is like the hunk, else one in the function that it changes.
    fn closest(&self, hunk: &Hunk) -> Option<Beside> {
        let closest = self.index.closest(hunk, 0..self.lines.len())?;
        if is_alike(&closest, ALIKE) {
            return Some(closest);
        }
        let defined = self.own(hunk).and_then(|own| own.name.defined_in(self.lines));
        let Some(start) = defined else { return Some(closest) };
        let end = (function::end(self.lines, start) + 1).min(self.lines.len());
        self.index.closest(hunk, start..end)
    }

    fn place(&self, at: usize) -> Place {
        let function = function::around(self.lines, at + 1).filter(|_| self.has_functions);
        Place { line: at + 1, function }
    }

    /// Reasons of hunks whose lines are there, before the change or after it.
    fn whole(&self, hunk: &Hunk) -> Option<Reason> {
        let (before, after) = (Sought::before(hunk), Sought::after(hunk));
        if has_substance(&after.lines)
            && let Some(at) = self.image.places(&after).first()
        {
            return Some(Reason::AppliedAlready { line: at + 1 });
        }
        if before.lines.is_empty() {
            // It expects an empty file.
            return (!self.lines.is_empty())
                .then_some(Reason::NotAtEdge { line: 1, edge: Edge::End });
        }
        let line = self.image.places(&before.anywhere()).first()? + 1;
        if !self.image.places(&before).is_empty() {
            return Some(Reason::Overlaps { line });
        }
        let from_start = before.not_at_end();
        let edge = if self.image.places(&from_start).is_empty() { Edge::Start } else { Edge::End };
        Some(Reason::NotAtEdge { line, edge })
    }

    /// Reasons of hunks whose lines differ.
    fn parted(&self, hunk: &Hunk) -> (Reason, Option<Beside>) {
        let spaced = self.index.but_for_space(hunk);
        let fuzzy = self.image.fuzzy(&Sought::before(hunk)).filter(|f| f.places.len() <= MANY);
        let (places, lines, dropped) = match (&spaced[..], &fuzzy) {
            ([_, ..], _) if spaced.len() <= MANY => (&spaced[..], 0, 0),
            (_, Some(fuzzy)) => (&fuzzy.places[..], fuzzy.lines, fuzzy.dropped),
            _ => (&[][..], 0, 0),
        };
        let Some(beside) = (match places {
            [] => self.closest(hunk),
            [at, ..] => Some(self.index.at(hunk, at.saturating_sub(dropped))),
        }) else {
            return (Reason::LinesGone { found: 0, expected: 0, function: None }, None);
        };
        if places.len() > 1 {
            let mut places: Vec<Place> = places.iter().map(|at| self.place(*at)).collect();
            places.sort_by_key(|p| p.line);
            return (Reason::Ambiguous { places, fuzz: lines }, Some(beside));
        }
        let fuzz = places.first().filter(|_| lines > 0).map(|at| Fuzz { lines, at: at + 1 });
        let reason = self
            .about_function(hunk, &beside, places.first().copied(), fuzz)
            .unwrap_or_else(|| self.about_lines(hunk, &beside, fuzz));
        (reason, Some(beside))
    }

    /// Reasons that lie in the function that is changed.
    fn about_function(
        &self,
        hunk: &Hunk,
        beside: &Beside,
        found: Option<usize>,
        fuzz: Option<Fuzz>,
    ) -> Option<Reason> {
        let Own { name, row, behind } = self.own(hunk)?;
        // Without the line that names it, more of the others has to be there.
        let alike = is_alike(beside, if row.is_some() { ALIKE } else { CLEARLY_ALIKE });
        match name.defined_in(self.lines) {
            None if alike || found.is_some() => {
                let in_hunk = row.is_some();
                let (to, line) = if in_hunk {
                    counterpart(beside, &name)?
                } else {
                    let line = first_change(beside)?;
                    (function::around(self.lines, line - 1)?, line)
                };
                // A function that the patch knows, too, is none that was renamed.
                let known = hunk.expects().iter().any(|l| Name::of(l).as_ref() == Some(&to));
                (to != name && !known).then_some(Reason::FunctionRenamed {
                    from: name,
                    to,
                    line,
                    in_hunk,
                    fuzz,
                })
            }
            None => Some(Reason::FunctionGone { function: name, searched: true }),
            Some(defined) => {
                if found.is_none() && (row.is_some() || !is_alike(beside, ALIKE)) {
                    return None;
                }
                let line = first_change(beside)?;
                let to = self.place(line - 1);
                let is_start =
                    |row: &&Row| row.expected().and_then(Name::of).as_ref() == Some(&name);
                let start = beside.rows.iter().filter(is_start).find_map(Row::line);
                let stayed = match (row, start) {
                    (None, _) => line > defined && line <= function::end(self.lines, defined) + 1,
                    // Two functions that have changed places: that one stands farther from the
                    // other proves nothing, as a third may have come in between.
                    (Some(_), Some(start)) => {
                        function::section(hunk)?.defined_in(self.lines)? < start
                    }
                    (Some(_), None) if behind => return None,
                    (Some(_), None) => to.function.as_ref() == Some(&name),
                };
                let (found, expected) = beside.score();
                (!stayed).then_some(Reason::FunctionMoved {
                    function: name,
                    to,
                    found,
                    expected,
                    fuzz,
                })
            }
        }
    }

    /// Reasons that lie in the lines themselves.
    fn about_lines(&self, hunk: &Hunk, beside: &Beside, fuzz: Option<Fuzz>) -> Reason {
        let (found, expected) = beside.score();
        if fuzz.is_none() && !is_alike(beside, ALIKE) {
            let own = self.own(hunk).and_then(|own| {
                let line = own.name.defined_in(self.lines)? + 1;
                Some(Place { line, function: Some(own.name) })
            });
            return Reason::LinesGone { found, expected, function: own };
        }
        if let Some(line) = beside.line().filter(|_| beside.is_white_space()) {
            return Reason::WhiteSpace { line };
        }
        let (removed, context) = (beside.differ(Side::Removed), beside.differ(Side::Context));
        let expected = hunk.expects().len();
        if let (0, 0, Some((more, within_change))) = (removed, context, beside.between()) {
            Reason::LinesBetween { more, within_change, fuzz }
        } else if removed > 0 {
            Reason::LinesChanged { removed, context, expected }
        } else {
            Reason::ContextChanged { context, expected, fuzz }
        }
    }
}

fn is_alike(beside: &Beside, percent: usize) -> bool {
    let (found, expected) = beside.score();
    found > 0 && found * 100 >= expected * percent
}

/// Line of the tree (from 1) where the first line that the hunk removes is, or else its middle.
fn first_change(beside: &Beside) -> Option<usize> {
    let removed = |row: &Row| match row {
        Row::Same { side: Side::Removed, line, .. }
        | Row::WhiteSpace { side: Side::Removed, line, .. } => Some(*line),
        _ => None,
    };
    let lines: Vec<usize> = beside.rows.iter().filter_map(Row::line).collect();
    beside.rows.iter().find_map(removed).or_else(|| lines.get(lines.len() / 2).copied())
}

/// The function whose first line the tree has instead of that of `name`, and where.
fn counterpart(beside: &Beside, name: &Name) -> Option<(Name, usize)> {
    let named = |row: &&Row| row.expected().and_then(Name::of).as_ref() == Some(name);
    let at = beside.rows.iter().position(|row| named(&row))?;
    // Of a block of lines that differ, the tree's stand behind the patch's.
    let mut block = beside.rows[at..]
        .iter()
        .take_while(|r| matches!(r, Row::Missing { .. } | Row::Extra { .. }));
    block.find_map(|row| match row {
        Row::Extra { line, found } => Some((Name::of(found)?, *line)),
        _ => None,
    })
}
