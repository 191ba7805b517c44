// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order in which a configuration is made. The caller runs make and writes files.

/// One step towards a checked `.config`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Run make with this target; `.config` in the output directory is its result.
    Make(&'static str),
    /// Replace `.config` by [`Requests::over`](super::Requests::over) of its text.
    Merge,
    /// Check `.config` with [`judge`](super::judge) before anything is built.
    Judge,
}

/// From nothing to a checked configuration.
///
/// tinyconfig turns everything off that can be off, so that what is on was asked for or is needed;
/// olddefconfig gives new questions their defaults and never asks.
pub const STEPS: [Step; 4] =
    [Step::Make("tinyconfig"), Step::Merge, Step::Make("olddefconfig"), Step::Judge];
