// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each patch of a series on its own: does its level build, does it bring warnings, what does
//! checkpatch.pl say, and, when asked, does it boot. A series is bisected one day, level by level.

mod checkpatch;
mod failure;
mod judge;
mod known;
mod text;
mod walk;

pub use text::text;
pub use walk::{Site, check};

use serde::Serialize;

use crate::build::Warning;
use checkpatch::Checkpatch;

/// What is known of one level.
#[derive(Debug, Clone, Serialize)]
pub struct Level {
    /// The patch's number in its series, from 1.
    pub number: usize,
    /// Its file.
    pub file: String,
    /// Its subject.
    pub subject: String,
    /// How the build ended.
    pub build: Build,
    /// Warnings in files that the patch touches, which were not there before it.
    pub new_warnings: Vec<Warning>,
    /// How many warnings those files had before it, and have still.
    pub old_warnings: usize,
    /// Warnings in other files, which were not there before it. They decide nothing.
    pub new_elsewhere: Vec<Warning>,
    /// Warnings in the touched files that nothing can be compared with: no level before it builds.
    pub unjudged_warnings: Vec<Warning>,
    /// What checkpatch.pl said.
    pub checkpatch: Checkpatch,
    /// How its boot ended, if it was asked for.
    pub boot: Option<Boot>,
    /// Things worth knowing that decide nothing.
    pub notes: Vec<String>,
    /// What follows from all that.
    pub verdict: Verdict,
    /// Why, in words; empty for a pass.
    pub reasons: Vec<String>,
}

/// How the build of a level ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum Build {
    /// Well.
    Built {
        /// In how many milliseconds.
        ms: u64,
    },
    /// It failed, and the tree or the patch is to blame.
    Failed {
        /// make's first error.
        error: String,
        /// The file that it is in, where make names one.
        file: Option<String>,
        /// Whether the patch touches that file.
        touched: Option<bool>,
        /// What is around it.
        details: Vec<String>,
        /// A command that shows it again.
        reproduce: Option<String>,
        /// Whether it was there at the level before already.
        before: bool,
    },
    /// It could not be tried to the end; the patch is not blamed.
    NotBuilt {
        /// Why.
        why: String,
        /// What was said last.
        details: Vec<String>,
        /// A command that shows it again.
        reproduce: Option<String>,
    },
}

/// How the boot of a level ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Boot {
    /// Whether the guest came up, ended by itself, and left no finding on its console.
    pub verdict: Verdict,
    /// In a line.
    pub summary: String,
}

/// What follows for a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing speaks against it.
    Pass,
    /// A check could not run; the patch is not blamed.
    Infra,
    /// A check failed.
    Fail,
}
