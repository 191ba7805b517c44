// SPDX-License-Identifier: MIT OR Apache-2.0
//! Showing results to a person.

mod check;
mod gather;
mod history;
mod html;
mod junit;
mod kcidb;
mod ktap;
mod log;
mod markdown;
pub mod page;
mod standing;
mod table;
pub mod words;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub use gather::{history, page_cells};
pub use history::History;
pub use html::{PageCell, html};
pub use junit::junit;
pub use kcidb::{Origin, kcidb};
pub use ktap::ktap;
pub use log::{Log, cut};
pub use markdown::markdown;
pub use table::table;

use crate::cell::PlannedStep;
use crate::matrix::Standing;
use crate::verdict::{RunResult, Verdict};

/// Lines of a finding's report that a summary shows.
const EXCERPT: usize = 12;

/// Frames of a finding that a summary shows.
const FRAMES: usize = 10;

/// A result with the name of its run.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The run.
    pub run: String,
    /// Where its files lie: `console.log` and the rest.
    pub directory: PathBuf,
    /// Its result. A cell of a matrix that was not run has one that says so.
    pub result: RunResult,
    /// How it stands in its matrix, if it belongs to one.
    pub standing: Option<Standing>,
}

/// Names a cell: as its matrix does, else kernel, series, subject, suite.
fn cell_name(shown: &Shown) -> String {
    if let Some(standing) = &shown.standing {
        return standing.id.clone();
    }
    let result = &shown.result;
    let kernel = result.kernel.as_ref().map(|k| k.version.to_string());
    let kernel = kernel.unwrap_or_else(|| "unknown kernel".into());
    let series = &result.series;
    let level = match series.not_applied.len() {
        0 => String::new(),
        _ => format!(":{}", series.applied.len()),
    };
    format!("{kernel}/{}{level}/{}/{}", series.name, result.subject, result.suite)
}

/// A number with a letter for its size: 53.8 M.
pub fn count(n: u64) -> String {
    let scaled =
        |unit: u64, letter: &str| format!("{}.{} {letter}", n / unit, n % unit * 10 / unit);
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => scaled(1_000, "k"),
        1_000_000..1_000_000_000 => scaled(1_000_000, "M"),
        _ => scaled(1_000_000_000, "G"),
    }
}

fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "✓",
        Verdict::Fail => "✗",
        Verdict::Skip => "-",
        Verdict::Infra => "!",
    }
}

/// A result, as text for a terminal.
pub fn summary(result: &RunResult, run: &Path) -> String {
    let mut text = String::new();
    let verdict = result.verdict.name().to_uppercase();
    let _ = writeln!(text, "\n{} {verdict}  {}", mark(result.verdict), result.reason);
    let kernel = result.kernel.as_ref();
    if let Some(kernel) = kernel {
        let _ = writeln!(text, "  kernel    {} ({})", kernel.version, kernel.source);
    }
    let series = &result.series;
    let total = series.applied.len() + series.not_applied.len();
    let level = if total == 0 {
        String::new()
    } else {
        format!(", {} of {total} patches", series.applied.len())
    };
    let _ = writeln!(text, "  series    {}{level}", series.name);
    for offset in series.offsets.iter().chain(&series.notes) {
        let _ = writeln!(text, "            {offset}");
    }
    let number = |key: &str| result.stress.get(key).copied().and_then(|n| u64::try_from(n).ok());
    if let (Some(modifies), Some(calls)) = (number("modifies"), number("calls")) {
        let mut line = format!("{modifies} modifies, {} calls", count(calls));
        for key in ["missed", "doubled", "stale"] {
            if let Some(n) = number(key) {
                let _ = write!(line, ", {n} {key}");
            }
        }
        let _ = writeln!(text, "  stress    {line}");
    }
    if let (Some(boot), Some(accel)) = (result.boot_ms, result.accel) {
        let _ =
            writeln!(text, "  guest     booted in {:.1} s ({})", seconds(boot), accel.argument());
    }
    for property in &result.properties {
        let _ = writeln!(
            text,
            "  {} {:<32} {}",
            mark(property.verdict),
            property.name,
            property.detail
        );
    }
    for finding in &result.findings {
        let _ = writeln!(
            text,
            "\n  finding: {} (console.log line {})",
            finding.title, finding.first_line
        );
        for line in finding.excerpt.lines().take(EXCERPT) {
            let _ = writeln!(text, "    | {line}");
        }
        let frames: Vec<_> = finding.frames.iter().filter(|f| !f.doubtful).collect();
        for frame in frames.iter().take(FRAMES) {
            let _ = writeln!(text, "    {}", frame.place());
        }
        if frames.len() > FRAMES {
            let _ = writeln!(text, "    … {} more frames in result.json", frames.len() - FRAMES);
        }
    }
    let steps: Vec<_> = result
        .steps
        .iter()
        .map(|s| {
            let cached = if s.cached { " (cached)" } else { "" };
            format!("{} {:.1} s{cached}", s.name, seconds(s.ms))
        })
        .collect();
    let _ = writeln!(text, "\n  steps     {}", steps.join(", "));
    let _ = writeln!(text, "  run       {}", run.display());
    let _ = writeln!(text, "  reproduce {}", result.reproduce);
    text
}

fn seconds(ms: u64) -> f64 {
    std::time::Duration::from_millis(ms).as_secs_f64()
}

/// The plan of a dry run.
pub fn plan(steps: &[PlannedStep]) -> String {
    let mut text = String::new();
    for step in steps {
        let cached = match step.cached {
            Some(true) => "cached",
            Some(false) => "to do",
            None => "depends on the steps before",
        };
        let _ = writeln!(text, "{:<8} {} [{cached}]", step.name, step.subject);
        for command in &step.commands {
            let _ = writeln!(text, "         $ {command}");
        }
    }
    text
}

#[cfg(test)]
mod tests;
