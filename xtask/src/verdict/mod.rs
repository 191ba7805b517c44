// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run means: the console's findings, the counters' properties, and one verdict.

pub mod console;
pub mod course;
pub mod frames;
mod judge;
mod result;

pub use judge::{Evidence, judge};
pub use result::{
    ConfigResult, FindingResult, KernelResult, LatencyBucket, PropertyResult, RunResult, SCHEMA,
    Sample, SeriesResult, StepResult, Verdict,
};
