// SPDX-License-Identifier: MIT OR Apache-2.0
//! One hunk.

use super::error::{DiffError, Reason};
use super::reader::Text;

/// Which side of a change a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Both.
    Context,
    /// The old file.
    Removed,
    /// The new file.
    Added,
}

impl Side {
    fn mark(self) -> u8 {
        match self {
            Self::Context => b' ',
            Self::Removed => b'-',
            Self::Added => b'+',
        }
    }
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its side.
    pub side: Side,
    /// Its bytes, without mark and newline.
    pub text: Vec<u8>,
    /// Whether the file has a newline after it.
    pub newline: bool,
}

/// A hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The `@@ … @@` line.
    pub header: String,
    /// Line of the header in the text it was read from, from 1.
    pub at: usize,
    /// First line in the old file, from 1; 0 where it expects nothing.
    pub start: usize,
    /// First line in the new file, from 1; 0 where it leaves nothing.
    pub new_start: usize,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// `start[,count]`.
fn range(text: &str) -> Option<(usize, usize)> {
    // No file has more lines; a larger number would only overflow sums.
    const MOST: usize = 1 << 30;
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let number = |t: &str| {
        let digits = !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| t.parse().ok()).flatten().filter(|n: &usize| *n <= MOST)
    };
    Some((number(start)?, number(count)?))
}

/// Whether a line is a hunk's header.
pub(super) fn is_header(line: &[u8]) -> bool {
    line.starts_with(b"@@ -")
}

impl Hunk {
    /// The lines that it expects to find, as text.
    pub fn expects(&self) -> Vec<String> {
        let old = self.lines.iter().filter(|l| l.side != Side::Added);
        old.map(|l| String::from_utf8_lossy(&l.text).into_owned()).collect()
    }

    /// What git writes behind the second `@@`: the function it lies in.
    pub fn section(&self) -> &str {
        self.header.splitn(3, "@@").nth(2).unwrap_or_default().trim()
    }

    /// Reads the hunk whose header is line `at` (from 0). Returns the index of the line behind it.
    pub(super) fn read(
        text: &Text<'_>,
        at: usize,
        mended: &mut Vec<usize>,
    ) -> Result<(Self, usize), DiffError> {
        let raw = text.lines[at];
        let header = String::from_utf8_lossy(raw).into_owned();
        let bad = || Reason::HunkHeader(header.clone()).at(at + 1);
        let ranges = header.strip_prefix("@@ -").and_then(|r| r.split_once(" @@"));
        let (old, new) = ranges.and_then(|(r, _)| r.split_once(" +")).ok_or_else(bad)?;
        let ((start, mut old_left), (new_start, mut new_left)) =
            range(old).zip(range(new)).ok_or_else(bad)?;
        let mut lines: Vec<Line> = Vec::new();
        let mut next = at + 1;
        while old_left > 0 || new_left > 0 {
            let missing = Reason::Cut { hunk: at + 1, old: old_left, new: new_left };
            let Some(line) = text.lines.get(next) else { return Err(missing.at(next + 1)) };
            let (side, content) = match line.split_first() {
                None => {
                    // Mailers strip the space of a blank context line.
                    mended.push(next + 1);
                    (Side::Context, &line[..])
                }
                Some((b' ', rest)) => (Side::Context, rest),
                Some((b'+', rest)) => (Side::Added, rest),
                Some((b'-', rest)) => (Side::Removed, rest),
                Some((b'\\', _)) => {
                    without_newline(&mut lines);
                    next += 1;
                    continue;
                }
                Some(_) if is_header(line) || line.starts_with(b"diff --git ") => {
                    return Err(missing.at(next + 1));
                }
                Some(_) if matches!(text.lines[next - 1], b"-- " | b"--") => {
                    // The signature was taken for a removed line.
                    let (hunk, old) = (at + 1, old_left + 1);
                    return Err(Reason::Cut { hunk, old, new: new_left }.at(next));
                }
                Some(_) => {
                    let text = String::from_utf8_lossy(line).into_owned();
                    return Err(Reason::Wrapped { hunk: at + 1, text }.at(next + 1));
                }
            };
            let (old, new) = match side {
                Side::Context => (1, 1),
                Side::Removed => (1, 0),
                Side::Added => (0, 1),
            };
            if old > old_left || new > new_left {
                // A signature within the counted lines is where the rest was lost.
                let signature = *line == b"-- " || *line == b"--";
                let reason = if signature { missing } else { Reason::Longer { hunk: at + 1 } };
                return Err(reason.at(next + 1));
            }
            if next + 1 == text.lines.len() && !text.complete {
                return Err(Reason::CutLine.at(next + 1));
            }
            old_left -= old;
            new_left -= new;
            lines.push(Line { side, text: content.to_vec(), newline: true });
            next += 1;
        }
        if text.lines.get(next).is_some_and(|l| l.starts_with(b"\\ ")) {
            without_newline(&mut lines);
            next += 1;
        }
        Ok((Self { header, at: at + 1, start, new_start, lines }, next))
    }

    /// Writes it with its header as it was.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.header.as_bytes());
        out.push(b'\n');
        for line in &self.lines {
            out.push(line.side.mark());
            out.extend_from_slice(&line.text);
            out.push(b'\n');
            if !line.newline {
                out.extend_from_slice(b"\\ No newline at end of file\n");
            }
        }
    }
}

fn without_newline(lines: &mut [Line]) {
    if let Some(last) = lines.last_mut() {
        last.newline = false;
    }
}
