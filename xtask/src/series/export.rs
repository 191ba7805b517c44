// SPDX-License-Identifier: MIT OR Apache-2.0
//! A series as mails to send, by `git format-patch` from the commits that applying made.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{Applied, Series, Variant};
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::Host;
use crate::store::Store;
use crate::tree::{Source, git};

/// How the mails are to look.
#[derive(Debug, Clone, Default)]
pub struct Style {
    /// `[PATCH v3 …]`.
    pub version: Option<u32>,
    /// Words between the brackets instead of `PATCH`.
    pub prefix: Option<String>,
    /// Whether there is a cover letter.
    pub cover: bool,
}

/// What is exported.
#[derive(Debug, Clone, Copy)]
pub struct Exported<'a> {
    /// The kernel that it was applied to.
    pub source: &'a Source,
    /// The series.
    pub series: &'a Series,
    /// Its variant for that kernel.
    pub variant: &'a Variant,
    /// What came of applying it.
    pub applied: &'a Applied,
}

/// Writes the mails of a series into a directory, as `git format-patch` does. Returns the files.
pub fn export(
    host: &Host,
    store: &Store,
    exported: Exported<'_>,
    style: &Style,
    into: &Path,
) -> Result<Vec<PathBuf>, Diagnosis> {
    let Exported { source, series, variant, applied } = exported;
    let own = applied.patches.iter().filter(|p| p.number > 0).count();
    let base = match applied.patches.iter().rfind(|p| p.number == 0) {
        Some(last) => &last.commit,
        None => &source.commit,
    };
    if own == 0 {
        return Err(Diagnosis::usage("there is no patch to export"));
    }
    if let Some(there) =
        applied.patches.iter().find(|p| p.number > 0 && p.outcome.is_already_applied())
    {
        return Err(Diagnosis::usage(format!(
            "linux {} has patch {} already: {}",
            source.version, there.number, there.subject
        ))
        .next("export it for a kernel that lacks all of its patches: --kernel V"));
    }
    std::fs::create_dir_all(into).map_err(|e| on_path("create", into, &e))?;
    let mut call = git::bare(host, store)?
        .args(["format-patch", "--quiet", "--full-index", "--no-ext-diff", "--no-textconv"])
        .args(["--src-prefix=a/", "--dst-prefix=b/", "--output-directory"])
        .arg(into);
    // The cover letter is from the committer: whoever wrote the first patch.
    let author = variant.patches.first().map(|p| (p.author.as_str(), p.address.as_str()));
    if let Some((name, address)) = author {
        call = call.env("GIT_COMMITTER_NAME", name).env("GIT_COMMITTER_EMAIL", address);
    }
    if style.cover {
        call = call.args(["--cover-letter", "--cover-from-description=none"]);
    }
    if let Some(version) = style.version {
        call = call.arg(format!("--reroll-count={version}"));
    }
    if let Some(prefix) = &style.prefix {
        call = call.arg(format!("--subject-prefix={prefix}"));
    }
    call.arg(format!("{base}..{}", applied.commit)).run()?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(into)
        .map_err(|e| on_path("read", into, &e))?
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "patch"))
        .collect();
    files.sort();
    let Some(first) = files.first() else {
        return Err(Diagnosis::infra("git format-patch wrote nothing"));
    };
    let mut text = std::fs::read_to_string(first).map_err(|e| on_path("read", first, &e))?;
    if style.cover {
        let (title, blurb) =
            series.description.split_once('\n').unwrap_or((&series.description, ""));
        text = text.replace("*** SUBJECT HERE ***", title.trim());
        text = text.replace("*** BLURB HERE ***", blurb.trim());
    }
    text = with_base(&text, &made_on(source, variant));
    std::fs::write(first, text).map_err(|e| on_path("write", first, &e))?;
    Ok(files)
}

/// What is said of the base: the commit, where it is one that others have, and the kernels.
fn made_on(source: &Source, variant: &Variant) -> String {
    let mut lines = String::new();
    // The commits of imported archives are the store's own; naming them would mislead.
    let commit =
        source.repository.as_ref().map(|_| &source.commit).or(variant.base_commit.as_ref());
    if let (Some(commit), true) = (commit, variant.base.is_empty()) {
        let _ = writeln!(lines, "base-commit: {commit}");
    }
    let _ = writeln!(lines, "base-version: linux {} ({})", source.version, source.origin);
    let _ = writeln!(lines, "kernels: {}", variant.label());
    if let Some(on) = &variant.on {
        let _ = writeln!(lines, "applies-on: {on}");
    }
    lines
}

/// Puts lines before the signature of a mail, where `git format-patch --base` has them.
fn with_base(text: &str, lines: &str) -> String {
    match text.rfind("\n-- \n") {
        Some(at) => format!("{}\n{lines}{}", &text[..=at], &text[at + 1..]),
        None => format!("{text}\n{lines}"),
    }
}
