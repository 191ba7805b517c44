// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many cells: which there are, what is expected of each, running them all.
//!
//! ```text
//! Definition ─▶ plan ─▶ Filter, deal ─▶ chains ─▶ run ─▶ results ─▶ stand, conclude ─▶ Record
//!   (matrix.yaml)     (pure)            (pure)              (cell)       (pure)
//! ```

mod definition;
mod expectation;
mod filter;
mod list;
mod plan;
mod record;
mod request;
mod run;
mod schedule;
mod space;
mod standing;
mod view;

pub use definition::Definition;
pub use expectation::{Expectation, conclude, stand};
pub use filter::Selector;
pub use list::{github, gitlab, jobs, text};
pub use plan::{Cell, Patches, Plan, plan};
pub use record::{Record, Selection, directory, not_run};
pub use request::request;
pub use run::{Runner, chains_to_do, to_do};
pub use schedule::{Build, Chain, Shard, chains, deal};
pub use space::{check as check_space, needed_mib};
pub use standing::{Role, Standing, StandingKind};
pub use view::View;

#[cfg(test)]
mod tests;
