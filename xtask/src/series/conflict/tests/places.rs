// SPDX-License-Identifier: MIT OR Apache-2.0
//! The closest place, and how both sides are lined up. No git here.

use super::super::align::Indexed;
use super::*;
use crate::diff::{self, Text};

fn hunk(text: &str) -> diff::Hunk {
    let text = format!("--- a/f\n+++ b/f\n{text}");
    let text = Text::new(text.as_bytes());
    diff::read(&text, 0).unwrap().files.remove(0).hunks.remove(0)
}

/// Marks and line numbers of the closest place.
fn closest(tree: &str, start: usize, old: &[&str]) -> String {
    let count = old.len();
    let body = old.join("\n") + "\n";
    let hunk = hunk(&format!("@@ -{start},{count} +{start},{} @@\n{body}+new\n", count + 1));
    let lines = image::lines(tree.as_bytes());
    let Some(beside) = Indexed::new(&lines).closest(&hunk, 0..lines.len()) else {
        return "none".into();
    };
    let row = |row: &Row| match row {
        Row::Same { line, text, .. } => format!("{line}={text}"),
        Row::WhiteSpace { line, found, .. } => format!("{line}~{}", found.trim()),
        Row::Missing { expected, .. } => format!("<{expected}"),
        Row::Extra { line, found } => format!("{line}>{found}"),
    };
    beside.rows.iter().map(row).collect::<Vec<_>>().join(" ")
}

#[test]
fn lines_are_aligned() {
    let tree = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
    let cases: [(&str, usize, &[&str], &str); 9] = [
        (tree, 2, &[" two", " three"], "2=two 3=three"),
        (tree, 1, &[" two", " x", " four"], "2=two <x 3>three 4=four"),
        (tree, 1, &[" two", " four", " five"], "2=two 3>three 4=four 5=five"),
        (tree, 1, &[" two", " x", " three"], "2=two <x 3=three"),
        (tree, 1, &[" x", " three", " four"], "<x 2>two 3=three 4=four"),
        (tree, 1, &[" five", " six", " x", " y"], "5=five 6=six <x <y 7>seven"),
        (tree, 1, &[" t wo", " three"], "2~two 3=three"),
        (tree, 6, &[" x", " y", " z"], "<x <y <z 6>six 7>seven"),
        ("", 1, &[" x"], "<x"),
    ];
    for (tree, start, old, want) in cases {
        assert_eq!(closest(tree, start, old), want, "{old:?}");
    }
}

#[test]
fn rare_lines_decide_and_then_the_distance() {
    let block = "{\n\tcommon();\n}\n\n";
    let tree = format!("{}{{\n\trare();\n\tcommon();\n}}\n{}", block.repeat(50), block.repeat(50));
    let found = closest(&tree, 20, &[" {", " \trare();", " \tcommon();", " \tx();"]);
    assert_eq!(found, "201={ 202=\trare(); 203=\tcommon(); <\tx(); 204>}");
    let found = closest(&tree, 21, &[" {", " \tcommon();", " \tx();"]);
    assert_eq!(found, "21={ 22=\tcommon(); <\tx(); 23>}");
}

#[test]
fn large_files_take_no_time() {
    let mut tree = String::new();
    for n in 0..6000 {
        let _ = write!(tree, "int f{n}(void)\n{{\n\treturn {n};\n}}\n\n");
    }
    let mut text = String::from("--- a/f\n+++ b/f\n");
    for n in (10..6000).step_by(300) {
        let at = n * 5 + 1;
        let _ = write!(
            text,
            "@@ -{at},5 +{at},5 @@ int g(void)\n int f{n}(void)\n {{\n-\treturn other({n});\n+\treturn 0;\n }}\n \n"
        );
    }
    let text = Text::new(text.as_bytes());
    let diff = diff::read(&text, 0).unwrap().files.remove(0);
    let start = std::time::Instant::now();
    let failing = judge::failing(&diff, tree.as_bytes());
    let took = start.elapsed();
    eprintln!("{took:?} for {} hunks", failing.len());
    assert_eq!(failing.len(), 20);
    for f in &failing {
        let want = Reason::LinesChanged { removed: 1, context: 0, expected: 5 };
        assert_eq!(f.reason, want);
    }
    assert!(took.as_secs() < 5, "{took:?}");
}

#[test]
fn git_takes_the_nearest_place_and_fuzz_leaves_context_out() {
    let lines = image::lines(b"xxx1\nsame\nxxx2\nsame\nxxx3\n");
    let image = image::Image::new(&lines);
    let cases = [(2, vec![1, 3]), (3, vec![3, 1]), (4, vec![3, 1])];
    for (start, want) in cases {
        let hunk = hunk(&format!("@@ -{start} +{start},2 @@\n-same\n+1\n+2\n"));
        assert_eq!(image.places(&image::Sought::before(&hunk).anywhere()), want, "{start}");
    }
    let hunk = hunk("@@ -1,4 +1,4 @@\n yyyy\n xxx2\n-same\n+1\n zzzz\n");
    let fuzzy = image.fuzzy(&image::Sought::before(&hunk)).unwrap();
    assert_eq!((fuzzy.lines, fuzzy.dropped, fuzzy.places), (2, 2, vec![3, 1]));
}
