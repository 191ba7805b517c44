// SPDX-License-Identifier: MIT OR Apache-2.0
//! Applying a series, patch by patch, into commits in the object store. No work tree is touched.

use serde::{Deserialize, Serialize};

use super::applier::{Applier, Refused, Step};
use super::commit::commit;
use super::conflict::{self, Conflict};
use super::history::History;
use super::{Known, Outcome, Patch, Policy, Variant};
use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::store::{Key, Store, write_json};
use crate::tree::{Source, git};

/// A kernel with the first patches of a series applied.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The commit.
    pub commit: String,
    /// Its git tree: the same tree builds the same kernel, whatever the way to it.
    pub tree: String,
    /// Patches that are applied, in order; those that the variant stands on come first.
    pub patches: Vec<AppliedPatch>,
    /// File names of patches that `--upto` left out.
    pub left_out: Vec<String>,
    /// Whether everything was there already.
    pub cached: bool,
}

/// A patch that is applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedPatch {
    /// Its place in the series, from 1; 0 for a patch that the series stands on.
    pub number: usize,
    /// Its file name.
    pub file: String,
    /// Its subject.
    pub subject: String,
    /// Files that it touches.
    pub files: Vec<String>,
    /// How it went on.
    pub outcome: Outcome,
    /// Files that were exactly what it was made for, and came out as something else than its author
    /// had: it was cut, or edited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub altered: Vec<String>,
    /// The commit with it.
    pub commit: String,
}

impl AppliedPatch {
    /// Hunks that applied at another line than they say, in words.
    pub fn offsets(&self) -> Vec<String> {
        self.outcome.moved().iter().map(|m| format!("{}: {m}", self.file)).collect()
    }
}

impl AppliedPatch {
    /// What a reader of a verdict must know of it, in words.
    pub fn notes(&self) -> Vec<String> {
        let file = &self.file;
        let mut notes = Vec::new();
        match &self.outcome {
            Outcome::AlreadyApplied { known: Known::Reverse } => {
                notes.push(format!("{file}: the tree has it already (its reverse applies)"));
            }
            Outcome::AlreadyApplied { known: Known::PatchId(commit) } => {
                notes.push(format!("{file}: the tree has it already, as commit {commit}"));
            }
            Outcome::Fuzz { .. } | Outcome::ThreeWay => {
                notes.push(format!("{file}: not clean, applied with {}", self.outcome));
            }
            Outcome::Clean | Outcome::Offset { .. } => {}
        }
        notes.extend(self.altered.iter().map(|altered| {
            format!(
                "{file}: it was made for exactly this {altered}, and gives another one than its author had: it was cut, or edited"
            )
        }));
        notes
    }
}

/// What is kept of a level: `applied/KEY.json`. A ref of the same key keeps its objects alive.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Level {
    commit: String,
    tree: String,
    outcome: Outcome,
    altered: Vec<String>,
}

/// All patches of a variant, those that it stands on first.
fn all_patches(variant: &Variant) -> Vec<&Patch> {
    variant.base.iter().chain(&variant.patches).collect()
}

/// The key of each level: the base's tree and the content of all patches up to it.
fn level_keys(source: &Source, patches: &[&Patch], policy: Policy) -> Vec<Key> {
    let mut key = Key::of("apply").with("tree", &source.tree);
    if policy != Policy::default() {
        key = key.with("policy", policy.name());
    }
    // History tells what a tree has already, and a tree alone does not have it.
    if source.repository.is_some() {
        key = key.with("commit", &source.commit);
    }
    patches
        .iter()
        .map(|patch| {
            key = key
                .clone()
                .with("author", format!("{} <{}>", patch.author, patch.address))
                .with("date", &patch.date)
                .with("message", patch.commit_message())
                .with("diff", patch.diff.write());
            key.clone().finish()
        })
        .collect()
}

fn record(store: &Store, key: &Key) -> Option<Level> {
    let path = store.root().join("applied").join(format!("{key}.json"));
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// How many patches are to be applied, with those that the variant stands on.
fn level(variant: &Variant, upto: Option<usize>) -> Result<usize, Diagnosis> {
    let all = variant.patches.len();
    let wanted = upto.unwrap_or(all);
    if wanted > all {
        return Err(Diagnosis::usage(format!("--upto {wanted}: the series has {all} patches"))
            .next(format!("give a number from 0 (none) to {all}")));
    }
    Ok(variant.base.len() + wanted)
}

/// The levels that are there, from the first on: those that a whole chain of records leads to, and
/// whose objects are there.
fn known(host: &Host, store: &Store, keys: &[Key]) -> Result<Vec<Level>, Diagnosis> {
    let mut levels: Vec<Level> = keys.iter().map_while(|key| record(store, key)).collect();
    while let Some(last) = levels.last() {
        let tree = git::resolve(host, store, &format!("{}^{{tree}}", last.commit))?;
        if tree.as_ref() == Some(&last.tree) {
            break;
        }
        levels.pop();
    }
    Ok(levels)
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
    let level = level(variant, upto)?;
    if level == 0 {
        return Ok(Some(source.tree.clone()));
    }
    let keys = level_keys(source, &all_patches(variant)[..level], Policy::default());
    let levels = known(host, store, &keys)?;
    Ok(levels.get(level - 1).map(|l| l.tree.clone()))
}

/// Applies the first `upto` patches of a variant (all of them without it), strictly: with all of
/// their context.
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
    apply_with(host, store, source, variant, upto, Policy::default())
}

/// Applies under a policy, see [`apply`].
pub fn apply_with(
    host: &Host,
    store: &Store,
    source: &Source,
    variant: Option<&Variant>,
    upto: Option<usize>,
    policy: Policy,
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
    let walked = walk(host, store, source, &all_patches(variant)[..level], policy)?;
    if let Some((refused, commit)) = walked.refused {
        let (number, patch) = place(variant, walked.levels.len());
        let of = variant.patches.len();
        return Err(conflict::explain(host, store, &commit, patch, (number, of), &refused.0));
    }
    let left_out = variant.patches[level - variant.base.len()..].iter().map(Patch::file_name);
    Ok(Applied {
        commit: walked.levels.last().map_or(&source.commit, |l| &l.commit).clone(),
        tree: walked.levels.last().map_or(&source.tree, |l| &l.tree).clone(),
        patches: applied(variant, &walked.levels),
        left_out: left_out.collect(),
        cached: walked.cached,
    })
}

/// The number (0 for one of the base) and the patch at an index of all patches.
fn place(variant: &Variant, at: usize) -> (usize, &Patch) {
    match at.checked_sub(variant.base.len()) {
        Some(own) => (own + 1, &variant.patches[own]),
        None => (0, &variant.base[at]),
    }
}

fn applied(variant: &Variant, levels: &[Level]) -> Vec<AppliedPatch> {
    let one = |(at, level): (usize, &Level)| {
        let (number, patch) = place(variant, at);
        AppliedPatch {
            number,
            file: patch.file_name(),
            subject: patch.subject.clone(),
            files: patch.files(),
            outcome: level.outcome.clone(),
            altered: level.altered.clone(),
            commit: level.commit.clone(),
        }
    };
    levels.iter().enumerate().map(one).collect()
}

/// How far a series goes onto a tree.
#[derive(Debug)]
pub struct Tried {
    /// The patches that went on, in order.
    pub applied: Vec<AppliedPatch>,
    /// The patch that did not: why, and where.
    pub refused: Option<(Diagnosis, Vec<Conflict>)>,
}

/// Applies a variant as far as it goes. A patch that does not apply is a result, not an error.
pub fn try_all(
    host: &Host,
    store: &Store,
    source: &Source,
    variant: &Variant,
    policy: Policy,
) -> Result<Tried, Diagnosis> {
    let walked = walk(host, store, source, &all_patches(variant), policy)?;
    let refused = walked.refused.map(|(refused, commit)| {
        let (number, patch) = place(variant, walked.levels.len());
        let of = variant.patches.len();
        conflict::study(host, store, &commit, patch, (number, of), &refused.0)
    });
    Ok(Tried { applied: applied(variant, &walked.levels), refused })
}

/// Applies patches strictly. `None` if all of them went on; else what git said of the one that did
/// not, and the commit it was tried on.
pub(super) fn walk_all(
    host: &Host,
    store: &Store,
    source: &Source,
    patches: &[&Patch],
) -> Result<Option<(String, String)>, Diagnosis> {
    let walked = walk(host, store, source, patches, Policy::default())?;
    Ok(walked.refused.map(|(Refused(words), commit)| (words, commit)))
}

/// The commit with these patches, all of which apply.
pub(super) fn commit_of(
    host: &Host,
    store: &Store,
    source: &Source,
    patches: &[&Patch],
) -> Result<String, Diagnosis> {
    let walked = walk(host, store, source, patches, Policy::default())?;
    Ok(walked.levels.last().map_or(&source.commit, |l| &l.commit).clone())
}

struct Walked {
    levels: Vec<Level>,
    /// What git said of the patch behind the last level, and the commit it was tried on.
    refused: Option<(Refused, String)>,
    cached: bool,
}

/// Applies patches until one is refused, and writes down every level that was reached.
fn walk(
    host: &Host,
    store: &Store,
    source: &Source,
    patches: &[&Patch],
    policy: Policy,
) -> Result<Walked, Diagnosis> {
    let keys = level_keys(source, patches, policy);
    let mut levels = known(host, store, &keys)?;
    let done = levels.len();
    if done == patches.len() {
        return Ok(Walked { levels, refused: None, cached: true });
    }
    let start = levels.last().map_or(&source.commit, |l| &l.commit).clone();
    let history = History::of(host, store, source);
    let mut applier = Applier::new(host, store, &start, &patches[done..])?;
    let mut new: Vec<Step> = Vec::new();
    let mut refusal = None;
    for patch in &patches[done..] {
        match applier.patch(patch, policy, history.as_ref())? {
            Ok(step) => new.push(step),
            Err(refused) => {
                refusal = Some(refused);
                break;
            }
        }
    }
    let reached = &patches[done..done + new.len()];
    let commits = commit(host, store, &start, reached, &keys[done..], &new)?;
    for (step, (commit, key)) in new.into_iter().zip(commits.into_iter().zip(&keys[done..])) {
        let level = Level {
            commit: commit.0,
            tree: commit.1,
            outcome: step.outcome,
            altered: step.altered,
        };
        write_json(&store.path(format!("applied/{key}.json"))?, &level)?;
        levels.push(level);
    }
    let last = levels.last().map_or(&source.commit, |l| &l.commit).clone();
    Ok(Walked { levels, refused: refusal.map(|r| (r, last)), cached: false })
}
