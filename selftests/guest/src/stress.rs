// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running the stress loop of the `direct_target` module.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, mpsc::Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use wire::{Counters, Outcome, StressSpec};

use crate::heartbeat::{Done, Status};
use crate::{counters, module};

/// Where the module is controlled, see `selftests/modules/target/control.c`.
const CONTROL: &str = "/sys/kernel/debug/direct_target";

/// Time between two looks at the progress.
const PROGRESS: Duration = Duration::from_millis(250);

/// How long a last look at the progress may take after the loop.
const LAST_LOOK: Duration = Duration::from_secs(5);

/// Loads the modules, runs the loop, unloads them.
///
/// The counters are given back whenever the loop produced any, also when another step broke. If
/// several steps broke, the outcome is the first one's and tells of the others.
pub fn run(spec: &StressSpec, status: &Arc<Status>) -> (Outcome, Counters) {
    let mut broken = Vec::new();
    let mut loaded = Vec::new();
    for module in &spec.modules {
        match module::load(module) {
            Ok(()) => loaded.push(module),
            Err(outcome) => {
                broken.push(outcome);
                break;
            }
        }
    }
    let mut found = Counters::default();
    if broken.is_empty() {
        let (counters, outcome) = run_loop(spec, status);
        found = counters;
        broken.extend(outcome);
    }
    broken.extend(loaded.into_iter().rev().filter_map(|m| module::unload(m).err()));
    (join(broken), found)
}

fn run_loop(spec: &StressSpec, status: &Arc<Status>) -> (Counters, Option<Outcome>) {
    let progress = match Progress::watch(status) {
        Ok(progress) => progress,
        Err(why) => {
            let step = "watch the progress".to_owned();
            return (Counters::default(), Some(Outcome::Broke { step, errno: 0, why }));
        }
    };
    let written = start(spec);
    progress.end();
    judge(written, result())
}

/// What the loop produced, and what broke if anything did.
fn judge(
    written: Result<(), i32>,
    result: Result<Counters, Outcome>,
) -> (Counters, Option<Outcome>) {
    match (written, result) {
        (Ok(()), Ok(counters)) => (counters, None),
        // The loop ran and failed: its result tells at which step.
        (Err(errno), Ok(counters)) if counters.numbers.get("errno") == Some(&errno.into()) => {
            (counters, None)
        }
        // The loop never ran, so a result is none of this run's.
        (Err(errno), _) => (Counters::default(), Some(broke("write run", errno))),
        (Ok(()), Err(outcome)) => (Counters::default(), Some(outcome)),
    }
}

/// Writes the line that starts the loop, and comes back when the loop is over. The error number, if
/// it failed.
fn start(spec: &StressSpec) -> Result<(), i32> {
    let line = format!(
        "duration_ms={} workers={} targets={} seed={}",
        spec.duration_ms, spec.workers, spec.targets, spec.seed
    );
    File::options()
        .write(true)
        .open(Path::new(CONTROL).join("run"))
        .and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(|e| e.raw_os_error().unwrap_or(0))
}

fn result() -> Result<Counters, Outcome> {
    const STEP: &str = "read result";
    let text = std::fs::read_to_string(Path::new(CONTROL).join("result"))
        .map_err(|e| broke(STEP, e.raw_os_error().unwrap_or(0)))?;
    complete(&text).map_err(|why| Outcome::Broke { step: STEP.to_owned(), errno: 0, why })
}

/// A result that is not whole is none.
fn complete(text: &str) -> Result<Counters, String> {
    let counters = counters::parse(text.lines())?;
    if text.is_empty() {
        Err("it is empty: the loop never ran".to_owned())
    } else if counters.numbers.get("complete") == Some(&1) && text.ends_with("complete=1\n") {
        Ok(counters)
    } else {
        Err("it is cut: its last line is not complete=1".to_owned())
    }
}

/// A thread that keeps the heartbeats' numbers fresh. It has its own, as the read may hang.
struct Progress {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Progress {
    fn watch(status: &Arc<Status>) -> Result<Self, String> {
        let (stop, stopped) = mpsc::channel();
        let status = Arc::clone(status);
        let thread = crate::named_thread("kx-progress", move || {
            while stopped.recv_timeout(PROGRESS) == Err(RecvTimeoutError::Timeout) {
                let text = std::fs::read_to_string(Path::new(CONTROL).join("progress"));
                if let Ok(counters) = counters::parse(text.unwrap_or_default().split_whitespace()) {
                    let count = |key| counters::count(&counters, key);
                    status.progress(Done {
                        modifies: count("modifies"),
                        calls: count("calls"),
                        missed: count("missed"),
                    });
                }
            }
        })?;
        Ok(Self { stop, thread })
    }

    /// An open file keeps the module from being unloaded, so the last look must be over.
    fn end(self) {
        drop(self.stop);
        let until = Instant::now() + LAST_LOOK;
        while !self.thread.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn broke(step: &str, errno: i32) -> Outcome {
    let why = std::io::Error::from_raw_os_error(errno).to_string();
    Outcome::Broke { step: step.to_owned(), errno, why }
}

fn join(broken: Vec<Outcome>) -> Outcome {
    let mut all = broken.into_iter();
    match all.next() {
        Some(Outcome::Broke { step, errno, why }) => {
            let others = all.filter_map(|other| match other {
                Outcome::Broke { step, why, .. } => Some(format!("{step}: {why}")),
                Outcome::Completed | Outcome::Exited { .. } => None,
            });
            let why = std::iter::once(why).chain(others).collect::<Vec<_>>().join("; then ");
            Outcome::Broke { step, errno, why }
        }
        Some(outcome) => outcome,
        None => Outcome::Completed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_result_counts() {
        let why = |text: &str| complete(text).unwrap_err();
        assert_eq!(complete("calls=1\ncomplete=1\n").unwrap().numbers["calls"], 1);
        assert_eq!(why(""), "it is empty: the loop never ran");
        for cut in ["calls=1\n", "calls=1\ncomplete=1", "complete=1\ncalls=1\n", "complete=0\n"] {
            assert_eq!(why(cut), "it is cut: its last line is not complete=1", "{cut:?}");
        }
        assert_eq!(why("calls=1\nmiss\n"), "\"miss\" is not KEY=VALUE");
    }

    #[test]
    fn a_result_of_another_run_is_none() {
        let result = |errno| complete(&format!("errno={errno}\ncomplete=1\n"));
        let good = result(0).unwrap();
        let failed = result(5).unwrap();
        let refused = || Some(broke("write run", 22));
        let unread = || broke("read result", 2);
        assert_eq!(judge(Ok(()), Ok(good.clone())), (good.clone(), None));
        assert_eq!(judge(Err(5), Ok(failed.clone())), (failed.clone(), None));
        assert_eq!(judge(Err(22), Ok(good)), (Counters::default(), refused()));
        assert_eq!(judge(Err(22), Ok(failed)), (Counters::default(), refused()));
        assert_eq!(judge(Err(22), Err(unread())), (Counters::default(), refused()));
        assert_eq!(judge(Ok(()), Err(unread())), (Counters::default(), Some(unread())));
    }

    #[test]
    fn nothing_that_broke_is_forgotten() {
        assert_eq!(join(vec![]), Outcome::Completed);
        let all = vec![broke("insmod a.ko", 8), broke("rmmod b", 11)];
        let Outcome::Broke { step, errno, why } = join(all) else { panic!("it broke") };
        assert_eq!((step.as_str(), errno), ("insmod a.ko", 8));
        assert!(why.contains("; then rmmod b: "), "{why}");
    }
}
