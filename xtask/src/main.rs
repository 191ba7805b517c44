// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask`: from a patch series to a verdict.
#![forbid(unsafe_code)]

mod diagnosis;
#[allow(dead_code, unused_imports)]
mod host;
#[allow(dead_code, unused_imports)]
mod image;
#[allow(dead_code, unused_imports)]
mod kconfig;
#[allow(dead_code, unused_imports)]
mod series;
#[allow(dead_code, unused_imports)]
mod store;
#[allow(dead_code, unused_imports)]
mod tree;

fn main() -> std::process::ExitCode {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some(code) = host::guard::dispatch(&args) {
        return code;
    }
    std::process::ExitCode::SUCCESS
}
