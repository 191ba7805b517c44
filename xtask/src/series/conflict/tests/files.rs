// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that are not there, or should not be.

use super::*;

const OLD: &str = "int a;\nint b;\nint c;\nint d;\nint e;\nint f;\n";
const NEW: &str = "int a;\nint b;\nint c;\nint dd;\nint e;\nint f;\n";

/// The patch from `OLD` to `NEW` of one file, on a tree.
fn on(bench: &Bench, file: &str, tree: &[(&str, &str)]) -> Vec<Conflict> {
    let patch = bench.patch(&[(file, OLD)], &[(file, NEW)]);
    bench.find(&bench.tree("tree", tree).commit, &patch)
}

#[test]
fn a_file_that_was_never_there() {
    let found = on(&Bench::new(), "kernel/f.c", &[("lib/f.c", "other\n"), ("lib/g.c", "g\n")]);
    insta::assert_snapshot!(reasons(&found), @"kernel/f.c 0: no such file, here or in any kernel of the object store; of the same base name: lib/f.c");
    assert_eq!(found[0].blob, BlobFit::Unknown);
    let found = on(&Bench::new(), "kernel/f.c", &[("lib/g.c", "other\n")]);
    insta::assert_snapshot!(reasons(&found), @"kernel/f.c 0: no such file, here or in any kernel of the object store; no other file has its base name");
}

#[test]
fn a_file_that_another_kernel_has() {
    let bench = Bench::new();
    bench.tree("other", &[("kernel/f.c", OLD)]);
    let found = on(&bench, "kernel/f.c", &[("lib/f.c", "other\n")]);
    insta::assert_snapshot!(reasons(&found), @"kernel/f.c 0: the file is gone from this tree (linux 5.10.1 has it); of the same base name: lib/f.c");
    assert_eq!(found[0].blob, BlobFit::Other { kernels: vec!["5.10.1".into()] });
}

#[test]
fn a_file_whose_content_only_is_left() {
    let bench = Bench::new();
    bench.tree("other", &[("elsewhere.c", OLD)]);
    let found = on(&bench, "kernel/f.c", &[]);
    insta::assert_snapshot!(reasons(&found), @"kernel/f.c 0: the file is gone from this tree (the object store has the content the patch was made for); no other file has its base name");
    assert_eq!(found[0].blob, BlobFit::Other { kernels: Vec::new() });
}

#[test]
fn a_file_that_an_earlier_patch_removed() {
    let bench = Bench::new();
    let source = bench.tree("tree", &[("f.c", OLD), ("g.c", "g\n")]);
    let git = || git::bare(&bench.host, &bench.store).unwrap();
    let tree = git()
        .arg("mktree")
        .input(format!("100644 blob {}\tg.c\n", {
            let output = git().args(["rev-parse", &format!("{}:g.c", source.commit)]).run();
            output.unwrap().text().trim().to_owned()
        }))
        .run()
        .unwrap();
    let commit = git::as_fixed_person(git(), None)
        .args(["commit-tree", tree.text().trim(), "-p", &source.commit, "-m", "f: Remove it"])
        .run()
        .unwrap();
    let patch = bench.patch(&[("f.c", OLD)], &[("f.c", NEW)]);
    let found = bench.find(commit.text().trim(), &patch);
    insta::assert_snapshot!(reasons(&found), @r#"f.c 0: the file is gone from this tree ("f: Remove it" removed it); no other file has its base name"#);
}

#[test]
fn a_file_that_was_renamed() {
    // The same content, whatever its name.
    let found = on(&Bench::new(), "kernel/f.c", &[("lib/g.c", OLD), ("lib/f.c", "f\n")]);
    insta::assert_snapshot!(reasons(&found), @"kernel/f.c 0: the file is lib/g.c in this tree (the content that the patch was made for); 1 of 1 hunks would apply there");
    // Much of the content, which the object store has.
    let bench = Bench::new();
    bench.tree("other", &[("kernel/f.c", OLD)]);
    let most = OLD.replace("int d;", "long d;");
    let found = on(&bench, "kernel/f.c", &[("lib/f.c", &most), ("net/f.c", "int a;\n")]);
    insta::assert_snapshot!(reasons(&found), @"kernel/f.c 0: the file is lib/f.c in this tree (83 % of the content that the patch was made for); 0 of 1 hunks would apply there");
    // Nothing is known of the old content, but the hunks fit.
    let more = format!("{OLD}int last;\n");
    let found = on(&Bench::new(), "kernel/f.c", &[("lib/f.c", &more)]);
    insta::assert_snapshot!(reasons(&found), @"kernel/f.c 0: the file is lib/f.c in this tree (the same base name); 1 of 1 hunks would apply there");
}

#[test]
fn a_file_that_is_there_already() {
    let bench = Bench::new();
    let made = bench.patch(&[("g.c", "g\n")], &[("g.c", "g\n"), ("f.c", "new\n")]);
    for (text, identical) in [("new\n", true), ("new", false), ("other\n", false)] {
        let source = bench.tree("tree", &[("g.c", "g\n"), ("f.c", text)]);
        let found = bench.find(&source.commit, &made);
        assert_eq!(found[0].reason, Reason::FileExists { identical });
        assert_eq!((found.len(), found[0].file.as_str()), (1, "f.c"));
    }
    let renamed = bench.patch(&[("f.c", OLD)], &[("g.c", OLD)]);
    let source = bench.tree("tree", &[("f.c", OLD), ("g.c", "g\n")]);
    let found = bench.find(&source.commit, &renamed);
    assert_eq!(reasons(&found), format!("g.c 0: {}", Reason::FileExists { identical: false }));
}

#[test]
fn a_file_to_remove_that_is_not_there() {
    let bench = Bench::new();
    let patch = bench.patch(&[("f.c", OLD), ("g.c", OLD)], &[("g.c", OLD)]);
    let found = bench.find(&bench.tree("tree", &[]).commit, &patch);
    assert_eq!(found[0].reason, Reason::FileRemovedAlready);
    let changed = bench.tree("changed", &[("f.c", &format!("{OLD}int g;\n"))]);
    insta::assert_snapshot!(reasons(&bench.find(&changed.commit, &patch)), @"f.c 1: its lines are at line 1, but the hunk says that the file's end is there: it has no context behind its change");
}

#[test]
fn a_binary_file_of_another_content() {
    let bench = Bench::new();
    let patch = bench.patch(&[("f.bin", "a\0b")], &[("f.bin", "a\0c")]);
    // git wants the full object names for binary changes, which --binary gives.
    let found = bench.find(&bench.tree("tree", &[("f.bin", "x\0b")]).commit, &patch);
    assert_eq!(found[0].reason, Reason::BinaryDiffers);
    assert!(bench.find(&bench.tree("same", &[("f.bin", "a\0b")]).commit, &patch).is_empty());
}

#[test]
fn a_file_that_the_patch_itself_makes_is_not_missed() {
    let bench = Bench::new();
    let base = bench.tree("tree", &[]);
    let diff = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\ndiff --git a/n b/n\n--- a/n\n+++ b/n\n@@ -1 +1 @@\n-a\n+b\n";
    assert!(bench.find(&base.commit, &bench.parse(diff)).is_empty());
}
