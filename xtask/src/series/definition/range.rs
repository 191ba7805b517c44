// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ranges of kernels.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tree::KernelVersion;

/// Kernels that a variant is made for: `5.10`, `5.10..5.15`, `6.1..`, `..6.1` or `any`. Both ends
/// belong to it, and a line such as 5.10 has all its point releases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = r"^(any|\d+\.\d+\S*|\d+\.\d+\S*\.\.|\.\.\d+\.\d+\S*)$"))]
pub struct KernelRange {
    #[schemars(skip)]
    first: Option<KernelVersion>,
    #[schemars(skip)]
    last: Option<KernelVersion>,
}

/// The text is no range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no range of kernels: write 5.10, 5.10..5.15, 6.1.., ..6.1 or any")]
pub struct NotARange(String);

impl KernelRange {
    /// Whether a version, or a whole line, belongs to it.
    pub fn has(&self, version: KernelVersion) -> bool {
        self.first.is_none_or(|first| first <= version || version.is_of(first))
            && self.last.is_none_or(|last| version <= last || version.is_of(last))
    }

    /// Its first and last version, where it has them.
    pub fn ends(&self) -> (Option<KernelVersion>, Option<KernelVersion>) {
        (self.first, self.last)
    }
}

impl FromStr for KernelRange {
    type Err = NotARange;

    fn from_str(text: &str) -> Result<Self, NotARange> {
        let bad = || NotARange(text.to_owned());
        if text == "any" {
            return Ok(Self::default());
        }
        let end = |text: &str| match text {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| bad()),
        };
        let range = match text.split_once("..") {
            Some((first, last)) => Self { first: end(first)?, last: end(last)? },
            None => Self { first: end(text)?, last: end(text)? },
        };
        let backwards = range.first.zip(range.last).is_some_and(|(a, b)| a > b && !a.is_of(b));
        if backwards || range == Self::default() { Err(bad()) } else { Ok(range) }
    }
}

impl fmt::Display for KernelRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |end: Option<KernelVersion>| end.map(|v| v.to_string()).unwrap_or_default();
        match (self.first, self.last) {
            (None, None) => f.write_str("any"),
            (first, last) if first == last => f.write_str(&text(first)),
            (first, last) => write!(f, "{}..{}", text(first), text(last)),
        }
    }
}

impl TryFrom<String> for KernelRange {
    type Error = NotARange;

    fn try_from(text: String) -> Result<Self, NotARange> {
        text.parse()
    }
}

impl From<KernelRange> for String {
    fn from(range: KernelRange) -> Self {
        range.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends_and_their_point_releases() {
        let cases = [
            ("5.10", "5.10.262", true),
            ("5.10", "5.11", false),
            ("5.10..5.15", "5.9.99", false),
            ("5.10..5.15", "5.15.3", true),
            ("5.10..5.15", "5.16", false),
            ("6.1..", "7.1.13", true),
            ("6.1..", "6.0.9", false),
            ("..6.1", "6.1.187", true),
            ("..6.1", "6.2", false),
            ("any", "2.6", true),
            ("6.1.5..6.1.9", "6.1.9", true),
            ("6.1.5..6.1.9", "6.1.10", false),
        ];
        for (range, version, has) in cases {
            let parsed: KernelRange = range.parse().unwrap();
            assert_eq!(parsed.to_string(), range);
            assert_eq!(parsed.has(version.parse().unwrap()), has, "{range} {version}");
        }
        for text in ["", "..", "x", "5.15..5.10", "5.10...5.15", "5.10..x"] {
            assert!(text.parse::<KernelRange>().is_err(), "{text}");
        }
    }
}
