// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rust, for this workspace and for kernels.

use std::path::{Path, PathBuf};

use super::tool::{self, State, Tool, is_older};
use crate::host::Host;
use crate::host::package::find_program;

/// What this workspace is built with, from `Cargo.toml`.
const RUST_VERSION: &str = env!("CARGO_PKG_RUST_VERSION");

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

/// What kernels with `CONFIG_RUST` are built with, and the module written in Rust itself.
pub fn for_kernels(host: &Host, checkout: &Path) -> Vec<Tool> {
    const NEED: &str = "kernels with CONFIG_RUST";
    let file = |name: &str, found: Option<PathBuf>, remedy: &str| Tool {
        name: name.to_owned(),
        needed_for: NEED.to_owned(),
        optional: true,
        state: match found {
            Some(path) => State::Present { path, version: None, concern: None },
            None => State::Missing { remedy: remedy.to_owned() },
        },
    };
    let module = checkout.join("selftests/modules/direct-rs");
    vec![
        file(
            "library source",
            library_source(host),
            "a rustc with its source: rustup component add rust-src, or Debian's rustc-web with \
             rust-web-src",
        ),
        tool::program(host, "bindgen", NEED, "cargo install bindgen-cli"),
        file("libclang", libclang(), "package libclang-dev; LIBCLANG_PATH may say where it is"),
        file("direct-rs", Some(module).filter(|m| m.is_dir()), "not in this checkout"),
    ]
}

/// The source of Rust's library, of the first rustc that has it.
fn library_source(host: &Host) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut rustcs: Vec<_> = std::env::split_paths(&path).map(|dir| dir.join("rustc")).collect();
    rustcs.push("/usr/bin/rustc".into());
    rustcs.dedup();
    rustcs.iter().filter_map(|rustc| find_program(rustc.as_os_str())).find_map(|rustc| {
        let output = host.program(rustc).args(["--print", "sysroot"]).output().ok()?;
        let sysroot = PathBuf::from(output.text().trim());
        let library = sysroot.join("lib/rustlib/src/rust/library");
        library.join("core/src/lib.rs").is_file().then_some(library)
    })
}

fn libclang() -> Option<PathBuf> {
    if let Some(own) = std::env::var_os("LIBCLANG_PATH").map(PathBuf::from) {
        return if own.is_file() { Some(own) } else { libclang_in(&own) };
    }
    let mut directories: Vec<PathBuf> =
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"].map(PathBuf::from).into();
    let mut llvm: Vec<_> = std::fs::read_dir("/usr/lib")
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("llvm"))
        .map(|entry| entry.path().join("lib"))
        .collect();
    llvm.sort();
    directories.extend(llvm.into_iter().rev());
    directories.iter().find_map(|directory| libclang_in(directory))
}

fn libclang_in(directory: &Path) -> Option<PathBuf> {
    std::fs::read_dir(directory).ok()?.flatten().map(|entry| entry.path()).find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        (name.starts_with("libclang.so") || name.starts_with("libclang-"))
            && name.contains(".so")
            && !name.contains("cpp")
    })
}
