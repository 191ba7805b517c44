// SPDX-License-Identifier: MIT OR Apache-2.0
//! Content keys: what a step's result depends on, as one hash.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::diagnosis::{Diagnosis, on_path};

/// Changes whenever the tool makes something else from the same inputs.
const SCHEMA: u32 = 1;

/// The hash of all of a step's inputs; 64 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    /// Starts a key for the step of this name.
    pub fn of(step: &str) -> KeyBuilder {
        KeyBuilder(Sha256::new()).with("schema", SCHEMA.to_string()).with("step", step)
    }

    /// The first 16 digits: enough for a directory name.
    pub fn short(&self) -> &str {
        &self.0[..16]
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Collects inputs. Name and length go in with each, so that no two lists of inputs look alike.
#[derive(Debug, Clone)]
pub struct KeyBuilder(Sha256);

impl KeyBuilder {
    /// Adds an input.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let value = value.as_ref();
        self.0.update(format!("{name}\0{}\0", value.len()));
        self.0.update(value);
        self
    }

    /// Adds a file, or all files below a directory, with their names relative to `root`.
    pub fn with_files(mut self, root: &Path, path: &Path) -> Result<Self, Diagnosis> {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).map_err(|e| on_path("read", path, &e))?;
            let mut entries: Vec<_> = entries.flatten().map(|e| e.path()).collect();
            entries.sort();
            return entries.iter().try_fold(self, |key, entry| key.with_files(root, entry));
        }
        let bytes = std::fs::read(path).map_err(|e| on_path("read", path, &e))?;
        self = self.with(&path.strip_prefix(root).unwrap_or(path).to_string_lossy(), bytes);
        Ok(self)
    }

    /// The key.
    pub fn finish(self) -> Key {
        Key(hex(&self.0.finalize()))
    }
}

/// Bytes as lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_counts_and_none_runs_into_the_next() {
        let key = |a: &str, b: &str| Key::of("build").with("a", a).with("b", b).finish();
        assert_eq!(key("1", "2"), key("1", "2"));
        for other in [key("12", ""), key("", "12"), key("2", "1"), key("1", "2 ")] {
            assert_ne!(key("1", "2"), other);
        }
        assert_ne!(Key::of("build").finish(), Key::of("image").finish());
    }
}
