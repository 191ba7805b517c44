// SPDX-License-Identifier: MIT OR Apache-2.0
//! The error that reaches the user, and the exit codes that scripts rely on.

use std::fmt;

/// How the tool ends. The numbers are part of the command surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExitKind {
    /// Everything asked for was checked and is well.
    Pass,
    /// A check failed: the kernel's or the series' fault.
    CheckFailed,
    /// Wrong usage, or input that cannot be used.
    Usage,
    /// The tool or the machine failed; the kernel is not blamed.
    Infra,
    /// Results are missing or incomplete.
    Incomplete,
    /// It cannot be checked here, for a reason; nothing failed.
    Skipped,
    /// Ended by SIGINT, after its children were gone.
    Interrupted,
    /// Ended by SIGTERM, after its children were gone.
    Terminated,
}

impl ExitKind {
    /// The process exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Pass | Self::Skipped => 0,
            Self::CheckFailed => 1,
            Self::Usage => 2,
            Self::Infra => 3,
            Self::Incomplete => 4,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

/// An error for a person: what failed, the facts, what to do next, and how to see it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// Decides the exit code.
    pub exit: ExitKind,
    /// What failed, on which input, and why: one line.
    pub what: String,
    /// Further facts, a block of text each (an excerpt, another program's own words).
    pub details: Vec<String>,
    /// What to do next.
    pub next: Option<String>,
    /// A command that shows the failure again.
    pub reproduce: Option<String>,
}

impl Diagnosis {
    /// A diagnosis of the given kind.
    pub fn new(exit: ExitKind, what: impl Into<String>) -> Self {
        Self { exit, what: what.into(), details: Vec::new(), next: None, reproduce: None }
    }

    /// Wrong usage or input (exit code 2).
    pub fn usage(what: impl Into<String>) -> Self {
        Self::new(ExitKind::Usage, what)
    }

    /// The kernel's or the series' fault (exit code 1).
    pub fn check_failed(what: impl Into<String>) -> Self {
        Self::new(ExitKind::CheckFailed, what)
    }

    /// The tool's or the machine's fault (exit code 3).
    pub fn infra(what: impl Into<String>) -> Self {
        Self::new(ExitKind::Infra, what)
    }

    /// Adds a block of facts.
    #[must_use]
    pub fn detail(mut self, text: impl Into<String>) -> Self {
        self.details.push(text.into());
        self
    }

    /// Says what to do next.
    #[must_use]
    pub fn next(mut self, text: impl Into<String>) -> Self {
        self.next = Some(text.into());
        self
    }

    /// Says how to see the failure again.
    #[must_use]
    pub fn reproduce(mut self, command: impl Into<String>) -> Self {
        self.reproduce = Some(command.into());
        self
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)?;
        for detail in &self.details {
            for line in detail.trim_end().lines() {
                write!(f, "\n  {line}")?;
            }
        }
        if let Some(next) = &self.next {
            write!(f, "\n  next: {next}")?;
        }
        if let Some(command) = &self.reproduce {
            write!(f, "\n  reproduce: {command}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnosis {}

/// A YAML file that says something else than it may: with file, line and column.
pub fn on_yaml(file: impl fmt::Display, why: &serde_yaml::Error) -> Diagnosis {
    let (line, column) = why.location().map_or((0, 0), |l| (l.line(), l.column()));
    Diagnosis::usage(format!("{file}:{line}:{column}: {why}"))
}

/// An I/O error on a path, in one sentence.
pub fn on_path(doing: &str, path: &std::path::Path, error: &std::io::Error) -> Diagnosis {
    let diagnosis = Diagnosis::infra(format!("cannot {doing} {}: {error}", path.display()));
    match error.kind() {
        std::io::ErrorKind::StorageFull => {
            diagnosis.next("free some space (`cargo xtask clean` shows what the caches hold)")
        }
        std::io::ErrorKind::PermissionDenied => {
            diagnosis.next("check who owns it, or set XTASK_HOME to a directory of yours")
        }
        _ => diagnosis,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_the_documented_ones() {
        let all = [
            ExitKind::Pass,
            ExitKind::CheckFailed,
            ExitKind::Usage,
            ExitKind::Infra,
            ExitKind::Incomplete,
            ExitKind::Interrupted,
            ExitKind::Terminated,
        ];
        assert_eq!(all.map(ExitKind::code), [0, 1, 2, 3, 4, 130, 143]);
    }

    #[test]
    fn every_part_is_shown() {
        let text = Diagnosis::usage("no such kernel: 9.9")
            .detail("known: 5.10\n6.1")
            .next("run `cargo xtask kernel list`")
            .reproduce("cargo xtask run --kernel 9.9")
            .to_string();
        insta::assert_snapshot!(text, @r"
        no such kernel: 9.9
          known: 5.10
          6.1
          next: run `cargo xtask kernel list`
          reproduce: cargo xtask run --kernel 9.9
        ");
    }
}
