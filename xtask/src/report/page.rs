// SPDX-License-Identifier: MIT OR Apache-2.0
//! A document with a limit: what does not fit is left out in whole blocks, and that is said. Pure.

use std::fmt::Write as _;

/// What GitHub takes as the summary of a step, less what the last words of a page need. It drops a
/// summary that is larger without a trace in the page.
pub const LIMIT: usize = 1024 * 1024 - 2048;

/// A document that grows to a limit.
#[derive(Debug)]
pub struct Page {
    limit: usize,
    text: String,
    cut: Vec<(&'static str, usize)>,
}

impl Page {
    /// An empty page.
    pub fn new(limit: usize) -> Self {
        Self { limit, text: String::new(), cut: Vec::new() }
    }

    /// Adds a block if all of it fits, and tells whether it did. `what` is what it is called in the
    /// plural if it does not.
    pub fn add(&mut self, what: &'static str, block: &str) -> bool {
        if self.text.len() + block.len() <= self.limit {
            self.text.push_str(block);
            return true;
        }
        match self.cut.iter_mut().find(|(name, _)| *name == what) {
            Some((_, n)) => *n += 1,
            None => self.cut.push((what, 1)),
        }
        false
    }

    /// Ends what a block began; this is short, and never cut, as the last words would be within it.
    pub fn close(&mut self, tag: &str) {
        self.text.push_str(tag);
    }

    /// The document; its last words name what was cut.
    pub fn finish(mut self) -> String {
        if !self.cut.is_empty() {
            let all: Vec<_> = self.cut.iter().map(|(what, n)| format!("{what}: {n}")).collect();
            let _ = write!(
                self.text,
                "\n\n**Cut, as the page would be larger than {} bytes:** {}. `cargo xtask report` \
                 with `--format json` has it all.\n",
                self.limit,
                all.join(", ")
            );
        }
        self.text
    }
}
