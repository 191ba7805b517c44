// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    xtask::main()
}
