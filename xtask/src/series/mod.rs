// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patch series: reading them, and applying them patch by patch.

mod apply;
pub mod conflict;
mod definition;
mod patch;

pub use apply::{Applied, apply, cached};
pub use definition::{Kind, Series, Variant, list};
pub use patch::Patch;
