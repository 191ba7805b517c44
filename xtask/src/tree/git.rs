// SPDX-License-Identifier: MIT OR Apache-2.0
//! Calls of git that see none of the user's configuration.

use std::path::{Path, PathBuf};

use crate::diagnosis::{Diagnosis, on_path};
use crate::host::{Host, Invocation};
use crate::store::{Store, write_atomic};

/// Applies to every path and beats every `.gitattributes`: what goes in comes out, byte for byte.
const ATTRIBUTES: &str = "* -text -ident -filter -working-tree-encoding\n";

/// Source trees may belong to another user; they are only read.
const CONFIG: &str = "[safe]\n\tdirectory = *\n";

/// The object store's directory, created if need be.
pub fn object_store(host: &Host, store: &Store) -> Result<PathBuf, Diagnosis> {
    let path = store.path("objects.git")?;
    let attributes = path.join("info/attributes");
    if !attributes.is_file() {
        let _lock = store.lock(host, "objects")?;
        plain(host, store)?.args(["init", "--quiet", "--bare"]).arg(&path).run()?;
        let info = path.join("info");
        std::fs::create_dir_all(&info).map_err(|e| on_path("create", &info, &e))?;
        write_atomic(&attributes, ATTRIBUTES.as_bytes())?;
    }
    Ok(path)
}

/// git, without a repository.
pub fn plain<'h>(host: &'h Host, store: &Store) -> Result<Invocation<'h>, Diagnosis> {
    let config = store.path("gitconfig")?;
    if !config.is_file() {
        write_atomic(&config, CONFIG.as_bytes())?;
    }
    let mut git = host.program("git");
    for leaking in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_CONFIG",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_COUNT",
        "GIT_NAMESPACE",
        "GIT_TRACE",
    ] {
        git = git.env_remove(leaking);
    }
    Ok(git
        .env("GIT_CONFIG_GLOBAL", config)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C")
        .args(["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "maintenance.auto=0"])
        .args(["-c", "core.autocrlf=false", "-c", "core.fsync=reference"]))
}

/// git on the object store.
pub fn bare<'h>(host: &'h Host, store: &Store) -> Result<Invocation<'h>, Diagnosis> {
    let objects = object_store(host, store)?;
    Ok(plain(host, store)?.arg(format!("--git-dir={}", objects.display())))
}

/// git on the object store with a work tree and an index of its own.
pub fn on_tree<'h>(
    host: &'h Host,
    store: &Store,
    tree: &Path,
    index: &Path,
) -> Result<Invocation<'h>, Diagnosis> {
    Ok(bare(host, store)?
        .arg(format!("--work-tree={}", tree.display()))
        .env("GIT_INDEX_FILE", index)
        .cwd(tree))
}

/// The object that a name stands for, if there is one.
pub fn resolve(host: &Host, store: &Store, name: &str) -> Result<Option<String>, Diagnosis> {
    let output =
        bare(host, store)?.args(["rev-parse", "--verify", "--quiet"]).arg(name).output()?;
    Ok(output.success().then(|| output.text().trim().to_owned()))
}

/// The text of a file in a commit, if the commit has it.
pub fn file_of(
    host: &Host,
    store: &Store,
    commit: &str,
    path: &str,
) -> Result<Option<String>, Diagnosis> {
    let output = bare(host, store)?.args(["show", &format!("{commit}:{path}")]).output()?;
    Ok(output.success().then(|| output.text()))
}

/// Who makes the store's commits.
pub const NAME: &str = "kernel-xtask";
/// Their address.
pub const MAIL: &str = "kernel-xtask@localhost";
/// When: always the same, so that the same content gives the same commit.
pub const DATE: &str = "1640995200 +0000";

/// Adds author, committer and dates to a call of `git commit-tree`: the same input gives the same
/// commit.
pub fn as_fixed_person<'h>(
    git: Invocation<'h>,
    author: Option<(&str, &str, &str)>,
) -> Invocation<'h> {
    let (name, mail, date) = author.unwrap_or((NAME, MAIL, DATE));
    git.env("GIT_AUTHOR_NAME", name)
        .env("GIT_AUTHOR_EMAIL", mail)
        .env("GIT_AUTHOR_DATE", if date.is_empty() { DATE } else { date })
        .env("GIT_COMMITTER_NAME", NAME)
        .env("GIT_COMMITTER_EMAIL", MAIL)
        .env("GIT_COMMITTER_DATE", DATE)
}
