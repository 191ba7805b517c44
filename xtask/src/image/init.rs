// SPDX-License-Identifier: MIT OR Apache-2.0
//! Building the guest's `/init`.

use std::path::{Path, PathBuf};

use crate::diagnosis::Diagnosis;
use crate::host::{Host, Step};
use crate::store::Store;

/// The guest's instruction set and C library; glibc links statically for it.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Builds the guest from the workspace's own sources with the cargo that runs the tool. cargo
/// knows best whether anything changed.
pub fn build_init(
    host: &Host,
    store: &Store,
    workspace: &Path,
    step: &Step,
) -> Result<PathBuf, Diagnosis> {
    let target_dir = store.dir("guest")?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    host.program(cargo)
        .args(["build", "--profile", "guest", "--package", "guest", "--target", TARGET, "--locked"])
        .arg("--target-dir")
        .arg(&target_dir)
        .env("RUSTFLAGS", "-C target-feature=+crt-static")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .cwd(workspace)
        .on_line(|line| step.line(line))
        .run()?;
    Ok(target_dir.join(TARGET).join("guest/init"))
}
