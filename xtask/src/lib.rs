// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask`: from a patch series to a verdict.
//!
//! Data flows one way through the rooms: `tree` → `series` → `kconfig` → `build` → `image` → `vm` →
//! `verdict` → `report`; `cell` leads one cell through all of them. `mail` and `diff` read what
//! `series` takes in: they do no I/O, and the fuzz targets call them.
#![forbid(unsafe_code)]

mod build;
mod cell;
mod cli;
mod compare;
mod diagnosis;
pub mod diff;
mod host;
mod image;
#[allow(dead_code, unused_imports)]
mod kconfig;
mod levels;
pub mod mail;
mod matrix;
mod report;
mod series;
mod store;
mod tree;
mod verdict;
mod vm;

/// The whole tool.
pub fn main() -> std::process::ExitCode {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some(code) = host::guard::dispatch(&args) {
        return code;
    }
    cli::main()
}
