// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patches onto a tree in the object store, with `git apply` on an index that has only the files
//! which the series touches: a kernel has 80,000 others, and reading and writing all of them for
//! each patch would take longer than everything else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::LazyLock;

use regex::Regex;

use super::history::History;
use super::{Known, Moved, Outcome, Patch, Policy};
use crate::diagnosis::{Diagnosis, on_path};
use crate::diff::FileDiff;
use crate::host::{Host, Invocation, Output};
use crate::store::Store;
use crate::tree::git;

/// Context that a hunk of git has at each end; fuzz takes from it.
const CONTEXT: u8 = 3;

/// Mode and object of a file.
type Entry = (String, String);

/// What a patch changed: files with their new mode and object, or without for those that are gone.
pub(super) type Changes = BTreeMap<String, Option<Entry>>;

/// A patch that went on.
pub(super) struct Step {
    /// How.
    pub outcome: Outcome,
    /// What it changed.
    pub changes: Changes,
    /// Files that were exactly what the patch was made for, and are now something else than what
    /// its author had: the patch was cut or edited.
    pub altered: Vec<String>,
}

impl Step {
    fn of(outcome: Outcome, changes: Changes) -> Self {
        Self { outcome, changes, altered: Vec::new() }
    }

    fn none(known: Known) -> Self {
        Self::of(Outcome::AlreadyApplied { known }, Changes::new())
    }
}

/// The files whose old object is the one that the patch names, and whose new one is not.
fn altered(patch: &Patch, before: &BTreeMap<String, Entry>, changes: &Changes) -> Vec<String> {
    // Shorter names would be equal by chance.
    const SHORTEST: usize = 7;
    let is = |object: &str, name: &str| name.len() >= SHORTEST && object.starts_with(name);
    let differs = |file: &&FileDiff| {
        let (Some((old, new)), Some(path)) = (file.blobs(), file.new.as_ref()) else {
            return false;
        };
        let was = file.old.as_ref().and_then(|old| before.get(old));
        let now = changes.get(path).and_then(Option::as_ref);
        was.is_some_and(|(_, object)| is(object, old))
            && now.is_some_and(|(_, object)| new.len() >= SHORTEST && !object.starts_with(new))
    };
    patch.diff.files.iter().filter(differs).map(|f| f.name().to_owned()).collect()
}

/// A patch that git refused, in git's words.
#[derive(Debug, Clone)]
pub(super) struct Refused(pub String);

/// A tree that patches are applied to.
pub(super) struct Applier<'h> {
    host: &'h Host,
    store: &'h Store,
    scratch: tempfile::TempDir,
    files: BTreeMap<String, Entry>,
}

impl<'h> Applier<'h> {
    /// Starts at a commit. Only files that one of the patches touches are looked at.
    pub fn new(
        host: &'h Host,
        store: &'h Store,
        commit: &str,
        patches: &[&Patch],
    ) -> Result<Self, Diagnosis> {
        let scratch = tempfile::Builder::new()
            .prefix("apply-")
            .tempdir_in(store.dir("trees")?)
            .map_err(|e| Diagnosis::infra(format!("cannot create a scratch directory: {e}")))?;
        let mut wanted: BTreeSet<&str> = BTreeSet::new();
        for path in patches.iter().flat_map(|p| p.diff.paths()) {
            // A file where a directory must be has to be seen, too.
            wanted.extend(ancestors(path));
            wanted.insert(path);
        }
        let made = patches.iter().flat_map(|p| &p.diff.files).filter(|f| f.old.is_none());
        let made: BTreeSet<&str> = made.map(FileDiff::name).collect();
        let all = git::bare(host, store)?.args(["ls-tree", "-r", "-z", commit]).run()?.text();
        let files = all.split('\0').filter_map(|line| {
            let (about, path) = line.split_once('\t')?;
            // And a directory where a file is to be made.
            let inside = || !made.is_empty() && ancestors(path).any(|up| made.contains(up));
            (wanted.contains(path) || inside()).then_some(())?;
            let mut words = about.split(' ');
            let (mode, _, object) = (words.next()?, words.next()?, words.next()?);
            Some((path.to_owned(), (mode.to_owned(), object.to_owned())))
        });
        let files: BTreeMap<String, Entry> = files.collect();
        let applier = Self { host, store, scratch, files };
        applier.write_index()?;
        Ok(applier)
    }

    fn index(&self) -> PathBuf {
        self.scratch.path().join("index")
    }

    fn git(&self) -> Result<Invocation<'h>, Diagnosis> {
        git::on_tree(self.host, self.store, self.scratch.path(), &self.index())
    }

    /// Makes the index say what `files` says.
    fn write_index(&self) -> Result<(), Diagnosis> {
        let index = self.index();
        match std::fs::remove_file(&index) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(on_path("remove", &index, &e));
            }
            _ => {}
        }
        let entry =
            |(path, (mode, object)): (&String, &Entry)| format!("{mode} {object}\t{path}\0");
        let input: String = self.files.iter().map(entry).collect();
        self.git()?.args(["update-index", "-z", "--index-info"]).input(input).run()?;
        Ok(())
    }

    fn apply(&self, patch: &[u8], extra: &[&str]) -> Result<Output, Diagnosis> {
        let output = self
            .git()?
            .args(["apply", "--cached", "--verbose", "--whitespace=nowarn"])
            .args(extra)
            .arg("-")
            .input(patch.to_vec())
            .output()?;
        self.host.check_cancelled()?;
        Ok(output)
    }

    /// Applies a patch. What it says of a refusal is what git says under the strict policy.
    pub fn patch(
        &mut self,
        patch: &Patch,
        policy: Policy,
        history: Option<&History<'_>>,
    ) -> Result<Result<Step, Refused>, Diagnosis> {
        let bytes = patch.diff.write();
        let before = self.files.clone();
        let strict = self.apply(&bytes, &[])?;
        if strict.success() {
            let moved = moved(&strict.error_text());
            if moved.is_empty() {
                let changes = self.take(patch)?;
                let altered = altered(patch, &before, &changes);
                return Ok(Ok(Step { outcome: Outcome::Clean, changes, altered }));
            }
            let changes = self.take(patch)?;
            // A change that is there already may seem to fit once more somewhere else.
            let after = std::mem::replace(&mut self.files, before);
            self.write_index()?;
            if self.reverse_applies(&bytes)?.is_some_and(|moved| moved.is_empty()) {
                return Ok(Ok(Step::none(Known::Reverse)));
            }
            self.files = after;
            self.write_index()?;
            return Ok(Ok(Step::of(Outcome::Offset { moved }, changes)));
        }
        if self.reverse_applies(&bytes)?.is_some() {
            return Ok(Ok(Step::none(Known::Reverse)));
        }
        if let Some(commit) = history.map(|h| h.find(patch)).transpose()?.flatten() {
            return Ok(Ok(Step::none(Known::PatchId(commit))));
        }
        for lines in 1..=policy.fuzz.min(CONTEXT - 1) {
            let output = self.apply(&bytes, &[&format!("-C{}", CONTEXT - lines)])?;
            if output.success() {
                let moved = moved(&output.error_text());
                return Ok(Ok(Step::of(Outcome::Fuzz { lines, moved }, self.take(patch)?)));
            }
        }
        if policy.three_way {
            let output = self.apply(&bytes, &["--3way"])?;
            if output.success() {
                return Ok(Ok(Step::of(Outcome::ThreeWay, self.take(patch)?)));
            }
            // It leaves the stages of a conflict behind.
            self.write_index()?;
        }
        Ok(Err(Refused(strict.error_text())))
    }

    /// Whether a patch's reverse applies now; if so, the hunks of it that are at other lines.
    fn reverse_applies(&self, patch: &[u8]) -> Result<Option<Vec<Moved>>, Diagnosis> {
        let output = self.apply(patch, &["--check", "--reverse"])?;
        Ok(output.success().then(|| moved(&output.error_text())))
    }

    /// Reads from the index what a patch changed.
    fn take(&mut self, patch: &Patch) -> Result<Changes, Diagnosis> {
        let paths = patch.diff.paths();
        let listed = self
            .git()?
            .args(["--literal-pathspecs", "ls-files", "--stage", "-z", "--"])
            .args(&paths)
            .run()?
            .text();
        let mut now: BTreeMap<&str, Entry> = BTreeMap::new();
        for line in listed.split('\0') {
            let Some((about, path)) = line.split_once('\t') else { continue };
            let mut words = about.split(' ');
            if let (Some(mode), Some(object)) = (words.next(), words.next()) {
                now.insert(path, (mode.to_owned(), object.to_owned()));
            }
        }
        let mut changes = Changes::new();
        for path in paths {
            let (old, new) = (self.files.get(path).cloned(), now.get(path).cloned());
            if old == new {
                continue;
            }
            match &new {
                Some(entry) => drop(self.files.insert(path.to_owned(), entry.clone())),
                None => drop(self.files.remove(path)),
            }
            changes.insert(path.to_owned(), new);
        }
        Ok(changes)
    }
}

/// The directories that a path lies in, innermost first.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.rmatch_indices('/').map(move |(at, _)| &path[..at])
}

static CHECKING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^Checking patch (?P<file>.*?)(?: => .*)?\.\.\.$").ok());
static OFFSET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^Hunk #(?P<hunk>\d+) succeeded at \d+ \(offset (?P<lines>-?\d+) lines?\)").ok()
});

static REDUCED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^Context reduced to \((?P<leading>\d+)/\d+\) to apply").ok());

/// The hunks that git found at other lines.
fn moved(words: &str) -> Vec<Moved> {
    let (Some(checking), Some(offset), Some(reduced)) =
        (CHECKING.as_ref(), OFFSET.as_ref(), REDUCED.as_ref())
    else {
        return Vec::new();
    };
    let mut file = String::new();
    let mut all: Vec<Moved> = Vec::new();
    let mut is_last_line = false;
    for line in words.lines() {
        if let Some(found) = checking.captures(line) {
            found["file"].clone_into(&mut file);
        } else if let Some(found) = offset.captures(line) {
            let (hunk, lines) = (found["hunk"].parse(), found["lines"].parse());
            if let (Ok(hunk), Ok(lines)) = (hunk, lines) {
                all.push(Moved { file: file.clone(), hunk, lines });
                is_last_line = true;
                continue;
            }
        } else if let Some(found) = reduced.captures(line)
            && let (Ok(leading), true, Some(last)) =
                (found["leading"].parse::<i64>(), is_last_line, all.last_mut())
        {
            // For each line of context that it leaves out at the front, git counts two too many: it
            // moves the place that it expects up instead of down (apply.c, apply_one_fragment()).
            last.lines -= 2 * (i64::from(CONTEXT) - leading).max(0);
        }
        is_last_line = false;
    }
    all.retain(|m| m.lines != 0);
    all
}
