// SPDX-License-Identifier: MIT OR Apache-2.0
//! What must hold for any series, not only for our samples.

use proptest::prelude::*;

use super::*;
use crate::diff::{Diff, FileDiff, Hunk, Line, Side};
use crate::mail::{Kind, Member, Person, Posting, Proof};

/// A line of a file: any bytes but LF, with those that look like something else among them.
fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[ -~\t]{0,30}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>().prop_filter("no LF", |b| *b != b'\n'), 0..12),
        1 => prop::sample::select(vec![
            "-- ", "--", "- a/x", "++ b/x", "From a@b Mon Sep 17 00:00:00 2001", ">From x", "> quoted",
            "diff --git a/x b/x", "@@ -1 +1 @@", "---", "\\ No newline at end of file", "x\r",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ]
}

fn hunk(start: usize) -> impl Strategy<Value = Hunk> {
    let line =
        (prop_oneof![Just(Side::Context), Just(Side::Removed), Just(Side::Added)], content())
            .prop_map(|(side, text)| Line { side, text, newline: true });
    let changed =
        (Just(Side::Added), content()).prop_map(|(side, text)| Line { side, text, newline: true });
    (prop::collection::vec(line, 0..8), changed).prop_map(move |(mut lines, last)| {
        lines.push(last);
        let count = |not: Side| lines.iter().filter(|l| l.side != not).count();
        let (old, new) = (count(Side::Added), count(Side::Removed));
        let header = format!("@@ -{start},{old} +{start},{new} @@ int f(void)");
        Hunk { header, at: 0, start, new_start: start, lines }
    })
}

fn file(n: usize) -> impl Strategy<Value = FileDiff> {
    let name =
        prop::sample::select(vec!["kernel/trace/ftrace.c", "a b.c", "täst.h", "q\"uote", "new"]);
    let hunks = (hunk(3), hunk(100), any::<bool>())
        .prop_map(|(one, two, both)| if both { vec![one, two] } else { vec![one] });
    (name, hunks).prop_map(move |(name, hunks)| {
        let path = format!("d{n}/{name}");
        let extended = vec!["index 0123456..789abcd 100644".to_owned()];
        let (old, new) = (Some(path.clone()), Some(path));
        FileDiff { old, new, extended, hunks, binary: Vec::new(), git: true, at: 0 }
    })
}

fn patch() -> impl Strategy<Value = PatchText> {
    let word = prop_oneof![
        8 => "[a-zA-Z_():.,0-9-]{1,12}",
        1 => prop::sample::select(vec!["Öl", "漢字", "=?x?=", "a_b", "\"q\""]).prop_map(str::to_owned)
    ];
    let line = prop::collection::vec(word.clone(), 1..6).prop_map(|words| words.join(" "));
    let message = prop::collection::vec(
        prop_oneof![4 => line.clone(), 1 => Just(String::new()), 1 => Just("From here on".to_owned())],
        0..6,
    );
    let name =
        prop::sample::select(vec!["Ann Author", "Åsa Öberg", "J. R. \"Bob\" D.", "O'Neil, Pat"]);
    let files = (file(1), file(2), any::<bool>())
        .prop_map(|(one, two, both)| if both { vec![one, two] } else { vec![one] });
    (line, message, name, files, 0..28u32).prop_map(|(subject, message, name, files, day)| {
        PatchText {
            author: Person { name: name.into(), address: "ann@example.org".into() },
            date: format!("{:02} Feb 2022 10:00:00 +0100", day + 1),
            // A subject that starts with a bracket would be taken for a prefix; so does git.
            subject: format!("x: {subject}"),
            // A first line that looks like a header is one, for git, too.
            message: tidy(&format!("Why.\n{}", message.join("\n"))),
            diff: Diff { files, end: 0, mended: Vec::new() },
        }
    })
}

/// Blank lines as a commit has them.
fn tidy(text: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    for line in text.trim_end().lines().map(str::trim_end) {
        if !(line.is_empty() && out.last().is_some_and(|l| l.is_empty())) {
            out.push(line);
        }
    }
    out.join("\n")
}

fn mails(patches: &[PatchText]) -> Vec<Vec<u8>> {
    let of = patches.len();
    let write = |(n, patch): (usize, &PatchText)| {
        let id = format!("<{n}@example.org>");
        let mut headers = vec![("Message-ID", id.as_str())];
        if n > 0 {
            headers.push(("In-Reply-To", "<0@example.org>"));
        }
        mail::write(patch, &format!("PATCH {}/{of}", n + 1), &headers)
    };
    patches.iter().enumerate().map(write).collect()
}

fn read(mbox: &[u8]) -> Result<(Vec<Member>, Vec<Posting>), String> {
    let mut members = Vec::new();
    for raw in mail::split(mbox) {
        for mail in mail::read(&raw)? {
            members.push(Member { file: "m".into(), kind: Kind::of(&mail, Proof::ALL), mail });
        }
    }
    Ok(mail::postings(members))
}

fn chosen(mbox: &[u8], wanted: &Wanted) -> Result<Vec<PatchText>, String> {
    let (all, postings) = read(mbox)?;
    let chosen = choose(&all, &postings, wanted).map_err(|e| e.to_string())?;
    Ok(texts(&chosen))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_series_comes_back_as_it_was_in_any_order(
        patches in prop::collection::vec(patch(), 1..5),
        shuffle in 0..1000usize,
    ) {
        let mut all = mails(&patches);
        prop_assert_eq!(&chosen(&all.concat(), &Wanted::default()).unwrap(), &patches);
        all.rotate_left(shuffle % patches.len());
        all.swap(0, shuffle % patches.len());
        prop_assert_eq!(&chosen(&all.concat(), &Wanted::default()).unwrap(), &patches);
    }

    #[test]
    fn quoting_and_unquoting_changes_nothing(patch in patch(), depth in 1..4usize, tight in any::<bool>()) {
        let bytes = mail::write(&patch, "PATCH", &[]);
        let text = String::from_utf8_lossy(&bytes);
        let body = text.split_once("\n\n").unwrap().1;
        prop_assume!(!text.contains('\u{fffd}') && !patch.diff.write().contains(&b'\r'));
        let prefix = if tight { ">".repeat(depth) + " " } else { "> ".repeat(depth) };
        let quoted: Vec<_> = body.lines().map(|l| format!("{prefix}{l}")).collect();
        let quoted = quoted.join("\n");
        let reply = format!("From: R <r@example.org>\nDate: 1 Feb 2022 00:00:00 +0000\nSubject: Re: [PATCH] {}\n\nYou wrote:\n{quoted}\n\nNice.\n", "x: y");
        let author = Some(patch.author.clone());
        let wanted = Wanted { author, ..Wanted::default() };
        match chosen(reply.as_bytes(), &wanted) {
            Ok(found) => {
                prop_assert_eq!(found.len(), 1);
                prop_assert_eq!(found[0].diff.write(), patch.diff.write());
            }
            // What was spaces may have been tabs: refused, never guessed.
            Err(why) => prop_assert!(why.contains("tabs"), "{}", why),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    // A cut within a line is always noticed; between two lines, only the counts tell.
    #[test]
    fn a_cut_mbox_is_refused_or_gives_some_of_the_patches(
        patches in prop::collection::vec(patch(), 1..3),
        cut in any::<prop::sample::Index>(),
    ) {
        let mbox = mails(&patches).concat();
        let ends = mbox.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1);
        for cut in ends.chain([cut.index(mbox.len())]) {
            let cut = &mbox[..cut];
            if let Ok(whole) = chosen(cut, &Wanted::default()) {
                prop_assert_eq!(&whole, &patches);
            }
            let partial = Wanted { partial: true, ..Wanted::default() };
            for patch in chosen(cut, &partial).unwrap_or_default() {
                prop_assert!(patches.contains(&patch), "{:?}", patch);
            }
        }
    }
}

/// Mails in an order that a number stands for.
fn shuffled(mut mails: Vec<Vec<u8>>, mut seed: usize) -> Vec<u8> {
    for n in (1..mails.len()).rev() {
        mails.swap(n, seed % (n + 1));
        seed = seed.wrapping_mul(31).wrapping_add(17);
    }
    let separator = b"From r@example.org Mon Sep 17 00:00:00 2001\n";
    mails.into_iter().flat_map(|mail| [separator.to_vec(), mail, b"\n".to_vec()].concat()).collect()
}

#[test]
fn the_order_of_a_thread_does_not_matter() {
    for (name, versions) in [("thread.mbox", vec![1, 2]), ("resent.mbox", vec![1])] {
        let understood = |mbox: &[u8]| {
            let (all, postings) = read(mbox).unwrap();
            let choose = |version: &u32| {
                let wanted = Wanted { version: Some(*version), ..Wanted::default() };
                match choose(&all, &postings, &wanted) {
                    Ok(chosen) => format!("{:?} {:?}", texts(&chosen), chosen.cover),
                    Err(error) => error.what,
                }
            };
            let listed = list(&all, &postings).postings;
            format!("{listed:#?}\n{}", versions.iter().map(choose).collect::<Vec<_>>().join("\n"))
        };
        let want = understood(&std::fs::read(fixture(name)).unwrap());
        for seed in 0..40 {
            assert_eq!(understood(&shuffled(mails_of(name), seed)), want, "{name} {seed}");
        }
    }
}

/// Every byte at which our sample thread, and each encoding, can be cut.
#[test]
fn samples_cut_at_any_byte() {
    let partial =
        Wanted { partial: true, trailers: Senders::None, version: Some(1), ..Wanted::default() };
    for name in [
        "thread.mbox",
        "quoted-printable.eml",
        "base64.eml",
        "attached-series.eml",
        "pgp-inline.eml",
    ] {
        let whole = std::fs::read(fixture(name)).unwrap();
        let all = chosen(&whole, &partial).unwrap();
        let step = if name == "thread.mbox" { 7 } else { 1 };
        for cut in (0..whole.len()).step_by(step) {
            for patch in chosen(&whole[..cut], &partial).unwrap_or_default() {
                let is_one = |p: &PatchText| p.diff == patch.diff && p.subject == patch.subject;
                assert!(all.iter().any(is_one), "{name} cut at {cut}: {patch:?}");
            }
        }
    }
}
