// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask run`: one cell.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;

use super::select::{Select, Stress};
use super::{Format, Session, setup};
use crate::cell::{self, Request};
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::report;
use crate::store::write_json;
use crate::verdict::RunResult;

/// One cell: apply, build, boot, stress, judge.
#[derive(Debug, Args)]
pub struct Run {
    /// Install what the host lacks first
    #[arg(long)]
    setup: bool,
    /// Let setup use sudo and replace packages
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    select: Select,
    #[command(flatten)]
    stress: Stress,
    /// Run the stress this many times; all must pass
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: u32,
}

impl Run {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        let request = self.select.request(session, Some(&self.stress))?;
        if session.dry_run {
            let steps = cell::plan(&session.host, &session.store, &session.workspace, &request)?;
            session.print(&report::plan(&steps), &steps)?;
            return Ok(ExitKind::Pass);
        }
        if self.setup {
            setup::install(session, self.yes)?;
        }
        let mut worst = ExitKind::Pass;
        let mut results = Vec::new();
        for round in 0..self.repeat {
            let mut request = request.clone();
            request.seed = request.seed.wrapping_add(u64::from(round));
            let Done { exit, result, directory, broken } = one(session, &request)?;
            match broken {
                Some(broken) if session.format == Format::Text => return Err(broken),
                // The one document is the result: it says as much as the error does.
                Some(broken) => drop(writeln!(std::io::stderr(), "error: {broken}")),
                None if session.format == Format::Text => {
                    session.print(&report::summary(&result, &directory), &())?;
                }
                None => {}
            }
            // A failed check says more about the kernel than a broken run does.
            worst = match (worst, exit) {
                (ExitKind::CheckFailed, _) | (_, ExitKind::Pass) => worst,
                (_, exit) => exit,
            };
            results.push(result);
        }
        if session.format == Format::Json {
            match results.as_slice() {
                [only] => session.print("", only)?,
                all => session.print("", &all)?,
            }
        }
        Ok(worst)
    }
}

/// A cell that was run.
#[derive(Debug)]
pub(super) struct Done {
    /// How it ended.
    pub exit: ExitKind,
    /// Its result, which is in the run directory, too.
    pub result: RunResult,
    /// The run directory.
    pub directory: PathBuf,
    /// Why it did not get to a verdict of its own.
    pub broken: Option<Diagnosis>,
}

/// Runs one cell, with a run directory of its own. Prints nothing.
pub(super) fn one(session: &Session, request: &Request) -> Result<Done, Diagnosis> {
    let run_dir = session.store.new_run(&request.label())?;
    let path = run_dir.file("result.json");
    let mut result = cell::new_result(request);
    write_json(&path, &result)?;
    session.host.log_commands_to(&run_dir.file("commands.log"))?;
    let outcome = cell::run(
        &session.host,
        &session.store,
        &session.workspace,
        request,
        &run_dir,
        &mut result,
    );
    let (exit, broken) = match outcome {
        Ok(exit) => (exit, None),
        Err(diagnosis) => {
            cell::finish_with(&mut result, &diagnosis);
            (diagnosis.exit, Some(diagnosis))
        }
    };
    write_json(&path, &result)?;
    Ok(Done { exit, result, directory: run_dir.path().to_owned(), broken })
}
