// SPDX-License-Identifier: MIT OR Apache-2.0
//! The modules under test.

use serde::{Deserialize, Serialize};

/// A module that attaches trampolines to the functions of `direct_target`.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// `selftests/modules/direct-c`
    #[default]
    C,
    /// `selftests/modules/direct-rs`
    Rust,
}

impl Subject {
    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Rust => "rust",
        }
    }

    /// Its module's file.
    pub fn module(self) -> &'static str {
        match self {
            Self::C => "direct_c.ko",
            Self::Rust => "direct_rs.ko",
        }
    }

    /// The fragment that it needs in addition to the standard ones.
    pub fn fragment(self) -> Option<&'static str> {
        match self {
            Self::C => None,
            Self::Rust => Some("rust"),
        }
    }
}
