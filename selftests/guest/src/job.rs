// SPDX-License-Identifier: MIT OR Apache-2.0
//! Doing a job's tasks, one after the other.

use std::sync::Arc;
use std::time::{Duration, Instant};

use wire::{Counters, End, FromGuest, Job, Outcome, Task, TestResult};

use crate::channel::Channel;
use crate::command::{self, Output};
use crate::heartbeat::Status;
use crate::{child, console, shell, stress};

/// Time between two looks for orphans while there is nothing else to do.
const TIDY: Duration = Duration::from_millis(500);

/// Does all tasks, reports each, and goes on watching for the settle time.
///
/// # Errors
/// Only if the host cannot be told. What goes wrong in a task is in its result.
pub fn run(job: &Job, channel: &Channel, status: &Arc<Status>) -> Result<End, String> {
    let mut results = 0;
    let mut output = Output::default();
    for task in &job.tasks {
        let name = name(task);
        channel.send(&FromGuest::Started { name: name.clone() })?;
        status.begin(&name);
        let (outcome, counters) = match task {
            Task::Stress(spec) => stress::run(spec, status),
            Task::Command { argv } => (command::run(argv, &mut output), Counters::default()),
            Task::Shell { term, rows, columns } => {
                (shell::run(term, *rows, *columns), Counters::default())
            }
        };
        status.finish();
        child::reap_orphans();
        if let Outcome::Broke { step, why, .. } = &outcome {
            console::say(&format!("{name}: {step}: {why}"));
        }
        channel.send(&FromGuest::Result(TestResult { name, outcome, counters }))?;
        results += 1;
    }
    settle(Duration::from_millis(job.settle_ms));
    Ok(End { results, taint: taint(), output_bytes: output.bytes() })
}

fn name(task: &Task) -> String {
    match task {
        Task::Stress(spec) => spec.name.clone(),
        Task::Command { argv } => argv.join(" "),
        Task::Shell { .. } => "shell".to_owned(),
    }
}

fn settle(time: Duration) {
    let until = Instant::now() + time;
    loop {
        child::reap_orphans();
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(TIDY));
    }
}

/// See the kernel's `Documentation/admin-guide/tainted-kernels.rst`.
fn taint() -> Option<u64> {
    std::fs::read_to_string("/proc/sys/kernel/tainted").ok()?.trim().parse().ok()
}
