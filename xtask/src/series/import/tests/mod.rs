// SPDX-License-Identifier: MIT OR Apache-2.0

mod properties;

use std::path::{Path, PathBuf};

use super::*;
use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::mail::{self, PatchText, Proof};
use crate::series::{Kind, Series};
use crate::store::Store;
use crate::tree::git;

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mail/fixtures").join(name);
    path.display().to_string()
}

fn import(inputs: &[&str], wanted: &Wanted) -> Result<Chosen, Diagnosis> {
    let inputs: Vec<String> = inputs.iter().map(|i| (*i).to_owned()).collect();
    let mut gathered = gather(&Host::for_tests(), &inputs, "file:///nowhere", Proof::ALL)?;
    if gathered.ordered {
        number_in_order(&mut gathered.members);
    }
    let (all, postings) = mail::postings(gathered.members);
    choose(&all, &postings, wanted)
}

fn import_fixture(name: &str, wanted: &Wanted) -> Result<Chosen, Diagnosis> {
    import(&[&fixture(name)], wanted)
}

/// An error or a choice, without what depends on the machine.
fn said(result: Result<Chosen, Diagnosis>) -> String {
    let directory = fixture("");
    match result {
        Ok(chosen) => {
            let mut lines = vec![format!(
                "{:?} v{:?} {:?} base {:?}",
                chosen.title,
                chosen.version,
                chosen.message_id,
                chosen.base.commit.map(|c| c[..7].to_owned())
            )];
            if let Some(cover) = &chosen.cover {
                lines.push(format!("cover: {cover:?}"));
            }
            for p in &chosen.patches {
                lines.push(format!("{} {} by {}", p.number, p.patch.subject, p.patch.author));
                lines.extend(p.notes.iter().map(|n| format!("    {n}")));
            }
            lines.push(format!("left out {:?}", chosen.left_out));
            lines.extend(chosen.follow_up_to.map(|f| format!("follow-up to {:?}", f.title)));
            lines.extend(chosen.notes);
            lines.join("\n").replace(&directory, "")
        }
        Err(error) => {
            assert_eq!(error.exit.code(), 2, "{error}");
            error.to_string().replace(&directory, "")
        }
    }
}

#[test]
fn one_posting_is_chosen_or_none() {
    let v = |version| Wanted { version: Some(version), ..Wanted::default() };
    let id = |id: &str| Wanted { message_id: Some(id.into()), ..Wanted::default() };
    let cases: [(&str, &str, Wanted); 16] = [
        ("versions are ambiguous", "thread.mbox", Wanted::default()),
        ("version 2, with trailers", "thread.mbox", v(2)),
        (
            "version 2, trailers of anybody",
            "thread.mbox",
            Wanted { trailers: Senders::Any, ..v(2) },
        ),
        ("version 1 has a base", "thread.mbox", v(1)),
        ("no version 3", "thread.mbox", v(3)),
        ("picked", "thread.mbox", Wanted { pick: vec![1..=1, 3..=3], ..v(2) }),
        ("picked too far", "thread.mbox", Wanted { pick: vec![2..=4], ..v(2) }),
        ("sent again without a version", "resent.mbox", Wanted::default()),
        ("sent again, chosen by id", "resent.mbox", id("second-2@ada.example.org")),
        ("not whole", "incomplete.mbox", Wanted::default()),
        (
            "not whole, and that is fine",
            "incomplete.mbox",
            Wanted { partial: true, ..Wanted::default() },
        ),
        ("cut", "cut-hunk.patch", Wanted::default()),
        ("pull request", "pull.eml", Wanted::default()),
        ("no diff", "no-diff.eml", Wanted::default()),
        ("wrapped quote", "quoted-wrapped.eml", Wanted::default()),
        ("quote", "quoted-reply.txt", Wanted::default()),
    ];
    let all: Vec<_> = cases
        .into_iter()
        .map(|(what, name, wanted)| format!("== {what}\n{}", said(import_fixture(name, &wanted))))
        .collect();
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn what_nothing_tells_must_be_said() {
    let bare = import_fixture("plain.diff", &Wanted::default()).unwrap_err();
    assert!(bare.to_string().contains("--author"), "{bare}");
    let author = mail::Person::parse("Ada <ada@example.org>");
    let wanted = Wanted { author, ..Wanted::default() };
    let chosen = import_fixture("plain.diff", &wanted).unwrap();
    assert_eq!(chosen.patches[0].patch.subject, "plain");
}

fn write(path: &Path, text: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn mails_of(name: &str) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(fixture(name)).unwrap();
    mail::split(&bytes).into_iter().map(|raw| raw.bytes.into_owned()).collect()
}

fn texts(chosen: &Chosen) -> Vec<PatchText> {
    let bare = |p: &choose::ChosenPatch| {
        let mut patch = p.patch.clone();
        // Where a line was is no part of the patch.
        for file in &mut patch.diff.files {
            file.at = 0;
            file.hunks.iter_mut().for_each(|h| h.at = 0);
        }
        patch.diff.end = 0;
        patch
    };
    chosen.patches.iter().map(bare).collect()
}

#[test]
fn every_container_gives_the_same_series() {
    let dir = tempfile::tempdir().unwrap();
    let v2 = Wanted { version: Some(2), ..Wanted::default() };
    let wanted = texts(&import_fixture("thread.mbox", &v2).unwrap());

    let maildir = dir.path().join("Mail dir");
    for (n, mail) in mails_of("thread.mbox").iter().enumerate() {
        let place = if n % 2 == 0 { "cur" } else { "new" };
        write(&maildir.join(place).join(format!("{}.host:2,S", 99 - n)), mail);
    }
    assert_eq!(texts(&import(&[maildir.to_str().unwrap()], &v2).unwrap()), wanted);

    let single = dir.path().join("single");
    for (n, mail) in mails_of("thread.mbox").iter().enumerate() {
        write(&single.join(format!("{n}.eml")), mail);
    }
    write(&single.join("README"), b"nothing");
    write(&single.join(".hidden.patch"), b"nothing");
    assert_eq!(texts(&import(&[single.to_str().unwrap()], &v2).unwrap()), wanted);
    let names = [single.to_str().unwrap().to_owned()];
    let gathered = gather(&Host::for_tests(), &names, "", Proof::ALL).unwrap();
    assert_eq!(gathered.ignored.len(), 1);
    assert!(gathered.ignored[0].contains("README"), "{:?}", gathered.ignored);
}

#[test]
fn quilt_and_numbered_files_have_their_order() {
    let dir = tempfile::tempdir().unwrap();
    let patch = |n: usize| {
        format!(
            "lamp: Step {n}\n\nSigned-off-by: A <a@example.org>\n---\n--- linux.orig/f{n}.c\n+++ linux/f{n}.c\n@@ -1 +1 @@\n-{n}\n+x\n"
        )
    };
    let quilt = dir.path().join("quilt");
    write(&quilt.join("series"), b"# mine\nb.patch -p1\n\na/a.patch # last\n");
    write(&quilt.join("b.patch"), patch(2).as_bytes());
    write(&quilt.join("a/a.patch"), patch(1).as_bytes());
    let subjects = |path: &Path| {
        let chosen = import(&[path.to_str().unwrap()], &Wanted::default()).unwrap();
        chosen.patches.iter().map(|p| p.patch.subject.clone()).collect::<Vec<_>>()
    };
    assert_eq!(subjects(&quilt), ["lamp: Step 2", "lamp: Step 1"]);
    write(&quilt.join("series"), b"b.patch -p3\n");
    let error = import(&[quilt.to_str().unwrap()], &Wanted::default()).unwrap_err();
    assert!(error.what.contains("series:1: the option -p3"), "{error}");
    write(&quilt.join("series"), b"gone.patch\n");
    let error = import(&[quilt.to_str().unwrap()], &Wanted::default()).unwrap_err();
    assert!(error.what.contains("gone.patch"), "{error}");

    let numbered = dir.path().join("numbered");
    for n in [3, 1, 2] {
        write(&numbered.join(format!("000{n}-x.patch")), patch(n).as_bytes());
    }
    assert_eq!(subjects(&numbered), ["lamp: Step 1", "lamp: Step 2", "lamp: Step 3"]);
}

#[test]
fn what_is_laid_down_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let v2 = Wanted { version: Some(2), ..Wanted::default() };
    let chosen = import_fixture("thread.mbox", &v2).unwrap();
    let here = Place { kernels: "6.1..".parse().unwrap(), ..Place::default() };
    let placed = place(dir.path(), &chosen, &here).unwrap();
    assert_eq!((placed.name.as_str(), placed.added), ("lamp-three-small-things", false));
    let series = Series::load(dir.path(), &placed.name, Kind::Series).unwrap();
    assert_eq!(series.version, Some(2));
    assert!(series.description.contains("the documentation is new"), "{}", series.description);
    let read: Vec<_> =
        series.variants[0].patches.iter().map(|p| (p.subject.clone(), p.message.clone())).collect();
    let meant: Vec<_> =
        chosen.patches.iter().map(|p| (p.patch.subject.clone(), p.patch.message.clone())).collect();
    assert_eq!(read, meant);
    assert!(read[0].1.ends_with("Reviewed-by: Bo Nilsson <bo@example.org>"), "{}", read[0].1);

    let again = place(dir.path(), &chosen, &here).unwrap_err();
    assert!(again.to_string().contains("--replace"), "{again}");
    let other = Place { kernels: "5.10".parse().unwrap(), ..Place::default() };
    assert!(place(dir.path(), &chosen, &other).unwrap().added);
    assert_eq!(Series::load(dir.path(), &placed.name, Kind::Series).unwrap().variants.len(), 2);
    for name in ["..", "a/b", ".x", "faults", ""] {
        let bad = Place { name: Some(name.into()), ..Place::default() };
        assert_eq!(place(dir.path(), &chosen, &bad).unwrap_err().exit.code(), 2, "{name}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

/// What `git am` makes of mails, as a tree.
fn tree_of_am(host: &Host, store: &Store, base: &Path, mails: &[PathBuf]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let git = || git::as_fixed_person(git::plain(host, store).unwrap(), None).cwd(dir.path());
    git().args(["clone", "--quiet"]).arg(base).arg(".").run().unwrap();
    git().args(["am", "--quiet"]).args(mails).run().unwrap();
    git().args(["rev-parse", "HEAD^{tree}"]).run().unwrap().text()
}

/// A repository with what the sample mails are made for.
fn lamp(host: &Host, store: &Store, dir: &Path) {
    let source = "// SPDX-License-Identifier: GPL-2.0-only\n#include <linux/lamp.h>\n#include <linux/module.h>\n\nstatic int brightness;\n\n/* Turns the lamp on. */\nint lamp_on(struct lamp *lamp)\n{\n\tif (!lamp)\n\t\treturn -EINVAL;\n\n\tlamp->level = brightness;\n\tlamp->on = true;\n\n\treturn lamp_write(lamp);\n}\n\n/* Turns the lamp off. */\nint lamp_off(struct lamp *lamp)\n{\n\tlamp->on = false;\n\n\treturn lamp_write(lamp);\n}\n\nMODULE_LICENSE(\"GPL\");\n";
    write(&dir.join("drivers/lamp/lamp.c"), source.as_bytes());
    write(&dir.join("Makefile"), b"VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 0\n");
    let git = || git::as_fixed_person(git::plain(host, store).unwrap(), None).cwd(dir);
    git().args(["init", "--quiet"]).run().unwrap();
    git().args(["add", "."]).run().unwrap();
    git().args(["commit", "--quiet", "--message", "base"]).run().unwrap();
}

#[test]
fn git_am_makes_the_same_tree_of_our_files_and_of_the_originals() {
    let dir = tempfile::tempdir().unwrap();
    let (host, store) = (Host::for_tests(), Store::at(dir.path().join("home")));
    let base = dir.path().join("base");
    lamp(&host, &store, &base);
    let v1 = Wanted { version: Some(1), ..Wanted::default() };
    let cases = [
        ("thread.mbox", v1, vec!["Check the pointer", "choose the brightness"]),
        ("quoted-printable.eml", Wanted::default(), vec!["Check the pointer"]),
        ("latin1.eml", Wanted::default(), vec!["Check the pointer"]),
    ];
    for (name, wanted, titles) in cases {
        let originals: Vec<PathBuf> = titles
            .iter()
            .enumerate()
            .map(|(n, title)| {
                let is_it = |m: &Vec<u8>| {
                    let text = String::from_utf8_lossy(m);
                    let head = text.split("\n\n").next().unwrap_or_default();
                    head.contains(title) && !head.contains("v2") && !head.contains("Re:")
                        || titles.len() == 1
                };
                let mail = mails_of(name).into_iter().find(is_it).unwrap();
                let path = dir.path().join(format!("{n}-{name}"));
                write(&path, &mail);
                path
            })
            .collect();
        let chosen = import_fixture(name, &wanted).unwrap();
        let patches = dir.path().join("patches").join(name);
        let placed = place(&patches, &chosen, &Place::default()).unwrap();
        let ours: Vec<_> = placed.files.iter().map(|f| placed.directory.join(f)).collect();
        assert_eq!(
            tree_of_am(&host, &store, &base, &ours),
            tree_of_am(&host, &store, &base, &originals),
            "{name}"
        );
    }
}
