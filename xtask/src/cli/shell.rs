// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completions and the manual page.

use std::io::Write as _;

use clap::{Args, CommandFactory};

use crate::diagnosis::{Diagnosis, ExitKind};

/// Completions for a shell.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

impl Completions {
    pub fn run<C: CommandFactory>(&self) -> ExitKind {
        let mut out = Vec::new();
        clap_complete::generate(self.shell, &mut C::command(), "cargo-xtask", &mut out);
        let _ = std::io::stdout().write_all(&out);
        ExitKind::Pass
    }
}

/// Prints the manual page.
pub fn man<C: CommandFactory>() -> Result<ExitKind, Diagnosis> {
    let mut out = Vec::new();
    clap_mangen::Man::new(C::command())
        .render(&mut out)
        .map_err(|e| Diagnosis::infra(format!("cannot make the manual page: {e}")))?;
    let _ = std::io::stdout().write_all(&out);
    Ok(ExitKind::Pass)
}
