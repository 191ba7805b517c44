// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the cells of a matrix.
//!
//! One thread fetches sources ahead of the builds. Builder threads take a chain each and build its
//! levels; a level that is ready goes to the runner threads, which boot and judge its cells. Makes
//! and guests share the slots of one jobserver, so guests fill the cores that builds leave idle.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::view::{JobView, View};
use super::{Build, Chain, Record, StandingKind, chains, directory, space};
use crate::cell::{self, Prepared, Request, Workspace};
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::host::{Host, Progress, Slots};
use crate::store::{RunDir, Store, write_json};
use crate::tree;
use crate::verdict::{RunResult, Verdict};

/// How often a thread that waits for another looks at the cancel flag.
const TICK: Duration = Duration::from_millis(100);

/// How a matrix is run.
#[derive(Debug)]
pub struct Runner<'a> {
    /// The machine.
    pub host: &'a Host,
    /// The caches.
    pub store: &'a Store,
    /// The checkout.
    pub workspace: &'a Workspace,
    /// What is shown.
    pub view: &'a View,
    /// The run directory.
    pub run: &'a RunDir,
    /// How many cores are used.
    pub jobs: usize,
    /// Whether the first cell that is not as expected ends it.
    pub fail_fast: bool,
    /// MiB that are kept free on the disk.
    pub keep_mib: u64,
}

/// What the threads share.
struct Shared<'a> {
    runner: &'a Runner<'a>,
    requests: &'a [Request],
    slots: Slots,
    state: Mutex<State<'a>>,
    changed: Condvar,
    /// No new job is begun any more.
    stop: AtomicBool,
}

struct State<'a> {
    record: &'a mut Record,
    results: Vec<Option<RunResult>>,
    chains: VecDeque<(usize, Chain)>,
    /// By chain: whether its source has been fetched, or failed to be.
    fetched: Vec<bool>,
    ready: VecDeque<Ready>,
    builders: usize,
    broken: Option<Diagnosis>,
}

/// A cell that only needs a guest.
struct Ready {
    at: usize,
    prepared: Prepared,
    result: RunResult,
    job: Arc<JobView>,
    host: Host,
}

/// Whether a cell of a run that is resumed is to be run: it has no result, or one that says nothing
/// of the kernel.
pub fn to_do(result: Option<&RunResult>) -> bool {
    result.is_none_or(|r| r.verdict == Verdict::Infra)
}

impl Runner<'_> {
    /// Runs the cells that have no result yet. `results` and `requests` have one for each cell;
    /// `chains` is what [`chains_to_do`] says.
    pub fn run(
        &self,
        record: &mut Record,
        requests: &[Request],
        results: Vec<Option<RunResult>>,
        chains: &[Chain],
    ) -> Result<ExitKind, Diagnosis> {
        let builders = chains.len().min((self.jobs / 2).max(1));
        let shared = Shared {
            runner: self,
            requests,
            slots: Slots::new(self.jobs)?,
            state: Mutex::new(State {
                record,
                results,
                fetched: vec![false; chains.len()],
                chains: chains.iter().cloned().enumerate().collect(),
                ready: VecDeque::new(),
                builders,
                broken: None,
            }),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
        };
        shared.skip_what_cannot_be_had()?;
        std::thread::scope(|scope| {
            scope.spawn(|| shared.fetch_ahead(chains));
            for _ in 0..builders {
                scope.spawn(|| shared.build_chains());
            }
            for _ in 0..self.jobs {
                scope.spawn(|| shared.run_ready());
            }
        });
        let mut state = shared.lock();
        self.host.check_cancelled()?;
        if let Some(broken) = state.broken.take() {
            return Err(broken);
        }
        let results = std::mem::take(&mut state.results);
        let exit = state.record.judge(&results);
        state.record.ended = Some(jiff::Timestamp::now());
        state.record.save(self.run)?;
        Ok(exit)
    }
}

/// The chains with what is still to be done of them.
pub fn chains_to_do(record: &Record, results: &[Option<RunResult>]) -> Vec<Chain> {
    let cells: Vec<_> = record.cells.iter().map(|c| c.cell.clone()).collect();
    let mut chains = chains(&cells);
    for chain in &mut chains {
        for build in &mut chain.builds {
            build.cells.retain(|&at| to_do(results[at].as_ref()));
        }
        chain.builds.retain(|build| !build.cells.is_empty());
    }
    chains.retain(|chain| !chain.builds.is_empty());
    chains
}

impl<'a> Shared<'a> {
    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.runner.host.cancel.is_set()
    }

    /// Waits until something changed, or for a moment.
    fn wait<'s>(&'s self, state: MutexGuard<'s, State<'a>>) -> MutexGuard<'s, State<'a>> {
        self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0
    }

    /// The tool itself failed: nothing more is begun.
    fn break_off(&self, why: Diagnosis) {
        self.stop.store(true, Ordering::Relaxed);
        self.lock().broken.get_or_insert(why);
        self.changed.notify_all();
    }

    fn skip_what_cannot_be_had(&self) -> Result<(), Diagnosis> {
        let skipped: Vec<(usize, String)> = {
            let state = self.lock();
            let cells = state.record.cells.iter().enumerate();
            let cells = cells.filter(|(at, _)| to_do(state.results[*at].as_ref()));
            cells.filter_map(|(at, c)| Some((at, c.cell.skip.clone()?))).collect()
        };
        for (at, why) in skipped {
            let mut result = cell::new_result(&self.requests[at]);
            cell::finish_with(&mut result, &Diagnosis::new(ExitKind::Skipped, why));
            self.cell_directory(at)?;
            self.finish(at, result, None)?;
        }
        Ok(())
    }

    fn cell_directory(&self, at: usize) -> Result<RunDir, Diagnosis> {
        let id = self.lock().record.cells[at].cell.id.clone();
        self.runner.run.part(PathBuf::from("cells").join(id))
    }

    /// Writes a cell's result down, and judges the matrix anew.
    fn finish(
        &self,
        at: usize,
        result: RunResult,
        took: Option<Duration>,
    ) -> Result<(), Diagnosis> {
        let mut state = self.lock();
        let place = directory(self.runner.run, &state.record.cells[at].cell);
        write_json(&place.join("result.json"), &result)?;
        state.results[at] = Some(result);
        let results = std::mem::take(&mut state.results);
        state.record.judge(&results);
        state.results = results;
        state.record.save(self.runner.run)?;
        let record = &state.record.cells[at];
        self.runner.view.ended(&record.standing, took);
        if self.runner.fail_fast && record.standing.kind == StandingKind::Unexpected {
            let baseline = record.cell.baseline.as_ref();
            let pending =
                state.record.cells.iter().any(|c| {
                    Some(&c.cell.id) == baseline && c.standing.kind == StandingKind::NotRun
                });
            // A baseline may show yet that the failure was there before.
            if !pending {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    fn fetch_ahead(&self, chains: &[Chain]) {
        for (nth, chain) in chains.iter().enumerate() {
            if self.stopped() {
                return;
            }
            let at =
                chain.builds.first().and_then(|b| b.cells.first()).copied().unwrap_or_default();
            if let Err(why) = self.fetch(at, chain) {
                // The build tries again, and then it is a result.
                self.runner.view.say(&format!("linux {}: {}", chain.kernel, why.what));
            }
            self.lock().fetched[nth] = true;
            self.changed.notify_all();
        }
    }

    fn fetch(&self, at: usize, chain: &Chain) -> Result<(), Diagnosis> {
        let spec = &self.requests[at].kernel;
        let (runner, store) = (self.runner, self.runner.store);
        if tree::resolve(runner.host, store, spec, true)?.is_some() {
            return Ok(());
        }
        let log = runner.run.file("fetch.txt");
        let job = runner.view.job(&format!("linux {}", chain.kernel), &log)?;
        let progress = Progress::told(job.clone());
        let host = runner.host.beside(progress, self.slots.clone());
        let source = tree::fetch(&host, store, spec, false)?;
        let took = job.took().as_secs();
        drop((host, job));
        runner.view.say(&format!("        linux {} is here ({took} s)", source.version));
        Ok(())
    }

    fn build_chains(&self) {
        loop {
            let mut state = self.lock();
            let Some((nth, chain)) = state.chains.pop_front() else { break };
            while !state.fetched[nth] && !self.stopped() {
                state = self.wait(state);
            }
            drop(state);
            for build in &chain.builds {
                if let Err(why) = self.build(build) {
                    self.break_off(why);
                }
            }
        }
        self.lock().builders -= 1;
        self.changed.notify_all();
    }

    /// Builds a level and hands its cells on. A level that fails is not built again for each cell.
    fn build(&self, build: &Build) -> Result<(), Diagnosis> {
        let runner = self.runner;
        let mut failed: Option<Diagnosis> = None;
        for &at in &build.cells {
            if self.stopped() {
                return Ok(());
            }
            space::keep(runner.store.root(), runner.keep_mib)?;
            let request = &self.requests[at];
            let place = self.cell_directory(at)?;
            let mut result = cell::new_result(request);
            write_json(&place.file("result.json"), &result)?;
            let id = self.lock().record.cells[at].cell.id.clone();
            let job = runner.view.job(&id, &place.file("log.txt"))?;
            let host = runner.host.beside(Progress::told(job.clone()), self.slots.clone());
            host.log_commands_to(&place.file("commands.log"))?;
            let outcome = match &failed {
                Some(why) => Err(why.clone()),
                None => cell::prepare(
                    &host,
                    runner.store,
                    runner.workspace,
                    request,
                    false,
                    &mut result,
                ),
            };
            match outcome {
                Ok(prepared) => {
                    let ready = Ready { at, prepared, result, job, host };
                    self.lock().ready.push_back(ready);
                    self.changed.notify_all();
                }
                // It goes on when the matrix is resumed.
                Err(_) if runner.host.cancel.is_set() => return Ok(()),
                Err(why) => {
                    cell::finish_with(&mut result, &why);
                    self.finish(at, result, Some(job.took()))?;
                    // What one subject cannot have says nothing of the others.
                    if why.exit != ExitKind::Skipped {
                        failed = Some(why);
                    }
                }
            }
        }
        Ok(())
    }

    fn run_ready(&self) {
        loop {
            let ready = {
                let mut state = self.lock();
                loop {
                    if self.stopped() {
                        return;
                    }
                    if let Some(ready) = state.ready.pop_front() {
                        break ready;
                    }
                    if state.builders == 0 {
                        return;
                    }
                    state = self.wait(state);
                }
            };
            if let Err(why) = self.stress(ready) {
                self.break_off(why);
            }
        }
    }

    fn stress(&self, ready: Ready) -> Result<(), Diagnosis> {
        let Ready { at, prepared, mut result, job, host } = ready;
        let place = self.cell_directory(at)?;
        let (runner, request) = (self.runner, &self.requests[at]);
        let outcome = cell::stress(
            &host,
            runner.store,
            runner.workspace,
            request,
            &prepared,
            &place,
            &mut result,
        );
        if runner.host.cancel.is_set() {
            return Ok(());
        }
        if let Err(why) = outcome {
            cell::finish_with(&mut result, &why);
        }
        self.finish(at, result, Some(job.took()))
    }
}
