// SPDX-License-Identifier: MIT OR Apache-2.0
//! A name and an address.

use std::fmt;

/// A name and an address.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Person {
    /// The name; may be empty.
    pub name: String,
    /// The address, without angle brackets.
    pub address: String,
}

impl Person {
    /// Reads `Name <address>`, as headers and trailers have it. Quotes around the name are taken
    /// off.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (name, rest) = match text.rsplit_once('<') {
            Some((name, rest)) => (name, rest.split_once('>')?.0),
            // A bare address, perhaps with the name behind it in parentheses (RFC 822).
            None => match text.split_once(" (") {
                Some((address, name)) => (name.strip_suffix(')')?, address),
                None => ("", text),
            },
        };
        let address = rest.trim();
        let mut name = name.trim();
        if let Some(inner) = name.strip_prefix('"').and_then(|n| n.strip_suffix('"')) {
            name = inner;
        }
        let sound = address.split('@').count() == 2
            && !address.starts_with('@')
            && !address.ends_with('@')
            && !address
                .contains(|c: char| c.is_whitespace() || c.is_control() || "<>()".contains(c));
        let name = name
            .replace("\\\"", "\"")
            .replace(|c: char| c.is_control() || c == '<' || c == '>', "");
        sound.then(|| Self { name: collapse(&name), address: address.to_owned() })
    }

    /// Whether both are the same mailbox; the case of an address does not count.
    pub fn same_address(&self, other: &Self) -> bool {
        self.address.eq_ignore_ascii_case(&other.address)
    }
}

/// Every run of white space as one space.
pub(super) fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() {
            write!(f, "{}", self.address)
        } else {
            write!(f, "{} <{}>", self.name, self.address)
        }
    }
}
