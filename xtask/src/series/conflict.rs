// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a patch does not apply, in a form that a person can act on.

use std::fmt::Write as _;

use super::Patch;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::diff::Hunk;
use crate::host::{Host, quote};
use crate::store::Store;
use crate::tree::git;

/// The diagnosis for a patch that git refused.
pub fn explain(
    host: &Host,
    store: &Store,
    base: &str,
    patch: &Patch,
    (number, of): (usize, usize),
    words: &str,
) -> Diagnosis {
    let errors: Vec<_> = words.lines().filter(|l| l.starts_with("error:")).collect();
    let errors = errors.join("\n");
    let name = patch.file_name();
    if errors.contains("corrupt patch") {
        return Diagnosis::usage(format!("patch {number}/{of} ({name}) is damaged"))
            .detail(errors)
            .next("make it anew with `git format-patch`");
    }
    let content = |file: &str| {
        let output = git::bare(host, store).ok()?.args(["show", &format!("{base}:{file}")]);
        output.output().ok().filter(super::super::host::Output::success).map(|o| o.text())
    };
    let mut diagnosis = Diagnosis::new(
        ExitKind::CheckFailed,
        format!("patch {number}/{of} does not apply: {} ({name})", patch.subject),
    );
    if is_applied_already(host, store, base, patch) {
        diagnosis = diagnosis.detail("its reverse applies: the tree has this change already");
    }
    let hunks = patch.diff.files.iter().flat_map(|f| f.hunks.iter().map(move |h| (f, h)));
    for (file, hunk) in hunks {
        let file = file.old.as_deref().unwrap_or(file.name());
        let expects = hunk.expects();
        let Some(text) = content(file) else {
            if hunk.start > 0 {
                let what = format!("{file}: there is no such file in the tree");
                diagnosis = diagnosis.detail(what);
                break;
            }
            continue;
        };
        if expects.is_empty() {
            continue;
        }
        let lines: Vec<&str> = text.lines().collect();
        if let Some(place) = closest(&lines, hunk.start, &expects) {
            if place.exact {
                continue;
            }
            diagnosis = diagnosis.detail(beside(&lines, (file, hunk), place.at, &name));
            break;
        }
    }
    diagnosis
        .detail(format!("git says:\n{errors}"))
        .next(format!(
            "fix {} for this kernel, or add a variant for it to series.yaml",
            patch.path.display()
        ))
        .reproduce(format!(
            "git --git-dir={objects} worktree add --detach /tmp/conflict {base} && git -C /tmp/conflict apply --verbose {patch}",
            objects = quote(&store.root().join("objects.git").to_string_lossy()),
            patch = quote(&std::path::absolute(&patch.path).unwrap_or_else(|_| patch.path.clone()).to_string_lossy()),
        ))
}

fn is_applied_already(host: &Host, store: &Store, base: &str, patch: &Patch) -> bool {
    let check = || {
        let scratch = tempfile::tempdir().ok()?;
        let index = scratch.path().join("index");
        let git = || git::on_tree(host, store, scratch.path(), &index).ok();
        git()?.args(["read-tree", base]).run().ok()?;
        let output = git()?
            .args(["apply", "--cached", "--check", "--reverse", "-"])
            .input(patch.bytes.clone())
            .output()
            .ok()?;
        output.success().then_some(())
    };
    check().is_some()
}

struct Place {
    /// Index of the first line in the file.
    at: usize,
    exact: bool,
}

/// Where most of the lines that a hunk expects are found in their order and distance, ignoring white
/// space; of equal places the one nearest to where the hunk expects them.
fn closest(lines: &[&str], start: usize, expects: &[String]) -> Option<Place> {
    let wanted = start.saturating_sub(1);
    let same =
        |at: usize, n: usize| lines.get(at + n).is_some_and(|l| l.trim() == expects[n].trim());
    let score = |at: usize| {
        let blank = |n: usize| expects[n].trim().is_empty();
        (0..expects.len()).filter(|&n| !blank(n) && same(at, n)).count()
    };
    let at = (0..lines.len()).max_by_key(|&at| (score(at), usize::MAX - at.abs_diff(wanted)))?;
    let at = if score(at) == 0 { wanted.min(lines.len().saturating_sub(1)) } else { at };
    let exact = (0..expects.len()).all(|n| lines.get(at + n).is_some_and(|l| *l == expects[n]));
    Some(Place { at, exact })
}

/// The lines that the hunk expects, and those that the tree has, with the differing ones marked.
fn beside(lines: &[&str], (file, hunk): (&str, &Hunk), at: usize, name: &str) -> String {
    let mut text = format!("{name}:{}: {file}: {}\n", hunk.at, hunk.header);
    let _ = writeln!(text, "the hunk expects, and {file} has at line {}:", at + 1);
    for (n, expected) in hunk.expects().iter().enumerate() {
        let found = lines.get(at + n).copied().unwrap_or("(end of file)");
        if found == expected {
            let _ = writeln!(text, "    {expected}");
        } else {
            let _ = writeln!(text, "  - {expected}");
            let _ = writeln!(text, "  + {found}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Series, apply};
    use super::*;
    use crate::tree::{Origin, Source, Spec, fetch};
    use std::path::Path;

    const SOURCE: &str = "int one;\n\nint f(void)\n{\n\tint a = 1;\n\n\treturn a;\n}\n\nint two;\n";

    fn patch(subject: &str, file: &str, hunk: &str) -> String {
        format!(
            "From: A <a@b.c>\nSubject: [PATCH] {subject}\n\nwhy\n---\ndiff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n{hunk}"
        )
    }

    fn setup(dir: &Path, patches: &[String]) -> (Host, Store, Source, Series) {
        let tree = dir.join("tree");
        std::fs::create_dir_all(&tree).unwrap();
        std::fs::write(tree.join("Makefile"), "VERSION = 5\nPATCHLEVEL = 10\nSUBLEVEL = 1\n")
            .unwrap();
        std::fs::write(tree.join("f.c"), SOURCE).unwrap();
        let series = dir.join("patches/s");
        std::fs::create_dir_all(series.join("p")).unwrap();
        let mut yaml = "name: s\ndescription: d\nkind: series\nvariants:\n- kernels: '5.10'\n  directory: p\n  patches:\n".to_owned();
        for (n, text) in patches.iter().enumerate() {
            std::fs::write(series.join(format!("p/{n}.patch")), text).unwrap();
            let _ = writeln!(yaml, "  - file: {n}.patch");
        }
        std::fs::write(series.join("series.yaml"), yaml).unwrap();
        let host = Host::for_tests();
        let store = Store::at(dir.join("home"));
        let spec = Spec { name: "t".into(), origin: Origin::Directory(tree) };
        let source = fetch(&host, &store, &spec, false).unwrap();
        let series = Series::load(&dir.join("patches"), "s", Kind::Series).unwrap();
        (host, store, source, series)
    }

    const GOOD: &str =
        "@@ -3,5 +3,5 @@\n int f(void)\n {\n-\tint a = 1;\n+\tint a = 2;\n \n \treturn a;\n";
    const OFF: &str =
        "@@ -13,4 +13,4 @@ int f(void)\n \treturn a;\n }\n \n-int two;\n+int three;\n";
    const BAD: &str = "@@ -3,5 +3,5 @@ int f(void)\n int f(void)\n {\n-\tint a = 7;\n+\tint a = 8;\n \n \treturn a;\n";

    #[test]
    fn levels_are_commits_and_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let patches = [patch("one", "f.c", GOOD), patch("two", "f.c", OFF)];
        let (host, store, source, series) = setup(dir.path(), &patches);
        let variant = series.variant(source.version).unwrap();
        let all = apply(&host, &store, &source, Some(variant), None).unwrap();
        assert!(!all.cached);
        assert_eq!(all.patches.len(), 2);
        assert_eq!(all.patches[0].offsets(), [""; 0]);
        assert_eq!(all.patches[1].offsets(), ["1.patch: f.c: hunk 1 applied -6 lines off"]);
        let one = apply(&host, &store, &source, Some(variant), Some(1)).unwrap();
        assert!(one.cached);
        assert_eq!(one.left_out, ["1.patch"]);
        assert_ne!(one.tree, all.tree);
        let none = apply(&host, &store, &source, Some(variant), Some(0)).unwrap();
        assert_eq!(none.tree, source.tree);
        let error = apply(&host, &store, &source, Some(variant), Some(3)).unwrap_err();
        assert_eq!(error.exit.code(), 2);
        assert!(error.what.contains("has 2 patches"), "{error}");
    }

    fn refused(file: &str, hunk: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let patches = [patch("one", "f.c", GOOD), patch("two: Break", file, hunk)];
        let (host, store, source, series) = setup(dir.path(), &patches);
        let variant = series.variant(source.version).unwrap();
        let error = apply(&host, &store, &source, Some(variant), None).unwrap_err();
        assert_eq!(error.exit, ExitKind::CheckFailed);
        // What depends on the machine does not belong into a snapshot.
        let mut error = error;
        error.reproduce = error.reproduce.map(|_| "…".into());
        error.next = error.next.map(|n| n.replace(&*dir.path().to_string_lossy(), "DIR"));
        error.to_string()
    }

    #[test]
    fn a_conflict_shows_both_sides() {
        insta::assert_snapshot!("changed_line", refused("f.c", BAD));
        insta::assert_snapshot!("no_such_file", refused("gone.c", BAD));
        insta::assert_snapshot!("applied_already", refused("f.c", GOOD));
    }
}
