// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cores of this machine, shared out among programs that run at the same time.
//!
//! GNU make's jobserver (POSIX Jobserver Interaction, in make's manual): a pipe with a token for
//! each core. A make that takes part runs as many compilations as it gets tokens for, and gives
//! each back when its compilation ends, so several builds and guests fill the cores and no more.
//! Whoever starts a program that takes part holds a token for the program itself.

use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use jobserver::{Acquired, Client};

use super::Cancel;
use crate::diagnosis::Diagnosis;

/// How often a wait for a slot looks at the cancel flag.
const TICK: Duration = Duration::from_millis(50);

/// A number of slots. Clones share them.
#[derive(Debug, Clone)]
pub struct Slots {
    client: Client,
}

/// One slot, held until dropped.
#[derive(Debug)]
pub struct Slot {
    _token: Acquired,
}

impl Slots {
    /// As many as this, at least one.
    pub fn new(count: usize) -> Result<Self, Diagnosis> {
        let client = Client::new(count.max(1))
            .map_err(|e| Diagnosis::infra(format!("cannot make a jobserver: {e}")))?;
        Ok(Self { client })
    }

    /// Waits for a slot.
    ///
    /// # Errors
    /// The tool was asked to end, or the pipe is broken.
    pub fn acquire(&self, cancel: &Cancel) -> Result<Slot, Diagnosis> {
        let client = self.client.clone();
        let (sender, receiver) = mpsc::channel();
        // Reading the pipe blocks, which is what puts us in line with the makes that read it. If
        // nobody waits any more, the token goes back with the message that could not be sent.
        std::thread::spawn(move || drop(sender.send(client.acquire())));
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(Ok(token)) => return Ok(Slot { _token: token }),
                Ok(Err(e)) => {
                    return Err(Diagnosis::infra(format!("the jobserver is broken: {e}")));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Diagnosis::infra("the jobserver's reader is gone"));
                }
                Err(RecvTimeoutError::Timeout) => cancel.check()?,
            }
        }
    }

    /// Lets a make that is about to be started take part.
    pub(super) fn share_with(&self, command: &mut Command) {
        self.client.configure_make(command);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_run_than_there_are_slots() {
        let slots = Slots::new(2).unwrap();
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let slot = slots.acquire(&Cancel::default()).unwrap();
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(30));
                    running.fetch_sub(1, Ordering::SeqCst);
                    drop(slot);
                });
            }
        });
        assert_eq!(most.into_inner(), 2);
    }
}
