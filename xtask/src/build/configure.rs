// SPDX-License-Identifier: MIT OR Apache-2.0
//! Making a configuration: tinyconfig, fragments over it, olddefconfig, and a look at what became
//! of each request.

use std::path::PathBuf;
use std::time::Duration;

use super::Site;
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::{Invocation, Step};
use crate::kconfig;
use crate::store::write_atomic;

/// A configuration step asks nothing and compiles little.
const LIMIT: Duration = Duration::from_secs(300);

/// A finished configuration.
#[derive(Debug, Clone)]
pub struct Configured {
    /// The final `.config`, in the directory it was made in.
    pub path: PathBuf,
    /// What became of the requests; nothing was dropped.
    pub report: kconfig::Report,
}

impl<'h> Site<'h> {
    /// Configures the tree in a directory of its own.
    ///
    /// # Errors
    /// Every request that did not stick, before anything is built.
    pub fn configure(
        &self,
        requests: &kconfig::Requests,
        step: &Step,
    ) -> Result<Configured, Diagnosis> {
        let directory = self.directory.join("config");
        std::fs::create_dir_all(&directory).map_err(|e| on_path("create", &directory, &e))?;
        let path = directory.join(".config");
        let make = |target: &str| -> Result<(), Diagnosis> {
            self.configure_call(target)?
                .limit(LIMIT)
                .on_line(|line| step.line(line))
                .run()
                .map(drop)
        };
        make("tinyconfig")?;
        let base = std::fs::read_to_string(&path).map_err(|e| on_path("read", &path, &e))?;
        let symbols = kconfig::SymbolTable::read(self.tree, "x86")?;
        write_atomic(&path, requests.over(&base, &symbols).as_bytes())?;
        make("olddefconfig")?;
        let result = std::fs::read_to_string(&path).map_err(|e| on_path("read", &path, &e))?;
        let report = kconfig::judge(requests, &symbols, &result);
        report.check()?;
        Ok(Configured { path, report })
    }

    /// The call of make for one step of configuring: `tinyconfig`, then `olddefconfig`.
    pub fn configure_call(&self, target: &str) -> Result<Invocation<'h>, Diagnosis> {
        Ok(self
            .toolchain
            .make(self.host, self.store)?
            .args(["-s", "-C"])
            .arg(self.tree)
            .arg(format!("O={}", self.directory.join("config").display()))
            .arg(target))
    }
}
