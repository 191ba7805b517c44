// SPDX-License-Identifier: MIT OR Apache-2.0
//! One patch, as `git format-patch` writes it.

use std::path::{Path, PathBuf};

use crate::diagnosis::Diagnosis;
use crate::diff::{self, Diff, Text};

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
    /// What it changes; lines are counted from the top of the file.
    pub diff: Diff,
}

impl Patch {
    /// The file's name.
    pub fn file_name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The files that it touches, by their new names (old ones for files it deletes).
    pub fn files(&self) -> Vec<String> {
        self.diff.files.iter().map(|f| f.name().to_owned()).collect()
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
        let content = Text::new(&bytes);
        let first_diff = diff::first_line(&content)
            .ok_or_else(|| wrong(lines.len(), &diff::Reason::NoDiff.to_string()))?;
        let message_end = lines[body..first_diff]
            .iter()
            .position(|l| *l == "---")
            .map_or(first_diff, |n| body + n);
        let message = lines.get(body + 1..message_end).unwrap_or_default().join("\n");
        let diff =
            diff::read(&content, first_diff).map_err(|e| wrong(e.line, &e.reason.to_string()))?;
        Ok(Self {
            path: path.to_owned(),
            subject,
            author,
            address,
            date: header("Date:").to_owned(),
            message,
            diff,
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
        assert_eq!(patch.files(), ["a.c", "old"]);
        let hunk = &patch.diff.files[0].hunks[0];
        assert_eq!(hunk.expects(), ["one", "two", ""]);
        assert_eq!((hunk.start, hunk.at), (3, 18));
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
