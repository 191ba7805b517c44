// SPDX-License-Identifier: MIT OR Apache-2.0
//! What mailers do to diffs: tabs that become spaces, context lines that get a space more.

use super::{Diff, FileDiff, Side};

/// Files that the kernel indents with tabs (Documentation/process/coding-style.rst, section 1).
fn uses_tabs(file: &FileDiff) -> bool {
    let path = std::path::Path::new(file.name());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.extension().is_some_and(|e| ["c", "h", "S", "lds"].iter().any(|x| e == *x))
        || name.starts_with("Makefile")
        || name.starts_with("Kconfig")
        || name == "Kbuild"
}

/// A file whose tabs were all turned into spaces, and the line (from 1) of the text that shows it:
/// no line of its hunks has a tab, and one that must be in the tree already is indented by eight
/// spaces. What a patch adds may be indented as its author likes.
pub fn tabs_lost(diff: &Diff) -> Option<(usize, String)> {
    diff.files.iter().filter(|f| uses_tabs(f)).find_map(|file| {
        let lines =
            || file.hunks.iter().flat_map(|h| h.lines.iter().enumerate().map(move |l| (h, l)));
        if lines().any(|(_, (_, line))| line.text.contains(&b'\t')) {
            return None;
        }
        let (hunk, (n, _)) = lines().find(|(_, (_, line))| {
            line.side != Side::Added && line.text.starts_with(b"        ")
        })?;
        Some((hunk.at + n + 1, file.name().to_owned()))
    })
}

impl Diff {
    /// Takes away a space that a mailer added to every context line: where all of them start with
    /// one, and a changed line does not, it was no part of the file. Returns how many lines.
    pub fn take_added_spaces(&mut self) -> usize {
        let lines = || self.files.iter().flat_map(|f| &f.hunks).flat_map(|h| &h.lines);
        let context = || lines().filter(|l| l.side == Side::Context && !l.text.is_empty());
        let stuffed = context().count() >= 3 && context().all(|l| l.text.starts_with(b" "));
        let changed =
            lines().any(|l| l.side != Side::Context && l.text.first().is_some_and(|b| *b != b' '));
        if !stuffed || !changed {
            return 0;
        }
        let mut taken = 0;
        for hunk in self.files.iter_mut().flat_map(|f| &mut f.hunks) {
            for line in hunk.lines.iter_mut().filter(|l| l.side == Side::Context) {
                if line.text.first() == Some(&b' ') {
                    line.text.remove(0);
                    taken += 1;
                }
            }
        }
        taken
    }
}
