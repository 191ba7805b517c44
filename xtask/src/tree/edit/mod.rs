// SPDX-License-Identifier: MIT OR Apache-2.0
//! Editing `matrix.yaml` in place: pins move, kernels are added, and all else stays as it is.
//!
//! The text is changed at the places that a parser tells, and is then read again: if anything but
//! what was meant differs, the edit is refused.

mod places;
#[cfg(test)]
mod tests;

use std::path::Path;

use saphyr_parser::ScalarStyle;
use serde_yaml::Value;

use self::places::Node;
use super::{KernelVersion, Matrix, Release};
use crate::diagnosis::Diagnosis;

/// Text to put in the place of a range.
struct Change {
    from: usize,
    to: usize,
    text: String,
}

/// The text with these pins.
pub fn with_pins(
    path: &Path,
    text: &str,
    pins: &[(KernelVersion, Release)],
) -> Result<String, Diagnosis> {
    let matrix = Matrix::parse(path, text)?;
    let refuse = |name: &KernelVersion, pin: &Release| {
        let what =
            format!("{} cannot be edited in place: kernel {name} has another form", path.display());
        Diagnosis::usage(what).next(format!("write it by hand: pin: \"{pin}\""))
    };
    let mut wanted = value_of(path, text)?;
    let mut changes = Vec::new();
    for (name, pin) in pins {
        let at = matrix.kernels.iter().position(|k| k.name == *name);
        let at = at.ok_or_else(|| Diagnosis::usage(format!("kernel {name} is not listed")))?;
        let root = places::read(text).ok_or_else(|| refuse(name, pin))?;
        let place = item(&root, at).and_then(|item| change_of_pin(text, item, pin));
        changes.push(place.ok_or_else(|| refuse(name, pin))?);
        pin_in(&mut wanted, at, pin).ok_or_else(|| refuse(name, pin))?;
    }
    let edited = apply(text, changes);
    match (pins.first(), value_of(path, &edited)) {
        (Some((name, pin)), read) if read.as_ref() != Ok(&wanted) => Err(refuse(name, pin)),
        _ => Ok(edited),
    }
}

/// The text with one more kernel, at the end of the list. `origin` is its key and value in the
/// form of a flow mapping's entry, such as `git: {url: "…", ref: "v6.6"}`.
pub fn with_kernel(
    path: &Path,
    text: &str,
    name: KernelVersion,
    origin: &str,
) -> Result<String, Diagnosis> {
    let refuse = || {
        Diagnosis::usage(format!("{} cannot be edited in place", path.display()))
            .next(format!("write it by hand: {{ name: \"{name}\", {origin} }}"))
    };
    let root = places::read(text).ok_or_else(refuse)?;
    let (_, list) = root.get("kernels").ok_or_else(refuse)?;
    let edited = apply(text, vec![change_of_list(text, list, name, origin).ok_or_else(refuse)?]);
    let mut wanted = value_of(path, text)?;
    let new = value_of(path, &format!("{{ name: \"{name}\", {origin} }}"))?;
    let kernels = wanted.get_mut("kernels").and_then(Value::as_sequence_mut);
    kernels.ok_or_else(refuse)?.push(new);
    Matrix::parse(path, &edited)?;
    if value_of(path, &edited)? == wanted { Ok(edited) } else { Err(refuse()) }
}

fn value_of(path: &Path, text: &str) -> Result<Value, Diagnosis> {
    serde_yaml::from_str(text).map_err(|why| Diagnosis::usage(format!("{}: {why}", path.display())))
}

fn item(root: &Node, at: usize) -> Option<&Node> {
    match root.get("kernels")? {
        (_, Node::Sequence { items, .. }) => items.get(at),
        _ => None,
    }
}

/// Sets the pin where it is set already, else in `debian`.
fn pin_in(matrix: &mut Value, at: usize, pin: &Release) -> Option<()> {
    let kernel = matrix.get_mut("kernels")?.get_mut(at)?.as_mapping_mut()?;
    let outer = kernel.contains_key("pin") && kernel.get("debian")?.get("pin").is_none();
    let target =
        if outer { kernel } else { kernel.get_mut("debian").and_then(Value::as_mapping_mut)? };
    target.insert("pin".into(), pin.to_string().into());
    Some(())
}

fn change_of_pin(text: &str, item: &Node, pin: &Release) -> Option<Change> {
    let (_, debian) = item.get("debian")?;
    if let Some((key, old)) = debian.get("pin").or_else(|| item.get("pin")) {
        return replace(text, key, old, pin);
    }
    insert(text, debian, &format!("pin: \"{pin}\""))
}

/// Another scalar in the same quotes.
fn replace(text: &str, key: &Node, old: &Node, pin: &Release) -> Option<Change> {
    let Node::Scalar { place, style, .. } = old else { return None };
    if place.is_empty() {
        // Nothing is there: `pin:`.
        let colon = key.end() + text[key.end()..].find(':')? + 1;
        return Some(Change { from: colon, to: colon, text: format!(" \"{pin}\"") });
    }
    let quote = match style {
        ScalarStyle::Plain => "",
        ScalarStyle::SingleQuoted => "'",
        ScalarStyle::DoubleQuoted => "\"",
        ScalarStyle::Literal | ScalarStyle::Folded => return None,
    };
    Some(Change { from: place.start, to: place.end, text: format!("{quote}{pin}{quote}") })
}

/// One more entry, after the last one of a mapping.
fn insert(text: &str, mapping: &Node, entry: &str) -> Option<Change> {
    let Node::Mapping { flow, entries, .. } = mapping else { return None };
    let (first, last) = (&entries.first()?.0, &entries.last()?.1);
    if *flow {
        let at = last.end();
        return Some(Change { from: at, to: at, text: format!(", {entry}") });
    }
    Some(line_after(text, last.end(), column(text, first.start()), &[entry]))
}

fn change_of_list(text: &str, list: &Node, name: KernelVersion, origin: &str) -> Option<Change> {
    let Node::Sequence { flow, items, place } = list else { return None };
    let flat = format!("{{ name: \"{name}\", {origin} }}");
    match (items.last(), flow) {
        (None, true) => {
            let at = place.start + 1;
            Some(Change { from: at, to: at, text: flat })
        }
        (Some(last), true) => {
            let at = last.end();
            Some(Change { from: at, to: at, text: format!(", {flat}") })
        }
        (Some(last), false) => {
            let dash = text[..last.start()].trim_end().strip_suffix('-')?.len();
            let lines = [format!("- name: \"{name}\""), format!("  {origin}")];
            Some(line_after(text, last.end(), column(text, dash), &lines))
        }
        (None, false) => None,
    }
}

/// How many columns are before this place in its line.
fn column(text: &str, at: usize) -> usize {
    let start = text[..at].rfind(['\n', '\r']).map_or(0, |n| n + 1);
    text[start..at].chars().count()
}

/// Lines after the one that a place is in, with the ending that the file's lines have.
fn line_after(text: &str, at: usize, indent: usize, lines: &[impl AsRef<str>]) -> Change {
    // A block scalar ends where the next line starts.
    let at = text[..at].trim_end_matches(['\r', '\n']).len();
    let end = text[at..].find(['\r', '\n']).map_or(text.len(), |n| at + n);
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines = lines.iter().map(|line| format!("{ending}{:indent$}{}", "", line.as_ref()));
    Change { from: end, to: end, text: lines.collect() }
}

fn apply(text: &str, mut changes: Vec<Change>) -> String {
    changes.sort_by_key(|change| std::cmp::Reverse(change.from));
    let mut edited = text.to_owned();
    for change in changes {
        edited.replace_range(change.from..change.to, &change.text);
    }
    edited
}
