// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first process of a test guest: gets a job from the host, does it, reports, powers off.
//!
//! Records go over the virtio-serial port `kx.wire`, a command's output over `kx.out`; the console
//! belongs to the kernel. Tasks run in a thread of their own, so that heartbeats go on while a task
//! hangs: the host decides what a hang means.
#![forbid(unsafe_code)]

mod channel;
mod command;
mod heartbeat;
mod mounts;
mod stress;

use std::sync::Arc;
use std::time::Duration;

use rustix::system::{RebootCommand, reboot};
use wire::{End, FromGuest, Hello, Job, Outcome, Task, TestResult};

use channel::Channel;
use heartbeat::Beat;

fn main() {
    // A panic of process 1 would be a kernel panic: say it in our own words instead.
    let outcome = std::panic::catch_unwind(run);
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(why)) => eprintln!("kx-init: {why}"),
        Err(_) => eprintln!("kx-init: panicked"),
    }
    rustix::fs::sync();
    let _ = reboot(RebootCommand::PowerOff);
    // Without a way to power off, a restart ends QEMU (`-no-reboot`) just as well.
    let _ = reboot(RebootCommand::Restart);
    loop {
        std::thread::park();
    }
}

fn run() -> Result<(), String> {
    mounts::mount_all()?;
    let _ = std::fs::write("/proc/sys/kernel/hung_task_timeout_secs", "10");
    let mut channel = Channel::open()?;
    let uname = rustix::system::uname();
    channel.send(&FromGuest::Hello(Hello {
        release: uname.release().to_string_lossy().into_owned(),
        build: uname.version().to_string_lossy().into_owned(),
        cpus: std::thread::available_parallelism()
            .map_or(0, |n| u32::try_from(n.get()).unwrap_or(0)),
        boot_ms: heartbeat::uptime_ms(),
    }))?;
    let job = channel.receive_job()?;
    let channel = Arc::new(channel.into_sender());
    let beat = Arc::new(Beat::default());
    heartbeat::start(&channel, &beat, Duration::from_millis(job.heartbeat_ms.max(100)));
    let results = do_tasks(&job, &channel, &beat)?;
    std::thread::sleep(Duration::from_millis(job.settle_ms));
    beat.stop();
    let taint = std::fs::read_to_string("/proc/sys/kernel/tainted").ok();
    let taint = taint.and_then(|t| t.trim().parse().ok());
    channel.send(&FromGuest::End(End { results, taint }))
}

fn do_tasks(job: &Job, channel: &channel::Sender, beat: &Beat) -> Result<u32, String> {
    let mut results = 0;
    for task in &job.tasks {
        let name = match task {
            Task::Stress(spec) => spec.name.clone(),
            Task::Command { argv } => argv.join(" "),
            Task::Shell { .. } => "shell".to_owned(),
        };
        channel.send(&FromGuest::Started { name: name.clone() })?;
        beat.begin(&name, matches!(task, Task::Stress(_)));
        let (outcome, counters) = match task {
            Task::Stress(spec) => stress::run(spec),
            Task::Command { argv } => (command::run(argv), wire::Counters::default()),
            Task::Shell { term } => (command::shell(term), wire::Counters::default()),
        };
        beat.finish();
        if let Outcome::Broke { step, why, .. } = &outcome {
            eprintln!("kx-init: {name}: {step}: {why}");
        }
        channel.send(&FromGuest::Result(TestResult { name, outcome, counters }))?;
        results += 1;
    }
    Ok(results)
}
