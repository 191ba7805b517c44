// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rust, for this workspace and for kernels.

use super::tool::{self, State, Tool, is_older};
use crate::host::Host;
use crate::host::rust::{self, Candidate, Minimum, ToolVersion};
use crate::store::Store;

/// What this workspace is built with, from `Cargo.toml`.
const RUST_VERSION: &str = env!("CARGO_PKG_RUST_VERSION");

/// What the newest kernels ask for, see `scripts/min-tool-version.sh` of 7.1. Older ones are content
/// with less.
const WANTED_BY_NEW_KERNELS: Minimum = Minimum {
    rustc: ToolVersion(1, 85, 0),
    bindgen: ToolVersion(0, 71, 1),
    libclang: Some(ToolVersion(15, 0, 0)),
};

/// cargo and rustc, which build the guest's /init in every run.
pub fn for_the_guest(host: &Host) -> Vec<Tool> {
    ["cargo", "rustc"]
        .into_iter()
        .map(|name| {
            let remedy = format!("a Rust toolchain, {RUST_VERSION} or newer");
            let mut tool = tool::program(host, name, "building the guest's /init", &remedy);
            tool.optional = false;
            if let State::Present { path, version: Some(version), .. } = &tool.state
                && is_older(version, RUST_VERSION)
            {
                let why = format!("{version} is too old: {RUST_VERSION} or newer is needed");
                tool.state = State::Unusable { path: path.clone(), why };
            }
            tool
        })
        .collect()
}

/// What kernels with `CONFIG_RUST` are built with: every candidate, and what keeps all of them from
/// serving the newest kernels.
pub fn for_kernels(host: &Host, store: &Store) -> (Vec<Tool>, Vec<String>) {
    let candidates = rust::find(host, store);
    let obstacles = rust::choose(&candidates, WANTED_BY_NEW_KERNELS).err().unwrap_or_default();
    let kinds = [
        (
            "rustc",
            &candidates.rustc,
            "packages rustc-web and rust-web-src of Debian, or rustup component add rust-src",
        ),
        ("bindgen", &candidates.bindgen, "cargo install bindgen-cli"),
        ("libclang", &candidates.libclang, "package libclang-19-dev"),
    ];
    let mut tools = Vec::new();
    for (name, all, remedy) in kinds {
        let tool = |state| Tool {
            name: name.to_owned(),
            needed_for: "kernels with CONFIG_RUST".to_owned(),
            optional: true,
            state,
        };
        tools.extend(all.iter().map(|candidate| tool(state(candidate))));
        if all.is_empty() {
            tools.push(tool(State::Missing { remedy: remedy.to_owned() }));
        }
    }
    (tools, obstacles)
}

fn state(candidate: &Candidate) -> State {
    match &candidate.trouble {
        Some(why) => State::Unusable { path: candidate.path.clone(), why: why.clone() },
        None => State::Present {
            path: candidate.path.clone(),
            version: candidate.version.map(|v| v.to_string()),
            concern: None,
        },
    }
}
