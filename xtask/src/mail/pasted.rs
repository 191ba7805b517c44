// SPDX-License-Identifier: MIT OR Apache-2.0
//! Texts that are no mails: bare diffs, patches of quilt with a few fields on top, and mails as a
//! program shows them.

use super::message::{decode, id_of};
use super::{Mail, Person, Raw, Subject};

/// Reads a text as a mail, as far as it tells what a mail would.
pub(super) fn read(raw: &Raw<'_>) -> Mail {
    let mut mail = Mail { line: raw.line, text_line: raw.line, ..Mail::default() };
    if !dep3(raw, &mut mail) {
        shown(raw, &mut mail);
    }
    mail.id = id_of(&[mail.subject.title.as_bytes(), &mail.text]);
    mail
}

/// A mail as a program shows it: the subject in the first line, and the sender below, in brackets
/// or behind `From:`. Anything else stays as it is.
fn shown(raw: &Raw<'_>, mail: &mut Mail) {
    let readable = decode(&raw.bytes, "");
    let mut lines = readable.lines().enumerate().filter(|(_, l)| !l.trim().is_empty());
    let mut skipped = 0;
    if let Some((at, first)) = lines.next() {
        let line = first.strip_prefix("Subject:").unwrap_or(first);
        let subject = Subject::parse(line);
        if subject.reply || subject.patch || line.len() < first.len() {
            mail.subject = subject;
            skipped = at + 1;
        }
    }
    if skipped > 0
        && let Some((_, second)) = lines.next()
    {
        let inner = second.trim().strip_prefix('[').and_then(|l| l.strip_suffix(']'));
        mail.from = inner.or_else(|| second.strip_prefix("From:")).and_then(Person::parse);
    }
    mail.text_line += skipped;
    mail.text =
        raw.bytes.split_inclusive(|b| *b == b'\n').skip(skipped).flatten().copied().collect();
}

/// The fields of Debian's patch tagging guidelines (DEP-3), as patches of quilt have them. Returns
/// whether the text starts with some.
fn dep3(raw: &Raw<'_>, mail: &mut Mail) -> bool {
    const FIELDS: [&str; 9] = [
        "Description",
        "Subject",
        "Author",
        "From",
        "Origin",
        "Bug",
        "Forwarded",
        "Reviewed-by",
        "Last-Update",
    ];
    let field = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let known = FIELDS.iter().any(|f| name == *f || name.strip_prefix("Bug-").is_some());
        known.then(|| (name.to_owned(), value.trim().to_owned()))
    };
    let readable = decode(&raw.bytes, "");
    let head: Vec<&str> = readable.lines().take_while(|l| !l.trim().is_empty()).collect();
    let is_head = |l: &&&str| field(l).is_some() || l.starts_with(' ');
    let length = head.iter().take_while(is_head).count();
    let names: Vec<String> =
        head[..length].iter().filter_map(|l| field(l)).map(|(n, _)| n).collect();
    let described = names.first().is_some_and(|n| n == "Description" || n == "Author");
    if !described || !names.iter().any(|n| n == "Description" || n == "Subject") {
        return false;
    }
    let (mut title, mut message, mut others) = (String::new(), Vec::new(), Vec::new());
    let mut in_description = false;
    for line in &head[..length] {
        match field(line) {
            Some((name, value)) => {
                in_description = name == "Description" || name == "Subject";
                match name.as_str() {
                    "Description" | "Subject" => title = value,
                    "Author" | "From" => mail.from = Person::parse(&value),
                    "Last-Update" => {}
                    _ => others.push((*line).to_owned()),
                }
            }
            // A line with a dot stands for a blank one.
            None if in_description => message.push(match line.trim() {
                "." => String::new(),
                text => text.to_owned(),
            }),
            None => others.push((*line).to_owned()),
        }
    }
    mail.subject = Subject { patch: true, ..Subject::parse(&title) };
    mail.text_line = 0;
    let rest: Vec<u8> =
        raw.bytes.split_inclusive(|b| *b == b'\n').skip(length).flatten().copied().collect();
    let top = format!("{}\n\n{}\n", message.join("\n"), others.join("\n"));
    mail.text = [top.as_bytes(), &rest].concat();
    true
}
