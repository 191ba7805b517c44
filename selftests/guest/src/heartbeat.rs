// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proof of life: slow is not hung.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use wire::{FromGuest, Heartbeat};

use crate::channel::Channel;

/// What the heartbeats speak of. Reading it never blocks on anything that may hang.
#[derive(Debug, Default)]
pub struct Status {
    task: Mutex<Option<String>>,
    modifies: AtomicU64,
    calls: AtomicU64,
    missed: AtomicU64,
}

/// How far a stress loop is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Done {
    /// Modifies so far.
    pub modifies: u64,
    /// Calls so far.
    pub calls: u64,
    /// Calls so far that reached no trampoline.
    pub missed: u64,
}

impl Status {
    /// A task begins.
    pub fn begin(&self, name: &str) {
        self.progress(Done::default());
        *self.task() = Some(name.to_owned());
    }

    /// How far the running stress loop is.
    pub fn progress(&self, done: Done) {
        self.modifies.store(done.modifies, Ordering::Relaxed);
        self.calls.store(done.calls, Ordering::Relaxed);
        self.missed.store(done.missed, Ordering::Relaxed);
    }

    /// The task ended.
    pub fn finish(&self) {
        *self.task() = None;
        self.progress(Done::default());
    }

    fn heartbeat(&self) -> Heartbeat {
        Heartbeat {
            uptime_ms: uptime_ms(),
            task: self.task().clone(),
            modifies: self.modifies.load(Ordering::Relaxed),
            calls: self.calls.load(Ordering::Relaxed),
            missed: self.missed.load(Ordering::Relaxed),
        }
    }

    fn task(&self) -> MutexGuard<'_, Option<String>> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts the thread that sends heartbeats. If the host has left, `over` gets the reason.
pub fn start(
    channel: &Arc<Channel>,
    status: &Arc<Status>,
    every: Duration,
    over: Sender<Result<(), String>>,
) -> Result<(), String> {
    let channel = Arc::clone(channel);
    let status = Arc::clone(status);
    crate::named_thread("kx-heartbeat", move || {
        loop {
            std::thread::sleep(every);
            if let Err(why) = channel.send(&FromGuest::Heartbeat(status.heartbeat())) {
                let _ = over.send(Err(why));
                return;
            }
        }
    })
    .map(drop)
}

/// Time since the kernel started, in milliseconds.
pub fn uptime_ms() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    u64::try_from(time.tv_sec * 1000 + time.tv_nsec / 1_000_000).unwrap_or(0)
}
