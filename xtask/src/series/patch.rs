// SPDX-License-Identifier: MIT OR Apache-2.0
//! One patch, as `git format-patch` writes it.

use std::path::{Path, PathBuf};

use crate::diagnosis::Diagnosis;

/// A patch that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// Where it was read from.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The subject without its `[PATCH …]` prefix.
    pub subject: String,
    /// Author's name.
    pub author: String,
    /// Author's address.
    pub address: String,
    /// The `Date:` header, empty if there is none.
    pub date: String,
    /// The message below the subject.
    pub message: String,
    /// The files that it touches, by their new names (old ones for files it deletes).
    pub files: Vec<String>,
    /// Its hunks, in order.
    pub hunks: Vec<Hunk>,
}

/// One hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The file that it changes.
    pub file: String,
    /// The `@@ … @@` line.
    pub header: String,
    /// Line of the header in the patch file, 1-based.
    pub line: usize,
    /// First line that it expects in the file, 1-based; 0 for a new file.
    pub start: usize,
    /// Lines that it expects to find there: context and removed lines.
    pub expects: Vec<String>,
}

impl Patch {
    /// The file's name.
    pub fn file_name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Reads a patch.
    ///
    /// # Errors
    /// Usage errors with file and line: no subject, no author, no diff, a hunk that is cut.
    pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<Self, Diagnosis> {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let wrong = |line: usize, why: &str| {
            Diagnosis::usage(format!("{}:{line}: {why}", path.display()))
                .next("make it anew with `git format-patch`")
        };
        let lines: Vec<&str> = text.lines().collect();
        let body = lines.iter().position(|l| l.is_empty()).unwrap_or(lines.len());
        let headers = unfold(&lines[..body]);
        let header = |name: &str| {
            headers.iter().find_map(|h| h.strip_prefix(name)).map(str::trim).unwrap_or_default()
        };
        let subject = without_prefix(header("Subject:"));
        if subject.is_empty() {
            return Err(wrong(1, "it has no Subject: header"));
        }
        let (author, address) = person(header("From:"))
            .ok_or_else(|| wrong(1, "it has no From: header with a name and an address"))?;
        let first_diff = lines
            .iter()
            .position(|l| l.starts_with("diff --git ") || l.starts_with("--- a/"))
            .ok_or_else(|| wrong(lines.len(), "there is no diff in it"))?;
        let message_end = lines[body..first_diff]
            .iter()
            .position(|l| *l == "---")
            .map_or(first_diff, |n| body + n);
        let message = lines.get(body + 1..message_end).unwrap_or_default().join("\n");
        let (files, hunks) = hunks(&lines, first_diff).map_err(|(line, why)| wrong(line, &why))?;
        if files.is_empty() {
            return Err(wrong(first_diff + 1, "its diff touches no file"));
        }
        Ok(Self {
            path: path.to_owned(),
            subject,
            author,
            address,
            date: header("Date:").to_owned(),
            message,
            files,
            hunks,
            bytes,
        })
    }
}

/// Joins folded header lines, see RFC 5322, section 2.2.3.
fn unfold(lines: &[&str]) -> Vec<String> {
    let mut headers: Vec<String> = Vec::new();
    for line in lines {
        match headers.last_mut() {
            Some(last) if line.starts_with([' ', '\t']) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => headers.push((*line).to_owned()),
        }
    }
    headers
}

fn without_prefix(subject: &str) -> String {
    let mut rest = subject.trim();
    while let Some((tag, after)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
        // Only `[PATCH 1/5]` and the like; `[fault]` belongs to the subject.
        if !tag.to_uppercase().contains("PATCH") {
            break;
        }
        rest = after.trim();
    }
    rest.to_owned()
}

fn person(header: &str) -> Option<(String, String)> {
    let (name, address) = header.rsplit_once('<')?;
    let address = address.trim().strip_suffix('>')?;
    let name = name.trim().trim_matches('"');
    (!address.is_empty()).then(|| (name.to_owned(), address.to_owned()))
}

type Diff = (Vec<String>, Vec<Hunk>);

fn hunks(lines: &[&str], first: usize) -> Result<Diff, (usize, String)> {
    let mut files: Vec<String> = Vec::new();
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut old = String::new();
    let mut at = first;
    while at < lines.len() {
        let line = lines[at];
        if let Some(names) = line.strip_prefix("diff --git ") {
            // Names for diffs without hunks (modes, renames, empty files).
            if let Some((_, new)) = names.split_once(" b/") {
                push_new(&mut files, new);
            }
        } else if let Some(name) = line.strip_prefix("--- ") {
            name.clone_into(&mut old);
        } else if let Some(name) = line.strip_prefix("+++ ") {
            let name = if name == "/dev/null" { old.as_str() } else { name };
            push_new(&mut files, name.trim_start_matches("a/").trim_start_matches("b/"));
        } else if line.starts_with("@@ -") {
            let file = files.last().cloned().ok_or((at + 1, "a hunk before any file".into()))?;
            let (hunk, next) = hunk(lines, at, file)?;
            hunks.push(hunk);
            at = next;
            continue;
        }
        at += 1;
    }
    Ok((files, hunks))
}

fn push_new(files: &mut Vec<String>, name: &str) {
    if files.last().is_none_or(|last| last != name) {
        files.push(name.to_owned());
    }
}

fn hunk(lines: &[&str], at: usize, file: String) -> Result<(Hunk, usize), (usize, String)> {
    let header = lines[at];
    let bad = || (at + 1, format!("no hunk header: {header:?}"));
    let ranges = header.strip_prefix("@@ -").and_then(|r| r.split_once(" @@")).ok_or_else(bad)?.0;
    let (old, new) = ranges.split_once(" +").ok_or_else(bad)?;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    let ((start, mut old_left), (_, mut new_left)) = range(old).zip(range(new)).ok_or_else(bad)?;
    let mut expects = Vec::new();
    let mut next = at + 1;
    while old_left > 0 || new_left > 0 {
        let cut = || {
            (
                next + 1,
                format!(
                    "the hunk of line {} is cut: {old_left} old and {new_left} new lines are missing",
                    at + 1
                ),
            )
        };
        let line = lines.get(next).ok_or_else(cut)?;
        // Mailers strip the space of an empty context line.
        let (mark, text) =
            if line.is_empty() { (" ", "") } else { line.split_at_checked(1).ok_or_else(cut)? };
        let (takes_old, takes_new) = match mark {
            " " => (1, 1),
            "-" => (1, 0),
            "+" => (0, 1),
            "\\" => (0, 0),
            _ => return Err(cut()),
        };
        if takes_old > old_left || takes_new > new_left {
            return Err((
                next + 1,
                format!("the hunk of line {} has more lines than it says", at + 1),
            ));
        }
        old_left -= takes_old;
        new_left -= takes_new;
        if takes_old == 1 {
            expects.push(text.to_owned());
        }
        next += 1;
    }
    let hunk = Hunk { file, header: header.to_owned(), line: at + 1, start, expects };
    Ok((hunk, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "From 123 Mon Sep 17 00:00:00 2001\nFrom: Ann Author\n <ann@example.org>\nDate: Tue, 1 Dec 2026 10:29:11 +0000\nSubject: [PATCH 1/5] ftrace: [fault] Split\n a thing\n\nWhy it is so.\n\nSigned-off-by: Ann\n---\n a.c | 2 +-\n\ndiff --git a/a.c b/a.c\nindex 1..2 100644\n--- a/a.c\n+++ b/a.c\n@@ -3,3 +3,3 @@ int f(void)\n one\n-two\n+2\n\ndiff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";

    fn parse(text: &str) -> Result<Patch, Diagnosis> {
        Patch::parse(Path::new("p/1.patch"), text.as_bytes().to_vec())
    }

    #[test]
    fn every_part_is_found() {
        let patch = parse(GOOD).unwrap();
        assert_eq!(patch.subject, "ftrace: [fault] Split a thing");
        assert_eq!(
            (patch.author.as_str(), patch.address.as_str()),
            ("Ann Author", "ann@example.org")
        );
        assert_eq!(patch.message.trim(), "Why it is so.\n\nSigned-off-by: Ann");
        assert_eq!(patch.files, ["a.c", "old"]);
        assert_eq!(patch.hunks[0].expects, ["one", "two", ""]);
        assert_eq!((patch.hunks[0].start, patch.hunks[0].line), (3, 18));
    }

    #[test]
    fn what_is_wrong_has_a_line() {
        let cases = [
            (GOOD.replace("Subject:", "Topic:"), "p/1.patch:1: it has no Subject"),
            (GOOD.replace("From: ", "Form: "), "p/1.patch:1: it has no From"),
            (
                GOOD.replace("@@ -3,3 +3,3 @@", "@@ -3,9 +3,9 @@"),
                "p/1.patch:23: the hunk of line 18 is cut",
            ),
            (GOOD.replace("@@ -3,3 +3,3 @@", "@@ nonsense @@"), ""),
            (GOOD[..GOOD.len() - 3].to_owned(), "is cut"),
            ("Subject: x\nFrom: a <b@c>\n\ntext\n".to_owned(), "no diff"),
        ];
        for (text, want) in cases.iter().filter(|(_, want)| !want.is_empty()) {
            let error = parse(text).unwrap_err();
            assert!(error.what.contains(want), "{error} / {want}");
            assert_eq!(error.exit.code(), 2);
        }
    }
}
