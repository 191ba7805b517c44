// SPDX-License-Identifier: MIT OR Apache-2.0
//! From lines to a [`Diff`].

use super::error::{DiffError, Reason};
use super::file::FileDiff;
use super::{Diff, Hunk, binary, hunk, name};

/// A text in lines.
#[derive(Debug, Clone)]
pub struct Text<'a> {
    /// The lines, without their newlines.
    pub lines: Vec<&'a [u8]>,
    /// Whether the last one had a newline.
    pub complete: bool,
}

impl<'a> Text<'a> {
    /// Splits bytes at LF.
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
        let complete = lines.last().is_none_or(|l| l.is_empty());
        if complete {
            lines.pop();
        }
        Self { lines, complete }
    }
}

/// Index (from 0) of the line where a diff starts: `diff --git …`, or `--- old` followed by
/// `+++ new` and a hunk.
pub fn first_line(text: &Text<'_>) -> Option<usize> {
    (0..text.lines.len()).find(|&at| starts_file(text, at))
}

fn starts_file(text: &Text<'_>, at: usize) -> bool {
    let line = |n: usize| text.lines.get(at + n).copied().unwrap_or_default();
    line(0).starts_with(b"diff --git ")
        || line(0).starts_with(b"--- ")
            && line(1).starts_with(b"+++ ")
            && line(2).starts_with(b"@@")
}

/// Lines that `svn diff`, `quilt` and `diff -r` put between files.
fn is_between_files(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
        || line.starts_with(b"Index: ")
        || line.starts_with(b"diff -")
        || line.len() > 20 && line.iter().all(|b| *b == b'=')
}

/// Index (from 0) behind the text before a diff: lines such as `Index: …` belong to the diff.
pub fn text_end(text: &Text<'_>, first: usize) -> usize {
    let own = text.lines[..first].iter().rposition(|line| !is_between_files(line));
    own.map_or(0, |at| at + 1)
}

/// Whether a line behind a diff looks as if it belonged to it.
fn is_stray(text: &Text<'_>, at: usize) -> bool {
    let line = text.lines[at];
    hunk::is_header(line) || starts_file(text, at)
}

/// Reads the diff that starts at line `first` (from 0), up to the first line that is none of its.
///
/// # Errors
/// Anything that would make another change of it than its author's: cut hunks, wrapped lines, hunks
/// longer than they say, paths that lead out of the tree.
pub fn read(text: &Text<'_>, first: usize) -> Result<Diff, DiffError> {
    let mut diff = Diff::default();
    let mut at = first;
    while at < text.lines.len() {
        if starts_file(text, at) {
            at = read_file(text, at, &mut diff)?;
        } else if hunk::is_header(text.lines[at]) {
            return Err(Reason::NoFile.at(at + 1));
        } else if is_between_files(text.lines[at]) {
            // Only if a file follows; else this is the end.
            let next = (at..text.lines.len()).find(|&n| !is_between_files(text.lines[n]));
            match next.filter(|&n| starts_file(text, n)) {
                Some(next) => at = next,
                None => break,
            }
        } else {
            break;
        }
    }
    if diff.files.is_empty() {
        return Err(Reason::NoDiff.at(text.lines.len().max(1)));
    }
    if let Some(stray) = (at..text.lines.len()).find(|&n| is_stray(text, n)) {
        let line = String::from_utf8_lossy(text.lines[stray]).into_owned();
        return Err(Reason::Stray(line).at(stray + 1));
    }
    diff.end = at;
    Ok(diff)
}

const EXTENDED: [&[u8]; 11] = [
    b"old mode ",
    b"new mode ",
    b"deleted file mode ",
    b"new file mode ",
    b"copy from ",
    b"copy to ",
    b"rename from ",
    b"rename to ",
    b"similarity index ",
    b"dissimilarity index ",
    b"index ",
];

/// Whether a line of the extended header has the form that git gives it.
fn is_sound(line: &str) -> bool {
    let (value, is_mode) = match line.rsplit_once("mode ") {
        Some((_, mode)) => (mode, true),
        None => (line.rsplit(' ').next().unwrap_or_default(), false),
    };
    if is_mode {
        return value.len() == 6 && value.bytes().all(|b| (b'0'..=b'7').contains(&b));
    }
    if line.starts_with("similarity") || line.starts_with("dissimilarity") {
        let digits = value.strip_suffix('%').unwrap_or_default();
        return !digits.is_empty()
            && digits.len() <= 3
            && digits.bytes().all(|b| b.is_ascii_digit());
    }
    if let Some(blobs) = line.strip_prefix("index ") {
        let (blobs, mode) = blobs.split_once(' ').unwrap_or((blobs, "100644"));
        let hex = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_hexdigit());
        return blobs.split_once("..").is_some_and(|(old, new)| hex(old) && hex(new))
            && mode.len() == 6
            && mode.bytes().all(|b| (b'0'..=b'7').contains(&b));
    }
    true
}

fn read_file(text: &Text<'_>, start: usize, diff: &mut Diff) -> Result<usize, DiffError> {
    let mut file = FileDiff { at: start + 1, ..FileDiff::default() };
    let mut at = start;
    let string = |at: usize| String::from_utf8_lossy(text.lines[at]).into_owned();
    let mut names = None;
    if let Some(rest) = string(at).strip_prefix("diff --git ") {
        names = name::of_git_line(rest);
        file.git = true;
        at += 1;
        while text.lines.get(at).is_some_and(|l| EXTENDED.iter().any(|e| l.starts_with(e))) {
            let line = string(at);
            let key = |l: &str| EXTENDED.iter().position(|e| l.as_bytes().starts_with(e));
            let twice = file.extended.iter().any(|l| key(l) == key(&line));
            if twice || !is_sound(&line) {
                return Err(Reason::FileHeader(line).at(at + 1));
            }
            file.extended.push(line);
            at += 1;
        }
    }
    let header = |line: usize, mark: &str| {
        let text = string(line);
        let rest = text.strip_prefix(mark)?;
        name::of_header(rest).map(std::borrow::Cow::into_owned)
    };
    let has_names = text.lines.get(at).is_some_and(|l| l.starts_with(b"--- "));
    if has_names {
        let wrong = |line: usize| Reason::FileHeader(string(line)).at(line + 1);
        let old = header(at, "--- ").ok_or_else(|| wrong(at))?;
        if at + 1 >= text.lines.len() {
            return Err(Reason::FileHeader("there is no +++ line".into()).at(at + 1));
        }
        let new = header(at + 1, "+++ ").ok_or_else(|| wrong(at + 1))?;
        // git would not say the one here and the other there.
        if let Some((git_old, git_new)) = &names {
            let agree = |said: &str, git: &str| said == "/dev/null" || said == git;
            if !agree(&old, git_old) || !agree(&new, git_new) {
                let why = format!("{old:?} and {new:?} are not the files of `diff --git`");
                return Err(Reason::FileHeader(why).at(at + 1));
            }
        }
        names = Some((old, new));
        at += 2;
    }
    set_names(&mut file, names, has_names)?;
    while text.lines.get(at).is_some_and(|l| hunk::is_header(l)) {
        if !has_names {
            return Err(Reason::NoFile.at(at + 1));
        }
        let (hunk, next) = Hunk::read(text, at, &mut diff.mended)?;
        at = next;
        check_end(text, at, &hunk)?;
        file.hunks.push(hunk);
    }
    if text.lines.get(at).is_some_and(|l| *l == b"GIT binary patch") {
        (file.binary, at) = binary::read(text, at)?;
    } else if text.lines.get(at).is_some_and(|l| l.starts_with(b"Binary files ")) {
        return Err(Reason::Binary.at(at + 1));
    }
    if has_names && file.hunks.is_empty() {
        let reason = match text.lines.get(at) {
            Some(line) if line.starts_with(b"@@") => Reason::HunkHeader(string(at)),
            _ => Reason::FileHeader("no hunk follows it".into()),
        };
        return Err(reason.at(at + 1));
    }
    let changes = !file.hunks.is_empty() || !file.binary.is_empty();
    let mut quiet = file.extended.iter().filter(|l| !l.starts_with("index "));
    // An `index` line of an empty file is all that is left of a change of nothing.
    if !changes && quiet.next().is_none() {
        return Err(Reason::FileHeader("no change follows it".into()).at(at.max(1)));
    }
    if at >= text.lines.len() && !text.complete {
        return Err(Reason::CutLine.at(text.lines.len()));
    }
    diff.files.push(file);
    Ok(at)
}

/// What stands right behind the last line that a hunk's header announces must not look like more.
fn check_end(text: &Text<'_>, at: usize, hunk: &Hunk) -> Result<(), DiffError> {
    let Some(line) = text.lines.get(at) else { return Ok(()) };
    let more = matches!(line.first(), Some(b'+' | b'-' | b' '))
        && !matches!(*line, b"-- " | b"--")
        && !line.iter().all(u8::is_ascii_whitespace)
        && !starts_file(text, at);
    if more { Err(Reason::Longer { hunk: hunk.at }.at(at + 1)) } else { Ok(()) }
}

fn set_names(
    file: &mut FileDiff,
    names: Option<(String, String)>,
    has_names: bool,
) -> Result<(), DiffError> {
    let at = file.at;
    let extended = |prefix: &str| file.extended.iter().find_map(|l| l.strip_prefix(prefix));
    let quoted = |text: &str| {
        name::unquote(text)
            .map(std::borrow::Cow::into_owned)
            .ok_or_else(|| Reason::FileHeader(text.to_owned()).at(at))
    };
    let moved =
        |what: &str| extended(&format!("rename {what} ")).or(extended(&format!("copy {what} ")));
    if let (Some(from), Some(to)) = (moved("from"), moved("to")) {
        // These lines have no prefix.
        let (from, to) = (quoted(from)?, quoted(to)?);
        for path in [&from, &to] {
            name::within_tree(path, true).ok_or_else(|| Reason::Outside(path.clone()).at(at))?;
        }
        if let Some((old, new)) = names.filter(|_| has_names) {
            let is = |said: &str, path: &str| {
                name::within_tree(said, false) == Some(path) || said == path
            };
            if !is(&old, &from) || !is(&new, &to) {
                let why = format!("{old:?} and {new:?} are not the files that it renames");
                return Err(Reason::FileHeader(why).at(at));
            }
        }
        (file.old, file.new) = (Some(from), Some(to));
        return Ok(());
    }
    let made = extended("new file mode").is_some();
    let removed = extended("deleted file mode").is_some();
    let (old, new) =
        names.ok_or_else(|| Reason::FileHeader("its names cannot be told apart".into()).at(at))?;
    let gone = |name: &str| name == "/dev/null";
    if has_names && (made && !gone(&old) || removed && !gone(&new)) {
        let why = "its modes say that a file is made or removed, and its names say another thing";
        return Err(Reason::FileHeader(why.into()).at(at));
    }
    let bare = match (old.as_str(), new.as_str()) {
        ("/dev/null", one) | (one, "/dev/null") => !one.starts_with("a/") && !one.starts_with("b/"),
        (old, new) => name::is_bare(old, new),
    };
    let path = |text: &str, missing: bool| {
        if text == "/dev/null" || missing {
            return Ok(None);
        }
        let inside = name::within_tree(text, bare);
        inside.map(|p| Some(p.to_owned())).ok_or_else(|| Reason::Outside(text.to_owned()).at(at))
    };
    let sides = (path(&old, made)?, path(&new, removed)?);
    (file.old, file.new) = sides;
    if let (Some(old), Some(new)) = (&file.old, &file.new)
        && old != new
    {
        let why =
            format!("{old:?} and {new:?} are two files, and nothing says that one is renamed");
        return Err(Reason::FileHeader(why).at(at));
    }
    if file.old.is_none() && file.new.is_none() {
        return Err(Reason::FileHeader("it names no file".into()).at(at));
    }
    Ok(())
}
