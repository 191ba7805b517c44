// SPDX-License-Identifier: MIT OR Apache-2.0
//! `GIT binary patch` blocks. They are kept as they are; only their ends are looked for.

use super::error::{DiffError, Reason};
use super::reader::Text;

/// Reads the block whose first line (`GIT binary patch`) is line `at`, from 0: one or two literals
/// or deltas, each ended by a blank line. Returns its lines and the index behind them.
pub(super) fn read(text: &Text<'_>, at: usize) -> Result<(Vec<Vec<u8>>, usize), DiffError> {
    let mut next = at + 1;
    let mut blocks = 0;
    while text
        .lines
        .get(next)
        .is_some_and(|l| l.starts_with(b"literal ") || l.starts_with(b"delta "))
    {
        next += 1;
        loop {
            let line = text.lines.get(next).ok_or_else(|| Reason::Binary.at(next + 1))?;
            next += 1;
            if line.is_empty() {
                break;
            }
            if !is_data(line) {
                return Err(Reason::Binary.at(next));
            }
        }
        blocks += 1;
    }
    // Without the blank line of the last block's end, more may have been there.
    if blocks == 0 || next > text.lines.len() {
        return Err(Reason::Binary.at(next));
    }
    Ok((text.lines[at..next].iter().map(|l| l.to_vec()).collect(), next))
}

/// A line of data: its first letter gives its length in bytes (A-Z 1 to 26, a-z 27 to 52), and five
/// characters of base 85 stand for four bytes (git's base85.c).
fn is_data(line: &[u8]) -> bool {
    let Some((&first, data)) = line.split_first() else { return false };
    let bytes = match first {
        b'A'..=b'Z' => usize::from(first - b'A') + 1,
        b'a'..=b'z' => usize::from(first - b'a') + 27,
        _ => return false,
    };
    data.len() == bytes.div_ceil(4) * 5 && data.iter().all(u8::is_ascii_graphic)
}
