// SPDX-License-Identifier: MIT OR Apache-2.0
//! Versions of tools.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

static NUMBERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(\d+)\.(\d+)(?:\.(\d+))?").ok());

/// `1.85.0`. What comes after the numbers (`-nightly`) decides nothing for kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolVersion(pub u32, pub u32, pub u32);

impl ToolVersion {
    /// The first version in what a program says about itself.
    pub fn within(text: &str) -> Option<Self> {
        let found = NUMBERS.as_ref()?.captures(text)?;
        let number = |i: usize| found.get(i).map_or(Some(0), |m| m.as_str().parse().ok());
        Some(Self(number(1)?, number(2)?, number(3)?))
    }
}

impl fmt::Display for ToolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

impl FromStr for ToolVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::within(text).ok_or_else(|| format!("{text:?} is no version"))
    }
}

impl TryFrom<String> for ToolVersion {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<ToolVersion> for String {
    fn from(version: ToolVersion) -> Self {
        version.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        let cases = [
            ("rustc 1.85.0 (4d91de4e4 2025-02-17)", Some(ToolVersion(1, 85, 0))),
            ("bindgen 0.72.1", Some(ToolVersion(0, 72, 1))),
            ("rustc 1.99.0-nightly", Some(ToolVersion(1, 99, 0))),
            ("libclang-19.1.7.so", Some(ToolVersion(19, 1, 7))),
            ("14.0", Some(ToolVersion(14, 0, 0))),
            ("nothing", None),
            ("1.99999999999", None),
        ];
        for (text, want) in cases {
            assert_eq!(ToolVersion::within(text), want, "{text}");
        }
    }

    #[test]
    fn they_are_ordered_by_number() {
        assert!(ToolVersion(0, 9, 0) < ToolVersion(0, 71, 1));
        let version: ToolVersion = serde_json::from_str("\"1.78.0\"").unwrap();
        assert_eq!(serde_json::to_string(&version).unwrap(), "\"1.78.0\"");
    }
}
