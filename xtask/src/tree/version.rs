// SPDX-License-Identifier: MIT OR Apache-2.0
//! Upstream kernel versions.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An upstream version such as `5.10`, `5.10.262` or `7.1-rc3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KernelVersion {
    major: u32,
    minor: u32,
    /// The point release; `None` where the text does not name one.
    point: Option<u32>,
    /// The number of a release candidate.
    candidate: Option<u32>,
}

/// The text is no kernel version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no kernel version (such as 5.10, 5.10.262 or 7.1-rc3)")]
pub struct NotAVersion(String);

impl KernelVersion {
    /// Whether this version belongs to the line that `prefix` names: 5.10.262 belongs to 5.10.
    pub fn is_of(&self, prefix: Self) -> bool {
        (self.major, self.minor) == (prefix.major, prefix.minor)
            && (prefix.point.is_none() || self.point.unwrap_or(0) == prefix.point.unwrap_or(0))
            && (prefix.candidate.is_none() || self.candidate == prefix.candidate)
    }

    /// The line it belongs to: 5.10 for 5.10.262.
    #[must_use]
    pub fn line(&self) -> Self {
        Self { point: None, candidate: None, ..*self }
    }

    /// Whether it names one release, not a line.
    pub fn is_exact(&self) -> bool {
        self.point.is_some() || self.candidate.is_some()
    }

    /// The major number.
    pub fn major(&self) -> u32 {
        self.major
    }

    /// The minor number.
    pub fn minor(&self) -> u32 {
        self.minor
    }

    /// Reads `VERSION`, `PATCHLEVEL`, `SUBLEVEL` and `EXTRAVERSION` of a tree's top Makefile.
    pub fn of_makefile(text: &str) -> Option<Self> {
        let value = |key: &str| {
            text.lines().take(20).find_map(|line| {
                let (name, value) = line.split_once('=')?;
                (name.trim() == key).then(|| value.trim().to_owned())
            })
        };
        let number = |key: &str| value(key)?.parse().ok();
        let candidate = value("EXTRAVERSION").and_then(|e| e.strip_prefix("-rc")?.parse().ok());
        let point = number("SUBLEVEL").filter(|&p: &u32| p > 0);
        Some(Self { major: number("VERSION")?, minor: number("PATCHLEVEL")?, point, candidate })
    }
}

impl FromStr for KernelVersion {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let parse = || {
            let (numbers, candidate) = match text.split_once("-rc") {
                Some((numbers, n)) => (numbers, Some(n.parse().ok()?)),
                None => (text, None),
            };
            let mut parts = numbers.split('.').map(|n| {
                n.bytes().all(|b| b.is_ascii_digit()).then(|| n.parse::<u32>().ok()).flatten()
            });
            let (major, minor) = (parts.next()??, parts.next()??);
            let point = match parts.next() {
                Some(point) => Some(point?),
                None => None,
            };
            parts.next().is_none().then_some(Self { major, minor, point, candidate })
        };
        parse().ok_or_else(|| NotAVersion(text.to_owned()))
    }
}

impl fmt::Display for KernelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        if let Some(point) = self.point {
            write!(f, ".{point}")?;
        }
        if let Some(candidate) = self.candidate {
            write!(f, "-rc{candidate}")?;
        }
        Ok(())
    }
}

impl Ord for KernelVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        let key =
            |v: &Self| (v.major, v.minor, v.point.unwrap_or(0), v.candidate.unwrap_or(u32::MAX));
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for KernelVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl TryFrom<String> for KernelVersion {
    type Error = NotAVersion;

    fn try_from(text: String) -> Result<Self, NotAVersion> {
        text.parse()
    }
}

impl From<KernelVersion> for String {
    fn from(version: KernelVersion) -> Self {
        version.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(text: &str) -> KernelVersion {
        text.parse().unwrap()
    }

    #[test]
    fn parse_and_print() {
        for text in ["5.10", "5.10.262", "7.1-rc3", "6.1.0"] {
            assert_eq!(v(text).to_string(), text);
        }
        for text in ["", "5", "5.", ".10", "5.10.", "5.10.1.2", "v5.10", "5.x", "5.10-rc", "5.+1"] {
            assert!(text.parse::<KernelVersion>().is_err(), "{text}");
        }
    }

    #[test]
    fn order_is_by_number_and_candidates_come_first() {
        let sorted = ["5.10-rc1", "5.10-rc2", "5.10", "5.10.9", "5.10.10", "6.1", "6.12"].map(v);
        assert!(sorted.is_sorted());
        assert!(v("5.10-rc2") < v("5.10"));
    }

    #[test]
    fn lines_and_exact_versions() {
        assert!(v("5.10.262").is_of(v("5.10")));
        assert!(!v("5.101.2").is_of(v("5.10")));
        assert!(v("5.10.262").is_of(v("5.10.262")));
        assert!(!v("5.10.262").is_of(v("5.10.26")));
        assert_eq!(v("5.10.262").line(), v("5.10"));
    }

    #[test]
    fn a_makefile_tells_its_version() {
        let text =
            "# SPDX\nVERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 187\nEXTRAVERSION =\nNAME = x\n";
        assert_eq!(KernelVersion::of_makefile(text), Some(v("6.1.187")));
        let text = "VERSION = 7\nPATCHLEVEL = 1\nSUBLEVEL = 0\nEXTRAVERSION = -rc3\n";
        assert_eq!(KernelVersion::of_makefile(text), Some(v("7.1-rc3")));
        assert_eq!(KernelVersion::of_makefile("all:\n"), None);
    }
}
