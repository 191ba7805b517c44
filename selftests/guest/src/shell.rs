// SPDX-License-Identifier: MIT OR Apache-2.0
//! An interactive shell on the console.

use std::fs::File;
use std::io::{self, PipeReader};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use rustix::termios::{Winsize, tcsetwinsize};
use signal_hook::consts::{SIGTERM, SIGUSR1, SIGUSR2};
use wire::Outcome;

use crate::child::Child;
use crate::{program, session};

const SHELL: &str = "/bin/sh";

/// Time between two looks for orphans.
const TIDY: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// Gives a shell until it is left.
pub fn run(term: &str, rows: u16, columns: u16) -> Outcome {
    if !Path::new(SHELL).exists() {
        return broke("start a shell", 0, &format!("the image has no {SHELL}"));
    }
    match start(term, rows, columns) {
        Ok((child, leave)) => attend(&child, &leave),
        Err(error) => broke("start a shell", error.raw_os_error().unwrap_or(0), &error.to_string()),
    }
}

fn start(term: &str, rows: u16, columns: u16) -> io::Result<(Child, PipeReader)> {
    let (leave, wish) = io::pipe()?;
    // What busybox's poweroff, reboot and halt send to process 1.
    for signal in [SIGTERM, SIGUSR1, SIGUSR2] {
        signal_hook::low_level::pipe::register(signal, wish.try_clone()?)?;
    }
    let active = std::fs::read_to_string("/sys/class/tty/console/active").unwrap_or_default();
    let terminal = File::options().read(true).write(true).open(terminal(&active))?;
    // A serial line knows nothing of the terminal at its other end. A shell without a size still
    // works, so failing is no reason to have none.
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let _ = tcsetwinsize(&terminal, size);
    let mut command = session::command(SHELL, &["-l"]);
    command
        .env_clear()
        .env("PATH", program::PATH)
        .env("HOME", "/root")
        .env("TERM", if term.is_empty() { "linux" } else { term })
        .env("PS1", "guest:\\w\\$ ")
        .stdin(terminal.try_clone()?)
        .stdout(terminal.try_clone()?)
        .stderr(terminal);
    Ok((Child::spawn(&mut command)?, leave))
}

/// Waits for the shell's end. Whoever asks init to power off leaves the shell, and the job goes on
/// to its proper end.
fn attend(child: &Child, leave: &PipeReader) -> Outcome {
    let mut leaving = false;
    loop {
        let mut fds =
            [PollFd::new(child.ended(), PollFlags::IN), PollFd::new(leave, PollFlags::IN)];
        let watched = if leaving { 1 } else { 2 };
        // An error here is a signal, which is also in `leave`.
        let woken = poll(&mut fds[..watched], Some(&TIDY)).unwrap_or(0);
        if let Some(status) = child.reap() {
            return Outcome::Exited { status: if leaving { 0 } else { status } };
        }
        if leaving && woken == 0 {
            child.signal(Signal::KILL);
        } else if !leaving && fds[1].revents().contains(PollFlags::IN) {
            leaving = true;
            child.signal(Signal::HUP);
        }
    }
}

/// The device behind the console. `/dev/console` itself gives no job control to programs that look
/// their terminal up by name. With several consoles the kernel names the preferred one last.
fn terminal(active: &str) -> String {
    format!("/dev/{}", active.split_whitespace().last().unwrap_or("console"))
}

fn broke(step: &str, errno: i32, why: &str) -> Outcome {
    Outcome::Broke { step: step.to_owned(), errno, why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preferred_console_is_taken() {
        assert_eq!(terminal("ttyS0\n"), "/dev/ttyS0");
        assert_eq!(terminal("tty0 ttyS1\n"), "/dev/ttyS1");
        assert_eq!(terminal(""), "/dev/console");
    }
}
