// SPDX-License-Identifier: MIT OR Apache-2.0
//! A YAML text as a tree of nodes that know their places in it.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle};

/// A node, with byte ranges in the text.
#[derive(Debug)]
pub enum Node {
    /// A single value.
    Scalar {
        /// Where it is, quotes and all.
        place: Range<usize>,
        /// What it says.
        value: String,
        /// How it is written.
        style: ScalarStyle,
    },
    /// A list.
    Sequence {
        /// Where it is, brackets and all.
        place: Range<usize>,
        /// In brackets, not in lines.
        flow: bool,
        /// What is in it.
        items: Vec<Node>,
    },
    /// Keys and values.
    Mapping {
        /// Where it is, braces and all.
        place: Range<usize>,
        /// In braces, not in lines.
        flow: bool,
        /// Keys and values, in their order.
        entries: Vec<(Node, Node)>,
    },
    /// A reference to what an anchor names.
    Alias {
        /// Where it is.
        place: Range<usize>,
    },
}

impl Node {
    /// Where it starts.
    pub fn start(&self) -> usize {
        let (Self::Scalar { place, .. }
        | Self::Sequence { place, .. }
        | Self::Mapping { place, .. }
        | Self::Alias { place }) = self;
        place.start
    }

    /// Where its last character has been. A block ends with what is last in it: the parser sees
    /// its end only when something else comes.
    pub fn end(&self) -> usize {
        let last = match self {
            Self::Sequence { flow: false, items, .. } => items.last(),
            Self::Mapping { flow: false, entries, .. } => entries.last().map(|(_, value)| value),
            _ => None,
        };
        match (last, self) {
            (Some(last), _) => last.end(),
            (
                None,
                Self::Scalar { place, .. }
                | Self::Sequence { place, .. }
                | Self::Mapping { place, .. }
                | Self::Alias { place },
            ) => place.end,
        }
    }

    /// The key and the value of this name.
    pub fn get(&self, name: &str) -> Option<(&Self, &Self)> {
        let Self::Mapping { entries, .. } = self else { return None };
        let (key, value) = entries.iter().find(|(key, _)| key.value() == Some(name))?;
        Some((key, value))
    }

    /// What a scalar says.
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Scalar { value, .. } => Some(value),
            _ => None,
        }
    }
}

/// Reads a text of one document. `None`: it has another form than this reader knows.
pub fn read(text: &str) -> Option<Node> {
    // The parser counts in characters.
    let offsets: Vec<usize> =
        text.char_indices().map(|(at, _)| at).chain(std::iter::once(text.len())).collect();
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        let place = *offsets.get(span.start.index())?..*offsets.get(span.end.index())?;
        let node = match event {
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                let is_mapping = matches!(event, Event::MappingStart(..));
                // A block starts with what is in it; only a bracket is something of its own.
                let bracket = match text[place.clone()].chars().next() {
                    None => None,
                    Some('{') if is_mapping => Some('}'),
                    Some('[') if !is_mapping => Some(']'),
                    _ => return None,
                };
                open.push(Open { start: place.start, is_mapping, bracket, nodes: Vec::new() });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop()?.close(text)?,
            Event::Scalar(value, style, ..) => {
                let place = place.start..end_of_scalar(text, &place, style)?;
                Node::Scalar { place, value: value.into_owned(), style }
            }
            Event::Alias(_) => Node::Alias { place },
            _ => continue,
        };
        match open.last_mut() {
            Some(parent) => parent.nodes.push(node),
            None => root = Some(node),
        }
    }
    root
}

/// A collection whose end is still to come.
struct Open {
    start: usize,
    is_mapping: bool,
    /// The bracket that it ends with; `None` for a block.
    bracket: Option<char>,
    nodes: Vec<Node>,
}

impl Open {
    fn close(self, text: &str) -> Option<Node> {
        let inside = self.nodes.last().map_or(self.start + 1, Node::end);
        let end = match self.bracket {
            Some(bracket) => end_of_flow(text, inside, bracket)?,
            None => inside,
        };
        let (place, flow) = (self.start..end, self.bracket.is_some());
        if !self.is_mapping {
            return Some(Node::Sequence { place, flow, items: self.nodes });
        }
        let mut entries = Vec::new();
        let mut nodes = self.nodes.into_iter();
        while let Some(key) = nodes.next() {
            entries.push((key, nodes.next()?));
        }
        Some(Node::Mapping { place, flow, entries })
    }
}

/// The parser counts blanks and comments that follow as part of a node; they are not.
fn end_of_scalar(text: &str, place: &Range<usize>, style: ScalarStyle) -> Option<usize> {
    let said = &text[place.clone()];
    let mut chars = said.char_indices().skip(1).peekable();
    match style {
        ScalarStyle::SingleQuoted => {
            while let Some((at, c)) = chars.next() {
                // Two of them stand for one.
                if c == '\'' && chars.next_if(|(_, next)| *next == '\'').is_none() {
                    return Some(place.start + at + 1);
                }
            }
            None
        }
        ScalarStyle::DoubleQuoted => {
            while let Some((at, c)) = chars.next() {
                match c {
                    '\\' => drop(chars.next()),
                    '"' => return Some(place.start + at + 1),
                    _ => {}
                }
            }
            None
        }
        ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => {
            Some(place.start + said.trim_end().len())
        }
    }
}

/// Looks for the bracket behind the last thing in it.
fn end_of_flow(text: &str, from: usize, bracket: char) -> Option<usize> {
    let mut in_comment = false;
    for (at, c) in text.get(from..)?.char_indices() {
        match c {
            '\r' | '\n' => in_comment = false,
            _ if in_comment => {}
            '#' => in_comment = true,
            ' ' | '\t' | ',' | ':' => {}
            _ => return (c == bracket).then_some(from + at + 1),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<'t>(text: &'t str, node: &Node) -> &'t str {
        &text[node.start()..node.end()]
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text =
            "# ünd\r\na:\r\n  - b: {c: 'd é', e: [1, \"2\"]} # no\r\n    f: last\r\n  # no\r\ng: x";
        let root = read(text).unwrap();
        let (key, list) = root.get("a").unwrap();
        assert_eq!(said(text, key), "a");
        assert!(said(text, list).ends_with("f: last"), "{:?}", said(text, list));
        let Node::Sequence { items, flow: false, .. } = list else { panic!("{list:?}") };
        let (_, inner) = items[0].get("b").unwrap();
        assert_eq!(said(text, inner), "{c: 'd é', e: [1, \"2\"]}");
        assert_eq!(said(text, inner.get("c").unwrap().1), "'d é'");
        assert_eq!(said(text, inner.get("e").unwrap().1), "[1, \"2\"]");
        assert_eq!(said(text, items[0].get("f").unwrap().1), "last");
        assert_eq!(said(text, root.get("g").unwrap().1), "x");
    }

    #[test]
    fn what_is_no_yaml_is_not_read() {
        assert!(read("a: {b").is_none());
        assert!(read("").is_none());
    }
}
