// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proof of life: slow is not hung.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use wire::{FromGuest, Heartbeat};

use crate::channel::Sender;
use crate::stress;

/// What the heartbeats speak of.
#[derive(Debug, Default)]
pub struct Beat {
    task: Mutex<Option<(String, bool)>>,
    over: AtomicBool,
}

impl Beat {
    /// A task begins; `stress` says that it has a progress to read.
    pub fn begin(&self, name: &str, stress: bool) {
        *self.lock() = Some((name.to_owned(), stress));
    }

    /// The task ended.
    pub fn finish(&self) {
        *self.lock() = None;
    }

    /// No heartbeat comes after this returns.
    pub fn stop(&self) {
        let _no_beat_under_way = self.lock();
        self.over.store(true, Ordering::SeqCst);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<(String, bool)>> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts the thread that sends heartbeats.
pub fn start(sender: &Arc<Sender>, beat: &Arc<Beat>, every: Duration) {
    let sender = Arc::clone(sender);
    let beat = Arc::clone(beat);
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(every);
            let task = beat.lock();
            if beat.over.load(Ordering::SeqCst) {
                return;
            }
            let progress = match &*task {
                Some((_, true)) => stress::progress(),
                _ => stress::Progress::default(),
            };
            let record = FromGuest::Heartbeat(Heartbeat {
                uptime_ms: uptime_ms(),
                task: task.as_ref().map(|(name, _)| name.clone()),
                modifies: progress.modifies,
                calls: progress.calls,
            });
            if sender.send(&record).is_err() {
                return;
            }
        }
    });
}

/// Time since the kernel started, in milliseconds.
pub fn uptime_ms() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    u64::try_from(time.tv_sec * 1000 + time.tv_nsec / 1_000_000).unwrap_or(0)
}
