// SPDX-License-Identifier: MIT OR Apache-2.0
//! Getting bindgen, which distributions do not have in the version that kernels need.

use std::path::PathBuf;

use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::store::Store;

/// The version that is installed: all kernels from 6.12 to 7.1 build with it.
const BINDGEN: &str = "bindgen-cli@0.72.1";

/// Where our own tools are installed.
pub(super) fn root(store: &Store) -> PathBuf {
    store.root().join("tools")
}

/// Builds bindgen with the cargo that this workspace is built with, into the tool's own directory.
pub fn install_bindgen(host: &Host, store: &Store) -> Result<(), Diagnosis> {
    let root = root(store);
    let step = host.progress.step("setup", &format!("cargo install {BINDGEN}"));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    host.program(cargo)
        .args(["install", "--locked", "--force", BINDGEN, "--root"])
        .arg(&root)
        // Of the cargo that runs us; they would change what is built.
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS")
        .on_line(|line| step.line(line))
        .run()
        .map_err(|error| {
            error.next("without it, Rust cells cannot be built; see `cargo xtask doctor`")
        })?;
    step.done(&root.join("bin/bindgen").display().to_string());
    Ok(())
}
