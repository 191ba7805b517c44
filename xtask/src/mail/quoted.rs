// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patches within replies: quoted at any depth ("I did this on top of this patch"), or not at all.

use std::sync::LazyLock;

use regex::Regex;
use regex::bytes::Regex as BytesRegex;

use super::body::{self, Unusable};
use super::message::decode;
use super::{Mail, PatchText, Person, Proof, trailer};
use crate::diff::{self, Reason, Text};

/// A patch that stands in a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUp {
    /// The patch. Its author's address is empty if nothing tells it.
    pub patch: PatchText,
    /// How often it is quoted; 0 if it is the sender's own.
    pub depth: usize,
    /// Line of the mail's text where its diff starts, from 1.
    pub line: usize,
    /// The title of the patch that it answers.
    pub answers: String,
    /// What quoting had done to it and was undone, in words.
    pub mended: Vec<String>,
}

/// A line that starts a diff, with what quotes it.
static START: LazyLock<Option<BytesRegex>> =
    LazyLock::new(|| BytesRegex::new(r"^((?:[>|] ?)*)(?:diff --git |--- \S)").ok());

/// `On Thu, Oct 14, 2021 at 04:28:19PM -0400, Steven Rostedt wrote:`
static WROTE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:^On (?P<date>.*?\d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?(?: [+-]\d{4})?),? )?(?P<who>[^,>|][^>|]*>?) (?:wrote|writes|schrieb|said):\s*$").ok()
});

/// The text of a line without the quotes that its block has.
fn unquoted<'a>(line: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    line.strip_prefix(prefix).or_else(|| (line == prefix.trim_ascii_end()).then_some(b""))
}

/// Finds all patches in a reply, and what looks like one but is not whole.
pub(super) fn find(mail: &Mail, proof: Proof) -> (Vec<FollowUp>, Vec<Unusable>) {
    let (mut found, mut unusable) = (Vec::new(), Vec::new());
    let text = Text::new(&mail.text);
    let mut at = 0;
    while at < text.lines.len() {
        let Some(prefix) = start(&text, at) else {
            at += 1;
            continue;
        };
        let block: Vec<&[u8]> =
            text.lines[at..].iter().map_while(|line| unquoted(line, prefix)).collect();
        let whole = at + block.len() == text.lines.len();
        let lines = Text { lines: block, complete: text.complete || !whole };
        match diff::read(&lines, 0) {
            Ok(diff) => {
                let end = at + diff.end.max(1);
                match follow_up((mail, proof), &text, at, prefix, diff) {
                    Ok(follow_up) => found.push(follow_up),
                    Err(why) => unusable.push(why),
                }
                at = end;
            }
            Err(error) => {
                let why = match error.reason {
                    Reason::Cut { .. } if !prefix.is_empty() => {
                        break_off(&text, at + lines.lines.len(), prefix)
                    }
                    reason => reason.below(at + mail.text_line.saturating_sub(1)).to_string(),
                };
                unusable.push(Unusable { line: at + error.line, why });
                // Files and hunks that follow in this block are of the same diff.
                at += lines.lines.len().max(1);
            }
        }
    }
    (found, unusable)
}

/// Why a quoted diff ends at a line before it is whole.
fn break_off(text: &Text<'_>, at: usize, prefix: &[u8]) -> String {
    let line = text.lines.get(at).copied().unwrap_or_default();
    let goes_on = text.lines.get(at + 1).is_some_and(|l| unquoted(l, prefix).is_some());
    if goes_on && !line.trim_ascii().is_empty() {
        let line = String::from_utf8_lossy(line).into_owned();
        return format!("{line:?} is not quoted: a mailer wrapped the line before it");
    }
    "the quoted diff breaks off here: a comment stands in it, or the rest was not quoted".to_owned()
}

/// What quotes the diff that starts at a line, if one does.
fn start<'a>(text: &Text<'a>, at: usize) -> Option<&'a [u8]> {
    let line = text.lines[at];
    let found = START.as_ref()?.captures(line)?;
    let prefix = found.get(1)?.as_bytes();
    let rest = &line[prefix.len()..];
    let next = || text.lines.get(at + 1).and_then(|l| unquoted(l, prefix));
    (rest.starts_with(b"diff ") || next().is_some_and(|n| n.starts_with(b"+++ "))).then_some(prefix)
}

fn follow_up(
    (mail, proof): (&Mail, Proof),
    text: &Text<'_>,
    at: usize,
    prefix: &[u8],
    mut diff: diff::Diff,
) -> Result<FollowUp, Unusable> {
    if let Some((line, file)) = diff::tabs_lost(&diff).filter(|_| proof.tabs) {
        let why = format!("the tabs of {file} were turned into spaces");
        return Err(Unusable { line: at + line, why });
    }
    let mut mended = Vec::new();
    match diff.mended.len() {
        0 => {}
        n => mended.push(format!("{n} blank context lines had lost their space")),
    }
    match diff.take_added_spaces() {
        0 => {}
        n => mended.push(format!("{n} context lines had a space too many")),
    }
    let lines = before(text, at, prefix, &mail.charset);
    let claimed = lines.iter().rev().find_map(|l| diff::claimed(&[l.as_bytes()]));
    if let Some(claimed) = claimed.filter(|c| proof.counts && *c != diff.stat()) {
        let why = format!("its diffstat says {claimed}, but its diff has {}", diff.stat());
        return Err(Unusable { line: at + diff.end, why });
    }
    let depth = prefix.iter().filter(|b| matches!(b, b'>' | b'|')).count();
    let mut patch = body::message(&lines);
    let attribution = attribution(text, at, depth, &mail.charset);
    let signed = trailer::first_signer(&patch.message);
    if patch.author.address.is_empty() {
        let sender = mail.from.clone().filter(|_| depth == 0);
        let writer = attribution.as_ref().and_then(|a| Person::parse(&a.who)).filter(|_| depth > 0);
        patch.author = signed.or(sender).or(writer).unwrap_or_default();
    }
    if patch.date.is_empty() {
        patch.date = match attribution {
            Some(attribution) if depth > 0 => attribution.date,
            _ if depth == 0 => mail.date.clone(),
            _ => String::new(),
        };
    }
    let answers = mail.subject.title.clone();
    if patch.subject.is_empty() {
        patch.subject = format!("{answers} (follow-up)");
    }
    if patch.message.lines().all(|l| l.is_empty() || trailer::is_trailer(l)) {
        let sentence = format!("Sent without a message of its own, in a reply to\n\"{answers}\".");
        patch.message = match patch.message.as_str() {
            "" => sentence,
            trailers => format!("{sentence}\n\n{trailers}"),
        };
    }
    patch.diff = diff;
    Ok(FollowUp { patch, depth, line: at + 1, answers, mended })
}

/// The lines of the message before a diff: those quoted as it is, back to where somebody else
/// speaks, or to a scissors line.
fn before(text: &Text<'_>, at: usize, prefix: &[u8], charset: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines[..at].iter().rev() {
        let Some(rest) = unquoted(line, prefix) else { break };
        let rest = decode(rest, charset);
        let other = rest.starts_with(['>', '|'])
            || WROTE.as_ref().is_some_and(|r| r.is_match(&rest))
            || rest.contains("- >8")
            || rest.contains("- 8<");
        if other {
            break;
        }
        lines.push(rest);
    }
    lines.reverse();
    lines
}

struct Attribution {
    who: String,
    date: String,
}

/// The nearest line above that says who wrote what is quoted `depth` times.
fn attribution(text: &Text<'_>, at: usize, depth: usize, charset: &str) -> Option<Attribution> {
    let above = depth.checked_sub(1)?;
    for (n, line) in text.lines[..at].iter().enumerate().rev() {
        let quotes = line.iter().take_while(|b| matches!(b, b'>' | b'|' | b' ')).count();
        let (marks, rest) = line.split_at(quotes);
        if marks.iter().filter(|b| matches!(b, b'>' | b'|')).count() != above {
            continue;
        }
        // Some mailers break the line before `wrote:`.
        let mut joined = decode(rest, charset);
        if joined.trim_start().starts_with("wrote:") && n > 0 {
            let first = decode(text.lines[n - 1], charset);
            joined = format!("{} {joined}", first.trim_start_matches(['>', '|', ' ']).trim_end());
        }
        if let Some(found) = WROTE.as_ref()?.captures(&joined) {
            let who = found.name("who").map(|m| m.as_str().trim().to_owned()).unwrap_or_default();
            let date = found.name("date").and_then(|m| date(m.as_str())).unwrap_or_default();
            return Some(Attribution { who, date });
        }
    }
    None
}

/// A date as mailers write it into an attribution, as RFC 5322 wants it.
fn date(text: &str) -> Option<String> {
    const FORMS: [&str; 6] = [
        "%a, %b %d, %Y %I:%M:%S%p %z",
        "%a, %b %d, %Y %I:%M:%S %p %z",
        "%a, %b %d, %Y %H:%M:%S %z",
        "%a, %d %b %Y %H:%M:%S %z",
        "%a, %b %d, %Y %I:%M %p %z",
        "%Y-%m-%d %H:%M %z",
    ];
    let text = text.replace(" at ", " ").replace('\u{202f}', " ");
    // Without a zone, UTC is as good as any.
    let with_zone = format!("{text} +0000");
    let parse = |text: &str| {
        FORMS.iter().find_map(|form| jiff::fmt::strtime::parse(form, text).ok()?.to_zoned().ok())
    };
    let zoned = parse(&text).or_else(|| parse(&with_zone))?;
    Some(zoned.strftime("%a, %d %b %Y %H:%M:%S %z").to_string())
}
