// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writing a patch as a mail, as `git format-patch` does it.

use std::fmt::Write as _;

use super::{PatchText, Person};

/// Writes a patch as `git am` reads it. `prefix` goes into the brackets: `PATCH v2 1/3`.
pub fn write(patch: &PatchText, prefix: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut out =
        String::from("From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n");
    let _ = writeln!(out, "From: {}", header_person(&patch.author));
    if !patch.date.is_empty() {
        let _ = writeln!(out, "Date: {}", patch.date);
    }
    let _ = writeln!(out, "Subject: [{prefix}] {}", header_text(&patch.subject));
    for (name, value) in headers {
        let _ = writeln!(out, "{name}: {value}");
    }
    if !patch.message.is_ascii() {
        out.push_str("MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n");
    }
    out.push('\n');
    for line in patch.message.lines() {
        let _ = writeln!(out, "{line}");
    }
    out.push_str("---\n");
    let stat = patch.diff.stat();
    let s = |n: usize| if n == 1 { "" } else { "s" };
    let _ = writeln!(
        out,
        " {} file{} changed, {} insertion{}(+), {} deletion{}(-)\n",
        stat.files,
        s(stat.files),
        stat.insertions,
        s(stat.insertions),
        stat.deletions,
        s(stat.deletions)
    );
    let mut bytes = out.into_bytes();
    bytes.extend_from_slice(&patch.diff.write());
    bytes.extend_from_slice(b"-- \nxtask\n\n");
    bytes
}

/// A text as a header may have it: RFC 2047 words of at most 75 characters where it is not ASCII.
fn header_text(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        let mut bytes = [0; 4];
        let encoded: String = c
            .encode_utf8(&mut bytes)
            .bytes()
            .map(|b| match b {
                b' ' => "_".to_owned(),
                b if b.is_ascii_alphanumeric() || b"-./:".contains(&b) => char::from(b).to_string(),
                b => format!("={b:02X}"),
            })
            .collect();
        if word.len() + encoded.len() > 60 {
            words.push(std::mem::take(&mut word));
        }
        word.push_str(&encoded);
    }
    words.push(word);
    let words: Vec<_> = words.iter().map(|w| format!("=?UTF-8?q?{w}?=")).collect();
    words.join("\n ")
}

fn header_person(person: &Person) -> String {
    let special = |c: char| "()<>[]:;@\\,.\"".contains(c);
    let name = match &person.name {
        name if name.is_empty() => return person.address.clone(),
        name if !name.is_ascii() => header_text(name),
        name if name.contains(special) => {
            format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
        }
        name => name.clone(),
    };
    format!("{name} <{}>", person.address)
}

/// The name of a patch's file, as `git format-patch` makes it: at most 64 characters.
pub fn file_name(number: usize, subject: &str) -> String {
    const LONGEST: usize = 52;
    let mut slug = String::new();
    for c in subject.chars() {
        let plain = c.is_ascii_alphanumeric() || c == '.' || c == '_';
        match (plain, slug.chars().last()) {
            (true, Some('.')) if c == '.' => {}
            (true, _) => slug.push(c),
            (false, None | Some('-')) => {}
            (false, _) => slug.push('-'),
        }
    }
    slug.truncate(LONGEST);
    let slug = slug.trim_end_matches(['-', '.']);
    format!("{number:04}-{}.patch", if slug.is_empty() { "patch" } else { slug })
}
