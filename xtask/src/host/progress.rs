// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a person sees while the tool works.
//!
//! On a terminal each step is one line with its elapsed time and the last thing its program said.
//! Redirected, it is a line at the start and one at the end. On a CI service that folds output,
//! everything a step's programs say is kept in a group. All of it goes to standard error.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How steps are shown.
#[derive(Debug, Clone)]
pub struct Progress {
    show: Show,
    current: Arc<Mutex<Option<ProgressBar>>>,
}

/// Something that happened in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// It began; its title.
    Begins(&'a str),
    /// The last thing that its program said.
    Says(&'a str),
    /// It ended: a mark, its title, and what came of it.
    Ends(&'a str),
    /// Something to be told, in or between steps.
    Note(&'a str),
}

/// Somebody who shows steps in another way.
pub trait Listener: std::fmt::Debug + Send + Sync {
    /// Called for each event, in order.
    fn hear(&self, event: Event<'_>);
}

#[derive(Debug, Clone)]
enum Show {
    Hidden,
    Told(Arc<dyn Listener>),
    Plain,
    Terminal,
    GithubGroups,
    GitlabSections,
}

impl Progress {
    /// Chooses by what standard error is and by the environment; `quiet` shows nothing.
    pub fn detect(quiet: bool) -> Self {
        let set = |key: &str| std::env::var_os(key).is_some_and(|v| v == "true");
        let show = if quiet {
            Show::Hidden
        } else if set("GITHUB_ACTIONS") {
            Show::GithubGroups
        } else if set("GITLAB_CI") {
            Show::GitlabSections
        } else if std::io::stderr().is_terminal() {
            Show::Terminal
        } else {
            Show::Plain
        };
        Self { show, current: Arc::default() }
    }

    /// Tells a listener, and nobody else.
    pub fn told(listener: Arc<dyn Listener>) -> Self {
        Self { show: Show::Told(listener), current: Arc::default() }
    }

    /// Shows nothing.
    pub fn hidden() -> Self {
        Self { show: Show::Hidden, current: Arc::default() }
    }

    /// Whether nothing is to be shown.
    pub fn is_hidden(&self) -> bool {
        matches!(self.show, Show::Hidden)
    }

    /// Begins a step. It ends with [`Step::done`], or as failed when it is dropped before.
    pub fn step(&self, name: &str, subject: &str) -> Step {
        let title = format!("{name:<8} {subject}");
        let mut bar = None;
        match &self.show {
            Show::Hidden => {}
            Show::Told(listener) => listener.hear(Event::Begins(&title)),
            Show::Plain => say(&format!("{title} …")),
            Show::GithubGroups => say(&format!("::group::{title}")),
            Show::GitlabSections => {
                let id = section_id(&title);
                say(&format!("\x1b[0Ksection_start:{}:{id}\r\x1b[0K{title}", seconds()));
            }
            Show::Terminal => {
                let spinner = ProgressBar::new_spinner();
                let style = ProgressStyle::with_template(
                    "{spinner:.cyan} {prefix} {elapsed:.dim} {wide_msg:.dim}",
                );
                spinner.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
                spinner.set_prefix(title.clone());
                spinner.enable_steady_tick(Duration::from_millis(120));
                *self.lock() = Some(spinner.clone());
                bar = Some(spinner);
            }
        }
        Step { progress: self.clone(), title, bar, started: Instant::now(), over: false }
    }

    /// Says one line, above any step that is being shown.
    pub fn note(&self, text: &str) {
        match (&self.show, self.lock().as_ref()) {
            (Show::Hidden, _) => {}
            (Show::Told(listener), _) => listener.hear(Event::Note(text)),
            (_, Some(bar)) => bar.suspend(|| say(text)),
            (_, None) => say(text),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<ProgressBar>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A step that is being shown.
#[derive(Debug)]
pub struct Step {
    progress: Progress,
    title: String,
    bar: Option<ProgressBar>,
    started: Instant,
    over: bool,
}

impl Step {
    /// The last thing that the step's program said.
    pub fn line(&self, text: &str) {
        match &self.progress.show {
            Show::Told(listener) => listener.hear(Event::Says(text)),
            Show::Terminal => {
                if let Some(bar) = &self.bar {
                    bar.set_message(text.trim().to_owned());
                }
            }
            Show::GithubGroups | Show::GitlabSections => say(text),
            Show::Plain | Show::Hidden => {}
        }
    }

    /// Ends the step well; `outcome` says in a few words what came of it.
    pub fn done(mut self, outcome: &str) {
        self.end("✓", outcome);
    }

    fn end(&mut self, mark: &str, outcome: &str) {
        self.over = true;
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
            *self.progress.lock() = None;
        }
        let took = self.started.elapsed().as_secs_f64();
        let text = format!("{mark} {} {outcome} ({took:.1} s)", self.title);
        match &self.progress.show {
            Show::Hidden => {}
            Show::Told(listener) => listener.hear(Event::Ends(&text)),
            Show::Plain | Show::Terminal => say(&text),
            Show::GithubGroups => say(&format!("::endgroup::\n{text}")),
            Show::GitlabSections => {
                let id = section_id(&self.title);
                say(&format!("\x1b[0Ksection_end:{}:{id}\r\x1b[0K{text}", seconds()));
            }
        }
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        if !self.over {
            self.end("✗", "failed");
        }
    }
}

fn section_id(title: &str) -> String {
    title.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

fn seconds() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// Standard error may be closed; that must not end the job.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
