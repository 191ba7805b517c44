// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patch series: reading them, and applying them patch by patch.

mod applier;
mod apply;
mod check;
mod conflict;
mod definition;
mod history;
pub mod import;
mod outcome;
mod patch;

pub use apply::{Applied, AppliedPatch, Tried, apply, apply_with, cached, try_all};
pub use check::{Column, check, table};
pub use definition::{
    Expect, ExpectedVerdict, File, FollowUpTo, KernelRange, Kind, On, PatchEntry, Series, Variant,
    VariantEntry, list, schema, with_variant, write,
};
pub use outcome::{Known, Moved, Outcome, Policy};
pub use patch::Patch;
