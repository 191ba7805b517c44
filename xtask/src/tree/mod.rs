// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernel sources: where they come from, the object store they are kept in, and work trees.

mod debian;
mod directory;
mod download;
pub mod edit;
pub mod git;
mod import;
mod kernel_org;
mod local_git;
mod source;
mod spec;
mod version;
mod work_tree;

pub use debian::{Newest, Packaged, Release, commands, newest};
#[cfg(test)]
pub use local_git::tests::snapshot;
pub use source::{Source, fetch, known, resolve};
pub use spec::{Matrix, Origin, Spec};
pub use version::KernelVersion;
pub use work_tree::WorkTree;
