// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a mail is.

use super::quoted::{self, FollowUp};
use super::{Mail, PatchText, Trailer, body, trailer};

/// A mail that should have a patch and has none that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Where, in words: a line of the file or of the decoded text.
    pub place: String,
    /// What is wrong.
    pub why: String,
}

/// What a patch must prove of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    /// Its tabs must not look as if they had been turned into spaces.
    pub tabs: bool,
    /// Its diffstat must fit.
    pub counts: bool,
}

impl Proof {
    /// Everything: what comes from elsewhere may be damaged.
    pub const ALL: Self = Self { tabs: true, counts: true };
    /// Nothing: the user knows better.
    pub const NONE: Self = Self { tabs: false, counts: false };
}

/// What a mail is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A patch.
    Patch(Box<PatchText>),
    /// A cover letter, with its text.
    Cover(String),
    /// A reply.
    Reply {
        /// Trailers in it that belong into the history.
        trailers: Vec<Trailer>,
        /// Patches in it.
        patches: Vec<FollowUp>,
        /// Diffs in it that are not whole: quotes of a review, mostly.
        pieces: Vec<Broken>,
    },
    /// A request to pull.
    PullRequest,
    /// Neither patch nor anything that belongs to one.
    NoDiff(&'static str),
    /// A patch that cannot be used.
    Broken(Broken),
}

impl Kind {
    /// Looks at a mail.
    pub fn of(mail: &Mail, proof: Proof) -> Self {
        if mail.encrypted {
            return Self::NoDiff("it is encrypted");
        }
        let text = &mail.text;
        let has = |words: &[u8]| text.windows(words.len()).any(|w| w == words);
        let title = mail.subject.title.to_uppercase();
        if title.contains("GIT PULL") || has(b"are available in the Git repository at:") {
            return Self::PullRequest;
        }
        let place = |line: usize| mail.place(line.max(1));
        if mail.subject.reply {
            let (patches, pieces) = quoted::find(mail, proof);
            let pieces =
                pieces.into_iter().map(|p| Broken { place: place(p.line), why: p.why }).collect();
            return Self::Reply { trailers: trailer::of_reply(&mail.readable()), patches, pieces };
        }
        if matches!(mail.subject.number, Some((0, _))) {
            return Self::Cover(body::cover(mail));
        }
        match body::patch(mail, proof) {
            Ok(patch) => Self::Patch(Box::new(patch)),
            Err(unusable) => {
                let no_diff = crate::diff::first_line(&crate::diff::Text::new(text)).is_none();
                match (no_diff, mail.subject.patch && mail.subject.number.is_some()) {
                    // A diff that only stands in quotes: a mail without `Re:` may answer, too.
                    (true, false) => {
                        let (patches, pieces) = quoted::find(mail, proof);
                        if !patches.is_empty() || !pieces.is_empty() {
                            let trailers = trailer::of_reply(&mail.readable());
                            let pieces = pieces
                                .into_iter()
                                .map(|p| Broken { place: place(p.line), why: p.why });
                            return Self::Reply { trailers, patches, pieces: pieces.collect() };
                        }
                        Self::NoDiff(if mail.html {
                            "it is HTML only"
                        } else {
                            "there is no diff in it"
                        })
                    }
                    _ => Self::Broken(Broken { place: place(unusable.line), why: unusable.why }),
                }
            }
        }
    }
}
