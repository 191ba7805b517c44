// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was found, for a person and for programs. Pure.

use std::fmt::Write as _;

use serde::Serialize;

use crate::mail::{Kind, Member, Posting};

/// Everything that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// The postings, oldest first.
    pub postings: Vec<ListedPosting>,
    /// What is not part of one.
    pub others: Vec<Other>,
}

/// A posting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedPosting {
    /// What it is about.
    pub title: String,
    /// Its version.
    pub version: u32,
    /// How many patches came that can be used.
    pub patches: usize,
    /// How many it says it has.
    pub total: usize,
    /// Numbers that did not come.
    pub missing: Vec<usize>,
    /// Numbers that cannot be used, and why.
    pub broken: Vec<(usize, String)>,
    /// Words of its prefix, such as RFC or RESEND.
    pub tags: Vec<String>,
    /// Who posted it.
    pub author: String,
    /// When.
    pub date: String,
    /// Message-ID of its first mail.
    pub message_id: String,
}

/// A mail that is no patch of a posting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Other {
    /// What it is.
    pub what: String,
    /// Its subject.
    pub title: String,
    /// Who sent it.
    pub author: String,
    /// Its Message-ID.
    pub message_id: String,
    /// Where it is.
    pub place: String,
}

/// Lists what was found.
pub fn list(all: &[Member], postings: &[Posting]) -> Listed {
    let author = |m: &Member| m.mail.from.as_ref().map(ToString::to_string).unwrap_or_default();
    let listed = postings.iter().filter_map(|posting| {
        let first = posting.first(all)?;
        let from = match &first.kind {
            Kind::Patch(patch) if first.mail.from.is_none() => patch.author.to_string(),
            _ => author(first),
        };
        let title = match &first.kind {
            Kind::Patch(patch) => patch.subject.clone(),
            _ => first.mail.subject.title.clone(),
        };
        Some(ListedPosting {
            title,
            version: posting.version,
            patches: posting.patches(all).len(),
            total: posting.total,
            missing: posting.missing(),
            broken: posting
                .broken(all)
                .into_iter()
                .map(|(n, m, why)| (n, format!("{}: {}: {}", m.file, why.place, why.why)))
                .collect(),
            tags: first.mail.subject.tags.clone(),
            author: from,
            date: first.mail.date.clone(),
            message_id: first.mail.id.clone(),
        })
    });
    let others = all.iter().filter_map(|member| {
        let what = match &member.kind {
            Kind::Patch(_) | Kind::Cover(_) | Kind::Broken(_) => return None,
            Kind::PullRequest => "pull request".to_owned(),
            Kind::NoDiff(why) => format!("no patch: {why}"),
            Kind::Reply { trailers, patches, pieces } => {
                let counts = [
                    (trailers.len(), "trailer"),
                    (patches.len(), "patch"),
                    (pieces.len(), "piece of a diff"),
                ];
                let said: Vec<_> = counts
                    .iter()
                    .filter(|(n, _)| *n > 0)
                    .map(|(n, what)| format!("{n} × {what}"))
                    .collect();
                if said.is_empty() {
                    "reply".into()
                } else {
                    format!("reply with {}", said.join(", "))
                }
            }
        };
        Some(Other {
            what,
            title: member.mail.subject.title.clone(),
            author: author(member),
            message_id: member.mail.id.clone(),
            place: member.place(),
        })
    });
    Listed { postings: listed.collect(), others: others.collect() }
}

/// The list as text.
pub fn text(listed: &Listed) -> String {
    let mut out = String::from("found:\n");
    for p in &listed.postings {
        let tags =
            if p.tags.is_empty() { String::new() } else { format!(" [{}]", p.tags.join(" ")) };
        let _ = writeln!(out, "  v{} {} of {}{tags}: {}", p.version, p.patches, p.total, p.title);
        let date = if p.date.is_empty() { "no date" } else { &p.date };
        let _ = writeln!(out, "      {} · {date} · <{}>", p.author, p.message_id);
        if !p.missing.is_empty() {
            let missing: Vec<_> = p.missing.iter().map(ToString::to_string).collect();
            let _ = writeln!(out, "      did not come: {}", missing.join(", "));
        }
        for (n, why) in &p.broken {
            let _ = writeln!(out, "      {n} cannot be used: {why}");
        }
    }
    for other in &listed.others {
        let _ = writeln!(out, "  {}: {:?}", other.what, other.title);
        let _ = writeln!(out, "      {} · {} · <{}>", other.author, other.place, other.message_id);
    }
    out
}
