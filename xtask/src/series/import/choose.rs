// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of the postings that were found is meant. Pure; in doubt it refuses.

use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;

use crate::diagnosis::Diagnosis;
use crate::mail::{self, Base, FollowUp, Kind, Member, PatchText, Posting, Trailer};
use crate::series::FollowUpTo;

use super::listing;

/// What the user said about which one is meant.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// This version.
    pub version: Option<u32>,
    /// The posting (or the reply) that has this mail.
    pub message_id: Option<String>,
    /// Only these numbers.
    pub pick: Vec<RangeInclusive<usize>>,
    /// Whether patches may be missing.
    pub partial: bool,
    /// Which trailers of replies are collected.
    pub trailers: Senders,
    /// The author, where nothing tells.
    pub author: Option<mail::Person>,
    /// The subject, where nothing tells.
    pub subject: Option<String>,
}

/// Whose trailers are collected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Senders {
    /// Those that were sent by whom they name.
    #[default]
    Own,
    /// Everybody's.
    Any,
    /// Nobody's.
    None,
}

/// A patch of the chosen posting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenPatch {
    /// Its number.
    pub number: usize,
    /// The patch, with the trailers that were collected.
    pub patch: PatchText,
    /// Its Message-ID.
    pub message_id: String,
    /// What was undone or added, in words.
    pub notes: Vec<String>,
}

/// The chosen posting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// What it is about: the cover letter's title, or the first patch's.
    pub title: String,
    /// The text of the cover letter.
    pub cover: Option<String>,
    /// The version, if a mail names one.
    pub version: Option<u32>,
    /// Message-ID of its first mail, if it has a real one.
    pub message_id: Option<String>,
    /// What it was made on.
    pub base: Base,
    /// The patches, in order.
    pub patches: Vec<ChosenPatch>,
    /// Numbers that were left out, or are missing.
    pub left_out: Vec<usize>,
    /// What it answers, for a patch that was found in a reply.
    pub follow_up_to: Option<FollowUpTo>,
    /// Things that the user should know.
    pub notes: Vec<String>,
}

/// A Message-ID that a mail had, not one that was made for it.
fn real_id(id: &str) -> Option<String> {
    (id.contains('@') && !id.contains('#')).then(|| id.to_owned())
}

/// Chooses. `all` and `postings` are what [`mail::postings`] gave.
///
/// # Errors
/// Usage errors: nothing there, several there, one that is not whole. Each lists what was found and
/// how to say which.
pub fn choose(all: &[Member], postings: &[Posting], wanted: &Wanted) -> Result<Chosen, Diagnosis> {
    let has_id = |p: &&Posting| {
        wanted
            .message_id
            .as_ref()
            .is_none_or(|id| p.members.values().any(|at| all[*at].mail.id == *id))
    };
    let fits = |p: &&Posting| wanted.version.is_none_or(|v| p.version == v) && has_id(p);
    let candidates: Vec<&Posting> = postings.iter().filter(fits).collect();
    let found = || listing::text(&listing::list(all, postings));
    match candidates.as_slice() {
        [one] => posting(all, one, wanted).map_err(|e| e.detail(found())),
        [] => {
            let replies = follow_ups(all, wanted);
            match replies.as_slice() {
                [(member, follow_up)] => follow_up_of(member, follow_up, wanted),
                [] => Err(nothing(all, postings, wanted).detail(found())),
                several => Err(Diagnosis::usage(format!("{} replies have patches", several.len()))
                    .detail(found())
                    .next("choose one by the Message-ID of its mail: --message-id ID")),
            }
        }
        several => {
            let versions: std::collections::BTreeSet<u32> =
                several.iter().map(|p| p.version).collect();
            let lone = several.iter().all(|p| p.total == 1);
            let next = if lone {
                "if they are one series in this order, say --in-order; else choose one with --message-id ID"
            } else if versions.len() == several.len() {
                "choose one with --version N"
            } else {
                "choose one by the Message-ID of one of its mails: --message-id ID"
            };
            Err(Diagnosis::usage(format!(
                "{} postings are there; which one is meant?",
                several.len()
            ))
            .detail(found())
            .next(next))
        }
    }
}

fn nothing(all: &[Member], postings: &[Posting], wanted: &Wanted) -> Diagnosis {
    if !postings.is_empty() {
        let what = match (wanted.version, &wanted.message_id) {
            (Some(version), _) => format!("there is no version {version}"),
            (None, Some(id)) => format!("no posting has the mail <{id}>"),
            (None, None) => "there is no posting".into(),
        };
        return Diagnosis::usage(what);
    }
    let is = |want: fn(&Kind) -> bool| all.iter().any(|m| want(&m.kind));
    if is(|k| matches!(k, Kind::PullRequest)) {
        return Diagnosis::usage("it is a pull request: it has no patches")
            .next("fetch what it names with git, and use that tree: --kernel PATH@REF");
    }
    let pieces: Vec<String> = all
        .iter()
        .filter_map(|m| match &m.kind {
            Kind::Reply { pieces, .. } => Some((m, pieces)),
            _ => None,
        })
        .flat_map(|(m, pieces)| {
            pieces.iter().map(move |p| format!("{}: {}: {}", m.file, p.place, p.why))
        })
        .collect();
    if !pieces.is_empty() {
        return Diagnosis::usage("the diffs in it are not whole")
            .detail(pieces.join("\n"))
            .next("ask its author for the patch, or take it from an archive of the list");
    }
    Diagnosis::usage("there is no patch in it")
}

/// The patches in replies that are asked for. Those that only quote a patch which was posted here
/// are none.
fn follow_ups<'a>(all: &'a [Member], wanted: &Wanted) -> Vec<(&'a Member, &'a FollowUp)> {
    let posted: HashSet<Vec<u8>> = all
        .iter()
        .filter_map(|m| match &m.kind {
            Kind::Patch(patch) => Some(patch.diff.write()),
            _ => None,
        })
        .collect();
    let meant = |m: &&Member| wanted.message_id.as_ref().is_none_or(|id| m.mail.id == *id);
    let patches = |m: &'a Member| match &m.kind {
        Kind::Reply { patches, .. } => patches.as_slice(),
        _ => &[],
    };
    all.iter()
        .filter(meant)
        .flat_map(|m| patches(m).iter().map(move |p| (m, p)))
        .filter(|(_, p)| !posted.contains(&p.patch.diff.write()))
        .collect()
}

fn follow_up_of(
    member: &Member,
    follow_up: &FollowUp,
    wanted: &Wanted,
) -> Result<Chosen, Diagnosis> {
    let mut patch = follow_up.patch.clone();
    if let Some(subject) = &wanted.subject {
        patch.subject.clone_from(subject);
    }
    let line = member.mail.place(follow_up.line);
    let quoted = match follow_up.depth {
        0 => "in a reply".to_owned(),
        1 => "quoted in a reply".to_owned(),
        n => format!("quoted {n} times in a reply"),
    };
    let mut notes =
        vec![format!("{}: {line}: found {quoted} to {:?}", member.file, follow_up.answers)];
    notes.extend(follow_up.mended.iter().map(|m| format!("mended: {m}")));
    let patch = complete(patch, wanted, &member.place())?;
    Ok(Chosen {
        title: patch.subject.clone(),
        cover: None,
        version: None,
        message_id: real_id(&member.mail.id),
        base: Base::default(),
        patches: vec![ChosenPatch {
            number: 1,
            patch,
            message_id: member.mail.id.clone(),
            notes: Vec::new(),
        }],
        left_out: Vec::new(),
        follow_up_to: Some(FollowUpTo {
            title: follow_up.answers.clone(),
            message_id: real_id(&member.mail.id),
        }),
        notes,
    })
}

/// A patch with the author and the subject that only the user knows.
fn complete(mut patch: PatchText, wanted: &Wanted, place: &str) -> Result<PatchText, Diagnosis> {
    if patch.author.address.is_empty() {
        patch.author = wanted.author.clone().ok_or_else(|| {
            Diagnosis::usage(format!("{place}: nothing tells who wrote it"))
                .next("name the author: --author 'Name <address>'")
        })?;
    }
    if patch.subject.is_empty() {
        patch.subject = wanted.subject.clone().ok_or_else(|| {
            Diagnosis::usage(format!("{place}: it has no subject"))
                .next("give it one: --subject 'subsystem: What it does'")
        })?;
    }
    Ok(patch)
}

fn posting(all: &[Member], posting: &Posting, wanted: &Wanted) -> Result<Chosen, Diagnosis> {
    let picked = |n: usize| wanted.pick.is_empty() || wanted.pick.iter().any(|r| r.contains(&n));
    if let Some(beyond) = wanted.pick.iter().map(|r| *r.end()).find(|n| *n > posting.total) {
        return Err(Diagnosis::usage(format!(
            "--pick {beyond}: the posting has {} patches",
            posting.total
        )));
    }
    let broken: Vec<_> = posting.broken(all).into_iter().filter(|(n, ..)| picked(*n)).collect();
    if let Some((n, member, why)) = broken.first() {
        let of = posting.total;
        return Err(Diagnosis::usage(format!(
            "patch {n}/{of} cannot be used: {}: {}: {}",
            member.file, why.place, why.why
        ))
        .next("get the mail anew; or leave the patch out with --pick; or, if its author meant it so, --as-is"));
    }
    let missing: Vec<usize> = posting.missing().into_iter().filter(|n| picked(*n)).collect();
    if !missing.is_empty() && !wanted.partial {
        let list: Vec<_> = missing.iter().map(ToString::to_string).collect();
        return Err(Diagnosis::usage(format!(
            "of {} patches, {} did not come",
            posting.total,
            list.join(", ")
        ))
        .next("get the whole thread, or say --partial, or choose with --pick"));
    }
    let mut notes = Vec::new();
    let trailers = if wanted.trailers == Senders::None {
        BTreeMap::new()
    } else {
        trailers(all, posting, wanted, &mut notes)
    };
    let mut patches = Vec::new();
    for (number, member, patch) in posting.patches(all) {
        if !picked(number) {
            continue;
        }
        let mut patch = complete(patch.clone(), wanted, &member.place())?;
        let mut said: Vec<String> =
            member.mail.undone.iter().map(|u| format!("undone: {u}")).collect();
        if !patch.diff.mended.is_empty() {
            said.push(format!(
                "{} blank context lines had lost their space",
                patch.diff.mended.len()
            ));
        }
        if !member.mail.is_counted() {
            said.push("it has no diffstat: that nothing was cut off its end is not certain".into());
        }
        let new: Vec<Trailer> =
            [0, number].iter().filter_map(|n| trailers.get(n)).flatten().cloned().collect();
        let message = mail::add_trailers(&patch.message, &new);
        said.extend(
            message
                .lines()
                .skip(patch.message.lines().count())
                .filter(|l| !l.is_empty())
                .map(|l| format!("collected: {l}")),
        );
        patch.message = message;
        patches.push(ChosenPatch {
            number,
            patch,
            message_id: member.mail.id.clone(),
            notes: said,
        });
    }
    if patches.is_empty() {
        return Err(Diagnosis::usage("nothing is left of it"));
    }
    let first = posting.first(all);
    let cover = first.and_then(|m| match &m.kind {
        Kind::Cover(text) => Some((m.mail.subject.title.clone(), text.clone())),
        _ => None,
    });
    let mut base = Base::default();
    for at in posting.members.values() {
        let here = Base::of(&all[*at].mail);
        base.commit = base.commit.or(here.commit);
        base.prerequisites.extend(here.prerequisites);
    }
    let chosen: Vec<usize> = patches.iter().map(|p| p.number).collect();
    Ok(Chosen {
        title: cover
            .as_ref()
            .map_or_else(|| patches[0].patch.subject.clone(), |(title, _)| title.clone()),
        cover: cover.map(|(_, text)| text).filter(|t| !t.is_empty()),
        version: first.and_then(|m| m.mail.subject.version),
        message_id: first.and_then(|m| real_id(&m.mail.id)),
        base,
        left_out: (1..=posting.total).filter(|n| !chosen.contains(n)).collect(),
        patches,
        follow_up_to: None,
        notes,
    })
}

/// Trailers from replies, by the number of the patch that they are for; 0 is for all of them.
fn trailers(
    all: &[Member],
    posting: &Posting,
    wanted: &Wanted,
    notes: &mut Vec<String>,
) -> BTreeMap<usize, Vec<Trailer>> {
    let number = |id: &String| {
        let found = posting.members.iter().find(|(_, at)| all[**at].mail.id == *id);
        found.map(|(n, _)| *n)
    };
    let mut found: BTreeMap<usize, Vec<Trailer>> = BTreeMap::new();
    for member in all {
        let Kind::Reply { trailers, .. } = &member.kind else { continue };
        let Some(number) = member.mail.references.iter().find_map(number) else { continue };
        for trailer in trailers {
            let sender = member.mail.from.as_ref();
            let own = sender.is_some_and(|s| {
                s.same_address(&trailer.person)
                    || !s.name.is_empty() && s.name.eq_ignore_ascii_case(&trailer.person.name)
            });
            if own || wanted.trailers == Senders::Any {
                found.entry(number).or_default().push(trailer.clone());
            } else {
                let sender = sender.map(ToString::to_string).unwrap_or_default();
                notes.push(format!(
                    "not taken: \"{}\", which {sender} sent (--trailers any takes it)",
                    trailer.line()
                ));
            }
        }
    }
    found
}
