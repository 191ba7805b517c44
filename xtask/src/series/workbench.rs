// SPDX-License-Identifier: MIT OR Apache-2.0
//! A git tree to work on patches in. It borrows its objects from the object store.

use std::path::Path;

use crate::diagnosis::{Diagnosis, on_path};
use crate::host::Host;
use crate::store::Store;
use crate::tree::git;

/// What a workbench remembers, in its own git configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// The series.
    pub series: String,
    /// The kernel, as the user named it.
    pub kernel: String,
    /// The commit that the series' own patches start from.
    pub base: String,
}

/// Makes a git tree at `directory`, with `commit` checked out on a branch. With `only`, just the
/// directories of these files are checked out, which takes no time in a kernel.
pub fn create(
    host: &Host,
    store: &Store,
    directory: &Path,
    commit: &str,
    about: &About,
    only: Option<&[&str]>,
) -> Result<(), Diagnosis> {
    let taken = std::fs::read_dir(directory).is_ok_and(|mut d| d.next().is_some());
    if taken {
        return Err(Diagnosis::usage(format!("{} is there, and not empty", directory.display()))
            .next("name a new directory"));
    }
    let made = !directory.exists();
    fill(host, store, directory, commit, about, only).inspect_err(|_| {
        // Half a tree would be in the way of the next try.
        if made {
            let _ = std::fs::remove_dir_all(directory);
        }
    })
}

fn fill(
    host: &Host,
    store: &Store,
    directory: &Path,
    commit: &str,
    about: &About,
    only: Option<&[&str]>,
) -> Result<(), Diagnosis> {
    let objects = git::object_store(host, store)?.join("objects");
    git::plain(host, store)?.args(["init", "--quiet"]).arg(directory).run()?;
    let alternates = directory.join(".git/objects/info/alternates");
    std::fs::write(&alternates, format!("{}\n", objects.display()))
        .map_err(|e| on_path("write", &alternates, &e))?;
    let git = || git::plain(host, store).map(|g| g.arg("-C").arg(directory));
    let notes = [("series", &about.series), ("kernel", &about.kernel), ("base", &about.base)];
    for (key, value) in notes {
        git()?.args(["config", &format!("xtask.{key}"), value]).run()?;
    }
    if let Some(files) = only {
        let parents = files.iter().map(|f| f.rsplit_once('/').map_or("/*", |(up, _)| up));
        let mut patterns: Vec<String> = parents
            .map(|p| if p == "/*" { "/*\n!/*/".to_owned() } else { format!("/{p}/*") })
            .collect();
        patterns.sort();
        patterns.dedup();
        git()?
            .args(["sparse-checkout", "set", "--no-cone", "--stdin"])
            .input(patterns.join("\n"))
            .run()?;
    }
    let branch = format!("xtask/{}", about.series);
    git()?.args(["checkout", "--quiet", "-B", &branch, commit]).run()?;
    Ok(())
}

/// What a workbench remembers; `None` for any other tree.
pub fn about(host: &Host, store: &Store, directory: &Path) -> Result<Option<About>, Diagnosis> {
    let get = |key: &str| -> Result<Option<String>, Diagnosis> {
        let output = git::plain(host, store)?
            .arg("-C")
            .arg(directory)
            .args(["config", "--local", &format!("xtask.{key}")])
            .output()?;
        Ok(output.success().then(|| output.text().trim().to_owned()))
    };
    Ok(match (get("series")?, get("kernel")?, get("base")?) {
        (Some(series), Some(kernel), Some(base)) => Some(About { series, kernel, base }),
        _ => None,
    })
}
