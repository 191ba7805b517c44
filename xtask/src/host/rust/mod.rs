// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rust for kernels: which compilers, bindgens and libclangs there are, and which of them will do.
//!
//! What a kernel needs is written in its `Documentation/rust/quick-start.rst` and
//! `scripts/min-tool-version.sh`.

mod choose;
mod find;
mod install;
mod version;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use choose::{Minimum, choose};
pub use find::{Candidates, find, libclang, library_source};
pub use install::install_bindgen;
pub use version::ToolVersion;

/// A program or library that may serve, and whether it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// Where it is: the program, or the directory of libclang.
    pub path: PathBuf,
    /// Its version, if it told one.
    pub version: Option<ToolVersion>,
    /// For a compiler: its library's source.
    pub library: Option<PathBuf>,
    /// Why it cannot serve any kernel.
    pub trouble: Option<String>,
}

/// What a kernel with `CONFIG_RUST` is built with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RustTools {
    /// The compiler.
    pub rustc: PathBuf,
    /// Its version.
    pub rustc_version: ToolVersion,
    /// The source of its library: kernels build `core` themselves.
    pub library: PathBuf,
    /// bindgen.
    pub bindgen: PathBuf,
    /// Its version.
    pub bindgen_version: ToolVersion,
    /// The directory of the libclang that bindgen uses.
    pub libclang: PathBuf,
    /// Its version.
    pub libclang_version: ToolVersion,
}
