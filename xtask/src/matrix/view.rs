// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a person sees of a running matrix: a line a cell on a terminal, plain lines elsewhere, and
//! a log file a cell everywhere.

use std::fs::File;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::{Standing, StandingKind};
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::{Event, Listener};

/// Shows a matrix. Clones show the same one.
#[derive(Debug, Clone)]
pub struct View {
    shown: Shown,
    done: Arc<Mutex<usize>>,
    total: usize,
}

#[derive(Debug, Clone)]
enum Shown {
    Nothing,
    Lines,
    Bars(MultiProgress),
}

impl View {
    /// Chooses by what standard error is; `quiet` shows nothing.
    pub fn detect(quiet: bool, total: usize, done: usize) -> Self {
        let shown = if quiet {
            Shown::Nothing
        } else if std::io::stderr().is_terminal() {
            Shown::Bars(MultiProgress::new())
        } else {
            Shown::Lines
        };
        Self { shown, done: Arc::new(Mutex::new(done)), total }
    }

    /// Says one line.
    pub fn say(&self, text: &str) {
        match &self.shown {
            Shown::Nothing => {}
            Shown::Lines => drop(writeln!(std::io::stderr(), "{text}")),
            Shown::Bars(bars) => bars.suspend(|| drop(writeln!(std::io::stderr(), "{text}"))),
        }
    }

    /// Begins to show a job; what its steps say goes into the log as well.
    pub fn job(&self, name: &str, log: &Path) -> Result<Arc<JobView>, Diagnosis> {
        let file = File::options()
            .create(true)
            .append(true)
            .open(log)
            .map_err(|e| on_path("open", log, &e))?;
        let bar = match &self.shown {
            Shown::Bars(bars) => {
                let style = ProgressStyle::with_template(
                    "{spinner:.cyan} {prefix} {elapsed:.dim} {wide_msg}",
                );
                let bar = bars.add(ProgressBar::new_spinner());
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
                bar.set_prefix(name.to_owned());
                bar.enable_steady_tick(Duration::from_millis(120));
                Some(bar)
            }
            Shown::Nothing | Shown::Lines => None,
        };
        Ok(Arc::new(JobView {
            name: name.to_owned(),
            started: Instant::now(),
            log: Mutex::new(file),
            bar,
            step: Mutex::new(String::new()),
            view: self.clone(),
        }))
    }

    /// Says how a cell ended.
    pub fn ended(&self, standing: &Standing, took: Option<Duration>) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1;
        let width = self.total.to_string().len();
        let took = took.map(|t| format!(" ({:.0} s)", t.as_secs_f64())).unwrap_or_default();
        self.say(&format!(
            "[{:>width$}/{}] {} {}: {}{took}",
            *done,
            self.total,
            mark(standing.kind),
            standing.id,
            in_words(standing),
        ));
    }
}

fn mark(kind: StandingKind) -> &'static str {
    match kind {
        StandingKind::AsExpected => "✓",
        StandingKind::Skipped => "-",
        StandingKind::PreExisting => "=",
        StandingKind::Unexpected => "✗",
        StandingKind::Unknown | StandingKind::NotRun => "!",
    }
}

fn in_words(standing: &Standing) -> String {
    match standing.kind {
        StandingKind::AsExpected if standing.expected == "pass" => "pass".to_owned(),
        StandingKind::AsExpected => format!("fails as expected: {}", standing.note),
        StandingKind::Skipped => format!("skipped: {}", standing.note),
        StandingKind::PreExisting => format!("pre-existing: {}", standing.note),
        StandingKind::Unexpected => format!("expected {}: {}", standing.expected, standing.note),
        StandingKind::Unknown => format!("unknown: {}", standing.note),
        StandingKind::NotRun => format!("not run: {}", standing.note),
    }
}

/// Shows one job.
#[derive(Debug)]
pub struct JobView {
    name: String,
    started: Instant,
    log: Mutex<File>,
    bar: Option<ProgressBar>,
    step: Mutex<String>,
    view: View,
}

impl JobView {
    /// How long it has been at it.
    pub fn took(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Listener for JobView {
    fn hear(&self, event: Event<'_>) {
        let (Event::Begins(text) | Event::Says(text) | Event::Ends(text) | Event::Note(text)) =
            event;
        // The log is an aid: a full disk is reported by the step whose output matters.
        let _ = writeln!(self.log.lock().unwrap_or_else(PoisonError::into_inner), "{text}");
        let mut step = self.step.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Begins(title) => {
                title.split_whitespace().next().unwrap_or_default().clone_into(&mut step);
                if let Some(bar) = &self.bar {
                    bar.set_message(step.clone());
                } else if *step == "build" {
                    // The one step that takes minutes.
                    self.view.say(&format!("        {} builds …", self.name));
                }
            }
            Event::Says(line) => {
                if let Some(bar) = &self.bar {
                    bar.set_message(format!("{step}: {}", line.trim()));
                }
            }
            Event::Ends(_) => {}
            Event::Note(text) => self.view.say(&format!("        {}: {text}", self.name)),
        }
    }
}

impl Drop for JobView {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
