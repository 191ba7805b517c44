// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text of `series.yaml`. `patches/series.schema.json` is made from these types.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::KernelRange;
use crate::build::DirectApi;
use crate::diagnosis::{Diagnosis, on_path, on_yaml};

/// Whether a series is meant to work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It is.
    #[default]
    Series,
    /// It breaks the kernel on purpose, to prove that a check can fail.
    Fault,
}

/// How a run is expected to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExpectedVerdict {
    /// All is well.
    Pass,
    /// A check fails.
    Fail,
}

/// What a run must report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The verdict: pass by default, fail for a fault or where a property or finding is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<ExpectedVerdict>,
    /// A property that must fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// Text in the title of a finding that must appear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<String>,
}

/// The patch that a follow-up answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FollowUpTo {
    /// Its title.
    pub title: String,
    /// Message-ID of the mail that it was found in, without angle brackets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
}

/// Something that a tree must contain for a variant to be the right one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Contains {
    /// Era of the ftrace direct-call API, found in `include/linux/ftrace.h`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct_api: Option<DirectApi>,
    /// A word that a header under `include/` has: a function, a type, a macro.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

/// Patches that come before those of a variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct On {
    /// A series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<String>,
    /// Or a fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Only its first patches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upto: Option<usize>,
}

/// A series: what it is, and its patches for each range of kernels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "series.yaml")]
pub struct File {
    /// The name of its directory.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Whether it is meant to work.
    #[serde(default)]
    pub kind: Kind,
    /// Where it was posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The version that was posted: 3 for `[PATCH v3 …]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The patch that it answers, if it was found in a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_up_to: Option<FollowUpTo>,
    /// Its variants; the first that fits a kernel is taken.
    pub variants: Vec<VariantEntry>,
    /// What a run must report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
}

/// The patches for some kernels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct VariantEntry {
    /// The kernels, by version.
    #[serde(default)]
    pub kernels: KernelRange,
    /// What their trees contain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contains: Option<Contains>,
    /// What must be applied before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<On>,
    /// The commit that the patches were made on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_commit: Option<String>,
    /// `git patch-id --stable` of patches that were there before them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prerequisite_patch_ids: Vec<String>,
    /// Directory of the patches, beside `series.yaml`.
    pub directory: String,
    /// The patches, in order.
    pub patches: Vec<PatchEntry>,
    /// What a run must report with this variant, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
}

/// One patch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PatchEntry {
    /// Its file.
    pub file: String,
}

/// An error at a place of a file.
pub fn wrong(path: &Path, text: &str, near: &str, why: impl std::fmt::Display) -> Diagnosis {
    // YAML values carry no places once they are read; the value itself is looked for.
    let place = text.lines().enumerate().find_map(|(n, line)| Some((n + 1, line.find(near)? + 1)));
    match place.filter(|_| !near.is_empty()) {
        Some((line, column)) => {
            Diagnosis::usage(format!("{}:{line}:{column}: {why}", path.display()))
        }
        None => Diagnosis::usage(format!("{}: {why}", path.display())),
    }
}

impl File {
    /// Reads a `series.yaml`; returns its text, too, for the places of errors.
    pub fn read(path: &Path) -> Result<(Self, String), Diagnosis> {
        let text = std::fs::read_to_string(path).map_err(|e| on_path("read", path, &e))?;
        Ok((Self::parse(path, &text)?, text))
    }

    /// Reads the text of a `series.yaml`.
    ///
    /// # Errors
    /// Usage errors with file, line and column, and what would be valid there.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Diagnosis> {
        serde_yaml::from_str(text).map_err(|why| {
            on_yaml(path.display(), &why)
                .next("patches/series.schema.json says what each field may be")
        })
    }
}

/// The JSON Schema of `series.yaml`.
pub fn schema() -> String {
    let schema = schemars::schema_for!(File);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
