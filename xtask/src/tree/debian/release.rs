// SPDX-License-Identifier: MIT OR Apache-2.0
//! Releases as Debian names them.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::tree::KernelVersion;

/// A release such as `6.1.192-3`, or `6.1.192`, which stands for every revision of it: Debian's
/// revision tells packagings apart, and all of them have the same upstream tarball.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Release {
    upstream: KernelVersion,
    revision: Option<String>,
}

/// The text is no release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no release (such as 6.1.192-3 or 6.1.192)")]
pub struct NotARelease(String);

impl Release {
    /// The upstream version.
    pub fn upstream(&self) -> KernelVersion {
        self.upstream
    }

    /// Whether both have the same upstream tarball.
    pub fn same_source(&self, other: &Self) -> bool {
        self.upstream.cmp(&other.upstream).is_eq()
    }

    /// Whether `other` is what this names.
    pub fn names(&self, other: &Self) -> bool {
        self.same_source(other) && (self.revision.is_none() || self.revision == other.revision)
    }

    /// Whether it names one release, not a line.
    pub fn is_exact(&self) -> bool {
        self.revision.is_some() || self.upstream.is_exact()
    }
}

impl FromStr for Release {
    type Err = NotARelease;

    fn from_str(text: &str) -> Result<Self, NotARelease> {
        let parse = || {
            // `7.1-rc3` is upstream's own way to write a candidate.
            if let Ok(upstream) = text.parse() {
                return Some(Self { upstream, revision: None });
            }
            // `6.12.117-1~deb12u1`: no epoch, and the revision follows the last dash.
            let (upstream, revision) = text.rsplit_once('-')?;
            let allowed = |b: u8| b.is_ascii_alphanumeric() || b".+~".contains(&b);
            let valid = !revision.is_empty() && revision.bytes().all(allowed);
            let upstream = upstream.parse().ok()?;
            valid.then(|| Self { upstream, revision: Some(revision.to_owned()) })
        };
        // apt is asked for the very text.
        parse()
            .filter(|release| release.to_string() == text)
            .ok_or_else(|| NotARelease(text.to_owned()))
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.upstream)?;
        match &self.revision {
            Some(revision) => write!(f, "-{revision}"),
            None => Ok(()),
        }
    }
}

impl Ord for Release {
    fn cmp(&self, other: &Self) -> Ordering {
        self.upstream
            .cmp(&other.upstream)
            .then_with(|| compare(self.revision.as_deref(), other.revision.as_deref()))
    }
}

impl PartialOrd for Release {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares revisions as dpkg does, see deb-version(7): runs of other characters and numbers in
/// turn, letters before signs, and `~` before everything, even before the end.
fn compare(a: Option<&str>, b: Option<&str>) -> Ordering {
    let (mut a, mut b) = (a.unwrap_or_default(), b.unwrap_or_default());
    while !a.is_empty() || !b.is_empty() {
        let words = |text: &str| text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
        let ((word_a, rest_a), (word_b, rest_b)) = (a.split_at(words(a)), b.split_at(words(b)));
        let weight = |byte: Option<&u8>| match byte {
            Some(b'~') => (0, 0),
            None => (1, 0),
            Some(byte) if byte.is_ascii_alphabetic() => (2, *byte),
            Some(byte) => (3, *byte),
        };
        for n in 0..word_a.len().max(word_b.len()) {
            let (x, y) = (word_a.as_bytes().get(n), word_b.as_bytes().get(n));
            match weight(x).cmp(&weight(y)) {
                Ordering::Equal => {}
                other => return other,
            }
        }
        let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let ((number_a, rest_a), (number_b, rest_b)) =
            (rest_a.split_at(digits(rest_a)), rest_b.split_at(digits(rest_b)));
        let (number_a, number_b) =
            (number_a.trim_start_matches('0'), number_b.trim_start_matches('0'));
        match number_a.len().cmp(&number_b.len()).then_with(|| number_a.cmp(number_b)) {
            Ordering::Equal => (a, b) = (rest_a, rest_b),
            other => return other,
        }
    }
    Ordering::Equal
}

impl TryFrom<String> for Release {
    type Error = NotARelease;

    fn try_from(text: String) -> Result<Self, NotARelease> {
        text.parse()
    }
}

impl From<Release> for String {
    fn from(release: Release) -> Self {
        release.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(text: &str) -> Release {
        text.parse().unwrap()
    }

    #[test]
    fn parse_and_print() {
        for text in ["6.1.192-3", "6.12.117-1~deb12u1", "7.1.13-1~bpo13+1", "6.1.4", "7.1-rc3"] {
            assert_eq!(r(text).to_string(), text);
        }
        for text in ["", "6.1-", "6.1-a b", "1:6.1-1", "6.1-\"", "v6.1-1", "06.1-1", "7.2~rc3-1"] {
            assert!(text.parse::<Release>().is_err(), "{text}");
        }
    }

    #[test]
    fn order_is_that_of_dpkg() {
        let sorted = [
            "6.1.9-2",
            "6.1.10-1~deb12u1",
            "6.1.10-1~deb12u2",
            "6.1.10-1",
            "6.1.10-1a",
            "6.1.10-1+b1",
            "6.1.10-2",
            "6.1.10-10",
        ];
        assert!(sorted.map(r).is_sorted());
        assert_eq!(r("6.1.10-01").cmp(&r("6.1.10-1")), Ordering::Equal);
    }

    #[test]
    fn what_a_pin_names() {
        assert!(r("6.1.4").names(&r("6.1.4-2")));
        assert!(r("6.1.4-2").names(&r("6.1.4-2")));
        assert!(!r("6.1.4-1").names(&r("6.1.4-2")) && r("6.1.4-1").same_source(&r("6.1.4-2")));
        assert!(!r("6.1.4").names(&r("6.1.5-1")));
        assert!(r("7.1-1").is_exact() && !r("7.1").is_exact());
    }
}
