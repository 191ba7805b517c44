// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first process of a test guest: gets a job from the host, does it, reports, powers off.
//!
//! Records go over the virtio-serial port `kx.wire`, a command's output over `kx.out`; the console
//! belongs to the kernel. The first thread only waits: the job, the heartbeats and the reading of
//! a stress loop's progress each have a thread of their own, so that the guest shows signs of life
//! while any of them hangs in the kernel. What a hang means is for the host to decide.
#![forbid(unsafe_code)]

mod channel;
mod child;
mod command;
mod console;
mod counters;
mod heartbeat;
mod job;
mod module;
mod mounts;
mod port;
mod power;
mod program;
mod session;
mod shell;
mod stress;

use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use wire::{FromGuest, Hello};

use channel::Channel;
use heartbeat::Status;

/// Seconds that a task may be blocked before the kernel reports it. Its default of 120 is longer
/// than most jobs.
const HUNG_TASK_SECONDS: &str = "10";

/// The shortest time between two heartbeats.
const FASTEST_HEARTBEAT: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    if !rustix::process::getpid().is_init() {
        // Never as anything but process 1: what follows mounts, and powers the machine off.
        return session::enter(std::env::args_os().skip(1));
    }
    console::announce_panics(|| power::off());
    if let Err(why) = run() {
        console::say(&why);
    }
    power::off()
}

fn run() -> Result<(), String> {
    mounts::mount_all()?;
    // Kernels without the detector have no such file.
    let _ = std::fs::write("/proc/sys/kernel/hung_task_timeout_secs", HUNG_TASK_SECONDS);
    let channel = Arc::new(Channel::open()?);
    channel.send(&FromGuest::Hello(hello()))?;
    let job = channel.receive_job()?;

    let status = Arc::new(Status::default());
    let (over, outcome) = mpsc::channel();
    let every = Duration::from_millis(job.heartbeat_ms).max(FASTEST_HEARTBEAT);
    heartbeat::start(&channel, &status, every, over.clone())?;
    let worker = Arc::clone(&channel);
    named_thread("kx-job", move || {
        let result =
            job::run(&job, &worker, &status).and_then(|end| worker.send(&FromGuest::End(end)));
        // Nobody listens any more when a heartbeat found first that the host has left.
        let _ = over.send(result);
    })?;
    let result = outcome.recv().unwrap_or_else(|_| Err("nobody works any more".to_owned()));
    if result.is_ok() {
        channel.linger();
    }
    result
}

/// Starts a thread. The kernel shows its name when it reports a blocked task, so it tells which part
/// of init hangs. It has room for 15 bytes.
fn named_thread(
    name: &'static str,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, String> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map_err(|e| format!("cannot start the thread {name}: {e}"))
}

fn hello() -> Hello {
    let uname = rustix::system::uname();
    Hello {
        release: uname.release().to_string_lossy().into_owned(),
        build: uname.version().to_string_lossy().into_owned(),
        cpus: std::thread::available_parallelism()
            .map_or(0, |n| u32::try_from(n.get()).unwrap_or(u32::MAX)),
        boot_ms: heartbeat::uptime_ms(),
    }
}
