// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patch series: reading them, and applying them patch by patch.

mod applier;
mod apply;
mod check;
mod commit;
pub mod conflict;
mod definition;
mod export;
mod history;
pub mod import;
mod install;
mod outcome;
mod patch;
mod refresh;
mod resolve;
pub mod workbench;

pub use apply::{Applied, AppliedPatch, Tried, apply, apply_with, cached, try_all};
pub use check::{Column, check, table};
pub use definition::{
    Expect, ExpectedVerdict, File, FollowUpTo, KernelRange, Kind, On, PatchEntry, Series, Variant,
    VariantEntry, list, schema, with_variant, write,
};
pub use export::{Exported, Style, export};
pub use install::install;
pub use outcome::{Known, Moved, Outcome, Policy};
pub use patch::Patch;
pub use refresh::{patches_of_tree, replace_variant};
pub use resolve::resolve;

#[cfg(test)]
mod tests;
