// SPDX-License-Identifier: MIT OR Apache-2.0
//! Calling the built binary.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A call of the tool.
pub fn xtask(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(args).current_dir(root());
    command
}

/// A call with caches of its own.
pub fn xtask_at(home: &Path, args: &[&str]) -> Command {
    let mut command = xtask(args);
    command.env("XTASK_HOME", home);
    command
}

/// The checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// A call that is running; it does not outlive the test.
pub struct Started(pub Child);

/// Starts a call and leaves it running, silently.
pub fn start(args: &[&str]) -> Started {
    Started(xtask(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What came of a call.
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a call to its end.
pub fn run(command: &mut Command) -> Ended {
    let Output { status, stdout, stderr } = command.output().unwrap();
    Ended {
        code: status.code().unwrap_or(-1),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

impl Ended {
    /// Standard output as the one JSON document that it must be.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("{e}\n{}\n{}", self.stdout, self.stderr))
    }
}

/// A directory that looks like a kernel tree.
pub fn tiny_tree(at: &Path, version: (u32, u32, u32)) {
    std::fs::create_dir_all(at).unwrap();
    let (major, minor, point) = version;
    let makefile = format!("VERSION = {major}\nPATCHLEVEL = {minor}\nSUBLEVEL = {point}\n");
    std::fs::write(at.join("Makefile"), makefile).unwrap();
}

/// Where the tool keeps its caches; its processes have it in their command lines.
pub fn home() -> String {
    let var = |key: &str| std::env::var(key).ok().filter(|v| !v.is_empty());
    var("XTASK_HOME")
        .or_else(|| var("XDG_CACHE_HOME").map(|d| format!("{d}/kernel-xtask")))
        .unwrap_or_else(|| format!("{}/.cache/kernel-xtask", var("HOME").unwrap()))
}

/// Processes of the tool whose command line begins with this program.
pub fn own_processes(program: &str) -> Vec<String> {
    let home = home();
    let own = |line: &String| {
        let name = line.split(' ').next().and_then(|p| p.rsplit('/').next());
        name == Some(program)
    };
    processes_with(&home).into_iter().filter(own).collect()
}

/// Processes whose command line has this text.
pub fn processes_with(text: &str) -> Vec<String> {
    let own = std::process::id().to_string();
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|e| e.file_name().to_string_lossy() != own)
        .filter_map(|e| std::fs::read(e.path().join("cmdline")).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "))
        .filter(|line| line.contains(text))
        .collect()
}

/// Waits, for a generous time, until something holds.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("{what} did not come about within a minute");
}
