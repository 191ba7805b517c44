// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patches as they travel: mailboxes, mails, replies. From bytes to patches and series, and back.
//!
//! Pure: no files, no programs. A mail is a [`Mail`] (headers and text), then a [`Kind`] (what it
//! is: a patch, a cover letter, a reply, …); [`sets`] puts the patches of one posting together.

mod armor;
mod body;
mod container;
mod kind;
mod message;
mod pasted;
mod person;
mod posting;
mod quoted;
mod subject;
mod trailer;
mod write;

pub use container::{Raw, is_mail, is_mbox, split};
pub use kind::{Broken, Kind, Proof};
pub use message::{Mail, read};
pub use person::Person;
pub use posting::{Member, Posting, postings};
pub use quoted::FollowUp;
pub use subject::Subject;
pub use trailer::{Trailer, add_trailers};
pub use write::{file_name, write};

use crate::diff::Diff;

/// A patch as its author meant it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatchText {
    /// Who wrote it.
    pub author: Person,
    /// When, as RFC 5322 writes it; empty if it is not known.
    pub date: String,
    /// The subject, without prefixes.
    pub subject: String,
    /// The message below the subject, with its trailers, without blank lines around it.
    pub message: String,
    /// The change.
    pub diff: Diff,
}

/// What a series was made on, as `git format-patch --base` writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Base {
    /// The commit, from a `base-commit:` line.
    pub commit: Option<String>,
    /// Patch ids that must be there before it, from `prerequisite-patch-id:` lines.
    pub prerequisites: Vec<String>,
}

impl Base {
    /// Reads the lines of a mail's text.
    pub fn of(mail: &Mail) -> Self {
        let mut base = Self::default();
        let object = |text: &str| {
            let id = text.trim();
            let sound = matches!(id.len(), 40 | 64) && id.bytes().all(|b| b.is_ascii_hexdigit());
            sound.then(|| id.to_owned())
        };
        for line in mail.readable().lines() {
            if let Some(id) = line.strip_prefix("base-commit:").and_then(object) {
                base.commit = Some(id);
            } else if let Some(id) = line.strip_prefix("prerequisite-patch-id:").and_then(object) {
                base.prerequisites.push(id);
            }
        }
        base
    }
}

#[cfg(test)]
mod tests;
