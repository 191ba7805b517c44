// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths in diffs: quoting and prefixes.

use std::borrow::Cow;

/// Takes C quotes off a path, as core.quotePath puts them on (git-config(1)).
pub(super) fn unquote(text: &str) -> Option<Cow<'_, str>> {
    let Some(inner) = text.strip_prefix('"') else { return Some(text.into()) };
    let inner = inner.strip_suffix('"')?;
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            first @ b'0'..=b'3' => {
                let digit = |b: u8| (b'0'..=b'7').contains(&b).then(|| b - b'0');
                let (second, third) = (digit(rest.next()?)?, digit(rest.next()?)?);
                (first - b'0') * 64 + second * 8 + third
            }
            other => other,
        });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned().into())
}

/// Puts C quotes on a path where git would: control characters, quotes, backslashes and everything
/// that is not ASCII.
pub fn quote(path: &str) -> Cow<'_, str> {
    use std::fmt::Write as _;
    let plain = |b: u8| (b' '..=b'~').contains(&b) && b != b'"' && b != b'\\';
    if path.bytes().all(plain) {
        return path.into();
    }
    let mut out = String::from("\"");
    for byte in path.bytes() {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            _ if plain(byte) => out.push(char::from(byte)),
            _ => drop(write!(out, "\\{byte:03o}")),
        }
    }
    out.push('"');
    out.into()
}

/// The path of a `---` or `+++` line: a time stamp behind a tab is cut off.
pub(super) fn of_header(rest: &str) -> Option<Cow<'_, str>> {
    let rest = if rest.starts_with('"') {
        &rest[..=rest.rfind('"')?]
    } else {
        rest.split('\t').next().unwrap_or(rest).trim_end()
    };
    unquote(rest)
}

/// The two names of `diff --git A B`. Without quotes they can only be told apart where both are the
/// same path, as they are in all diffs without `---` and `rename` lines.
pub(super) fn of_git_line(rest: &str) -> Option<(String, String)> {
    if rest.starts_with('"') || rest.ends_with('"') {
        let middle = match rest.strip_prefix('"') {
            Some(quoted) => quoted.find("\" ")? + 2,
            None => rest.find(" \"")?,
        };
        let (old, new) = (rest.get(..middle)?, rest.get(middle + 1..)?);
        return Some((unquote(old)?.into_owned(), unquote(new)?.into_owned()));
    }
    let splits = rest.match_indices(' ').map(|(at, _)| (&rest[..at], &rest[at + 1..]));
    let same = |(old, new): &(&str, &str)| old == new || tail(old) == tail(new);
    splits.clone().find(same).map(|(old, new)| (old.to_owned(), new.to_owned()))
}

fn tail(path: &str) -> Option<&str> {
    path.split_once('/').map(|(_, rest)| rest)
}

/// Whether both names are written without a prefix (`git diff --no-prefix`, `diff -u` in the tree).
pub(super) fn is_bare(old: &str, new: &str) -> bool {
    let prefixed = |path: &str| {
        path.split_once('/').is_some_and(|(p, _)| matches!(p, "a" | "b" | "i" | "w" | "c" | "o"))
    };
    old == new && !prefixed(old)
}

/// The path without its first component, unless it is bare; `None` if it leads out of the tree.
pub(super) fn within_tree(path: &str, bare: bool) -> Option<&str> {
    let path = if bare { path } else { tail(path)? };
    let sound = !path.is_empty()
        && !path.starts_with('/')
        && !path.contains('\0')
        && path.split('/').all(|part| !matches!(part, "" | "." | ".." | ".git"));
    sound.then_some(path)
}
