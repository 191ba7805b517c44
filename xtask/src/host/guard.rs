// SPDX-License-Identifier: MIT OR Apache-2.0
//! The process between the tool and each program it starts.
//!
//! `make` and QEMU must not outlive the tool, even when it is killed with SIGKILL. So the tool
//! starts itself as `xtask __guard -- PROGRAM ARGS…`, holding the other end of the guard's standard
//! input. The guard puts the program into a process group of its own and ends that whole group when
//! its input closes (the tool is gone or lets go), when it is told to with SIGTERM or SIGHUP, and
//! when the program itself has ended but left children behind. Should the guard be killed too, the
//! program gets SIGTERM by its parent-death signal, see prctl(2), `PR_SET_PDEATHSIG`.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// How long a process group may take to end after SIGTERM, before SIGKILL. Long enough for make to
/// delete the targets it was writing.
const GRACE: Duration = Duration::from_secs(3);

/// Exit code of the guard when it could not start the program; the shell's own number for it.
const CANNOT_START: u8 = 127;

/// The running binary, see proc(5): also after `cargo xtask` in another terminal has built a new
/// one in its place.
pub const ITSELF: &str = "/proc/self/exe";

/// The hidden first argument that makes the binary a guard.
pub const GUARD: &str = "__guard";
/// The hidden first argument that makes it become the program, with a parent-death signal.
pub const BECOME: &str = "__become";

/// Runs as a guard if the arguments (without the program's own name) ask for it.
pub fn dispatch(args: &[OsString]) -> Option<ExitCode> {
    match args.first()?.to_str()? {
        GUARD => Some(guard(&args[1..])),
        BECOME => Some(become_program(&args[1..])),
        _ => None,
    }
}

/// `[--stdin FILE] -- PROGRAM ARGS…`
fn guard(args: &[OsString]) -> ExitCode {
    // Under another name, `pkill xtask` leaves the guard alive to clean up.
    let _ = rustix::thread::set_name(c"kx-guard");
    // Ctrl-C reaches the whole foreground group; the tool decides what it means.
    let _ = signal_hook::flag::register(SIGINT, std::sync::Arc::default());

    let (stdin, command) = match args {
        [flag, file, dashes, command @ ..] if flag == "--stdin" && dashes == "--" => {
            (Some(file), command)
        }
        [dashes, command @ ..] if dashes == "--" => (None, command),
        _ => return ExitCode::from(CANNOT_START),
    };
    let stdin = match stdin.map(File::open).transpose() {
        Ok(file) => file.map_or_else(Stdio::null, Stdio::from),
        Err(e) => {
            eprintln!("cannot open the input: {e}");
            return ExitCode::from(CANNOT_START);
        }
    };
    let child =
        Command::new(ITSELF).arg(BECOME).args(command).stdin(stdin).process_group(0).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(e) => {
            eprintln!(
                "cannot start {}: {e}",
                command.first().map_or("", |c| c.to_str().unwrap_or("?"))
            );
            return ExitCode::from(CANNOT_START);
        }
    };
    let group = Pid::from_child(&child);

    std::thread::spawn(move || {
        let mut sink = [0; 64];
        while matches!(std::io::stdin().read(&mut sink), Ok(n) if n > 0) {}
        end_group(group);
    });
    std::thread::spawn(move || {
        if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP])
            && signals.forever().next().is_some()
        {
            end_group(group);
        }
    });

    let status = child.wait();
    // Whatever the program left behind would keep our pipes open and work on in the cache.
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
    let code = status.map_or(CANNOT_START, |status| {
        let code = status.code().or(status.signal().map(|s| 128 + s)).unwrap_or(255);
        u8::try_from(code).unwrap_or(255)
    });
    ExitCode::from(code)
}

fn end_group(group: Pid) {
    let _ = rustix::process::kill_process_group(group, Signal::TERM);
    std::thread::sleep(GRACE);
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
}

fn become_program(args: &[OsString]) -> ExitCode {
    let Some((program, args)) = args.split_first() else {
        return ExitCode::from(CANNOT_START);
    };
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::TERM));
    let error = Command::new(program).args(args).exec();
    eprintln!("cannot start {}: {error}", program.display());
    ExitCode::from(CANNOT_START)
}
