// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options that choose a kernel, a series and a configuration: shared by run, build and boot.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Session;
use crate::cell::{self, ChosenSeries, Request, Subject, Suite};
use crate::diagnosis::Diagnosis;
use crate::host::quote;
use crate::tree::{Matrix, Spec};

/// The series that is used when none is named.
const DEFAULT_SERIES: &str = "direct-multi";

/// The kernel that it is made for.
const DEFAULT_KERNEL: &str = "5.10";

/// Subjects, as the command line has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SubjectArg {
    /// `selftests/modules/direct-c`
    C,
    /// `selftests/modules/direct-rs`; linux 6.12 and newer
    Rust,
    /// Not available yet
    InTree,
}

/// What to test.
#[derive(Debug, Clone, Args)]
pub struct Select {
    /// Kernel: a name in matrix.yaml, a point release, PATH@REF, URL@REF or a directory
    /// [default: 5.10; with --fault, one that the fault is made for]
    #[arg(long, value_name = "V")]
    kernel: Option<String>,
    /// Series under patches/, or `none` for the tree as it is
    #[arg(long, value_name = "NAME", default_value = DEFAULT_SERIES)]
    series: String,
    /// Apply only the first N patches of the series
    #[arg(long, value_name = "N")]
    upto: Option<usize>,
    /// A fault under patches/faults/, which breaks the kernel on purpose
    #[arg(long, value_name = "NAME", conflicts_with_all = ["series", "upto"])]
    fault: Option<String>,
    /// A further configuration fragment
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
}

/// How to stress it.
#[derive(Debug, Clone, Args)]
pub struct Stress {
    /// The module under test
    #[arg(long, value_enum, default_value_t = SubjectArg::C)]
    subject: SubjectArg,
    /// Suite under selftests/suites/
    #[arg(long, value_name = "NAME", default_value = "direct")]
    suite: String,
    /// How long each test calls and modifies: 10s, 500ms, 2m
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = cell::duration_ms)]
    duration: u64,
    /// Seed of everything random in the loops
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Have the subject misbehave, to prove that the checks can fail
    #[arg(long, value_name = "HOW", hide = true,
          value_parser = ["pause", "double", "stale", "late", "corrupt"])]
    sabotage: Option<String>,
}

impl Select {
    fn kernel(&self, matrix: &Matrix, series: &ChosenSeries) -> Result<Spec, Diagnosis> {
        if let Some(kernel) = &self.kernel {
            return matrix.find(kernel);
        }
        // A fault comes with the kernels that it is made for.
        if let (Some(_), ChosenSeries::Series(fault, _)) = (&self.fault, series)
            && let Some(listed) =
                matrix.kernels.iter().find(|k| fault.variants.iter().any(|v| v.fits(k.name)))
        {
            return matrix.find(&listed.name.to_string());
        }
        matrix.find(DEFAULT_KERNEL)
    }

    /// Looks everything up; nothing is fetched or built.
    pub fn request(
        &self,
        session: &Session,
        stress: Option<&Stress>,
    ) -> Result<Request, Diagnosis> {
        let workspace = &session.workspace;
        let series =
            cell::choose_series(workspace, &self.series, self.fault.as_deref(), self.upto)?;
        let matrix = workspace.matrix()?;
        let kernel = self.kernel(&matrix, &series)?;
        let subject = match stress.map(|s| s.subject) {
            None | Some(SubjectArg::C) => Subject::C,
            Some(SubjectArg::Rust) => Subject::Rust,
            Some(SubjectArg::InTree) => {
                return Err(Diagnosis::usage("--subject in-tree is not available in this version")
                    .next("use --subject c or --subject rust"));
            }
        };
        let suite = Suite::load(&workspace.suites(), stress.map_or("direct", |s| &s.suite))?;
        let request = Request {
            reproduce: self.reproduce(&kernel, stress),
            kernel,
            series,
            requests: workspace.requests(subject, &self.config)?,
            subject,
            suite,
            duration_ms: stress.map_or(10_000, |s| s.duration),
            seed: stress.map_or(1, |s| s.seed),
            sabotage: stress.and_then(|s| s.sabotage.clone()),
        };
        request.check_variant()?;
        Ok(request)
    }

    fn reproduce(&self, kernel: &Spec, stress: Option<&Stress>) -> String {
        let mut line = format!("cargo xtask run --kernel {}", quote(&kernel.name));
        let mut add = |flag: &str, value: &str| {
            let _ = write!(line, " --{flag} {}", quote(value));
        };
        match &self.fault {
            Some(fault) => add("fault", fault),
            None => add("series", &self.series),
        }
        if let Some(upto) = self.upto {
            add("upto", &upto.to_string());
        }
        for config in &self.config {
            add("config", &config.to_string_lossy());
        }
        if let Some(stress) = stress {
            if stress.subject == SubjectArg::Rust {
                add("subject", "rust");
            }
            add("suite", &stress.suite);
            add("duration", &format!("{}ms", stress.duration));
            add("seed", &stress.seed.to_string());
            if let Some(sabotage) = &stress.sabotage {
                add("sabotage", sabotage);
            }
        }
        line
    }
}
