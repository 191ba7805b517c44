// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;

fn parse(text: &str) -> Result<Diff, DiffError> {
    let text = Text::new(text.as_bytes());
    read(&text, first_line(&text).unwrap_or(0))
}

const TWO: &str = "diff --git a/a.c b/a.c\nindex 111..222 100644\n--- a/a.c\n+++ b/a.c\n@@ -3,3 +3,4 @@ int f(void)\n one\n-two\n+2\n+3\n \n@@ -9 +10 @@\n-x\n+y\n\\ No newline at end of file\ndiff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";

#[test]
fn everything_is_read_and_written_as_it_was() {
    let diff = parse(TWO).unwrap();
    assert_eq!(diff.write(), TWO.as_bytes());
    assert_eq!(diff.paths(), ["a.c", "old"]);
    assert_eq!(diff.stat(), Stat { files: 2, insertions: 3, deletions: 3 });
    let hunk = &diff.files[0].hunks[0];
    assert_eq!((hunk.start, hunk.at, hunk.section()), (3, 5, "int f(void)"));
    assert_eq!(diff.files[0].blobs(), Some(("111", "222")));
    assert_eq!(diff.files[1].new, None);
}

#[test]
fn other_forms_become_the_canonical_one() {
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    let canonical = format!("--- a/k/x.c\n+++ b/k/x.c\n{hunk}");
    let cases = [
        format!(
            "--- linux-6.1.orig/k/x.c\t2021-01-01 00:00:00\n+++ linux-6.1/k/x.c\t2021-01-02\n{hunk}"
        ),
        format!("Index: k/x.c\n{}\n--- k/x.c\n+++ k/x.c\n{hunk}", "=".repeat(67)),
        format!("diff -urN a/k/x.c b/k/x.c\n--- i/k/x.c\n+++ w/k/x.c\n{hunk}\n-- \n2.39.5\n"),
    ];
    for text in cases {
        let diff = parse(&text).unwrap();
        assert_eq!(String::from_utf8_lossy(&diff.write()), canonical, "{text}");
    }
    let stripped = parse("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a\n+b\n\n c\n").unwrap();
    assert_eq!(stripped.mended, [6]);
    assert!(stripped.write().ends_with(b"+b\n \n c\n"));
}

#[test]
fn renames_modes_binaries_and_odd_names() {
    let texts = [
        "diff --git a/one b/two\nsimilarity index 100%\nrename from one\nrename to two\n",
        "diff --git a/s b/s\nold mode 100644\nnew mode 100755\n",
        "diff --git a/empty file b/empty file\nnew file mode 100644\nindex 000..e69\n",
        "diff --git \"a/t\\303\\244st\" \"b/t\\303\\244st\"\n--- \"a/t\\303\\244st\"\n+++ \"b/t\\303\\244st\"\n@@ -1 +1 @@\n-a\n+b\n",
        "diff --git a/b.bin b/b.bin\nnew file mode 100644\nindex 000..123\nGIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~L\n\nliteral 0\nHcmV?d00001\n\n",
        "diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n@@ -1 +1 @@\n-a\n+b\n",
    ];
    let names = ["two", "s", "empty file", "täst", "b.bin", "a b"];
    for (text, name) in texts.iter().zip(names) {
        let diff = parse(text).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert_eq!(diff.files[0].name(), name);
        assert_eq!(String::from_utf8_lossy(&diff.write()), *text);
    }
}

#[test]
fn what_is_wrong_has_its_line() {
    let head = "--- a/x\n+++ b/x\n";
    let cases = [
        ("text\n", "line 1: there is no diff"),
        (
            &format!("{head}@@ -1,3 +1,3 @@\n-a\n+b\n c\n"),
            "line 7: the hunk of line 3 is cut: 1 old and 1 new",
        ),
        (&format!("{head}@@ -1,3 +1,3 @@\n-a\n+b\n c\n-- \n2.1\n"), "is cut: 1 old and 1 new"),
        (
            &format!("{head}@@ -1,2 +1,2 @@\n-a\n+b\nword\n c\n"),
            "line 6: \"word\" is no line of a diff",
        ),
        (&format!("{head}@@ -1 +1 @@\n-a\n+b\n+c\n"), "line 6: the hunk of line 3 has more"),
        (&format!("{head}@@ -1 +1 @@\n-a\n+b"), "line 5: the text ends in the midst"),
        (
            &format!("{head}@@ -1 +1 @@\n-a\n+b\n-- \n2.1\n\n@@ -4 +4 @@\n-a\n+b\n"),
            "line 9: \"@@ -4 +4 @@\" looks like",
        ),
        ("--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n", "leads out of the tree"),
        ("--- /etc/x\n+++ /etc/x\n@@ -1 +1 @@\n-a\n+b\n", "leads out of the tree"),
        ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ nonsense\n", "line 4: no hunk header"),
        ("diff --git a/x b/x\nindex 1..2\n", "no change follows"),
        (
            "diff --git a/x b/x\nnew file mode 100644\nGIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~L\n",
            "binary change that is cut",
        ),
        (
            "diff --git a/x b/x\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
            "not the files of `diff --git`",
        ),
        (
            "diff --git a/x b/x\nnew file mode 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
            "its names say another thing",
        ),
        (
            "diff --git a/x b/y\nrename from x\nrename from z\nrename to y\n",
            "line 3: no file header",
        ),
        ("--- a/x.orig\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "are two files"),
        (
            "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n",
            "not the files that it renames",
        ),
        ("diff --git a/x b/x\nnew file mode 1006\n", "line 2: no file header"),
        ("diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n", "git diff --binary"),
    ];
    for (text, want) in cases {
        let error = parse(text).map(|d| d.stat().to_string()).unwrap_err().to_string();
        assert!(error.contains(want), "{error}\n  is not {want}\n  for {text}");
    }
}

#[test]
fn the_summary_of_a_diffstat() {
    let lines: [&[u8]; 3] =
        [b" a.c | 3 ++-", b" 1 file changed, 2 insertions(+), 1 deletion(-)", b""];
    assert_eq!(claimed(&lines), Some(Stat { files: 1, insertions: 2, deletions: 1 }));
    assert_eq!(
        claimed(&[b" 2 files changed, 7 deletions(-)"]),
        Some(Stat { files: 2, insertions: 0, deletions: 7 })
    );
    assert_eq!(claimed(&lines[..1]), None);
}

#[test]
fn a_bare_file_behind_one_of_git_keeps_its_names() {
    let text = "diff --git a/one b/two\nrename from one\nrename to two\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    let diff = parse(text).unwrap();
    assert_eq!(diff.paths(), ["one", "two", "x"]);
    assert_eq!(String::from_utf8_lossy(&diff.write()), text);
}
