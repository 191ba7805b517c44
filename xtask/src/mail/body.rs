// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text of a mail with a patch: in-body headers, message, notes, diff.

use super::message::decode;
use super::{Mail, PatchText, Person, Proof, Subject, armor, trailer};
use crate::diff::{self, Text};

/// Why a mail that should have a patch has none that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unusable {
    /// Line of the text, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: String,
}

/// Reads the patch of a mail.
///
/// # Errors
/// What makes its diff another one than its author's.
pub(super) fn patch(mail: &Mail, proof: Proof) -> Result<PatchText, Unusable> {
    let text = Text::new(&mail.text);
    let above = mail.text_line.saturating_sub(1);
    let unusable =
        |e: diff::DiffError| Unusable { line: e.line, why: e.reason.below(above).to_string() };
    let first = diff::first_line(&text)
        .ok_or_else(|| unusable(diff::DiffError { line: 1, reason: diff::Reason::NoDiff }))?;
    let diff = diff::read(&text, first).map_err(unusable)?;
    if let Some((line, file)) = diff::tabs_lost(&diff).filter(|_| proof.tabs) {
        let why = format!("the tabs of {file} were turned into spaces");
        return Err(Unusable { line, why });
    }
    let before = &text.lines[..diff::text_end(&text, first)];
    if let Some(claimed) = diff::claimed(before).filter(|_| proof.counts)
        && claimed != diff.stat()
    {
        let why = format!(
            "its diffstat says {claimed}, but its diff has {}: it is cut, or was edited",
            diff.stat()
        );
        return Err(Unusable { line: diff.end.max(1), why });
    }
    let readable = before.iter().map(|l| decode(l, &mail.charset)).collect::<Vec<_>>();
    let mut patch = message(&readable);
    if patch.author.address.is_empty()
        && let Some(from) = &mail.from
    {
        patch.author = from.clone();
    }
    if patch.date.is_empty() {
        patch.date.clone_from(&mail.date);
    }
    if patch.subject.is_empty() {
        patch.subject.clone_from(&mail.subject.title);
    }
    if patch.subject.is_empty() {
        // A text without headers starts with its subject, as a commit does.
        let message = std::mem::take(&mut patch.message);
        let (subject, rest) = message.split_once('\n').unwrap_or((&message, ""));
        subject.clone_into(&mut patch.subject);
        rest.trim().clone_into(&mut patch.message);
    }
    if patch.author.address.is_empty() {
        patch.author = trailer::first_signer(&patch.message).unwrap_or_default();
    }
    patch.diff = diff;
    Ok(patch)
}

/// What stands before a diff: in-body headers (git-am(1), "DISCUSSION"), the message, and below
/// `---` what is not meant for the history.
pub(super) fn message(lines: &[String]) -> PatchText {
    let mut patch = PatchText::default();
    let mut at = lines.iter().take_while(|l| l.trim().is_empty()).count();
    while let Some(line) = lines.get(at) {
        if let Some(person) = line.strip_prefix("From:").and_then(Person::parse) {
            patch.author = person;
        } else if let Some(date) = line.strip_prefix("Date:") {
            if mailparse::dateparse(date).is_ok_and(|t| (1..i64::from(u32::MAX)).contains(&t)) {
                date.trim().clone_into(&mut patch.date);
            }
        } else if let Some(subject) = line.strip_prefix("Subject:") {
            let mut subject = subject.to_owned();
            while lines
                .get(at + 1)
                .is_some_and(|l| l.starts_with([' ', '\t']) && !l.trim().is_empty())
            {
                at += 1;
                subject.push_str(&lines[at]);
            }
            patch.subject = Subject::parse(&subject).title;
        } else {
            break;
        }
        at += 1;
    }
    let rest = &lines[at.min(lines.len())..];
    let end = rest.iter().position(|l| l.trim_end() == "---").unwrap_or(rest.len());
    let mut text = String::new();
    for line in &rest[..end] {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    trailer::tidy(&text).clone_into(&mut patch.message);
    patch
}

/// The text of a cover letter: without diffstat, shortlog markers and footers.
pub(super) fn cover(mail: &Mail) -> String {
    let text = mail.readable();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let patch = message(&lines);
    let mut text = armor::without_footer(&patch.message).to_owned();
    // `git format-patch --cover-letter` appends a shortlog and a diffstat.
    let is_stat = |l: &str| diff::claimed(&[l.as_bytes()]).is_some();
    let all: Vec<&str> = text.lines().collect();
    if let Some(stat) = all.iter().position(|l| is_stat(l)) {
        let shortlog = all.iter().position(|l| is_shortlog_head(l)).unwrap_or(stat);
        let bars = all[..stat].iter().rposition(|l| !l.contains(" | ")).map_or(0, |n| n + 1);
        all[..shortlog.min(bars)].join("\n").trim().clone_into(&mut text);
    }
    text
}

/// `Name (3):`
fn is_shortlog_head(line: &str) -> bool {
    let count = line.strip_suffix("):").and_then(|l| l.rsplit_once(" ("));
    count.is_some_and(|(name, n)| !name.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}
