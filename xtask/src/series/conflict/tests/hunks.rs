// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every reason of a hunk, found in a real tree.

use super::super::reason::Edge;
use super::*;

/// A function with lines of its own.
fn function(name: &str, lines: usize) -> String {
    let mut text = format!("int {name}(int x)\n{{\n");
    for n in 1..=lines {
        let _ = writeln!(text, "\tx += {name}_step({n});");
    }
    text.push_str("\treturn x;\n}\n\n");
    text
}

fn file(names: &[&str]) -> String {
    names.iter().map(|name| function(name, 9)).collect()
}

/// The change that all of these make: in the midst of `b()`.
fn changed(text: &str) -> String {
    let new = text.replace("b_step(5)", "b_step(55)");
    assert_ne!(new, text);
    new
}

fn of(old: &str, tree: &str) -> Vec<Conflict> {
    of_texts(old, &changed(old), tree)
}

#[test]
fn changed_lines_and_changed_context() {
    let old = file(&["a", "b"]);
    let found = of(&old, &old.replace("b_step(5)", "other(5)"));
    insta::assert_snapshot!(reasons(&found), @"f.c 1: the lines that it changes are different: 1 removed and 0 context lines of 7");
    let beside = found[0].beside.as_ref().unwrap();
    assert_eq!(beside.line(), Some(18));
    let found = of(&old, &old.replace("b_step(2)", "other(2)"));
    insta::assert_snapshot!(reasons(&found), @"f.c 1: only context differs, 1 of 7 lines: `--fuzz 1` would apply it at line 19");
    let found = of(&old, &old.replace("b_step(6)", "other(6)"));
    insta::assert_snapshot!(reasons(&found), @"f.c 1: only context differs, 1 of 7 lines: `--fuzz 3` would apply it at line 21");
    // A pure insertion, and a change right beside it: with no context left it would fit anywhere.
    let new = old.replace("\tx += b_step(5);\n", "\tx += b_step(5);\n\tx = new(x);\n");
    let tree = old.replace("b_step(5)", "other(5)").replace("b_step(6)", "other(6)");
    insta::assert_snapshot!(reasons(&of_texts(&old, &new, &tree)), @"f.c 1: only context differs, 2 of 6 lines, and no fuzz would apply it safely");
}

#[test]
fn lines_that_came_in() {
    let old = file(&["a", "b"]);
    let more = "\tmore();\n\tmore();\n";
    let tree = old.replace("\tx += b_step(5);", &format!("{more}\tx += b_step(5);"));
    insta::assert_snapshot!(reasons(&of(&old, &tree)), @"f.c 1: all its lines are there, but 2 more have come in among its context: `--fuzz 3` would apply it at line 23");
    let new = old.replace("\tx += b_step(4);\n\tx += b_step(5);\n", "");
    insta::assert_snapshot!(reasons(&of_texts(&old, &new, &tree)), @"f.c 1: all its lines are there, but 2 more have come in among the lines that it changes, and no fuzz would apply it safely");
}

#[test]
fn lines_that_moved_in_part() {
    let old = file(&["a", "b"]);
    let lines = old[old.find("\tx += b_step(2)").unwrap()..old.find("\tx += b_step(9)").unwrap()]
        .to_owned();
    let moved = lines.replace("b_step(5)", "other(5)");
    let tree = old.replace(&lines, "\tx = bb(x);\n")
        + &format!("int bb(int x)\n{{\n{moved}\treturn x;\n}}\n");
    insta::assert_snapshot!(reasons(&of(&old, &tree)), @"f.c 1: moved within the file: 6 of 7 lines of b() are at line 28 in bb()");
}

#[test]
fn comments_belong_to_the_function_behind_them() {
    let comment = "/**\n * b - Do b\n * @x: a number\n */\n";
    let text = file(&["a", "b"]).replace("int b(", &format!("{comment}int b("));
    let new = text.replace(" * @x: a number", " * @x: any number");
    let tree = file(&["b", "a"]).replace("int b(", "/**\n * b() does b.\n */\nint b(");
    let near = text.replace("/**\n * b - Do b\n", "/**\n * b - Do bb\n");
    insta::assert_snapshot!(reasons(&of_texts(&text, &new, &near)), @"f.c 1: only context differs, 1 of 7 lines: `--fuzz 3` would apply it at line 17");
    insta::assert_snapshot!(reasons(&of_texts(&text, &new, &tree)), @"f.c 1: the lines that it changes are different: 1 removed and 2 context lines of 7");
}

#[test]
fn the_fuzz_it_names_is_the_least_that_git_needs() {
    let old = file(&["a", "b"]);
    let bench = Bench::new();
    let patch = bench.patch(&[("f.c", &old)], &[("f.c", &changed(&old))]);
    for (step, lines) in [(2, 1), (3, 2), (4, 3), (6, 3), (8, 1)] {
        let tree = old.replace(&format!("b_step({step})"), "other()");
        let base = bench.tree("tree", &[("f.c", &tree)]).commit;
        let found = bench.find(&base, &patch);
        let Reason::ContextChanged { fuzz: Some(fuzz), .. } = found[0].reason else {
            panic!("{found:?}")
        };
        assert_eq!(fuzz.lines, lines, "step {step}");
        let applies = |context: usize| {
            let scratch = tempfile::tempdir().unwrap();
            let index = scratch.path().join("index");
            let git = || git::on_tree(&bench.host, &bench.store, scratch.path(), &index).unwrap();
            git().args(["read-tree", &base]).run().unwrap();
            let git = git().args(["apply", "--cached", &format!("-C{context}"), "-"]);
            git.input(patch.bytes.clone()).output().unwrap().success()
        };
        assert!(applies(3 - lines) && !applies(4 - lines), "step {step}");
    }
}

#[test]
fn white_space() {
    let old = file(&["a", "b"]);
    for tree in [
        old.replace("\tx += b_step(5)", "        x += b_step(5)"),
        old.replace("b_step(6);\n", "b_step(6); \n"),
        old.replace("\tx += b_step(6)", "\n\tx += b_step(6)"),
        old.replace('\n', "\r\n"),
    ] {
        let found = of(&old, &tree);
        assert!(matches!(found[0].reason, Reason::WhiteSpace { .. }), "{}", reasons(&found));
    }
    let found = of_texts("int a;\n", "int b;\n", "int a;");
    assert_eq!(found[0].reason, Reason::WhiteSpace { line: 1 });
}

#[test]
fn ambiguous_places() {
    let old = "int a;\n\tfoo(1);\n\tbar(2);\n\tif (x)\n\t\tbaz(3);\n\tfoo(4);\n\tbar(5);\n";
    let new = old.replace("baz(3)", "baz(33)");
    let twice = "int f(void)\n{\n\tone();\n\tif (x)\n\t\tbaz(3);\n\ttwo();\n}\n\nint g(void)\n{\n\tthree();\n\tif (x)\n\t\tbaz(3);\n\tfour();\n}\n";
    let found = of_texts(old, &new, twice);
    insta::assert_snapshot!(reasons(&found), @"f.c 1: ambiguous: with `--fuzz 3` it would fit at line 5 in f() and at line 13 in g()");
    let spaced = old.replace("\tfoo(1)", "    foo(1)");
    insta::assert_snapshot!(reasons(&of_texts(old, &new, &format!("{spaced}{spaced}"))), @"f.c 1: ambiguous: with other white space it would fit at line 2 and at line 9");
}

#[test]
fn a_function_that_moved_within_the_file() {
    // By the function in the hunk's header.
    let old = file(&["a", "b", "c"]);
    let part = "\tx += b_step(2);\n\tx += b_step(3);\n\tx += b_step(4);\n\tx += b_step(5);\n\tx += b_step(6);\n\tx += b_step(7);\n";
    let moved = old.replace(part, "").replace("\tx += c_step(3);\n", part);
    let found = of(&old, &moved);
    insta::assert_snapshot!(reasons(&found), @"f.c 1: moved within the file: the lines of b() are at line 30 in c(); `--fuzz 1` would apply it at line 28");
    // By the function before it: the whole function is at the start of the file now.
    let old = file(&["a", "b", "c"]);
    let new = old.replace("int b(int x)\n{\n", "int b(int x)\n{\n\tstart(x);\n");
    let first = format!("#ifdef B\n{}#endif\n{}", function("b", 9), file(&["a", "c"]));
    insta::assert_snapshot!(reasons(&of_texts(&old, &new, &first)), @"f.c 1: moved within the file: the lines of b() are at line 4 in b(); `--fuzz 1` would apply it at line 2");
    // It did not move if others came in between.
    let more = ["a", "n", "o", "p", "q", "r", "b", "c"];
    let more = file(&more).replace("int b(", "#endif\nint b(");
    insta::assert_snapshot!(reasons(&of_texts(&old, &new, &more)), @"f.c 1: all its lines are there, but 1 more have come in among its context: `--fuzz 1` would apply it at line 86");
}

#[test]
fn a_function_that_is_in_another_file() {
    let bench = Bench::new();
    let old = file(&["a", "b"]);
    let patch = bench.patch(&[("k/f.c", &old)], &[("k/f.c", &changed(&old))]);
    let caller = "int c(void)\n{\n\treturn b(1);\n}\nint b(int x);\n";
    let trees = [
        ("k/g.c", "k/g.c:15"),
        ("lib/deep/g.c", "lib/deep/g.c:15"),
        ("include/linux/g.h", "include/linux/g.h:15"),
    ];
    for (path, spot) in trees {
        let files = [("k/f.c", caller), ("k/h.c", caller), (path, &*old)];
        let tree = bench.tree(&path.replace('/', "-"), &files);
        let found = bench.find(&tree.commit, &patch);
        assert_eq!(reasons(&found), format!("k/f.c 1: b() is not in this file; it is at {spot}"));
    }
    let tree = bench.tree("none", &[("k/f.c", caller)]);
    let found = bench.find(&tree.commit, &patch);
    assert_eq!(reasons(&found), "k/f.c 1: b() is in no C file of this tree");
}

#[test]
fn a_function_that_was_renamed() {
    let old = file(&["a", "b"]);
    // Its first line is only in the hunk's header.
    let tree = old.replace("int b(", "int bb(").replace("b_step(3)", "b_step(33)");
    insta::assert_snapshot!(reasons(&of(&old, &tree)), @"f.c 1: there is no b() in this file; its lines are in bb() (line 21); `--fuzz 2` would apply it at line 20");
    // It is in the hunk.
    let new = old.replace("b_step(2)", "b_step(22)");
    insta::assert_snapshot!(reasons(&of_texts(&old, &new, &tree)), @"f.c 1: b() is called bb() here (line 15); `--fuzz 3` would apply it at line 18");
}

#[test]
fn lines_that_are_nowhere() {
    let old = file(&["a", "b"]);
    let tree = file(&["a"]) + "int b(int x)\n{\n\twhile (x)\n\t\tx--;\n\tBUG();\n}\n";
    insta::assert_snapshot!(reasons(&of(&old, &tree)), @"f.c 1: its lines are not in this file: b(), at line 15, has 0 of 7");
    assert!(matches!(of("int x;\n\tb_step(5);\n", "")[0].reason, Reason::LinesGone { .. }));
}

#[test]
fn hunks_that_are_applied_already() {
    let old = file(&["a", "b", "c", "d"]);
    let mut new = changed(&old);
    let tree = new.replace("c_step(5)", "other(5)");
    new = new.replace("c_step(5)", "c_step(55)").replace("d_step(5)", "d_step(55)");
    let found = of_texts(&old, &new, &tree);
    insta::assert_snapshot!(reasons(&found), @r"
    f.c 1: applied already: what it would make is at line 18
    f.c 2: the lines that it changes are different: 1 removed and 0 context lines of 7
    ");
    assert_eq!(found[1].hunks, 3);
}

#[test]
fn lines_that_are_not_at_the_end_that_is_meant() {
    let found =
        of_texts("int a;\nint b;\n", "int a;\nint b;\nint c;\n", "int a;\nint b;\nint z;\n");
    assert_eq!(found[0].reason, Reason::NotAtEdge { line: 1, edge: Edge::End });
    let found =
        of_texts("int a;\nint b;\n", "int c;\nint a;\nint b;\n", "int z;\nint a;\nint b;\n");
    assert_eq!(found[0].reason, Reason::NotAtEdge { line: 2, edge: Edge::Start });
    let found = of_texts("", "int a;\n", "int z;\n");
    assert_eq!(found[0].reason, Reason::NotAtEdge { line: 1, edge: Edge::End });
}

#[test]
fn two_hunks_for_the_same_lines() {
    let bench = Bench::new();
    let hunk = "@@ -1,3 +1,3 @@\n int aaa;\n-int bbb;\n+int bbb2;\n int ccc;\n";
    let other = "@@ -2,2 +2,2 @@\n-int bbb;\n+int bbb3;\n int ccc;\n";
    let patch = bench.parse(&format!("--- a/f.c\n+++ b/f.c\n{hunk}{other}"));
    let tree = bench.tree("tree", &[("f.c", "int aaa;\nint bbb;\nint ccc;\n")]);
    let found = bench.find(&tree.commit, &patch);
    assert_eq!(reasons(&found), format!("f.c 2: {}", Reason::Overlaps { line: 2 }));
}

#[test]
fn all_hunks_are_listed_and_two_are_shown() {
    let bench = Bench::new();
    let names = ["a", "b", "c", "d"];
    let old = file(&names);
    let new = names.iter().fold(old.clone(), |text, n| {
        text.replace(&format!("\tx += {n}_step(5);"), &format!("\tx += {n}_new(5);"))
    });
    let mut tree = old.replace("b_step(5)", "b_other(5)").replace("c_step(4)", "\tc_step(4)");
    tree = tree.replace("\tx += d_step(3);\n", "\tmany();\n".repeat(20).as_str());
    bench.tree("other", &[("f.c", &old)]);
    let patch = bench.patch(&[("f.c", &old)], &[("f.c", &new)]);
    let base = bench.tree("tree", &[("f.c", &tree)]).commit;
    let words = "Checking patch f.c...\nerror: while searching for:\n\nerror: f.c: no\n";
    let mut error = explain(&bench.host, &bench.store, &base, &patch, (2, 3), words);
    (error.next, error.reproduce) = (None, None);
    insta::assert_snapshot!(error, @r"
    patch 2/3 does not apply: Try (try it.patch)
      f.c: 3 of 4 hunks do not apply (2, 3, 4; the others do)
      made for another version of it; the object store has that version in linux 5.10.1
      try it.patch:19: f.c hunk 2: @@ -18,7 +18,7 @@ int b(int x)
        the lines that it changes are different: 1 removed and 0 context lines of 7
        f.c has here (< only the patch has it, > only the tree has it):
        18    	x += b_step(2);
        19    	x += b_step(3);
        20    	x += b_step(4);
           <- 	x += b_step(5);
        21 >  	x += b_other(5);
        22    	x += b_step(6);
        23    	x += b_step(7);
        24    	x += b_step(8);
      try it.patch:28: f.c hunk 3: @@ -32,7 +32,7 @@ int c(int x)
        only white space differs from what is at line 32
        f.c has here (~ other white space):
        32    	x += c_step(2);
        33    	x += c_step(3);
           <~ →x·+=·c_step(4);
        34 >~ →x·+=·→c_step(4);
        35  - 	x += c_step(5);
        36    	x += c_step(6);
        37    	x += c_step(7);
        38    	x += c_step(8);
      try it.patch:37: f.c hunk 4: @@ -46,7 +46,7 @@ int d(int x)
        only context differs, 2 of 7 lines: `--fuzz 2` would apply it at line 67
      git says:
      error: f.c: no
    ");
    let found = bench.find(&base, &patch);
    insta::assert_snapshot!(serde_json::to_string(&found[2].reason).unwrap(), @r#"{"kind":"context-changed","context":2,"expected":7,"fuzz":{"lines":2,"at":67}}"#);
}

#[test]
fn a_patch_made_for_this_very_file_was_edited() {
    let bench = Bench::new();
    let old = file(&["a", "b"]);
    let patch = bench.patch(&[("f.c", &old)], &[("f.c", &changed(&old))]);
    let text = String::from_utf8(patch.bytes.clone()).unwrap();
    let edited = bench.parse(&text.replace("b_step(4)", "b_stop(4)")[text.find("diff").unwrap()..]);
    let base = bench.tree("tree", &[("f.c", &old)]).commit;
    let error = explain(&bench.host, &bench.store, &base, &edited, (1, 1), "error: x\n");
    assert!(error.details[0].contains("exactly this file; so the patch was edited"), "{error}");
}
