// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths inside an image.

use std::fmt;

use serde::Deserialize;

/// A path relative to the image's root: `bin/busybox`. No leading or trailing slash, and no empty,
/// `.` or `..` component, so that each file has one name only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct ImagePath(String);

impl ImagePath {
    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The directory that holds it, unless that is the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.to_owned()))
    }

    /// A file in the same directory.
    pub fn beside(&self, name: &str) -> Result<Self, String> {
        match self.0.rsplit_once('/') {
            Some((parent, _)) => format!("{parent}/{name}"),
            None => name.to_owned(),
        }
        .try_into()
    }
}

impl TryFrom<String> for ImagePath {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let why = if text.is_empty() {
            "is empty"
        } else if text.contains('\0') {
            "holds a NUL byte"
        } else if text.starts_with('/') {
            "must be relative to the image's root"
        } else if text.split('/').any(|part| matches!(part, "" | "." | "..")) {
            "has an empty, `.` or `..` component"
        } else if text == "TRAILER!!!" {
            "is the name that ends a cpio archive"
        } else {
            return Ok(Self(text));
        };
        Err(format!("the path {text:?} {why}"))
    }
}

impl fmt::Display for ImagePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Result<ImagePath, String> {
        text.to_owned().try_into()
    }

    #[test]
    fn each_file_has_one_name_only() {
        for good in ["init", "bin/busybox", "a/..b/c."] {
            assert_eq!(path(good).unwrap().as_str(), good);
        }
        for bad in ["", "/", "/bin", "bin/", "a//b", "./a", "a/../b", "a\0", "TRAILER!!!"] {
            assert!(path(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn neighbours_are_named() {
        assert_eq!(path("bin/busybox").unwrap().parent(), path("bin").ok());
        assert_eq!(path("init").unwrap().parent(), None);
        assert_eq!(path("bin/busybox").unwrap().beside("sh"), path("bin/sh"));
        assert_eq!(path("busybox").unwrap().beside("sh"), path("sh"));
        assert!(path("bin/busybox").unwrap().beside("../sh").is_err());
    }
}
