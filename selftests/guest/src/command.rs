// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands and shells.

use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};

use wire::Outcome;

use crate::channel::wait_for_port;

const PATH: &str = "/bin:/sbin:/usr/bin:/usr/sbin";

/// The shell's own numbers for "cannot be executed" and "not found".
const CANNOT_EXECUTE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Runs a command whose output goes to the port `kx.out`.
pub fn run(argv: &[String]) -> Outcome {
    let port = wait_for_port("kx.out").and_then(|device| {
        let open = || {
            let out = File::options().write(true).open(&device)?;
            let err = out.try_clone()?;
            Ok((out, err))
        };
        open().map_err(|e: std::io::Error| format!("cannot open {}: {e}", device.display()))
    });
    let (out, err) = match port {
        Ok(ports) => ports,
        Err(why) => return Outcome::Broke { step: "open kx.out".into(), errno: 0, why },
    };
    let Some((program, args)) = argv.split_first() else {
        return Outcome::Broke { step: "command".into(), errno: 0, why: "it is empty".into() };
    };
    let status = Command::new(program)
        .args(args)
        .env("PATH", PATH)
        .env("HOME", "/")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .status();
    exited(program, status)
}

/// Gives a shell on the console.
pub fn shell(term: &str) -> Outcome {
    let open = || File::options().read(true).write(true).open("/dev/console");
    let (stdin, stdout, stderr) = match (open(), open(), open()) {
        (Ok(a), Ok(b), Ok(c)) => (a, b, c),
        (Err(e), ..) | (_, Err(e), _) | (.., Err(e)) => {
            let errno = e.raw_os_error().unwrap_or(0);
            return Outcome::Broke { step: "open /dev/console".into(), errno, why: e.to_string() };
        }
    };
    // busybox's setsid -c makes the console the shell's controlling terminal, for job control.
    let status = Command::new("/bin/busybox")
        .args(["setsid", "-c", "/bin/busybox", "sh", "-l"])
        .env_clear()
        .env("PATH", PATH)
        .env("HOME", "/")
        .env("TERM", if term.is_empty() { "linux" } else { term })
        .env("PS1", "guest:\\w\\$ ")
        .current_dir("/")
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .status();
    exited("/bin/busybox", status)
}

fn exited(program: &str, status: std::io::Result<ExitStatus>) -> Outcome {
    let status = match status {
        Ok(status) => {
            let code = status.code().or(status.signal().map(|s| 128 + s)).unwrap_or(255);
            u8::try_from(code).unwrap_or(255)
        }
        Err(error) => {
            eprintln!("kx-init: {program}: {error}");
            match error.kind() {
                std::io::ErrorKind::NotFound => NOT_FOUND,
                _ => CANNOT_EXECUTE,
            }
        }
    };
    Outcome::Exited { status }
}
