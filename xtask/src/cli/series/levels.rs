// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask series check --build`: the levels of one kernel.

use serde::Serialize;

use super::Session;
use super::check::Check;
use crate::cell::{self, ChosenSeries, Request, Subject, Suite};
use crate::cli::run::{self, Done};
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::host::quote;
use crate::levels::{self, Boot, Level, Site, Verdict};
use crate::series::{Column, Kind, Series};
use crate::tree::{Source, Spec};

/// How long the stress loops of a booted level run, in milliseconds.
const STRESS_MS: u64 = 2000;

/// The levels of a series on one kernel.
#[derive(Debug, Serialize)]
pub struct Walked {
    /// The kernel.
    kernel: String,
    /// Its levels; none if the series does not apply.
    levels: Vec<Level>,
    /// Why there are none.
    skipped: Option<String>,
}

impl Walked {
    /// The worst of its verdicts.
    pub fn verdict(&self) -> Verdict {
        self.levels.iter().map(|l| l.verdict).max().unwrap_or(Verdict::Pass)
    }

    /// It as text.
    pub fn text(&self) -> String {
        match &self.skipped {
            Some(why) => format!("linux {}: not built: {why}\n", self.kernel),
            None => levels::text(&self.kernel, &self.levels),
        }
    }
}

/// Builds (and boots) each level of a series that applies to a kernel.
pub fn walk(
    session: &Session,
    series: &Series,
    spec: &Spec,
    source: &Source,
    column: &Column,
    check: &Check,
) -> Result<Walked, Diagnosis> {
    let (host, store) = (&session.host, &session.store);
    let kernel = source.version.to_string();
    if let Some(conflict) = &column.conflict {
        let skipped = Some(conflict.what.clone());
        return Ok(Walked { kernel, levels: Vec::new(), skipped });
    }
    let (variant, _) = series.variant_or_nearest(host, store, source)?;
    let requests = session.workspace.requests(Subject::C, &check.config)?;
    let site = Site {
        host,
        store,
        source,
        variant,
        requests: &requests,
        directory: cell::build_dir(store, source, &requests),
    };
    let suite = Suite::load(&session.workspace.suites(), "direct")?;
    let mut boot = |number: usize| {
        if column.nearest {
            let summary = "not booted: no variant is for this kernel".to_owned();
            return Ok(Boot { verdict: Verdict::Infra, summary });
        }
        let request = Request {
            kernel: spec.clone(),
            series: ChosenSeries::Series(Box::new(series.clone()), Some(number)),
            requests: requests.clone(),
            subject: Subject::C,
            suite: suite.clone(),
            duration_ms: STRESS_MS,
            seed: 1,
            sabotage: None,
            reproduce: reproduce(series, spec, number, check),
        };
        booted(session, &request)
    };
    let levels = levels::check(&site, if check.boot { Some(&mut boot) } else { None })?;
    Ok(Walked { kernel, levels, skipped: None })
}

fn reproduce(series: &Series, spec: &Spec, number: usize, check: &Check) -> String {
    let kernel = quote(&spec.name);
    let config: Vec<_> =
        check.config.iter().map(|c| format!(" --config {}", quote(&c.to_string_lossy()))).collect();
    let config = config.concat();
    match series.kind {
        Kind::Series => format!(
            "cargo xtask run --kernel {kernel} --series {} --upto {number}{config} --duration {STRESS_MS}ms",
            series.name
        ),
        Kind::Fault => {
            format!(
                "cargo xtask run --kernel {kernel} --fault {}{config} --duration {STRESS_MS}ms",
                series.name
            )
        }
    }
}

/// A level boots if its guest comes up, ends by itself and leaves nothing on the console. What its
/// stress loops count is for `run` to judge: a series may well fix in its last patch what they find.
fn booted(session: &Session, request: &Request) -> Result<Boot, Diagnosis> {
    let Done { exit, result, broken, .. } = run::one(session, request)?;
    match broken.map(|b| (b.exit, b.what)) {
        None => {}
        Some((ExitKind::CheckFailed, summary)) => {
            return Ok(Boot { verdict: Verdict::Fail, summary });
        }
        Some((ExitKind::Interrupted | ExitKind::Terminated, _)) => {
            session.host.check_cancelled()?;
        }
        Some((_, summary)) => return Ok(Boot { verdict: Verdict::Infra, summary }),
    }
    let seconds = |ms: u64| format!("{}.{} s", ms / 1000, ms % 1000 / 100);
    if let Some(finding) = result.findings.first() {
        let summary = format!("{} on the console; {}", finding.title, request.reproduce);
        return Ok(Boot { verdict: Verdict::Fail, summary });
    }
    Ok(match (exit, result.boot_ms) {
        (ExitKind::Pass | ExitKind::CheckFailed, Some(ms)) if !result.properties.is_empty() => {
            let failed =
                result.properties.iter().filter(|p| p.verdict != crate::verdict::Verdict::Pass);
            let failed: Vec<_> = failed.map(|p| p.name.as_str()).collect();
            let stress = if failed.is_empty() {
                "every property held".to_owned()
            } else {
                format!("stress: {} failed", failed.join(", "))
            };
            Boot { verdict: Verdict::Pass, summary: format!("booted in {}, {stress}", seconds(ms)) }
        }
        (ExitKind::CheckFailed, _) => Boot { verdict: Verdict::Fail, summary: result.reason },
        _ => Boot { verdict: Verdict::Infra, summary: result.reason },
    })
}
