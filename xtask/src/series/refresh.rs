// SPDX-License-Identifier: MIT OR Apache-2.0
//! A variant anew from the commits of a work tree. The tree is only read.

use std::path::Path;

use super::{KernelRange, Patch, PatchEntry, Series, Variant, VariantEntry, install, with_variant};
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::Host;
use crate::series::File;
use crate::store::Store;
use crate::tree::git;

/// The patches that the commits `base..HEAD` of a tree are, as files.
pub fn patches_of_tree(
    host: &Host,
    store: &Store,
    tree: &Path,
    base: &str,
) -> Result<Vec<(String, Vec<u8>)>, Diagnosis> {
    let git = || git::plain(host, store).map(|g| g.arg("-C").arg(tree));
    let resolve = git()?
        .args(["rev-parse", "--verify", "--quiet"])
        .arg(format!("{base}^{{commit}}"))
        .output()?;
    if !resolve.success() {
        return Err(Diagnosis::usage(format!("{} has no commit {base}", tree.display()))
            .next("name the commit that the patches start from: --base COMMIT"));
    }
    let is_ancestor = git()?.args(["merge-base", "--is-ancestor", base, "HEAD"]).output()?;
    if !is_ancestor.success() {
        return Err(Diagnosis::usage(format!(
            "HEAD of {} does not stand on {base}",
            tree.display()
        ))
        .next("check out the branch with the patches, or name another --base"));
    }
    let merges = git()?.args(["rev-list", "--merges", &format!("{base}..HEAD")]).run()?.text();
    if let Some(merge) = merges.lines().next() {
        return Err(Diagnosis::usage(format!("{merge} is a merge; a series is a line of patches"))
            .next("rebase the branch first"));
    }
    let scratch = tempfile::tempdir()
        .map_err(|e| Diagnosis::infra(format!("cannot create a scratch directory: {e}")))?;
    git()?
        .args(["format-patch", "--quiet", "--abbrev=12", "--no-ext-diff", "--no-textconv"])
        .args(["--src-prefix=a/", "--dst-prefix=b/", "--output-directory"])
        .arg(scratch.path())
        .arg(format!("{base}..HEAD"))
        .run()?;
    let mut files = Vec::new();
    let entries =
        std::fs::read_dir(scratch.path()).map_err(|e| on_path("read", scratch.path(), &e))?;
    for path in entries.flatten().map(|e| e.path()) {
        let bytes = std::fs::read(&path).map_err(|e| on_path("read", &path, &e))?;
        files.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), bytes));
    }
    files.sort();
    if files.is_empty() {
        return Err(Diagnosis::usage(format!("there is no commit on top of {base}")));
    }
    Ok(files)
}

/// Puts patches in the place of the variant for exactly these kernels, or beside the others as a
/// new one, which stands on what `like` stands on.
pub fn replace_variant(
    series: &Series,
    kernels: KernelRange,
    files: &[(String, Vec<u8>)],
    like: Option<&Variant>,
) -> Result<std::path::PathBuf, Diagnosis> {
    // What is written must be read again: no file that the tool itself would refuse.
    for (name, bytes) in files {
        Patch::parse(Path::new(name), bytes.clone())?;
    }
    let yaml = series.directory.join("series.yaml");
    let (file, text) = File::read(&yaml)?;
    let known = file.variants.iter().find(|v| v.kernels == kernels);
    let at = like.and_then(|like| series.variants.iter().position(|v| std::ptr::eq(v, like)));
    let on = at.and_then(|at| file.variants.get(at)).and_then(|v| v.on.clone());
    let new = VariantEntry { on, ..VariantEntry::default() };
    let entry = VariantEntry {
        kernels,
        directory: known.map_or_else(|| kernels.to_string(), |v| v.directory.clone()),
        patches: files.iter().map(|(file, _)| PatchEntry { file: file.clone() }).collect(),
        ..known.cloned().unwrap_or(new)
    };
    let text = with_variant(&yaml, &text, &entry)?;
    install(&series.directory, &entry.directory, files, &text)?;
    Ok(series.directory.join(&entry.directory))
}
