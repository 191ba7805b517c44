// SPDX-License-Identifier: MIT OR Apache-2.0
//! Image definitions, `vm-images/*.yaml`.

use std::path::Path;

use serde::Deserialize;

use crate::diagnosis::{Diagnosis, on_path};

/// What is in an image besides what each run adds. Paths are relative to the image's root.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Name of the image.
    pub name: String,
    /// Directories; parents come before children.
    pub directories: Vec<String>,
    /// Character devices.
    #[serde(default)]
    pub nodes: Vec<Node>,
    /// Symbolic links.
    #[serde(default)]
    pub symlinks: Vec<Symlink>,
    /// Small text files.
    #[serde(default)]
    pub files: Vec<TextFile>,
    /// The shell and its tools, for images that have them.
    pub busybox: Option<Busybox>,
}

/// A character device.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Where.
    pub path: String,
    /// Major number, see the kernel's `Documentation/admin-guide/devices.txt`.
    pub major: u32,
    /// Minor number.
    pub minor: u32,
    /// Permission bits.
    pub mode: u32,
}

/// A symbolic link.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Symlink {
    /// Where.
    pub path: String,
    /// What it points to.
    pub target: String,
}

/// A small text file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextFile {
    /// Where.
    pub path: String,
    /// What it says.
    pub content: String,
}

/// A static busybox.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Busybox {
    /// Where the program goes.
    pub path: String,
    /// Its names, as links beside it.
    pub applets: Vec<String>,
}

impl Definition {
    /// Reads a definition.
    ///
    /// # Errors
    /// Usage errors with file, line and column.
    pub fn load(path: &Path) -> Result<Self, Diagnosis> {
        let text = std::fs::read_to_string(path).map_err(|e| on_path("read", path, &e))?;
        Self::parse(&text).map_err(|why| {
            let (line, column) = why.location().map_or((0, 0), |l| (l.line(), l.column()));
            Diagnosis::usage(format!("{}:{line}:{column}: {why}", path.display()))
        })
    }

    fn parse(text: &str) -> Result<Self, serde_yaml::Error> {
        serde_yaml::from_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named_with_their_place() {
        let unknown = Definition::parse("name: x\ndirectories: []\nfolders: []\n").unwrap_err();
        assert!(unknown.to_string().contains("folders"), "{unknown}");
        assert!(Definition::parse("name: x\n").is_err());
    }
}
