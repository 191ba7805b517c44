// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is understood of our own sample mails; the samples lie in `fixtures/`.

use std::fmt::Write as _;
use std::path::Path;

use super::*;

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mail/fixtures").join(name))
        .unwrap()
}

fn members(name: &str, bytes: &[u8]) -> Vec<Member> {
    let member = |mail: Mail| Member { file: name.into(), kind: Kind::of(&mail, Proof::ALL), mail };
    split(bytes).iter().flat_map(|raw| read(raw).unwrap()).map(member).collect()
}

fn describe_patch(patch: &PatchText, out: &mut String) {
    let _ = writeln!(out, "    subject: {}", patch.subject);
    let _ = writeln!(out, "    author: {} / {}", patch.author, patch.date);
    for line in patch.message.lines() {
        let _ = writeln!(out, "    | {line}");
    }
    let _ = writeln!(out, "    diff: {} in {}", patch.diff.stat(), patch.diff.paths().join(" "));
}

fn describe(all: &[Member]) -> String {
    let mut out = String::new();
    for member in all {
        let mail = &member.mail;
        let from = mail.from.as_ref().map(ToString::to_string).unwrap_or_default();
        let _ =
            writeln!(out, "{}: {} from {from}: {:?}", member.place(), mail.id, mail.subject.title);
        let base = Base::of(mail);
        if base != Base::default() {
            let _ = writeln!(out, "    base: {base:?}");
        }
        if !mail.undone.is_empty() {
            let _ = writeln!(out, "    undone: {}", mail.undone.join(", "));
        }
        match &member.kind {
            Kind::Patch(patch) => describe_patch(patch, &mut out),
            Kind::Cover(text) => {
                let _ = writeln!(out, "    cover: {text:?}");
            }
            Kind::Reply { trailers, patches, pieces } => {
                for trailer in trailers {
                    let _ = writeln!(out, "    trailer: {}", trailer.line());
                }
                for found in patches {
                    let _ = writeln!(
                        out,
                        "    follow-up to {:?}, depth {}, line {}, mended {:?}",
                        found.answers, found.depth, found.line, found.mended
                    );
                    describe_patch(&found.patch, &mut out);
                }
                for piece in pieces {
                    let _ = writeln!(out, "    piece: {}: {}", piece.place, piece.why);
                }
            }
            Kind::PullRequest => out.push_str("    a pull request\n"),
            Kind::NoDiff(why) => {
                let _ = writeln!(out, "    nothing: {why}");
            }
            Kind::Broken(broken) => {
                let _ = writeln!(out, "    broken: {}: {}", broken.place, broken.why);
            }
        }
    }
    out
}

fn describe_postings(all: &[Member], postings: &[Posting]) -> String {
    let mut out = String::new();
    for posting in postings {
        let ids: Vec<_> =
            posting.members.iter().map(|(n, at)| format!("{n}={}", all[*at].mail.id)).collect();
        let _ = writeln!(
            out,
            "v{} of {}: {}; missing {:?}",
            posting.version,
            posting.total,
            ids.join(" "),
            posting.missing()
        );
    }
    out
}

#[test]
fn every_sample_is_understood() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mail/fixtures");
    let mut names: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in &names {
        let (all, postings) = postings(members(name, &fixture(name)));
        let text = format!("{}{}", describe(&all), describe_postings(&all, &postings));
        insta::assert_snapshot!(format!("sample-{name}"), text);
    }
}

#[test]
fn all_encodings_carry_the_same_patch() {
    let patch = |name: &str| {
        let all = members(name, &fixture(name));
        let patches = all.iter().find_map(|m| match &m.kind {
            Kind::Patch(patch) => Some((**patch).clone()),
            _ => None,
        });
        patches.unwrap_or_else(|| panic!("{name}: {}", describe(&all)))
    };
    let plain = patch("crlf.eml");
    for name in
        ["quoted-printable.eml", "base64.eml", "pgp-inline.eml", "pgp-mime.eml", "flowed.eml"]
    {
        let other = patch(name);
        assert_eq!(other.diff.write(), plain.diff.write(), "{name}");
        assert_eq!(
            (other.message, other.author),
            (plain.message.clone(), plain.author.clone()),
            "{name}"
        );
    }
    assert_eq!(patch("latin1.eml").message, plain.message.replace('–', "-"));
    assert_eq!(patch("plain.diff").diff.write(), plain.diff.write());
    assert_eq!(patch("attachment.eml").diff.write(), plain.diff.write());
}
