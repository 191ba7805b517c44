// SPDX-License-Identifier: MIT OR Apache-2.0
//! One patch of a series: a mail in a file.

use std::path::{Path, PathBuf};

use crate::diagnosis::Diagnosis;
use crate::diff::Diff;
use crate::mail::{self, Kind, PatchText, Proof};

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

    /// What a commit of it says: subject and message.
    pub fn commit_message(&self) -> String {
        let text = format!("{}\n\n{}", self.subject, self.message);
        format!("{}\n", text.trim_end())
    }

    /// It as its author meant it.
    pub fn text(&self) -> PatchText {
        let author = mail::Person { name: self.author.clone(), address: self.address.clone() };
        PatchText {
            author,
            date: self.date.clone(),
            subject: self.subject.clone(),
            message: self.message.clone(),
            diff: self.diff.clone(),
        }
    }

    /// Reads a patch.
    ///
    /// # Errors
    /// Usage errors with file and line: no subject, no author, no diff, a hunk that is cut, more
    /// than one mail.
    pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<Self, Diagnosis> {
        let wrong = |place: &str, why: &str| {
            // `line 18` of a file reads better as `FILE:18`.
            let at = match place.strip_prefix("line ").filter(|n| n.parse::<usize>().is_ok()) {
                Some(line) => format!("{}:{line}", path.display()),
                None => format!("{}: {place}", path.display()),
            };
            Diagnosis::usage(format!("{at}: {why}"))
                .next(
                "make it anew with `git format-patch`, or import it with `cargo xtask series import`; \
                 if you edited it, take its diffstat out",
            )
        };
        let mut mails = Vec::new();
        for raw in mail::split(&bytes) {
            mails.extend(mail::read(&raw).map_err(|why| wrong("line 1", &why))?);
        }
        let [mail] = <[_; 1]>::try_from(mails).map_err(|mails| {
            wrong("line 1", &format!("{} mails are in it; a patch is one", mails.len()))
        })?;
        let patch = match Kind::of(&mail, Proof { tabs: false, counts: true }) {
            Kind::Patch(patch) => *patch,
            Kind::Broken(broken) => return Err(wrong(&broken.place, &broken.why)),
            Kind::NoDiff(why) => return Err(wrong("line 1", why)),
            Kind::Cover(_) => return Err(wrong("line 1", "it is a cover letter")),
            Kind::PullRequest => return Err(wrong("line 1", "it is a pull request")),
            Kind::Reply { .. } => return Err(wrong("line 1", "it is a reply")),
        };
        if patch.subject.is_empty() {
            return Err(wrong("line 1", "it has no subject"));
        }
        if patch.author.address.is_empty() {
            return Err(wrong("line 1", "it has no From: header with a name and an address"));
        }
        let mut diff = patch.diff;
        let above = mail.text_line.saturating_sub(1);
        for file in &mut diff.files {
            file.at += above;
            file.hunks.iter_mut().for_each(|h| h.at += above);
        }
        Ok(Self {
            path: path.to_owned(),
            subject: patch.subject,
            author: patch.author.name,
            address: patch.author.address,
            date: patch.date,
            message: patch.message,
            diff,
            bytes,
        })
    }
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
            (
                GOOD.replace("From: ", "Form: ").replace("Signed-off", "Off"),
                "p/1.patch:1: it has no From",
            ),
            (
                GOOD.replace("@@ -3,3 +3,3 @@", "@@ -3,9 +3,9 @@"),
                "p/1.patch:23: the hunk of line 18 is cut",
            ),
            (GOOD.replace("@@ -3,3 +3,3 @@", "@@ nonsense @@"), "p/1.patch:18: no hunk header"),
            (GOOD[..GOOD.len() - 3].to_owned(), "is cut"),
            ("Subject: x\nFrom: a <b@c>\n\ntext\n".to_owned(), "no diff"),
            (GOOD.replace("Subject: ", "Subject: Re: "), "it is a reply"),
            (format!("{GOOD}\n{GOOD}"), "2 mails"),
        ];
        for (text, want) in cases {
            let error = parse(&text).unwrap_err();
            assert!(error.what.contains(want), "{error} / {want}");
            assert_eq!(error.exit.code(), 2);
        }
    }
}
