// SPDX-License-Identifier: MIT OR Apache-2.0

use std::fmt::Write as _;
use std::path::Path;

use super::super::{Kind, Series, apply};
use super::*;
use crate::tree::{Origin, Source, Spec, fetch, git};

mod files;
mod hunks;
mod places;
mod random;

const SOURCE: &str = "int one;\n\nint f(void)\n{\n\tint a = 1;\n\n\treturn a;\n}\n\nint two;\n";

pub(in crate::series) fn patch(subject: &str, file: &str, hunk: &str) -> String {
    format!(
        "From: A <a@b.c>\nSubject: [PATCH] {subject}\n\nwhy\n---\ndiff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n{hunk}"
    )
}

/// A small tree in a store, and a series of these patches.
pub(in crate::series) fn setup(dir: &Path, patches: &[String]) -> (Host, Store, Source, Series) {
    let (host, store) = (Host::for_tests(), Store::at(dir.join("home")));
    let source = import(&host, &store, &dir.join("tree"), &[("f.c", SOURCE)]);
    let series = dir.join("patches/s");
    std::fs::create_dir_all(series.join("p")).unwrap();
    let mut yaml = "name: s\ndescription: d\nkind: series\nvariants:\n- kernels: '5.10'\n  directory: p\n  patches:\n".to_owned();
    for (n, text) in patches.iter().enumerate() {
        std::fs::write(series.join(format!("p/{n}.patch")), text).unwrap();
        let _ = writeln!(yaml, "  - file: {n}.patch");
    }
    std::fs::write(series.join("series.yaml"), yaml).unwrap();
    let series = Series::load(&dir.join("patches"), "s", Kind::Series).unwrap();
    (host, store, source, series)
}

fn write_all(tree: &Path, files: &[(&str, &str)]) {
    std::fs::create_dir_all(tree).unwrap();
    for (path, text) in files {
        let path = tree.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn import(host: &Host, store: &Store, tree: &Path, files: &[(&str, &str)]) -> Source {
    write_all(tree, &[("Makefile", "VERSION = 5\nPATCHLEVEL = 10\nSUBLEVEL = 1\n")]);
    write_all(tree, files);
    let spec = Spec { name: "t".into(), origin: Origin::Directory(tree.to_owned()) };
    fetch(host, store, &spec, false).unwrap()
}

/// A place to try patches in.
struct Bench {
    dir: tempfile::TempDir,
    host: Host,
    store: Store,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().join("home"));
        Self { dir, host: Host::for_tests(), store }
    }

    /// The patch that git makes of two sets of files.
    fn patch(&self, old: &[(&str, &str)], new: &[(&str, &str)]) -> Patch {
        let scratch = tempfile::tempdir_in(self.dir.path()).unwrap();
        write_all(&scratch.path().join("a"), old);
        write_all(&scratch.path().join("b"), new);
        let output = git::plain(&self.host, &self.store)
            .unwrap()
            .cwd(scratch.path())
            .args(["diff", "--no-index", "--no-prefix", "--binary", "-M", "a", "b"])
            .output()
            .unwrap();
        assert_eq!(output.code, 1, "{}", output.error_text());
        // git takes the directories of --no-index for parts of the paths.
        let text = output.text().replace("rename from a/", "rename from ");
        self.parse(&text.replace("rename to b/", "rename to "))
    }

    fn parse(&self, diff: &str) -> Patch {
        let text = format!("From: A <a@b.c>\nSubject: [PATCH] Try\n\nwhy\n---\n{diff}");
        let path = self.dir.path().join("try it.patch");
        std::fs::write(&path, &text).unwrap();
        Patch::parse(&path, text.into_bytes()).unwrap()
    }

    fn tree(&self, name: &str, files: &[(&str, &str)]) -> Source {
        import(&self.host, &self.store, &self.dir.path().join(name), files)
    }

    fn git_applies(&self, base: &str, patch: &Patch) -> bool {
        let scratch = tempfile::tempdir().unwrap();
        let index = scratch.path().join("index");
        let git = || git::on_tree(&self.host, &self.store, scratch.path(), &index).unwrap();
        git().args(["read-tree", base]).run().unwrap();
        let output =
            git().args(["apply", "--cached", "-"]).input(patch.bytes.clone()).output().unwrap();
        output.success()
    }

    /// What is found, which has to be what git thinks of it.
    fn find(&self, base: &str, patch: &Patch) -> Vec<Conflict> {
        let found = find(&self.host, &self.store, base, patch).unwrap();
        assert_eq!(found.is_empty(), self.git_applies(base, patch), "{found:#?}");
        assert!(serde_json::to_string(&found).is_ok());
        found
    }
}

/// The conflicts of the patch from `old` to `new` (contents of `f.c`) on a tree with another `f.c`.
fn of_texts(old: &str, new: &str, tree: &str) -> Vec<Conflict> {
    let bench = Bench::new();
    let patch = bench.patch(&[("f.c", old)], &[("f.c", new)]);
    bench.find(&bench.tree("tree", &[("f.c", tree)]).commit, &patch)
}

/// The reasons, in words.
fn reasons(conflicts: &[Conflict]) -> String {
    let lines: Vec<_> = conflicts
        .iter()
        .map(|c| format!("{} {:?}: {}", c.file, c.hunk.unwrap_or_default(), c.reason))
        .collect();
    lines.join("\n")
}

const GOOD: &str =
    "@@ -3,5 +3,5 @@\n int f(void)\n {\n-\tint a = 1;\n+\tint a = 2;\n \n \treturn a;\n";
const OFF: &str = "@@ -13,4 +13,4 @@ int f(void)\n \treturn a;\n }\n \n-int two;\n+int three;\n";
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
    let mut error = apply(&host, &store, &source, Some(variant), None).unwrap_err();
    assert_eq!(error.exit, ExitKind::CheckFailed);
    let command = error.reproduce.take().unwrap();
    let again = run(&command);
    let words = error.details.last().unwrap().strip_prefix("git says:\n").unwrap();
    assert!(words.lines().all(|l| again.contains(l)), "{command}\n{again}");
    // What depends on the machine does not belong into a snapshot.
    error.next = error.next.map(|n| n.replace(&*dir.path().to_string_lossy(), "DIR"));
    error.to_string()
}

/// Runs a command that has to fail, and gives its error output.
fn run(command: &str) -> String {
    let output = Host::for_tests().program("sh").cwd("/").args(["-c", command]).output().unwrap();
    assert_eq!(output.code, 1, "{command}\n{}", output.error_text());
    output.error_text()
}

#[test]
fn a_conflict_shows_both_sides() {
    insta::assert_snapshot!(refused("f.c", BAD), @r"
    patch 2/2 does not apply: two: Break (1.patch)
      f.c: its only hunk does not apply
      the patch does not say for which version
      1.patch:9: f.c hunk 1: @@ -3,5 +3,5 @@ int f(void)
        the lines that it changes are different: 1 removed and 0 context lines of 5
        f.c has here (< only the patch has it, > only the tree has it):
        3    int f(void)
        4    {
          <- 	int a = 7;
        5 >  	int a = 2;
        6
        7    	return a;
      git says:
      error: patch failed: f.c:3
      error: f.c: patch does not apply
      next: fix DIR/patches/s/p/1.patch for this kernel, or add a variant for it to series.yaml
    ");
    insta::assert_snapshot!(refused("gone.c", BAD), @r"
    patch 2/2 does not apply: two: Break (1.patch)
      gone.c: the patch does not say for which version
      1.patch:6: gone.c: no such file, here or in any kernel of the object store; no other file has its base name
      git says:
      error: gone.c: does not exist in index
      next: fix DIR/patches/s/p/1.patch for this kernel, or add a variant for it to series.yaml
    ");
}

#[test]
fn the_command_shows_the_failure_and_leaves_nothing() {
    let bench = Bench::new();
    let patch = bench.patch(&[("f.c", "int x;\n")], &[("f.c", "int y;\n")]);
    let source = bench.tree("tree", &[("f.c", "int z;\n")]);
    let before = || {
        let entries = std::fs::read_dir(bench.store.root().join("objects.git")).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let was = before();
    let command = render::reproduce(&bench.store, &source.commit, &patch);
    let words = run(&command);
    assert!(words.contains("error: patch failed: f.c:1"), "{words}");
    assert_eq!(before(), was);
}
