// SPDX-License-Identifier: MIT OR Apache-2.0
//! The changes to one file.

use super::hunk::Hunk;
use super::name::quote;

/// The changes to one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// Its old path; `None` for a file that is made.
    pub old: Option<String>,
    /// Its new path; `None` for a file that is removed.
    pub new: Option<String>,
    /// The lines of git's extended header: modes, renames, `index`.
    pub extended: Vec<String>,
    /// The hunks.
    pub hunks: Vec<Hunk>,
    /// The lines of a `GIT binary patch`.
    pub binary: Vec<Vec<u8>>,
    /// Whether a `diff --git` line started it.
    pub git: bool,
    /// Line of its header, from 1.
    pub at: usize,
}

impl FileDiff {
    /// Its name: the new one, or the old one of a file that is removed.
    pub fn name(&self) -> &str {
        self.new.as_deref().or(self.old.as_deref()).unwrap_or_default()
    }

    /// The abbreviated object names of the `index` line: of the old file and of the new one.
    pub fn blobs(&self) -> Option<(&str, &str)> {
        let line = self.extended.iter().find_map(|l| l.strip_prefix("index "))?;
        line.split(' ').next()?.split_once("..")
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let with = |prefix: &str, path: &str| {
            let path = format!("{prefix}/{path}");
            quote(&path).into_owned()
        };
        let either = |one: &Option<String>, other: &Option<String>| {
            one.as_deref().or(other.as_deref()).unwrap_or_default().to_owned()
        };
        let (old, new) = (either(&self.old, &self.new), either(&self.new, &self.old));
        if self.git {
            let line = format!("diff --git {} {}\n", with("a", &old), with("b", &new));
            out.extend_from_slice(line.as_bytes());
            for line in &self.extended {
                out.extend_from_slice(line.as_bytes());
                out.push(b'\n');
            }
        }
        if !self.hunks.is_empty() {
            // A tab ends a name that has a space, see git's diff.c, "needs_trailing_tab".
            let side = |prefix: &str, path: &Option<String>| match path {
                Some(path) if path.contains(' ') => format!("{}\t", with(prefix, path)),
                Some(path) => with(prefix, path),
                None => "/dev/null".to_owned(),
            };
            let names = format!("--- {}\n+++ {}\n", side("a", &self.old), side("b", &self.new));
            out.extend_from_slice(names.as_bytes());
        }
        for hunk in &self.hunks {
            hunk.write(out);
        }
        for line in &self.binary {
            out.extend_from_slice(line);
            out.push(b'\n');
        }
    }
}
