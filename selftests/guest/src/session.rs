// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program in a session of its own, with job control.
//!
//! The step between fork and exec that makes a terminal the controlling one cannot be written
//! without unsafe code, so init runs itself once more for it.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

const WORD: &str = "session";

/// The command that runs `program` as the leader of a new session; its standard input must be the
/// terminal.
pub fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg(WORD).arg(program).args(args);
    command
}

/// The other side of [`command`]. Comes back only on failure, with a shell's number for it.
pub fn enter(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let (Some(word), Some(program)) = (args.next(), args.next()) else { return refuse() };
    if word != WORD {
        return refuse();
    }
    let joined = rustix::process::setsid()
        .and_then(|_| rustix::process::ioctl_tiocsctty(rustix::stdio::stdin()));
    if let Err(error) = joined {
        // The program still runs, but without job control.
        eprintln!("{}no controlling terminal: {error}", wire::CONSOLE_PREFIX);
    }
    let error = Command::new(&program).args(args).exec();
    eprintln!("{}{}: {error}", wire::CONSOLE_PREFIX, program.display());
    ExitCode::from(127)
}

fn refuse() -> ExitCode {
    eprintln!("{}this is the first process of a test guest, not a command", wire::CONSOLE_PREFIX);
    ExitCode::from(2)
}
