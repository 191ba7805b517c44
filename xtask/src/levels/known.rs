// SPDX-License-Identifier: MIT OR Apache-2.0
//! Warnings of a level against those of the level before. Pure.
//!
//! A build only says what the objects warn of that it makes, so what is known is kept for each
//! object. A level is compared with what its objects warned of when they were last made before it.

use std::collections::{BTreeSet, HashMap};

use crate::build::{Identity, Said, Warning, object_of};
use crate::diff::Diff;

/// The files that a patch touches.
#[derive(Debug, Default)]
pub(super) struct Touched {
    files: BTreeSet<String>,
    /// New names and old ones.
    renamed: HashMap<String, String>,
}

impl Touched {
    /// Of a patch.
    pub fn by(diff: &Diff) -> Self {
        let mut touched = Self::default();
        for file in &diff.files {
            touched.files.extend(file.old.iter().chain(&file.new).cloned());
            if let (Some(old), Some(new)) = (&file.old, &file.new)
                && file.extended.iter().any(|line| line.starts_with("rename from "))
            {
                touched.renamed.insert(new.clone(), old.clone());
            }
        }
        touched
    }

    /// Whether it is one of them, or an object that is made of one.
    pub fn has(&self, file: &str) -> bool {
        self.files.contains(file)
            || self.files.iter().any(|f| object_of(f).as_deref() == Some(file))
    }

    /// The objects of its source files, by their new names.
    pub fn objects(&self) -> impl Iterator<Item = (&str, String)> {
        self.files.iter().filter_map(|f| Some((f.as_str(), object_of(f)?)))
    }

    /// The name that a file had without the patch.
    fn old_name<'f>(&'f self, file: &'f str) -> &'f str {
        self.renamed.get(file).map_or(file, String::as_str)
    }

    /// The object's name without the patch.
    fn old_object(&self, object: &str) -> String {
        let source = self.renamed.iter().find(|(new, _)| object_of(new).as_deref() == Some(object));
        source.and_then(|(_, old)| object_of(old)).unwrap_or_else(|| object.to_owned())
    }
}

/// What each object warned of when it was last made, at the level before or further down. The empty
/// name stands for linking.
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<String, Vec<Warning>>);

/// The warnings of a level against those of the level before.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Compared {
    /// In files that the patch touches, and not there before.
    pub new: Vec<Warning>,
    /// How many there are in those files that were there before.
    pub old: usize,
    /// In other files, and not there before.
    pub elsewhere: Vec<Warning>,
    /// Of objects that nothing is known of: they may have been there.
    pub unknown: Vec<Warning>,
}

impl Known {
    /// Takes in a build that went well.
    pub fn learn(&mut self, said: &Said) {
        let linked = ["vmlinux", "vmlinux.o", "modules.order", "Module.symvers"];
        let link = linked.iter().any(|l| said.made.contains(*l)).then(String::new);
        let named = said.warnings.iter().map(|w| w.object.clone());
        for object in said.made.iter().cloned().chain(link).chain(named) {
            self.0.insert(object, Vec::new());
        }
        for warning in &said.warnings {
            self.0.entry(warning.object.clone()).or_default().push(warning.clone());
        }
    }

    /// Compares a level with the one before. The same warning twice where it was once is one new
    /// one; a warning in a header is shown once, however many objects include it.
    pub fn compare(&self, said: &Said, touched: &Touched) -> Compared {
        let mut left: HashMap<(String, Identity), usize> = HashMap::new();
        for (object, warnings) in &self.0 {
            for warning in warnings {
                *left.entry((object.clone(), warning.identity())).or_default() += 1;
            }
        }
        let mut compared = Compared::default();
        let (mut old, mut new) = (BTreeSet::new(), Vec::new());
        for warning in &said.warnings {
            let object = touched.old_object(&warning.object);
            let (file, flag, message) = warning.identity();
            let key = (object, (touched.old_name(&file).to_owned(), flag, message));
            match left.get_mut(&key) {
                Some(n) if *n > 0 => {
                    *n -= 1;
                    if touched.has(&warning.file) {
                        old.insert(warning.to_string());
                    }
                }
                _ if self.0.contains_key(&key.0) => new.push(warning.clone()),
                _ => compared.unknown.push(warning.clone()),
            }
        }
        compared.old = old.len();
        let mut shown = old;
        for warning in new {
            if shown.insert(warning.to_string()) {
                let here = touched.has(&warning.file);
                let list = if here { &mut compared.new } else { &mut compared.elsewhere };
                list.push(warning);
            }
        }
        compared
    }
}

impl Compared {
    /// Settles what is still unknown after the level before was built with the patch's files put
    /// back. The objects that this made are known now; any other does not depend on the patch, or
    /// is not there without it.
    pub fn settle(&mut self, touched: &Touched) {
        let mut shown: BTreeSet<String> = self.new.iter().map(ToString::to_string).collect();
        for warning in std::mem::take(&mut self.unknown) {
            if touched.has(&warning.file) && shown.insert(warning.to_string()) {
                self.new.push(warning);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::build::read_output;

    fn said(text: &str) -> Said {
        read_output(text, Path::new("/t"))
    }

    fn touched(files: &[&str]) -> Touched {
        Touched { files: files.iter().map(|f| (*f).to_owned()).collect(), renamed: HashMap::new() }
    }

    fn lines(warnings: &[Warning]) -> Vec<String> {
        warnings.iter().map(ToString::to_string).collect()
    }

    const INCLUDED: &str = "In file included from a.c:1:\na.h:2:1: warning: odd\nIn file included from b.c:1:\na.h:2:1: warning: odd\n";

    /// What was said before, what is said now, files; new, old, elsewhere, unknown.
    type Case = (
        &'static str,
        &'static str,
        &'static str,
        &'static [&'static str],
        (&'static [&'static str], usize, &'static [&'static str], usize),
    );

    const CASES: &[Case] = &[
        ("nothing", "  CC      a.o\n", "  CC      a.o\n", &["a.c"], (&[], 0, &[], 0)),
        ("new", "  CC      a.o\n", "a.c:1: warning: x\n", &["a.c"], (&["a.c:1: x"], 0, &[], 0)),
        ("moved", "a.c:1: warning: x\n", "a.c:9: warning: x\n", &["a.c"], (&[], 1, &[], 0)),
        ("gone", "a.c:1: warning: x\n", "  CC      a.o\n", &["a.c"], (&[], 0, &[], 0)),
        (
            "twice",
            "a.c:1: warning: x\n",
            "a.c:1: warning: x\na.c:2: warning: x\n",
            &["a.c"],
            (&["a.c:2: x"], 1, &[], 0),
        ),
        ("up to date before", "", "a.c:1: warning: x\n", &["a.c"], (&[], 0, &[], 1)),
        (
            "another file",
            "  CC      b.o\n",
            "b.c:1: warning: x\n",
            &["a.c"],
            (&[], 0, &["b.c:1: x"], 0),
        ),
        ("an old header", INCLUDED, INCLUDED, &["a.h"], (&[], 1, &[], 0)),
        (
            "a new one, once for all objects",
            "  CC      a.o\n  CC      b.o\n",
            INCLUDED,
            &["a.h"],
            (&["a.h:2: odd"], 0, &[], 0),
        ),
        (
            "objtool",
            "  CC      a.o\n",
            "a.o: warning: objtool: f()+0x1: odd\n",
            &["a.c"],
            (&["a.o: objtool: f()+0x1: odd"], 0, &[], 0),
        ),
        ("linking", "  LD      vmlinux\n", "ld: warning: odd\n", &["a.c"], (&[], 0, &["odd"], 0)),
        ("not linked before", "  CC      a.o\n", "ld: warning: odd\n", &["a.c"], (&[], 0, &[], 1)),
    ];

    #[test]
    fn only_what_was_not_there_is_new() {
        for (what, before, after, files, (new, old, elsewhere, unknown)) in CASES {
            let mut known = Known::default();
            known.learn(&said(before));
            let found = known.compare(&said(after), &touched(files));
            assert_eq!(
                (lines(&found.new), found.old, lines(&found.elsewhere), found.unknown.len()),
                (
                    new.iter().map(|s| (*s).to_owned()).collect(),
                    *old,
                    elsewhere.iter().map(|s| (*s).to_owned()).collect(),
                    *unknown
                ),
                "{what}"
            );
        }
    }

    #[test]
    fn a_later_build_takes_the_place_of_an_earlier_one() {
        let mut known = Known::default();
        known.learn(&said("a.c:1: warning: x\n  CC      a.o\n"));
        known.learn(&said("  CC      a.o\n"));
        let found = known.compare(&said("a.c:1: warning: x\n"), &touched(&["a.c"]));
        assert_eq!(lines(&found.new), ["a.c:1: x"]);
    }

    #[test]
    fn a_renamed_file_takes_its_warnings_with_it() {
        let mut known = Known::default();
        known.learn(&said("old.c:1: warning: x\n"));
        let mut touched = touched(&["old.c", "new.c"]);
        touched.renamed.insert("new.c".into(), "old.c".into());
        let found = known.compare(&said("new.c:1: warning: x\nnew.c:2: warning: y\n"), &touched);
        assert_eq!((lines(&found.new), found.old), (vec!["new.c:2: y".to_owned()], 1));
    }

    #[test]
    fn what_stays_unknown_is_new_only_in_touched_files() {
        let now = said("new.c:1: warning: x\nother.c:1: warning: y\n");
        let touched = touched(&["new.c"]);
        let mut found = Known::default().compare(&now, &touched);
        found.settle(&touched);
        assert_eq!(lines(&found.new), ["new.c:1: x"]);
        assert!(found.unknown.is_empty() && found.elsewhere.is_empty());
    }
}
