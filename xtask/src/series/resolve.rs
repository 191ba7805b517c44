// SPDX-License-Identifier: MIT OR Apache-2.0
//! Solving conflicts by hand: a shell in a throw-away tree for each patch that does not apply.

use super::{Patch, Variant, conflict, workbench};
use crate::diagnosis::{Diagnosis, ExitKind, on_path};
use crate::diff::{self, Text};
use crate::host::Host;
use crate::mail;
use crate::series::apply::{commit_of, walk_all};
use crate::store::Store;
use crate::tree::{Source, git};

/// A series that was made to apply.
#[derive(Debug)]
pub struct Resolved {
    /// Its patches as files.
    pub files: Vec<(String, Vec<u8>)>,
    /// Numbers of the patches that were changed by hand.
    pub changed: Vec<usize>,
}

/// Applies a variant; where a patch conflicts, opens `shell` in a tree with the part of it that
/// applies, and takes what the tree is afterwards as that patch.
///
/// # Errors
/// The conflict itself, if the shell ends with another exit code than 0, or changed nothing.
pub fn resolve(
    host: &Host,
    store: &Store,
    source: &Source,
    variant: &Variant,
    kernel: &str,
    series: &str,
    shell: &str,
) -> Result<Resolved, Diagnosis> {
    let of = variant.patches.len();
    let mut done: Vec<Patch> = Vec::new();
    let mut changed = Vec::new();
    for (n, patch) in variant.patches.iter().enumerate() {
        let mut all: Vec<&Patch> = variant.base.iter().chain(&done).collect();
        all.push(patch);
        let walked = walk_all(host, store, source, &all)?;
        let Some((words, commit)) = walked else {
            done.push(patch.clone());
            continue;
        };
        let conflict = conflict::explain(host, store, &commit, patch, (n + 1, of), &words);
        let base = commit_of(host, store, source, &all[..all.len() - 1])?;
        if base != commit {
            return Err(conflict
                .next("the patches that this series stands on conflict; resolve those first"));
        }
        host.progress.note(&format!("{conflict}"));
        let diff = by_hand(host, store, &commit, patch, (kernel, series), shell)
            .map_err(|why| conflict_with(conflict, &why))?;
        changed.push(n + 1);
        done.push(Patch { diff, ..patch.clone() });
    }
    let files = done.iter().enumerate().map(|(n, patch)| {
        let prefix = if of == 1 { "PATCH".to_owned() } else { format!("PATCH {}/{of}", n + 1) };
        let name = mail::file_name(n + 1, &patch.subject);
        // What was not touched stays as it is, to the byte.
        let bytes = if changed.contains(&(n + 1)) {
            mail::write(&patch.text(), &prefix, &[])
        } else {
            patch.bytes.clone()
        };
        (name, bytes)
    });
    Ok(Resolved { files: files.collect(), changed })
}

fn conflict_with(conflict: Diagnosis, why: &Diagnosis) -> Diagnosis {
    if why.exit == ExitKind::Infra { why.clone() } else { conflict.detail(why.what.clone()) }
}

fn by_hand(
    host: &Host,
    store: &Store,
    commit: &str,
    patch: &Patch,
    (kernel, series): (&str, &str),
    shell: &str,
) -> Result<diff::Diff, Diagnosis> {
    let scratch = tempfile::Builder::new()
        .prefix("resolve-")
        .tempdir_in(store.dir("trees")?)
        .map_err(|e| Diagnosis::infra(format!("cannot create a scratch directory: {e}")))?;
    let tree = scratch.path().join("linux");
    let about = workbench::About {
        series: series.to_owned(),
        kernel: kernel.to_owned(),
        base: commit.to_owned(),
    };
    workbench::create(host, store, &tree, commit, &about, Some(&patch.diff.paths()))?;
    let file = tree.join(".git/xtask.patch");
    std::fs::write(&file, &patch.bytes).map_err(|e| on_path("write", &file, &e))?;
    let git = || git::plain(host, store).map(|g| g.arg("-C").arg(&tree));
    // What applies is done already; the rest is in .rej files.
    let _ = git()?
        .args(["apply", "--reject", "--whitespace=nowarn", "-"])
        .input(patch.diff.write())
        .output()?;
    host.progress.note(&format!(
        "In {}: what applies of the patch is done, the rest is in *.rej files; the whole patch is \
         .git/xtask.patch, and `git grep --cached` sees all files. Make the tree what the patch \
         means, and `exit`; `exit 1` gives up.",
        tree.display()
    ));
    let code = host
        .program(shell)
        .cwd(&tree)
        .env("XTASK_PATCH", &file)
        .env("GIT_CEILING_DIRECTORIES", scratch.path())
        .attached()?;
    if code != 0 {
        return Err(Diagnosis::check_failed(format!(
            "the shell ended with exit code {code}: given up"
        )));
    }
    git()?.args(["add", "--all", "--sparse", "--", ".", ":(exclude,glob)**/*.rej"]).run()?;
    let text = git()?
        .args(["diff", "--cached", "--binary", "--abbrev=12", "--no-color", "--no-ext-diff"])
        .args(["--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", commit])
        .run()?
        .stdout;
    let text = Text::new(&text);
    match diff::read(&text, 0) {
        Ok(diff) => Ok(diff),
        Err(e) if e.reason == diff::Reason::NoDiff => {
            Err(Diagnosis::check_failed("nothing was changed in the tree: given up"))
        }
        Err(e) => Err(Diagnosis::infra(format!("cannot read git's diff: {e}"))),
    }
}
