// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands whose output goes to the host.

use std::io::{self, PipeReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread};
use rustix::process::Signal;
use wire::Outcome;

use crate::child::Child;
use crate::port::{self, Port};
use crate::program;

const PASS_ON: &str = "pass the output on";

/// Time between two looks for orphans while a command runs.
const TIDY: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// The port for output, opened when it is first needed.
#[derive(Debug, Default)]
pub struct Output {
    port: Option<Port>,
    bytes: u64,
}

impl Output {
    /// How many bytes were handed to the host so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn open(&mut self) -> Result<(), String> {
        if self.port.is_none() {
            self.port = Some(Port::open(wire::OUTPUT_PORT, port::ANOTHER)?);
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.open()?;
        if let Some(port) = &self.port {
            port.write_all(bytes)?;
            self.bytes += bytes.len() as u64;
        }
        Ok(())
    }
}

/// Runs a command with its output going to the host and nothing to read.
pub fn run(argv: &[String], output: &mut Output) -> Outcome {
    let Some((word, rest)) = argv.split_first() else {
        return broke("start", 0, "the command is empty");
    };
    if let Err(why) = output.open() {
        return broke("open the output port", 0, &why);
    }
    let program = match program::find(word, program::PATH) {
        Ok(program) => program,
        Err(absent) => {
            return match output.write(format!("{word}: {}\n", absent.why()).as_bytes()) {
                Ok(()) => Outcome::Exited { status: absent as u8 },
                Err(why) => broke(PASS_ON, 0, &why),
            };
        }
    };
    let (child, pipe) = match start(&program, word, rest) {
        Ok(started) => started,
        Err(e) => return broke("start", e.raw_os_error().unwrap_or(0), &e.to_string()),
    };
    match pass_on(&child, pipe, output) {
        Ok(status) => Outcome::Exited { status },
        Err(why) => {
            child.signal(Signal::KILL);
            broke(PASS_ON, 0, &why)
        }
    }
}

fn start(program: &Path, word: &str, args: &[String]) -> io::Result<(Child, PipeReader)> {
    let (reader, writer) = io::pipe()?;
    rustix::io::ioctl_fionbio(&reader, true)?;
    // The pipe ends with the last process that has its other end; ours goes with this value.
    let mut command = Command::new(program);
    command
        .arg0(word)
        .args(args)
        .env_clear()
        .env("PATH", program::PATH)
        .env("HOME", "/root")
        .env("TERM", "dumb")
        .process_group(0)
        .stdin(Stdio::null())
        .stderr(writer.try_clone()?)
        .stdout(writer);
    Ok((Child::spawn(&mut command)?, reader))
}

/// Passes the output on until the child ends; what others still write after that is dropped.
fn pass_on(child: &Child, mut pipe: PipeReader, output: &mut Output) -> Result<u8, String> {
    let mut buffer = vec![0; 1 << 16];
    let mut open = true;
    loop {
        let mut fds =
            [PollFd::new(child.ended(), PollFlags::IN), PollFd::new(&pipe, PollFlags::IN)];
        let watched = if open { 2 } else { 1 };
        match poll(&mut fds[..watched], Some(&TIDY)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(e) => return Err(format!("cannot wait for the command: {e}")),
        }
        let readable = open && !fds[1].revents().is_empty();
        let idle = !readable || !fds[0].revents().is_empty();
        if let Some(status) = idle.then(|| child.reap()).flatten() {
            if open {
                // Everything that the child wrote is in the pipe now.
                let length = ioctl_fionread(&pipe).map_err(|e| format!("cannot read it: {e}"))?;
                let mut rest = Vec::new();
                pipe.take(length)
                    .read_to_end(&mut rest)
                    .map_err(|e| format!("cannot read it: {e}"))?;
                output.write(&rest)?;
            }
            return Ok(status);
        }
        if readable {
            match pipe.read(&mut buffer) {
                Ok(0) => open = false,
                Ok(n) => output.write(&buffer[..n])?,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                Err(e) => return Err(format!("cannot read it: {e}")),
            }
        }
    }
}

fn broke(step: &str, errno: i32, why: &str) -> Outcome {
    Outcome::Broke { step: step.to_owned(), errno, why: why.to_owned() }
}
