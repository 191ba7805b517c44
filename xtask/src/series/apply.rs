// SPDX-License-Identifier: MIT OR Apache-2.0
//! Applying a series, patch by patch, into commits in the object store. No work tree is touched.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::{Patch, Variant, conflict};
use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::store::{Key, Store};
use crate::tree::{Source, git};

static OFFSET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"Hunk #(?P<hunk>\d+) succeeded at \d+ \(offset (?P<offset>-?\d+) lines?\)").ok()
});

/// A kernel with the first patches of a series applied.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The commit.
    pub commit: String,
    /// Its git tree: the same tree builds the same kernel, whatever the way to it.
    pub tree: String,
    /// Patches that are applied, in order.
    pub patches: Vec<AppliedPatch>,
    /// File names of patches that `--upto` left out.
    pub left_out: Vec<String>,
    /// Whether everything was there already.
    pub cached: bool,
}

/// A patch that is applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedPatch {
    /// Its place in the series, from 1.
    pub number: usize,
    /// Its file name.
    pub file: String,
    /// Its subject.
    pub subject: String,
    /// Files that it touches.
    pub files: Vec<String>,
    /// Hunks that applied at another line than they say, in words.
    pub offsets: Vec<String>,
}

/// The key of each level: the base's tree and the bytes of all patches up to it.
fn level_keys(source: &Source, patches: &[Patch]) -> Vec<Key> {
    let mut key = Key::of("apply").with("tree", &source.tree);
    patches
        .iter()
        .map(|patch| {
            key = key.clone().with("patch", &patch.bytes);
            key.clone().finish()
        })
        .collect()
}

fn level_ref(key: &Key) -> String {
    format!("refs/xtask/applied/{key}")
}

/// How many patches of the variant are to be applied.
fn level(variant: &Variant, upto: Option<usize>) -> Result<usize, Diagnosis> {
    let all = variant.patches.len();
    let wanted = upto.unwrap_or(all);
    if wanted > all {
        return Err(Diagnosis::usage(format!("--upto {wanted}: the series has {all} patches"))
            .next(format!("give a number from 0 (none) to {all}")));
    }
    Ok(wanted)
}

/// The git tree that applying would give, if it was done before. Asks nothing but the store.
pub fn cached(
    host: &Host,
    store: &Store,
    source: &Source,
    variant: Option<&Variant>,
    upto: Option<usize>,
) -> Result<Option<String>, Diagnosis> {
    let Some(variant) = variant else { return Ok(Some(source.tree.clone())) };
    match level(variant, upto)?.checked_sub(1) {
        None => Ok(Some(source.tree.clone())),
        Some(last) => {
            let keys = level_keys(source, &variant.patches);
            git::resolve(host, store, &format!("{}^{{tree}}", level_ref(&keys[last])))
        }
    }
}

/// Applies the first `upto` patches of a variant (all of them without it), with exact context.
///
/// # Errors
/// A patch that does not apply is the series' fault: the first such patch, which hunk of which
/// file, and what the tree has there.
pub fn apply(
    host: &Host,
    store: &Store,
    source: &Source,
    variant: Option<&Variant>,
    upto: Option<usize>,
) -> Result<Applied, Diagnosis> {
    let Some(variant) = variant else {
        return Ok(Applied {
            commit: source.commit.clone(),
            tree: source.tree.clone(),
            patches: Vec::new(),
            left_out: Vec::new(),
            cached: true,
        });
    };
    let level = level(variant, upto)?;
    let keys = level_keys(source, &variant.patches);
    let mut commit = source.commit.clone();
    let mut done = 0;
    for n in (1..=level).rev() {
        if let Some(found) = git::resolve(host, store, &level_ref(&keys[n - 1]))? {
            commit = found;
            done = n;
            break;
        }
    }
    let cached = done == level;
    for (n, patch) in variant.patches.iter().enumerate().take(level).skip(done) {
        commit = apply_one(host, store, &commit, patch, n + 1, variant.patches.len())?;
        git::bare(host, store)?.args(["update-ref", &level_ref(&keys[n]), &commit]).run()?;
    }
    let tree = git::resolve(host, store, &format!("{commit}^{{tree}}"))?.ok_or_else(|| {
        Diagnosis::infra(format!("commit {commit} is gone from the object store"))
    })?;
    let patches = variant.patches[..level]
        .iter()
        .enumerate()
        .map(|(n, patch)| AppliedPatch {
            number: n + 1,
            file: patch.file_name(),
            subject: patch.subject.clone(),
            files: patch.files(),
            offsets: offsets_of(host, store, &keys[n]),
        })
        .collect();
    let left_out = variant.patches[level..].iter().map(Patch::file_name).collect();
    Ok(Applied { commit, tree, patches, left_out, cached })
}

/// Offsets are kept in the commit's message, below the patch's own.
const OFFSETS: &str = "\n\nxtask-offset: ";

fn offsets_of(host: &Host, store: &Store, key: &Key) -> Vec<String> {
    git::bare(host, store)
        .and_then(|git| git.args(["log", "-1", "--format=%B", &level_ref(key)]).output())
        .map(|output| {
            let text = output.text();
            let lines = text.lines().filter_map(|l| l.strip_prefix(OFFSETS.trim_start()));
            lines.map(str::to_owned).collect()
        })
        .unwrap_or_default()
}

fn apply_one(
    host: &Host,
    store: &Store,
    base: &str,
    patch: &Patch,
    number: usize,
    of: usize,
) -> Result<String, Diagnosis> {
    let scratch = tempfile::Builder::new()
        .prefix("apply-")
        .tempdir_in(store.dir("trees")?)
        .map_err(|e| Diagnosis::infra(format!("cannot create a scratch directory: {e}")))?;
    let index = scratch.path().join("index");
    let git = || git::on_tree(host, store, scratch.path(), &index);
    git()?.args(["read-tree", base]).run()?;
    // Read from a copy of our own: what was parsed is what is applied.
    let output = git()?
        .args(["apply", "--cached", "--verbose", "--whitespace=nowarn", "-"])
        .input(patch.bytes.clone())
        .output()?;
    let words = output.error_text();
    if !output.success() {
        return Err(conflict::explain(host, store, base, patch, (number, of), &words));
    }
    let tree = git()?.arg("write-tree").run()?.text().trim().to_owned();
    let mut message = format!("{}\n\n{}", patch.subject, patch.message.trim());
    for offset in offsets(&words, Path::new(&patch.file_name())) {
        message.push_str(OFFSETS);
        message.push_str(&offset);
    }
    let author = (patch.author.as_str(), patch.address.as_str(), patch.date.as_str());
    let commit = git::as_fixed_person(git::bare(host, store)?, Some(author))
        .args(["commit-tree", &tree, "-p", base])
        .input(message)
        .run()?;
    Ok(commit.text().trim().to_owned())
}

fn offsets(words: &str, file: &Path) -> Vec<String> {
    let Some(regex) = OFFSET.as_ref() else { return Vec::new() };
    regex
        .captures_iter(words)
        .map(|c| {
            format!("{}: hunk {} applied {} lines off", file.display(), &c["hunk"], &c["offset"])
        })
        .collect()
}
