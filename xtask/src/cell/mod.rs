// SPDX-License-Identifier: MIT OR Apache-2.0
//! One cell: from a request through all rooms to a result.

mod duration;
mod early;
mod ground;
mod inputs;
mod pipeline;
mod plan;
mod rust;
mod subject;
mod suite;

pub use duration::duration_ms;
pub use early::{finish_with, new_result};
pub use inputs::{ChosenSeries, Request, Workspace, choose_series};
pub use pipeline::{Prepared, build_dir, machine, prepare, run, stress, write_image};
pub use plan::{PlannedStep, plan};
pub use rust::tools_for;
pub use subject::Subject;
pub use suite::Suite;
