// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine this runs on: programs, signals, progress.
//!
//! The only place that starts programs. Every child lives in a process group of its own that is
//! ended when the tool ends, however that happens (see [`guard`]).

pub mod cancel;
pub mod doctor;
pub mod guard;
mod invocation;
pub mod package;
pub mod probe;
pub mod progress;
pub mod rust;
pub mod setup;
mod slots;

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

pub use cancel::Cancel;
pub use invocation::{Invocation, Output, Running, quote};
pub use progress::{Event, Listener, Progress, Step};
pub use slots::Slots;

use crate::diagnosis::{Diagnosis, on_path};

/// Access to the machine, passed by reference to every room that acts.
#[derive(Debug)]
pub struct Host {
    /// Set by SIGINT and SIGTERM; everything that waits looks at it.
    pub cancel: Cancel,
    /// Shows what is going on.
    pub progress: Progress,
    log: Mutex<Option<File>>,
    verbose: bool,
    slots: Option<Slots>,
}

impl Host {
    /// A host that listens to signals and shows progress as asked.
    pub fn new(cancel: Cancel, progress: Progress, verbose: bool) -> Self {
        Self { cancel, progress, log: Mutex::new(None), verbose, slots: None }
    }

    /// A host for one of several jobs that run at the same time: signals reach it, too, its progress
    /// goes elsewhere, and its programs share the slots.
    pub fn beside(&self, progress: Progress, slots: Slots) -> Self {
        let mut beside = Self::new(self.cancel.clone(), progress, self.verbose);
        beside.slots = Some(slots);
        beside
    }

    /// A quiet host for tests, which no signal reaches.
    #[cfg(test)]
    pub fn for_tests() -> Self {
        Self::new(Cancel::default(), Progress::hidden(), false)
    }

    /// From now on, appends every command line to this file as well.
    pub fn log_commands_to(&self, path: &Path) -> Result<(), Diagnosis> {
        let file = File::options()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|e| on_path("open", path, &e))?;
        *self.log.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(file);
        Ok(())
    }

    /// Starts building the call of a program found on `PATH`, or given by path.
    pub fn program(&self, program: impl AsRef<std::ffi::OsStr>) -> Invocation<'_> {
        Invocation::new(self, program.as_ref())
    }

    /// Takes over a command line written with [`xshell::cmd!`].
    pub fn invoke(&self, command: xshell::Cmd<'_>) -> Invocation<'_> {
        Invocation::from_command(self, &command.into())
    }

    /// An error if the user or the system asked the tool to end.
    pub fn check_cancelled(&self) -> Result<(), Diagnosis> {
        self.cancel.check()
    }

    fn note_command(&self, line: &str) {
        if self.verbose {
            self.progress.note(&format!("+ {line}"));
        }
        let mut log = self.log.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(file) = log.as_mut() {
            // The log is an aid: a full disk is reported by the step whose output matters.
            let _ = writeln!(file, "{line}");
        }
    }
}
