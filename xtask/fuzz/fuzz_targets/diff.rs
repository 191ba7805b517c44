// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any bytes as a diff: what is read, is written and read again as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use xtask::diff::{self, Diff, Text};

fn bare(mut diff: Diff) -> Diff {
    diff.end = 0;
    diff.mended.clear();
    for file in &mut diff.files {
        file.at = 0;
        file.hunks.iter_mut().for_each(|h| h.at = 0);
    }
    diff
}

fuzz_target!(|bytes: &[u8]| {
    let text = Text::new(bytes);
    let Some(first) = diff::first_line(&text) else { return };
    let Ok(read) = diff::read(&text, first) else { return };
    assert!(read.files.iter().all(|f| !f.name().is_empty()));
    let written = read.write();
    let again = diff::read(&Text::new(&written), 0).expect("what was written can be read");
    assert_eq!(bare(again).write(), written);
    let _ = diff::tabs_lost(&read);
    let mut stuffed = read.clone();
    stuffed.take_added_spaces();
});
