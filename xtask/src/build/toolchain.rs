// SPDX-License-Identifier: MIT OR Apache-2.0
//! The compilers, and how make is told about them.

use serde::{Deserialize, Serialize};
use xshell::{Shell, cmd};

use crate::diagnosis::Diagnosis;
use crate::host::rust::RustTools;
use crate::host::{Host, Invocation, package};
use crate::store::{Key, Store};

/// The programs that build a kernel, with the versions they state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// First line of `gcc --version`.
    pub cc: String,
    /// First line of `ld --version`.
    pub ld: String,
    /// First line of `make --version`.
    pub make: String,
    /// Whether compilations go through ccache.
    pub ccache: bool,
    /// What Rust is built with, where the configuration has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rust: Option<RustTools>,
}

impl Toolchain {
    /// Asks the programs.
    pub fn detect(host: &Host) -> Result<Self, Diagnosis> {
        let shell = Shell::new()
            .map_err(|e| Diagnosis::infra(format!("cannot find the working directory: {e}")))?;
        let version = |program: &str| {
            let output = host.invoke(cmd!(shell, "{program} --version")).run()?;
            Ok::<_, Diagnosis>(output.text().lines().next().unwrap_or_default().to_owned())
        };
        Ok(Self {
            cc: version("gcc")?,
            ld: version("ld")?,
            make: version("make")?,
            ccache: package::find_program("ccache".as_ref()).is_some(),
            rust: None,
        })
    }

    /// What of it decides the bytes that are built.
    pub fn key(&self) -> Key {
        let key = Key::of("toolchain").with("cc", &self.cc).with("ld", &self.ld);
        match &self.rust {
            None => key.finish(),
            Some(rust) => key
                .with("rustc", rust.rustc_version.to_string())
                .with("bindgen", rust.bindgen_version.to_string())
                .with("libclang", rust.libclang_version.to_string())
                .finish(),
        }
    }

    /// `make`, with everything that must be the same in configuring and building.
    pub fn make<'h>(&self, host: &'h Host, store: &Store) -> Result<Invocation<'h>, Diagnosis> {
        let mut make = host
            .program("make")
            .arg("ARCH=x86_64")
            .env("LC_ALL", "C")
            // Fixed values make two builds of the same source the same.
            .env("KBUILD_BUILD_TIMESTAMP", "@1640995200")
            .env("KBUILD_BUILD_USER", "xtask")
            .env("KBUILD_BUILD_HOST", "kernel-xtask")
            .env("KBUILD_BUILD_VERSION", "1")
            // Defined but empty, it keeps scripts/setlocalversion from adding a `+`.
            .env("LOCALVERSION", "");
        for leaking in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "KBUILD_OUTPUT", "KCFLAGS", "KAFLAGS"] {
            make = make.env_remove(leaking);
        }
        if self.ccache {
            make = make
                .arg("CC=ccache gcc")
                .env("CCACHE_DIR", store.dir("ccache")?)
                .env("CCACHE_BASEDIR", store.root())
                .env("CCACHE_NOHASHDIR", "1");
        }
        if let Some(rust) = &self.rust {
            make = make
                .arg(format!("RUSTC={}", rust.rustc.display()))
                .arg(format!("BINDGEN={}", rust.bindgen.display()))
                .arg(format!("RUST_LIB_SRC={}", rust.library.display()))
                .env("LIBCLANG_PATH", &rust.libclang);
        }
        // The calling cargo's: they would change what rustc makes, or which one is run.
        for leaking in ["RUSTFLAGS", "RUSTC_WRAPPER", "RUSTUP_TOOLCHAIN"] {
            make = make.env_remove(leaking);
        }
        Ok(make)
    }
}
