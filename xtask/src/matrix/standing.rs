// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a cell's verdict means beside what was expected of it, and beside its baseline.

use serde::{Deserialize, Serialize};

/// Why a cell is in the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The tree as it is: what it does wrong is not blamed on a series.
    Baseline,
    /// The series under test.
    Series,
    /// A kernel that is broken on purpose.
    Fault,
}

/// How a cell stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StandingKind {
    /// Its verdict is the expected one, for the expected reason.
    AsExpected,
    /// It cannot be had on this kernel or machine, and the plan says why.
    Skipped,
    /// It fails, and its baseline fails in the same way.
    PreExisting,
    /// Another verdict, or the right one for another reason: this fails the matrix.
    Unexpected,
    /// The tool or the machine failed, or results are missing: nothing is known about the kernel.
    Unknown,
    /// It has not been run.
    NotRun,
}

/// How a cell of a matrix stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// The cell's name in the matrix, such as `6.1-none-c`: unique there and the same in every run.
    pub id: String,
    /// Why the cell is there.
    pub role: Role,
    /// How it stands.
    pub kind: StandingKind,
    /// What was expected, in a few words.
    pub expected: String,
    /// Why it stands as it does, in a line.
    pub note: String,
}
