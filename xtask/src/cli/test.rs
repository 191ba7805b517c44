// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask test`: the project's own tests.

use std::io::Write as _;

use clap::Args;

use super::{Ending, Session, setup};
use crate::diagnosis::Diagnosis;

/// The project's own tests.
#[derive(Debug, Args)]
pub struct Test {
    /// Install what the host lacks first
    #[arg(long)]
    setup: bool,
    /// Let setup use sudo and replace packages
    #[arg(long)]
    yes: bool,
    /// Leave out the tests that build and boot kernels
    #[arg(long)]
    quick: bool,
    /// Arguments for `cargo test`
    #[arg(last = true)]
    args: Vec<String>,
}

impl Test {
    pub fn run(&self, session: &Session) -> Result<Ending, Diagnosis> {
        if self.setup && !session.dry_run {
            setup::install(session, self.yes)?;
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut test = session
            .host
            .program(cargo)
            // Documentation tests would come last, and there are none.
            .args(["test", "--workspace", "--locked", "--lib", "--bins", "--tests"])
            .cwd(session.workspace.root());
        if !self.quick {
            // Tests that take minutes are ignored unless they are asked for.
            test = test.args(["--", "--include-ignored", "--test-threads=1", "--nocapture"]);
        } else if !self.args.is_empty() {
            test = test.arg("--");
        }
        test = test.args(&self.args);
        if session.dry_run {
            session.print(&test.command_line(), &test.command_line())?;
            return Ok(Ending::Code(0));
        }
        let output = test
            .on_line(|line| {
                let _ = writeln!(std::io::stdout(), "{line}");
            })
            .output()?;
        Ok(Ending::Code(u8::from(!output.success())))
    }
}
