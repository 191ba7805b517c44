// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask series import`.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::Session;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::mail::{self, Person, Proof};
use crate::series::import::{self, Chosen, Place, Placed, Senders, Wanted};
use crate::series::{Expect, KernelRange, Kind, On};

/// Take in a series from mails or patches
#[derive(Debug, Args)]
pub struct Import {
    /// Mailboxes, mails, patches, maildirs, directories of patches, quilt series, message-ids
    #[arg(required = true, value_name = "FILE|DIR|MESSAGE-ID")]
    inputs: Vec<String>,
    /// Name under patches/ [default: made from its title]
    #[arg(long)]
    name: Option<String>,
    /// Kernels that it is for: 5.10, 5.10..5.15, 6.1.., ..6.1 or any
    #[arg(long, value_name = "RANGE", default_value = "any")]
    kernels: KernelRange,
    /// What it stands on: a series or a fault, or its first N patches as NAME:N
    #[arg(long, value_name = "NAME[:N]")]
    on: Option<String>,
    /// Take it in as a fault: a series that breaks the kernel on purpose
    #[arg(long)]
    fault: bool,
    /// Property that a run must see failing
    #[arg(long, value_name = "PROPERTY")]
    expect_property: Option<String>,
    /// Text of a finding that a run must report
    #[arg(long, value_name = "TEXT")]
    expect_finding: Option<String>,
    /// Only show what is there
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    which: Which,
    /// Replace the variant for the same kernels
    #[arg(long)]
    replace: bool,
    /// Mail archive for message-ids
    #[arg(long, value_name = "URL", default_value = ARCHIVE, env = "XTASK_MAIL_ARCHIVE")]
    archive: String,
}

/// Whose trailers are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Trailers {
    /// Those that were sent by whom they name
    Own,
    /// Everybody's
    Any,
    /// Nobody's
    None,
}

/// Which of the things that were found is meant.
#[derive(Debug, Clone, Args)]
struct Which {
    /// Which version
    #[arg(long, value_name = "N")]
    version: Option<u32>,
    /// Which posting or reply, by the Message-ID of one of its mails
    #[arg(long, value_name = "ID")]
    message_id: Option<String>,
    /// Only these patches: 1-3,5
    #[arg(long, value_name = "NUMBERS", value_parser = range, value_delimiter = ',')]
    pick: Vec<RangeInclusive<usize>>,
    /// Take what came of a series that is not whole
    #[arg(long)]
    partial: bool,
    /// Take patches as they are, though their diffstat does not fit or their tabs seem lost
    #[arg(long)]
    as_is: bool,
    /// Patches without n/m are one series, in the order in which they came
    #[arg(long)]
    in_order: bool,
    /// Whose trailers are collected from replies
    #[arg(long, value_enum, default_value_t = Trailers::Own)]
    trailers: Trailers,
    /// Author of a patch that does not name one
    #[arg(long, value_name = "NAME <ADDRESS>", value_parser = person)]
    author: Option<Person>,
    /// Subject of a patch that has none
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
}

const ARCHIVE: &str = "https://lore.kernel.org/all";

fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let bad = || format!("{text:?} is no number and no range such as 1-3");
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let first: usize = first.trim().parse().map_err(|_| bad())?;
    let last: usize = last.trim().parse().map_err(|_| bad())?;
    if first == 0 || first > last { Err(bad()) } else { Ok(first..=last) }
}

fn person(text: &str) -> Result<Person, String> {
    Person::parse(text).ok_or_else(|| "give it as 'Name <address@example.org>'".into())
}

impl Which {
    fn wanted(&self) -> Wanted {
        let bare = |id: &String| id.trim_matches(['<', '>']).to_owned();
        Wanted {
            version: self.version,
            message_id: self.message_id.as_ref().map(bare),
            pick: self.pick.clone(),
            partial: self.partial,
            trailers: match self.trailers {
                Trailers::Own => Senders::Own,
                Trailers::Any => Senders::Any,
                Trailers::None => Senders::None,
            },
            author: self.author.clone(),
            subject: self.subject.clone(),
        }
    }
}

impl Import {
    fn on(&self, session: &Session) -> Result<Option<On>, Diagnosis> {
        let Some(on) = &self.on else { return Ok(None) };
        let (name, upto) = match on.rsplit_once(':') {
            Some((name, n)) => {
                let n = n.parse().map_err(|_| {
                    Diagnosis::usage(format!("--on {on}: {n:?} is no number of patches"))
                })?;
                (name, Some(n))
            }
            None => (on.as_str(), None),
        };
        let series = crate::series::Series::load_any(&session.workspace.patches(), name)?;
        let name = Some(series.name);
        Ok(Some(match series.kind {
            Kind::Series => On { series: name, fault: None, upto },
            Kind::Fault => On { series: None, fault: name, upto },
        }))
    }

    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        let on = self.on(session)?;
        let proof = if self.which.as_is { Proof::NONE } else { Proof::ALL };
        let gathered = import::gather(&session.host, &self.inputs, &self.archive, proof)?;
        let mut members = gathered.members;
        if self.which.in_order || gathered.ordered {
            import::number_in_order(&mut members);
        }
        for ignored in &gathered.ignored {
            session.host.progress.note(&format!("not taken: {ignored}"));
        }
        let (all, postings) = mail::postings(members);
        let listed = import::list(&all, &postings);
        if self.list {
            session.print(&import::text(&listed), &listed)?;
            return Ok(ExitKind::Pass);
        }
        let chosen = import::choose(&all, &postings, &self.which.wanted())?;
        let mut text = understood(&chosen);
        let link = chosen.message_id.as_ref().filter(|_| self.archive == ARCHIVE).map(|id| {
            // The short form that kernel people put into Link: lines.
            format!("https://lore.kernel.org/r/{id}")
        });
        let named = self.expect_property.is_some() || self.expect_finding.is_some();
        let expect = named.then(|| Expect {
            verdict: None,
            property: self.expect_property.clone(),
            finding: self.expect_finding.clone(),
        });
        let place = Place {
            name: self.name.clone(),
            kernels: self.kernels,
            on,
            kind: if self.fault { Kind::Fault } else { Kind::Series },
            expect,
            link,
            replace: self.replace,
        };
        if session.dry_run {
            session.print(&text, &json!({"found": listed, "chosen": value(&chosen)}))?;
            return Ok(ExitKind::Pass);
        }
        let _lock = session.lock_patches()?;
        let placed = import::place(&session.workspace.patches(), &chosen, &place)?;
        text.push_str(&said(&placed, self.kernels));
        let value = json!({
            "found": listed, "chosen": value(&chosen), "series": placed.name,
            "directory": placed.directory, "files": placed.files,
        });
        session.print(&text, &value)?;
        Ok(ExitKind::Pass)
    }
}

fn understood(chosen: &Chosen) -> String {
    let version = chosen.version.map(|v| format!("v{v}, ")).unwrap_or_default();
    let mut text = format!("{} ({version}{} patches)\n", chosen.title, chosen.patches.len());
    for patch in &chosen.patches {
        let _ =
            writeln!(text, "{:>3} {} ({})", patch.number, patch.patch.subject, patch.patch.author);
        for note in &patch.notes {
            let _ = writeln!(text, "      {note}");
        }
    }
    if !chosen.left_out.is_empty() {
        let left: Vec<_> = chosen.left_out.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "  not taken: patches {}", left.join(", "));
    }
    if let Some(base) = &chosen.base.commit {
        let _ = writeln!(text, "  made on commit {base}");
    }
    if let Some(follow_up) = &chosen.follow_up_to {
        let _ = writeln!(text, "  a follow-up to {:?}", follow_up.title);
    }
    for note in &chosen.notes {
        let _ = writeln!(text, "  {note}");
    }
    text
}

fn value(chosen: &Chosen) -> serde_json::Value {
    let patches: Vec<_> = chosen
        .patches
        .iter()
        .map(|p| {
            json!({
                "number": p.number, "subject": p.patch.subject, "author": p.patch.author.to_string(),
                "date": p.patch.date, "message_id": p.message_id, "files": p.patch.diff.paths(),
                "notes": p.notes,
            })
        })
        .collect();
    json!({
        "title": chosen.title, "cover": chosen.cover, "version": chosen.version,
        "message_id": chosen.message_id, "base_commit": chosen.base.commit,
        "prerequisite_patch_ids": chosen.base.prerequisites, "patches": patches,
        "left_out": chosen.left_out, "follow_up_to": chosen.follow_up_to, "notes": chosen.notes,
    })
}

fn said(placed: &Placed, kernels: KernelRange) -> String {
    let what = if placed.added { "added a variant to" } else { "imported as" };
    format!(
        "{what} {} ({kernels}): {}\nnext: cargo xtask series check {}\n",
        placed.name,
        placed.directory.display(),
        placed.name
    )
}
