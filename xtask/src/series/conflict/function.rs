// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions in C text, found by the line they start with: as git does it for `@@ … @@ name`.

use std::fmt;

use serde::Serialize;

use super::image::FileLine;
use crate::diff::{Hunk, Side};

/// The name of a function, `f()`, of what a macro makes, `SYSCALL_DEFINE3(read)`, or of a type,
/// `struct s`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Name(String);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How many lines the parameters of a function may take.
const PARAMETERS: usize = 12;

impl Name {
    /// The text that every definition has in its first line.
    pub(super) fn needle(&self) -> &str {
        self.0.trim_end_matches(')')
    }

    /// The name that a line gives to what starts there.
    pub(super) fn of(line: &str) -> Option<Self> {
        if !starts_something(line) {
            return None;
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut words = line.split_whitespace();
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if matches!(first, "struct" | "union" | "enum")
            && line.trim_end().ends_with('{')
            && !line.contains(['(', '='])
        {
            return Some(Self(format!("{first} {second}")));
        }
        let (before, behind) = line.split_once('(')?;
        if before.contains('=') {
            return None;
        }
        let name = before.rsplit(|c| !is_word(c)).next().filter(|n| !n.is_empty())?;
        if name.bytes().any(|b| b.is_ascii_lowercase()) {
            return (!name.starts_with("__attribute")).then(|| Self(format!("{name}()")));
        }
        let argument = behind.split(|c| !is_word(c)).next().filter(|a| !a.is_empty())?;
        Some(Self(format!("{name}({argument})")))
    }

    /// Where it is defined, from 0.
    pub(super) fn defined_in(&self, lines: &[FileLine<'_>]) -> Option<usize> {
        // Comparing bytes first: most lines of a large file are not worth a second look.
        let needle = self.needle().as_bytes();
        (0..lines.len()).find(|&at| {
            let text = lines[at].text;
            text.windows(needle.len()).any(|w| w == needle)
                && Self::of(&String::from_utf8_lossy(text)).as_ref() == Some(self)
                && has_body(&lines[at..])
        })
    }
}

/// Whether a brace comes before any semicolon: a definition, no declaration.
fn has_body(lines: &[FileLine<'_>]) -> bool {
    let bytes = lines.iter().take(PARAMETERS).flat_map(|l| l.text);
    bytes.copied().find(|b| matches!(b, b'{' | b';')) == Some(b'{')
}

/// Whether git would show the line behind `@@`: one that starts with a letter and is no label.
fn starts_something(line: &str) -> bool {
    let label = line.trim_end().strip_suffix(':').is_some_and(|l| !l.contains([' ', '(']));
    line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$') && !label
}

/// The function that line `at` (from 0) lies in, or the last one before it.
pub(super) fn around(lines: &[FileLine<'_>], at: usize) -> Option<Name> {
    let before = lines[..at.min(lines.len())].iter().rev();
    let text = before.map(|l| String::from_utf8_lossy(l.text)).find(|l| starts_something(l))?;
    Name::of(&text)
}

/// Index of the line that ends what starts at line `at`.
pub(super) fn end(lines: &[FileLine<'_>], at: usize) -> usize {
    let closes = |l: &FileLine<'_>| l.text.starts_with(b"}");
    lines[at..].iter().position(closes).map_or(lines.len(), |n| at + n)
}

/// The function that a hunk changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Own {
    /// Its name.
    pub(super) name: Name,
    /// Which of the lines that the hunk expects starts it (from 0); none if it is only in the
    /// hunk's header.
    pub(super) row: Option<usize>,
    /// Whether that line stands behind the change, which is in the comment of the function.
    pub(super) behind: bool,
}

/// The function that the first changed line of a hunk lies in, as the patch's author had it.
pub(super) fn own(hunk: &Hunk) -> Option<Own> {
    let context = hunk.lines.iter().take_while(|l| l.side == Side::Context).count();
    // A change of the line that names the function is a change of the function, too.
    let changed = hunk.lines.get(context).filter(|l| l.side == Side::Removed);
    let texts: Vec<_> = hunk.lines[..context]
        .iter()
        .chain(changed)
        .map(|l| String::from_utf8_lossy(&l.text))
        .collect();
    for (row, text) in texts.iter().enumerate().rev() {
        if text.starts_with('}') {
            // What the hunk changes lies between functions.
            return None;
        }
        if starts_something(text) {
            let declaration = text.trim_end().ends_with(';');
            let name = Name::of(text).filter(|_| !declaration)?;
            return Some(Own { name, row: Some(row), behind: false });
        }
    }
    if texts.last().is_some_and(|t| t.starts_with(" *") || t.starts_with("/*")) {
        // In the comment of a function, the header still has the one before it.
        let behind = hunk.expects().into_iter().enumerate().skip(texts.len());
        let mut starts = behind.filter(|(_, text)| starts_something(text));
        let (row, text) = starts.next()?;
        return Name::of(&text).map(|name| Own { name, row: Some(row), behind: true });
    }
    let section = hunk.section();
    let declaration = section.ends_with(';');
    Name::of(section).filter(|_| !declaration).map(|name| Own { name, row: None, behind: false })
}

/// The function that stands before a hunk, by its header.
pub(super) fn section(hunk: &Hunk) -> Option<Name> {
    Name::of(hunk.section())
}

#[cfg(test)]
mod tests {
    use super::super::image::lines;
    use super::*;

    #[test]
    fn names_are_those_of_definitions() {
        let cases = [
            ("int f(void)", Some("f()")),
            ("static noinline struct a *__b(struct a *x,", Some("__b()")),
            (
                "SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf,",
                Some("SYSCALL_DEFINE3(read)"),
            ),
            ("struct s {", Some("struct s")),
            ("static struct s x = {", None),
            ("int x = f(1);", None),
            ("out_unlock:", None),
            ("\tindented(x);", None),
            ("", None),
        ];
        for (line, want) in cases {
            assert_eq!(Name::of(line).map(|n| n.0).as_deref(), want, "{line}");
        }
    }

    #[test]
    fn declarations_and_calls_are_no_definitions() {
        let text = b"int f(int a,\n      int b);\nint g(void)\n{\n\tf(1, 2);\n}\n\nint f(int a,\n      int b)\n{\nout:\n\treturn a;\n}\n";
        let lines = lines(text);
        let f = Name::of("int f(int").unwrap();
        assert_eq!(f.defined_in(&lines), Some(7));
        assert_eq!(end(&lines, 7), 12);
        assert_eq!(around(&lines, 11), Some(f));
        assert_eq!(around(&lines, 4), Name::of("g("));
        assert_eq!(around(&lines, 0), None);
    }
}
