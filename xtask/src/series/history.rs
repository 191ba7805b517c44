// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the history of a user's tree has a patch. The tree is only read.

use std::collections::HashMap;
use std::path::Path;

use super::Patch;
use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::store::Store;
use crate::tree::{Source, git};

/// Commits of a file's history that are compared, newest first.
const COMMITS: &str = "--max-count=500";

/// The history behind a kernel that came from a user's repository.
pub(super) struct History<'a> {
    host: &'a Host,
    store: &'a Store,
    repository: &'a Path,
    commit: &'a str,
}

impl<'a> History<'a> {
    /// The history of a source, if there is one.
    pub fn of(host: &'a Host, store: &'a Store, source: &'a Source) -> Option<Self> {
        let repository = source.repository.as_deref()?;
        Some(Self { host, store, repository, commit: &source.commit })
    }

    /// The commit that has the same stable patch id (git-patch-id(1)) as a patch.
    pub fn find(&self, patch: &Patch) -> Result<Option<String>, Diagnosis> {
        let wanted = self.ids(patch.diff.write())?;
        let Some((wanted, _)) = wanted.into_iter().next() else { return Ok(None) };
        let mut log = git::plain(self.host, self.store)?
            .arg("-C")
            .arg(self.repository)
            .args(["--literal-pathspecs", "log", "--patch", "--full-diff", "--no-merges"])
            .args(["--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", COMMITS]);
        // Nobody applies a patch before it is written; clocks may differ by a day.
        if let Ok(written) = mailparse::dateparse(&patch.date) {
            log = log.arg(format!("--since={}", written - 24 * 60 * 60));
        }
        let log = log.args([self.commit, "--"]).args(patch.diff.paths()).output()?;
        if !log.success() {
            return Ok(None);
        }
        Ok(self.ids(log.stdout)?.remove(&wanted))
    }

    /// What is known of the base that patches were made on, in words.
    pub fn of_base(&self, base: &str, prerequisites: &[String]) -> Result<Vec<String>, Diagnosis> {
        let git = || {
            let git = git::plain(self.host, self.store)?;
            Ok::<_, Diagnosis>(git.arg("-C").arg(self.repository))
        };
        let is_there = git()?.args(["merge-base", "--is-ancestor", base, self.commit]).output()?;
        match is_there.code {
            0 => {}
            1 => return Ok(vec![format!("made on commit {base}, which is not in its history")]),
            _ => {
                return Ok(vec![format!(
                    "made on commit {base}, which its repository does not have"
                )]);
            }
        }
        let range = format!("{base}..{}", self.commit);
        let since = git()?.args(["rev-list", "--count", &range]).run()?.text();
        let mut notes = vec![match since.trim() {
            "0" => format!("made on exactly this commit, {base}"),
            n => format!("made on commit {base}, {n} commits back"),
        }];
        if prerequisites.is_empty() {
            return Ok(notes);
        }
        let log = git()?
            .args(["log", "--patch", "--no-merges", "--no-color", "--no-ext-diff", "--no-textconv"])
            .args(["--no-renames", &range])
            .run()?;
        let there = self.ids(log.stdout)?;
        for id in prerequisites {
            notes.push(match there.get(id) {
                Some(commit) => format!("its prerequisite {id} is there: commit {commit}"),
                None => format!("its prerequisite {id} is missing"),
            });
        }
        Ok(notes)
    }

    /// Patch ids of a text with commits or a bare diff, with the commit of each.
    fn ids(&self, text: Vec<u8>) -> Result<HashMap<String, String>, Diagnosis> {
        let output =
            git::plain(self.host, self.store)?.args(["patch-id", "--stable"]).input(text).run()?;
        let text = output.text();
        let pairs = text.lines().filter_map(|line| line.split_once(' '));
        Ok(pairs.map(|(id, commit)| (id.to_owned(), commit.to_owned())).collect())
    }
}
