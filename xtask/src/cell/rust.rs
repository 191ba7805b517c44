// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a kernel with `CONFIG_RUST` is built with, or why it cannot be.

use super::Subject;
use crate::build::DirectApi;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::host::Host;
use crate::host::rust::{self, Minimum, RustTools};
use crate::store::Store;
use crate::tree::{KernelVersion, Source, git};

/// The first line that takes any compiler from a minimum on (from 6.11 on they do, see
/// `Documentation/rust/quick-start.rst`) and that is maintained.
const FIRST: &str = "6.12";

/// Chooses the tools for a tree.
///
/// # Errors
/// The tree cannot do it, which is a skip; or this machine lacks the tools, which is infra.
pub fn tools_for(
    host: &Host,
    store: &Store,
    subject: Subject,
    source: &Source,
    commit: &str,
) -> Result<RustTools, Diagnosis> {
    let skip = |why: String| Diagnosis::new(ExitKind::Skipped, why);
    let version = source.version;
    let Some(minimum) = git::file_of(host, store, commit, "scripts/min-tool-version.sh")?
        .and_then(|text| Minimum::of_script(&text))
    else {
        return Err(skip(format!("linux {version} has no Rust: its tools name no rustc")));
    };
    if FIRST.parse::<KernelVersion>().is_ok_and(|first| version < first) {
        return Err(skip(format!(
            "linux {version} takes rustc {} and no other; kernels from {FIRST} on take newer ones",
            minimum.rustc
        )));
    }
    if subject == Subject::Rust {
        let header = git::file_of(host, store, commit, "include/linux/ftrace.h")?;
        let api = header.and_then(|text| DirectApi::of_header(&text));
        if api != Some(DirectApi::Ops) {
            let has = api.map_or("none", DirectApi::name);
            return Err(skip(format!(
                "the Rust subject needs the direct-call API `ops`; linux {version} has `{has}`"
            )));
        }
    }
    rust::choose(&rust::find(host, store), minimum).map_err(|why_not| {
        why_not
            .into_iter()
            .fold(
                Diagnosis::infra(format!("no Rust toolchain here builds linux {version}")),
                Diagnosis::detail,
            )
            .next("`cargo xtask setup` gets one; `cargo xtask doctor` shows all that was looked at")
    })
}
