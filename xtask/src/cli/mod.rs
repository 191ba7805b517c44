// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line: one file a command, and thin.

mod boot;
mod build;
mod clean;
mod compare;
mod doctor;
mod kconfig;
mod kernel;
mod matrix;
mod report;
mod run;
mod select;
mod series;
mod setup;
mod shell;
mod test;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::Serialize;

use crate::cell::Workspace;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::host::{Cancel, Host, Progress};
use crate::store::{Key, Lock, Store};

/// Apply, build, boot and stress kernel patch series.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options that work with every command.
#[derive(Debug, Args)]
pub struct Global {
    /// What standard output gets: text, or exactly one JSON document
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Show every command that is run
    #[arg(short, long, global = true)]
    verbose: bool,
    /// Show nothing but errors and the result
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    color: Color,
    /// Print what would be done, and do nothing
    #[arg(long, global = true)]
    dry_run: bool,
}

/// Formats of standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    /// Markdown, for CI summaries; `report` and `compare` only
    Md,
    /// JUnit XML; `report` only
    Junit,
    /// KTAP; `report` only
    Ktap,
    /// Jobs for GitHub Actions; `matrix --list` only
    Github,
    /// A child pipeline for GitLab; `matrix --list` only
    Gitlab,
    /// JSON for KCIDB, the database of kernel CI systems; `report` only
    Kcidb,
    /// One HTML page that needs nothing else; `report` only
    Html,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Install what the host lacks
    Setup(setup::Setup),
    /// Show what works on this machine
    Doctor,
    /// Kernel sources
    #[command(subcommand)]
    Kernel(kernel::Kernel),
    /// Patch series
    #[command(subcommand)]
    Series(series::SeriesCommand),
    /// Configuration fragments
    #[command(subcommand)]
    Kconfig(kconfig::Kconfig),
    /// Build a kernel and its modules
    Build(build::Build),
    /// Boot a kernel: a shell, or one command
    Boot(boot::Boot),
    /// One cell: apply, build, boot, stress, judge
    Run(run::Run),
    /// Many cells: every kernel, series, configuration and subject of matrix.yaml
    Matrix(matrix::Matrix),
    /// Show results
    Report(report::Report),
    /// Show what changed between two runs or matrices
    Compare(compare::Compare),
    /// Show and trim the caches
    Clean(clean::Clean),
    /// The project's own tests
    Test(test::Test),
    /// Completions for a shell
    Completions(shell::Completions),
    /// The manual page
    Man,
}

/// What every command gets.
#[derive(Debug)]
pub struct Session {
    host: Host,
    store: Store,
    workspace: Workspace,
    format: Format,
    dry_run: bool,
}

impl Session {
    /// Keeps others from writing to `patches/` until the lock is dropped.
    fn lock_patches(&self) -> Result<Lock, Diagnosis> {
        let patches = self.workspace.patches();
        let key = Key::of("patches").with("path", patches.as_os_str().as_encoded_bytes()).finish();
        self.store.lock(&self.host, &format!("patches-{}", key.short()))
    }

    /// Prints text, or the value as JSON, on standard output.
    fn print(&self, text: &str, value: &impl Serialize) -> Result<(), Diagnosis> {
        to_stdout(&self.document(text, value)?);
        Ok(())
    }

    /// Text, or the value as JSON.
    fn document(&self, text: &str, value: &impl Serialize) -> Result<String, Diagnosis> {
        match self.format {
            Format::Json | Format::Kcidb => serde_json::to_string_pretty(value)
                .map_err(|e| Diagnosis::infra(format!("cannot put the result into JSON: {e}"))),
            _ => Ok(text.trim_end().to_owned()),
        }
    }
}

/// A reader that went away (`| head`) is no error of ours.
fn to_stdout(document: &str) {
    let _ = writeln!(std::io::stdout(), "{document}");
}

/// The whole tool.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let format = cli.global.format;
    match run(cli) {
        Ok(Ending::Kind(kind)) => ExitCode::from(kind.code()),
        Ok(Ending::Code(code)) => ExitCode::from(code),
        Err(diagnosis) => {
            let _ = writeln!(std::io::stderr(), "error: {diagnosis}");
            if format == Format::Json {
                let document = serde_json::json!({
                    "error": diagnosis.what,
                    "details": diagnosis.details,
                    "next": diagnosis.next,
                    "reproduce": diagnosis.reproduce,
                    "exit_code": diagnosis.exit.code(),
                });
                let _ = writeln!(std::io::stdout(), "{document:#}");
            }
            ExitCode::from(diagnosis.exit.code())
        }
    }
}

/// How a command ends well.
#[derive(Debug)]
pub enum Ending {
    /// With one of the tool's own exit codes.
    Kind(ExitKind),
    /// With the exit code of a command in a guest.
    Code(u8),
}

impl From<ExitKind> for Ending {
    fn from(kind: ExitKind) -> Self {
        Self::Kind(kind)
    }
}

fn run(cli: Cli) -> Result<Ending, Diagnosis> {
    match cli.global.color {
        Color::Auto => {}
        // indicatif draws with the console crate.
        Color::Always => console::set_colors_enabled_stderr(true),
        Color::Never => console::set_colors_enabled_stderr(false),
    }
    match cli.command {
        Command::Completions(completions) => return Ok(completions.run::<Cli>().into()),
        Command::Man => return shell::man::<Cli>().map(Into::into),
        _ => {}
    }
    let fits = match cli.global.format {
        Format::Text | Format::Json => true,
        Format::Md => matches!(cli.command, Command::Report(_) | Command::Compare(_)),
        Format::Junit | Format::Ktap | Format::Kcidb | Format::Html => {
            matches!(cli.command, Command::Report(_))
        }
        Format::Github | Format::Gitlab => {
            matches!(&cli.command, Command::Matrix(matrix) if matrix.lists())
        }
    };
    if !fits {
        let words = "--format md, html, junit, ktap and kcidb show results: they go with `report`, and md \
                     with `compare`; github and gitlab go with `matrix --list`";
        return Err(Diagnosis::usage(words).next("use --format text or json here"));
    }
    let progress = Progress::detect(cli.global.quiet);
    let session = Session {
        host: Host::new(Cancel::listen()?, progress, cli.global.verbose),
        store: Store::locate()?,
        workspace: Workspace::locate(),
        format: cli.global.format,
        dry_run: cli.global.dry_run,
    };
    match cli.command {
        Command::Setup(setup) => setup.run(&session).map(Into::into),
        Command::Doctor => doctor::run(&session).map(Into::into),
        Command::Kernel(kernel) => kernel.run(&session).map(Into::into),
        Command::Series(series) => series.run(&session).map(Into::into),
        Command::Kconfig(kconfig) => kconfig.run(&session).map(Into::into),
        Command::Build(build) => build.run(&session).map(Into::into),
        Command::Boot(boot) => boot.run(&session),
        Command::Run(run) => run.run(&session).map(Into::into),
        Command::Matrix(matrix) => matrix.run(&session).map(Into::into),
        Command::Report(report) => report.run(&session).map(Into::into),
        Command::Compare(compare) => compare.run(&session).map(Into::into),
        Command::Clean(clean) => clean.run(&session).map(Into::into),
        Command::Test(test) => test.run(&session),
        Command::Completions(_) | Command::Man => Ok(ExitKind::Pass.into()),
    }
}

/// What a matrix skips is wrong input where somebody asks for just that.
fn as_usage(mut diagnosis: Diagnosis) -> Diagnosis {
    if diagnosis.exit == ExitKind::Skipped {
        diagnosis.exit = ExitKind::Usage;
    }
    diagnosis
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
