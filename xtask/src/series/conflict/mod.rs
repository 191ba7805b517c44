// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a patch does not apply: as values for a program, in words for a person.
//!
//! `look` asks git; `image`, `align`, `function`, `path` and `judge` draw the conclusions;
//! `words` and `render` say them. Those are pure.

mod align;
mod function;
mod image;
mod judge;
mod look;
mod path;
pub mod reason;
mod render;
mod rows;
mod words;

use serde::Serialize;

use super::Patch;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::diff::FileDiff;
use crate::host::Host;
use crate::store::Store;
use look::Look;

pub use function::Name;
pub use reason::Reason;
pub use rows::{Beside, Row, Side};

/// A hunk, or a whole file of a patch, that does not apply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The file, as the patch names it.
    pub file: String,
    /// Which hunk of that file, from 1; none if it is about the file itself.
    pub hunk: Option<usize>,
    /// How many hunks the patch has for that file.
    pub hunks: usize,
    /// The hunk's `@@ … @@` line; empty without a hunk.
    pub header: String,
    /// Line of the patch file (from 1) where the hunk, or the file, starts.
    pub at: usize,
    /// Why.
    pub reason: Reason,
    /// Whether the patch was made for this content of the file.
    pub blob: BlobFit,
    /// What the tree has where the hunk belongs; none if the hunk's lines are there.
    pub beside: Option<Beside>,
}

/// How the tree's file compares with the one that the patch's `index` line names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "made-for", rename_all = "kebab-case")]
pub enum BlobFit {
    /// They are the same.
    Same,
    /// They are not, and the object store has the other one.
    Other {
        /// Versions of the kernels that have it.
        kernels: Vec<String>,
    },
    /// They are not, and the object store does not have the other one.
    Unknown,
    /// The patch does not say, or makes the file.
    NotSaid,
}

/// Everything in a patch that does not apply to the commit `base`. Empty if all of it does.
///
/// # Errors
/// Only if git or the machine fails.
pub fn find(
    host: &Host,
    store: &Store,
    base: &str,
    patch: &Patch,
) -> Result<Vec<Conflict>, Diagnosis> {
    let look = Look::new(host, store, base);
    let paths = patch.diff.paths();
    let texts = look.files(&paths)?;
    let text_of = |path: &str| {
        let at = paths.iter().position(|p| *p == path)?;
        texts[at].as_deref()
    };
    let mut conflicts = Vec::new();
    let mut made: Vec<&str> = Vec::new();
    for diff in &patch.diff.files {
        let old = diff.old.as_deref().filter(|path| !made.contains(path));
        let old = old.map(|path| (path, text_of(path)));
        let target = diff.new.as_deref().filter(|new| diff.old.as_deref() != Some(*new));
        let target = target.and_then(text_of);
        made.extend(diff.new.as_deref());
        conflicts.extend(in_file(&look, diff, old, target)?);
    }
    Ok(conflicts)
}

/// The conflicts of one file: `old` is its path and content in the tree, `target` what is there
/// already at the path that the patch makes.
fn in_file(
    look: &Look<'_>,
    diff: &FileDiff,
    old: Option<(&str, Option<&[u8]>)>,
    target: Option<&[u8]>,
) -> Result<Vec<Conflict>, Diagnosis> {
    let conflict = |reason: Reason, blob: BlobFit| Conflict {
        file: diff.old.as_deref().unwrap_or(diff.name()).to_owned(),
        hunk: None,
        hunks: diff.hunks.len(),
        header: String::new(),
        at: diff.at,
        reason,
        blob,
        beside: None,
    };
    if let Some((path, None)) = old {
        let reason = path::missing(diff, path, &look.missing(diff, path)?);
        return Ok(vec![conflict(reason, look.blob_fit(diff)?)]);
    }
    if let Some(text) = target {
        let reason = path::exists(diff, text);
        return Ok(vec![Conflict {
            file: diff.name().to_owned(),
            ..conflict(reason, BlobFit::NotSaid)
        }]);
    }
    let Some((path, Some(text))) = old else { return Ok(Vec::new()) };
    if !diff.binary.is_empty() {
        let blob = look.blob_fit(diff)?;
        let differs = blob != BlobFit::Same;
        return Ok(if differs { vec![conflict(Reason::BinaryDiffers, blob)] } else { Vec::new() });
    }
    let failing = judge::failing(diff, text);
    if failing.is_empty() {
        return Ok(Vec::new());
    }
    let blob = look.blob_fit(diff)?;
    let mut answers: Vec<(Name, Reason)> = Vec::new();
    let mut conflicts = Vec::new();
    for failing in failing {
        let mut reason = failing.reason;
        if let Some(name) = failing.asks {
            reason = if let Some((_, known)) = answers.iter().find(|(n, _)| *n == name) {
                known.clone()
            } else {
                let answer = match look.function(&name, path)? {
                    (spots, searched) if spots.is_empty() => {
                        Reason::FunctionGone { function: name.clone(), searched }
                    }
                    (spots, _) => Reason::FunctionElsewhere { function: name.clone(), spots },
                };
                answers.push((name, answer.clone()));
                answer
            };
        }
        let hunk = &diff.hunks[failing.index];
        conflicts.push(Conflict {
            hunk: Some(failing.index + 1),
            header: hunk.header.clone(),
            at: hunk.at,
            beside: failing.beside,
            ..conflict(reason, blob.clone())
        });
    }
    Ok(conflicts)
}

/// The diagnosis for a patch that git refused with these words.
pub fn explain(
    host: &Host,
    store: &Store,
    base: &str,
    patch: &Patch,
    (number, of): (usize, usize),
    words: &str,
) -> Diagnosis {
    study(host, store, base, patch, (number, of), words).0
}

/// The same, with the conflicts themselves.
pub fn study(
    host: &Host,
    store: &Store,
    base: &str,
    patch: &Patch,
    (number, of): (usize, usize),
    words: &str,
) -> (Diagnosis, Vec<Conflict>) {
    let ended = |e: &Diagnosis| matches!(e.exit, ExitKind::Interrupted | ExitKind::Terminated);
    let looked = find(host, store, base, patch).and_then(|conflicts| {
        let whole = Look::new(host, store, base).reverse_applies(patch)?;
        Ok((conflicts, whole))
    });
    let (conflicts, applied, trouble) = match looked {
        Ok((conflicts, applied)) => (conflicts, applied, None),
        Err(error) if ended(&error) => return (error, Vec::new()),
        // That the patch does not apply is still true, and the news.
        Err(error) => (Vec::new(), false, Some(error.what)),
    };
    let diagnosis = render::diagnosis(&render::Report {
        patch,
        number,
        of,
        conflicts: &conflicts,
        applied,
        trouble: trouble.as_deref(),
        words,
        reproduce: render::reproduce(store, base, patch),
    });
    (diagnosis, conflicts)
}

#[cfg(test)]
pub(super) mod tests;
