// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask`: from a patch series to a verdict.
#![forbid(unsafe_code)]

mod diagnosis;

fn main() {}
