// SPDX-License-Identifier: MIT OR Apache-2.0
//! The records of KCIDB, as far as they are written here.

use serde::Serialize;
use serde_json::{Map, Value};

/// Everything that is submitted at once.
#[derive(Debug, Default, Serialize)]
pub struct Submission {
    /// Of the schema.
    pub version: Version,
    /// Trees.
    pub checkouts: Vec<Checkout>,
    /// Kernels.
    pub builds: Vec<Build>,
    /// Cells, and their properties.
    pub tests: Vec<Test>,
    /// Findings, by signature.
    pub issues: Vec<Issue>,
    /// Where they were seen.
    pub incidents: Vec<Incident>,
}

/// The schema's version.
#[derive(Debug, Default, Serialize)]
pub struct Version {
    /// Changes when documents of before are no longer valid.
    pub major: u32,
    /// The oldest that has all that is used.
    pub minor: u32,
}

/// A tree with a series on it.
#[derive(Debug, Serialize)]
pub struct Checkout {
    pub id: String,
    pub origin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_commit_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patchset_hash: Option<&'static str>,
    pub comment: String,
    pub start_time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_excerpt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<bool>,
    pub misc: Map<String, Value>,
}

/// A kernel.
#[derive(Debug, Serialize)]
pub struct Build {
    pub checkout_id: String,
    pub id: String,
    pub origin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    pub architecture: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_excerpt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    pub misc: Map<String, Value>,
}

/// How a build or a test came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// The code is right.
    Pass,
    /// The code is wrong.
    Fail,
    /// It cannot be checked here.
    Skip,
    /// It was begun, and broke off by its own fault.
    Error,
    /// It was never begun.
    Miss,
}

/// A cell, or a property that was checked in it.
#[derive(Debug, Serialize)]
pub struct Test {
    pub build_id: String,
    pub id: String,
    pub origin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    pub path: String,
    pub comment: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_excerpt: Option<String>,
    pub status: Status,
    pub start_time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    pub misc: Map<String, Value>,
}

/// What a test ran in.
#[derive(Debug, Clone, Serialize)]
pub struct Environment {
    pub comment: String,
}

/// A bug, as one signature of findings.
#[derive(Debug, Serialize)]
pub struct Issue {
    pub id: String,
    pub version: u32,
    pub origin: String,
    pub culprit: Culprit,
    pub comment: String,
    pub misc: Map<String, Value>,
}

/// Who is to blame for it.
#[derive(Debug, Serialize)]
pub struct Culprit {
    pub code: bool,
    pub tool: bool,
    pub harness: bool,
}

/// A test in which an issue was seen.
#[derive(Debug, Serialize)]
pub struct Incident {
    pub id: String,
    pub origin: String,
    pub issue_id: String,
    pub issue_version: u32,
    pub test_id: String,
    pub present: bool,
    pub comment: String,
}
