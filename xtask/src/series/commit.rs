// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commits in the object store, of the steps that an [`super::applier::Applier`] went.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::Patch;
use super::applier::Step;
use crate::diagnosis::{Diagnosis, on_path};
use crate::diff::quote;
use crate::host::Host;
use crate::store::{Key, Store};
use crate::tree::git;

/// Makes a commit of each step on top of `start`, all in one call of git-fast-import(1), and a ref
/// of each key. Returns commits with their trees.
pub(super) fn commit(
    host: &Host,
    store: &Store,
    start: &str,
    patches: &[&Patch],
    keys: &[Key],
    steps: &[Step],
) -> Result<Vec<(String, String)>, Diagnosis> {
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    let mut stream: Vec<u8> = Vec::new();
    for (n, ((patch, key), Step { changes, .. })) in patches.iter().zip(keys).zip(steps).enumerate()
    {
        let message = patch.commit_message();
        let from = if n == 0 { start.to_owned() } else { format!(":{n}") };
        let mut text = format!("commit {}\nmark :{}\n", keeper(key), n + 1);
        let date = raw_date(&patch.date);
        let _ = writeln!(text, "author {} <{}> {date}", patch.author, patch.address);
        let _ = writeln!(text, "committer {} <{}> {}", git::NAME, git::MAIL, git::DATE);
        let _ = write!(text, "data {}\n{message}\nfrom {from}\n", message.len());
        // What is gone must go first: a file may take a directory's place.
        for (path, _) in changes.iter().filter(|(_, entry)| entry.is_none()) {
            let _ = writeln!(text, "D {}", quote(path));
        }
        for (path, entry) in changes {
            if let Some((mode, object)) = entry {
                let _ = writeln!(text, "M {mode} {object} {}", quote(path));
            }
        }
        text.push('\n');
        stream.extend_from_slice(text.as_bytes());
    }
    stream.extend_from_slice(b"done\n");
    let marks = tempfile::Builder::new()
        .prefix("marks-")
        .tempfile_in(store.dir("trees")?)
        .map_err(|e| Diagnosis::infra(format!("cannot create a scratch file: {e}")))?;
    git::bare(host, store)?
        .args(["fast-import", "--quiet", "--done", "--force", "--date-format=raw"])
        .arg(format!("--export-marks={}", marks.path().display()))
        .input(stream)
        .run()?;
    let text =
        std::fs::read_to_string(marks.path()).map_err(|e| on_path("read", marks.path(), &e))?;
    let marks: HashMap<&str, &str> = text.lines().filter_map(|l| l.split_once(' ')).collect();
    let commits: Option<Vec<&str>> =
        (1..=steps.len()).map(|n| marks.get(format!(":{n}").as_str()).copied()).collect();
    let commits = commits.ok_or_else(|| Diagnosis::infra("git fast-import lost a commit"))?;
    let names: Vec<String> = commits.iter().map(|c| format!("{c}^{{tree}}")).collect();
    let trees = git::bare(host, store)?
        .args(["cat-file", "--batch-check=%(objectname)"])
        .input(names.join("\n"))
        .run()?
        .text();
    let pairs = commits.iter().zip(trees.lines());
    Ok(pairs.map(|(commit, tree)| ((*commit).to_owned(), tree.to_owned())).collect())
}

/// The ref that keeps a level's objects alive.
fn keeper(key: &Key) -> String {
    format!("refs/xtask/applied/{key}")
}

/// A date as seconds and zone, so that git need not guess.
fn raw_date(date: &str) -> String {
    let Ok(seconds) = mailparse::dateparse(date) else { return git::DATE.to_owned() };
    let zone = date.split_whitespace().find(|word| {
        let digits = word.strip_prefix(['+', '-']).unwrap_or_default();
        digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit())
    });
    format!("{} {}", seconds.max(0), zone.unwrap_or("+0000"))
}
