// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of a console log that findings are about, with the lines around them.

use std::io::{BufRead, Read as _};

use crate::verdict::FindingResult;

/// Lines before a finding.
const BEFORE: u64 = 6;

/// Lines after it.
const AFTER: u64 = 6;

/// Lines of a part, at most: a lockdep report has more than a person reads in a page.
const MOST: u64 = 90;

/// Bytes of a line that are kept.
const LONGEST: u64 = 2000;

/// What there is to read of a cell's console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Log {
    /// A part for each finding, in their order; empty where the log is too short.
    Parts(Vec<Part>),
    /// There is no log, and why.
    Missing(String),
}

/// Some lines of a log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// The number of the first line, 1-based.
    pub first: u64,
    /// The lines.
    pub lines: Vec<String>,
}

/// Cuts the parts out of a log, which is read once and not kept.
pub fn cut(log: &mut impl BufRead, findings: &[FindingResult]) -> std::io::Result<Vec<Part>> {
    let windows: Vec<(u64, u64)> = findings
        .iter()
        .map(|finding| {
            let report = u64::try_from(finding.excerpt.lines().count()).unwrap_or(MOST);
            let first = finding.first_line.saturating_sub(BEFORE).max(1);
            let last = finding.first_line.saturating_add(report.saturating_add(AFTER));
            (first, last.min(first.saturating_add(MOST - 1)))
        })
        .collect();
    let mut parts: Vec<Part> =
        windows.iter().map(|(first, _)| Part { first: *first, lines: Vec::new() }).collect();
    let end = windows.iter().map(|(_, last)| *last).max().unwrap_or(0);
    for number in 1..=end {
        let mut bytes = Vec::new();
        log.by_ref().take(LONGEST).read_until(b'\n', &mut bytes)?;
        if bytes.is_empty() {
            break;
        }
        let whole = bytes.ends_with(b"\n");
        let mut line = String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned();
        if !whole && skip_line(log)? > 0 {
            line.push('…');
        }
        for (part, (first, last)) in parts.iter_mut().zip(&windows) {
            if (*first..=*last).contains(&number) {
                part.lines.push(line.clone());
            }
        }
    }
    Ok(parts)
}

/// Reads to the end of a line, keeping nothing.
fn skip_line(log: &mut impl BufRead) -> std::io::Result<usize> {
    let mut skipped = 0;
    loop {
        let buffer = log.fill_buf()?;
        let (length, end) = match buffer.iter().position(|b| *b == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        log.consume(length);
        skipped += length;
        if end {
            return Ok(skipped);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::console::FindingKind;

    fn finding(first_line: u64, lines: usize) -> FindingResult {
        FindingResult {
            kind: FindingKind::Warn,
            title: "t".into(),
            signature: "s".into(),
            first_line,
            excerpt: "x\n".repeat(lines),
            frames: Vec::new(),
        }
    }

    #[test]
    fn parts_have_lines_around_and_their_numbers() {
        let lines: Vec<_> = (1..=300).map(|n| format!("line {n}\r\n")).collect();
        let text = lines.concat();
        let cases = [
            (1, 1, 1, 8, "line 1"),
            (20, 3, 14, 16, "line 14"),
            (299, 3, 293, 8, "line 293"),
            (100, 1000, 94, 90, "line 94"),
            (999, 3, 993, 0, ""),
        ];
        for (at, report, first, count, line) in cases {
            let parts = cut(&mut text.as_bytes(), &[finding(at, report)]).unwrap();
            let got = (parts[0].first, parts[0].lines.len());
            assert_eq!(got, (first, count), "{at}");
            assert_eq!(parts[0].lines.first().map_or("", String::as_str), line);
        }
        // Windows of several findings may overlap, and come in any order.
        let parts = cut(&mut text.as_bytes(), &[finding(50, 1), finding(48, 1)]).unwrap();
        assert_eq!((parts[0].first, parts[1].first), (44, 42));
        assert_eq!(parts[1].lines.last().unwrap(), "line 55");
    }

    #[test]
    fn long_lines_are_cut_and_counted_once() {
        let text = format!("{}\nsecond\n\u{fffd}", "x".repeat(5000));
        let parts = cut(&mut text.as_bytes(), &[finding(2, 1)]).unwrap();
        let lengths: Vec<_> = parts[0].lines.iter().map(|l| l.chars().count()).collect();
        assert_eq!(lengths, [2001, 6, 1]);
    }
}
