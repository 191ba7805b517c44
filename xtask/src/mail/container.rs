// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a file to its mails: mbox (all four kinds), a single mail, or text that is no mail.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::Regex;

/// The bytes of one mail within a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw<'a> {
    /// Line of the file where it starts, from 1.
    pub line: usize,
    /// Its bytes, headers first, without an mbox's `From ` line.
    pub bytes: Cow<'a, [u8]>,
    /// Whether it stood in an mbox.
    pub in_mbox: bool,
    /// Whether `From ` at the start of a line is escaped, as all but git do in an mbox.
    pub escaped: bool,
}

/// `From someone Mon Sep 17 00:00:00 2001`, as git's mailsplit takes it: a time and a year.
static FROM: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^From \S.* \d{1,2}:\d{2}(:\d{2})? .*\d{4}\s*$").ok());

static HEADER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[A-Za-z][A-Za-z0-9-]*:(\s|$)").ok());

fn matches(regex: &LazyLock<Option<Regex>>, line: &[u8]) -> bool {
    regex.as_ref().is_some_and(|r| r.is_match(line))
}

/// Whether a file is an mbox (or one patch of `git format-patch`).
pub fn is_mbox(bytes: &[u8]) -> bool {
    matches(&FROM, first_line(bytes))
}

/// Headers that tell a mail from a text that happens to start with a word and a colon.
const TELLING: [&[u8]; 8] = [
    b"from:",
    b"subject:",
    b"date:",
    b"message-id:",
    b"return-path:",
    b"received:",
    b"to:",
    b"mime-version:",
];

/// Whether a file starts with the headers of a mail.
pub fn is_mail(bytes: &[u8]) -> bool {
    let headers = bytes.split(|b| *b == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l));
    let mut telling = 0;
    for line in headers.take_while(|l| !l.is_empty()).take(200) {
        let folded = matches!(line.first(), Some(b' ' | b'\t'));
        if !folded && !matches(&HEADER, line) {
            return false;
        }
        let lower = line.to_ascii_lowercase();
        telling += usize::from(TELLING.iter().any(|t| lower.starts_with(t)));
    }
    telling >= 2
}

fn first_line(bytes: &[u8]) -> &[u8] {
    bytes.split(|b| *b == b'\n').next().unwrap_or_default()
}

/// Splits a file into its mails. A file that is neither mbox nor mail is one piece of text.
pub fn split(bytes: &[u8]) -> Vec<Raw<'_>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if !is_mbox(bytes) {
        return vec![Raw { line: 1, bytes: lf(bytes), in_mbox: false, escaped: false }];
    }
    let mut starts: Vec<(usize, &[u8], usize)> = Vec::new();
    let mut offset = 0;
    let mut lines = bytes.split_inclusive(|b| *b == b'\n').enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let next = lines.peek().map(|(_, l)| *l).unwrap_or_default();
        // A line of text that looks like a separator is not followed by a header.
        if matches(&FROM, line) && (offset == 0 || matches(&HEADER, next)) {
            starts.push((offset, line, number + 2));
        }
        offset += line.len();
    }
    let ends = starts.iter().skip(1).map(|s| s.0).chain([bytes.len()]);
    let ends: Vec<usize> = ends.collect();
    starts
        .iter()
        .zip(ends)
        .map(|(&(from, line, number), to)| Raw {
            line: number,
            bytes: lf(&bytes[from + line.len()..to]),
            in_mbox: true,
            // The date that git's own mails have instead of one.
            escaped: !line.trim_ascii_end().ends_with(b" Mon Sep 17 00:00:00 2001"),
        })
        .collect()
}

/// Line ends as LF, where all of them are CRLF: those are the transport's. Where only some are,
/// they belong to the files that are patched.
pub(super) fn lf(bytes: &[u8]) -> Cow<'_, [u8]> {
    let newlines = bytes.iter().filter(|b| **b == b'\n').count();
    let crlf = bytes.windows(2).filter(|w| w == b"\r\n").count();
    if newlines == 0 || newlines != crlf {
        return bytes.into();
    }
    let mut out = Vec::with_capacity(bytes.len() - crlf);
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\r' || rest.peek() != Some(&b'\n') {
            out.push(byte);
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mboxes_are_split_at_real_separators_only() {
        let mbox = "From a@b Mon Sep 17 00:00:00 2001\nSubject: one\n\nFrom here on 10:00 in 2021\nthe text\n\nFrom 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nSubject: two\n\n>From x\n";
        let mails = split(mbox.as_bytes());
        let all: Vec<_> = mails
            .iter()
            .map(|m| (m.line, String::from_utf8_lossy(&m.bytes).into_owned()))
            .collect();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].0, 2);
        assert!(all[0].1.ends_with("the text\n\n"), "{all:?}");
        assert_eq!(all[1], (8, "Subject: two\n\n>From x\n".into()));
    }

    #[test]
    fn mails_and_texts_are_told_apart() {
        assert!(is_mail(b"From: a@b.c\r\nSubject: x\r\n\r\n"));
        assert!(is_mail(b"Received: x\n\tby y\nDate: z\n"));
        assert!(!is_mail(b"Subject: only a note\n\ntext"));
        assert!(!is_mail(b"diff --git a/x b/x\n"));
        assert!(!is_mail(b"Re: [PATCH 7/8] x\n\n[A <a@b.c>]\n"));
    }

    #[test]
    fn line_ends_of_the_transport_and_of_the_files() {
        assert_eq!(&*lf(b"a\r\nb\r\n"), b"a\nb\n");
        assert_eq!(&*lf(b"a\nb\r\n"), b"a\nb\r\n");
        assert_eq!(&*lf(b"a\r\r\nb\r\n"), b"a\r\nb\n");
    }
}
