// SPDX-License-Identifier: MIT OR Apache-2.0
//! Child processes, and those that process 1 inherits.
//!
//! Whoever waits for any child may pick up another's status, so this is the only place that waits,
//! and only the job's thread calls it.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Command;

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, kill_process_group, pidfd_open, wait,
};

/// A child that leads its own process group.
#[derive(Debug)]
pub struct Child {
    pid: Pid,
    ended: OwnedFd,
}

impl Child {
    /// Starts the command.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        let pid = Pid::from_child(&command.spawn()?);
        let ended = pidfd_open(pid, PidfdFlags::empty())?;
        Ok(Self { pid, ended })
    }

    /// Becomes readable when the child has ended.
    pub fn ended(&self) -> &OwnedFd {
        &self.ended
    }

    /// Picks up whoever has ended: this child's exit status as a shell would say it, if it is among
    /// them.
    pub fn reap(&self) -> Option<u8> {
        let mut own = None;
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if pid == self.pid {
                own = Some(exit_status(status));
            }
        }
        own
    }

    /// Sends a signal to the child's process group.
    pub fn signal(&self, signal: Signal) {
        // It may just have ended.
        let _ = kill_process_group(self.pid, signal);
    }
}

/// Picks up orphans that have ended.
pub fn reap_orphans() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}

fn exit_status(status: WaitStatus) -> u8 {
    let code = status.exit_status().or_else(|| status.terminating_signal().map(|s| 128 + s));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{PollFd, PollFlags, poll};

    // One test, as tests are threads of one process and would pick up each other's children.
    #[test]
    fn statuses_are_those_of_a_shell() {
        let status = |script: &str| {
            let child = Child::spawn(Command::new("/bin/sh").args(["-c", script])).unwrap();
            poll(&mut [PollFd::new(child.ended(), PollFlags::IN)], None).unwrap();
            child.reap().unwrap()
        };
        assert_eq!(status("exit 0"), 0);
        assert_eq!(status("exit 255"), 255);
        assert_eq!(status("kill -9 $$"), 137);
        reap_orphans();
    }
}
