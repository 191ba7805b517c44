// SPDX-License-Identifier: MIT OR Apache-2.0
//! One call of a program.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::slots::Slot;
use super::{Host, package};
use crate::diagnosis::Diagnosis;

/// How often a wait looks at the cancel flag and the time limit.
const TICK: Duration = Duration::from_millis(50);

/// How much of a program's own words goes into an error, in lines from the end.
const WORDS_SHOWN: usize = 30;

/// What a program left behind.
#[derive(Debug, Clone)]
pub struct Output {
    /// Exit code; 128 + the signal's number if a signal ended it.
    pub code: i32,
    /// Everything it wrote to standard output.
    pub stdout: Vec<u8>,
    /// Everything it wrote to standard error.
    pub stderr: Vec<u8>,
}

impl Output {
    /// Whether the exit code is 0.
    pub fn success(&self) -> bool {
        self.code == 0
    }

    /// Standard output as text, with invalid UTF-8 replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error as text, with invalid UTF-8 replaced.
    pub fn error_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

type OnLine<'h> = Box<dyn FnMut(&str) + 'h>;

/// A call in the making. Ends in [`Invocation::run`], [`Invocation::output`] or
/// [`Invocation::start`].
pub struct Invocation<'h> {
    host: &'h Host,
    program: OsString,
    args: Vec<OsString>,
    cwd: Option<PathBuf>,
    env: Vec<(OsString, Option<OsString>)>,
    input: Option<Vec<u8>>,
    limit: Option<Duration>,
    on_line: Option<OnLine<'h>>,
    occupies: Occupies,
}

/// What a program takes of the host's slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occupies {
    Nothing,
    One,
    AllThatAreFree,
}

impl std::fmt::Debug for Invocation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.command_line())
    }
}

impl<'h> Invocation<'h> {
    pub(super) fn new(host: &'h Host, program: &OsStr) -> Self {
        Self {
            host,
            program: program.to_owned(),
            args: Vec::new(),
            cwd: None,
            env: Vec::new(),
            input: None,
            limit: None,
            on_line: None,
            occupies: Occupies::Nothing,
        }
    }

    pub(super) fn from_command(host: &'h Host, command: &Command) -> Self {
        let mut invocation = Self::new(host, command.get_program());
        invocation.args = command.get_args().map(OsStr::to_owned).collect();
        invocation.cwd = command.get_current_dir().map(Path::to_owned);
        invocation.env =
            command.get_envs().map(|(k, v)| (k.to_owned(), v.map(OsStr::to_owned))).collect();
        invocation
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.args.extend(args.into_iter().map(|a| a.as_ref().to_owned()));
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, dir: impl Into<PathBuf>) -> Self {
        self.cwd = Some(dir.into());
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.push((key.as_ref().to_owned(), Some(value.as_ref().to_owned())));
        self
    }

    /// Removes an environment variable.
    #[must_use]
    pub fn env_remove(mut self, key: impl AsRef<OsStr>) -> Self {
        self.env.push((key.as_ref().to_owned(), None));
        self
    }

    /// Gives the program this on its standard input. Without it, it reads `/dev/null`.
    #[must_use]
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = Some(bytes.into());
        self
    }

    /// Ends the program, as an infra error, when it takes longer.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Calls `f` with each line of output and of error output as it comes.
    #[must_use]
    pub fn on_line(mut self, f: impl FnMut(&str) + 'h) -> Self {
        self.on_line = Some(Box::new(f));
        self
    }

    /// Keeps one core busy: where the host has slots, the program waits for one and holds it.
    #[must_use]
    pub fn one_core(mut self) -> Self {
        self.occupies = Occupies::One;
        self
    }

    /// It is a make that may use all cores, or as many as the host's slots let it.
    #[must_use]
    pub fn all_cores(mut self) -> Self {
        self.occupies = Occupies::AllThatAreFree;
        if self.host.slots.is_some() {
            // With -j of its own, make would leave the jobserver.
            return self;
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.arg(format!("-j{cores}"))
    }

    /// The call as a line to paste into a shell.
    pub fn command_line(&self) -> String {
        let mut words = Vec::new();
        if let Some(cwd) = &self.cwd {
            words.push(format!("cd {} &&", quote(&cwd.to_string_lossy())));
        }
        for (key, value) in &self.env {
            if let Some(value) = value {
                words.push(format!(
                    "{}={}",
                    key.to_string_lossy(),
                    quote(&value.to_string_lossy())
                ));
            }
        }
        words.push(quote(&self.program.to_string_lossy()));
        words.extend(self.args.iter().map(|a| quote(&a.to_string_lossy())));
        words.join(" ")
    }

    /// Runs to the end. A non-zero exit code is an infra error with the program's own words.
    pub fn run(self) -> Result<Output, Diagnosis> {
        let line = self.command_line();
        let program = self.program.to_string_lossy().into_owned();
        let output = self.output()?;
        if output.success() {
            return Ok(output);
        }
        Err(failed(&program, &line, &output))
    }

    /// Runs to the end, whatever the exit code.
    pub fn output(mut self) -> Result<Output, Diagnosis> {
        let mut on_line = self.on_line.take();
        let limit = self.limit;
        let cancel = &self.host.cancel;
        let mut running = self.start()?;
        let (sender, receiver) = mpsc::channel();
        let out = reader(running.child.stdout.take(), Stream::Out, sender.clone());
        let err = reader(running.child.stderr.take(), Stream::Err, sender);
        let started = Instant::now();
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        loop {
            match receiver.recv_timeout(TICK) {
                Ok((stream, line)) => {
                    if let Some(f) = on_line.as_mut() {
                        f(String::from_utf8_lossy(&line).trim_end());
                    }
                    match stream {
                        Stream::Out => stdout.extend_from_slice(&line),
                        Stream::Err => stderr.extend_from_slice(&line),
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if cancel.is_set() {
                running.end();
                cancel.check()?;
            }
            if let Some(limit) = limit
                && started.elapsed() > limit
            {
                running.end();
                return Err(Diagnosis::infra(format!(
                    "{} did not end within {} s and was stopped",
                    running.program,
                    limit.as_secs()
                ))
                .detail(last_lines(&String::from_utf8_lossy(&stderr)))
                .reproduce(running.line.clone()));
            }
        }
        for thread in [out, err].into_iter().flatten() {
            let _ = thread.join();
        }
        let code = running.wait()?;
        Ok(Output { code, stdout, stderr })
    }

    /// Hands the terminal to the program, a user's shell or editor, and waits for its end. Returns
    /// its exit code.
    pub fn attached(self) -> Result<i32, Diagnosis> {
        self.host.check_cancelled()?;
        self.host.note_command(&self.command_line());
        let name = self.program.to_string_lossy().into_owned();
        let path = package::find_program(&self.program).ok_or_else(|| package::missing(&name))?;
        let mut command = Command::new(path);
        command.args(&self.args);
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        for (key, value) in &self.env {
            match value {
                Some(value) => command.env(key, value),
                None => command.env_remove(key),
            };
        }
        let mut child =
            command.spawn().map_err(|e| Diagnosis::infra(format!("cannot start {name}: {e}")))?;
        loop {
            let ended = child
                .try_wait()
                .map_err(|e| Diagnosis::infra(format!("cannot wait for {name}: {e}")))?;
            if let Some(status) = ended {
                return Ok(status.code().unwrap_or(255));
            }
            if let Err(cancelled) = self.host.check_cancelled() {
                let _ = child.kill();
                let _ = child.wait();
                return Err(cancelled);
            }
            std::thread::sleep(TICK);
        }
    }

    /// Starts the program and leaves it running; its output is piped.
    pub fn start(self) -> Result<Running, Diagnosis> {
        self.host.check_cancelled()?;
        let line = self.command_line();
        self.host.note_command(&line);
        let name = self.program.to_string_lossy().into_owned();
        let path = package::find_program(&self.program).ok_or_else(|| package::missing(&name))?;
        let input = self.input.map(|bytes| kept_in_file(&bytes)).transpose()?;
        let input_path = input.as_ref().map(tempfile::NamedTempFile::path);
        let mut command = guarded(&path, input_path, &self.args)?;
        if let Some(cwd) = &self.cwd {
            if !cwd.is_dir() {
                return Err(Diagnosis::infra(format!(
                    "cannot run {name} in {}: no such directory",
                    cwd.display()
                )));
            }
            command.current_dir(cwd);
        }
        for (key, value) in &self.env {
            match value {
                Some(value) => command.env(key, value),
                None => command.env_remove(key),
            };
        }
        let slot = match (&self.host.slots, self.occupies) {
            (None, _) | (_, Occupies::Nothing) => None,
            (Some(slots), occupies) => {
                if occupies == Occupies::AllThatAreFree {
                    slots.share_with(&mut command);
                }
                Some(slots.acquire(&self.host.cancel)?)
            }
        };
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| Diagnosis::infra(format!("cannot start {name}: {e}")))?;
        let lifeline = child.stdin.take();
        Ok(Running { child, lifeline, program: name, line, _input: input, _slot: slot })
    }
}

/// The program under a guard, with its input from a file or `/dev/null`.
#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "its twin below can fail")]
fn guarded(program: &Path, input: Option<&Path>, args: &[OsString]) -> Result<Command, Diagnosis> {
    let mut command = Command::new(super::guard::ITSELF);
    command.arg(super::guard::GUARD);
    if let Some(file) = input {
        command.arg("--stdin").arg(file);
    }
    command.arg("--").arg(program).args(args).stdin(Stdio::piped());
    Ok(command)
}

/// Unit tests run in cargo's test harness, which cannot act as a guard: they start the program
/// itself. The guard is tested through the tool's own binary, in `tests/`.
#[cfg(test)]
fn guarded(program: &Path, input: Option<&Path>, args: &[OsString]) -> Result<Command, Diagnosis> {
    let mut command = Command::new(program);
    command.args(args).stdin(match input {
        Some(file) => std::fs::File::open(file)
            .map(Stdio::from)
            .map_err(|e| crate::diagnosis::on_path("open", file, &e))?,
        None => Stdio::null(),
    });
    Ok(command)
}

fn kept_in_file(bytes: &[u8]) -> Result<tempfile::NamedTempFile, Diagnosis> {
    let keep = || {
        let mut file = tempfile::NamedTempFile::new()?;
        file.write_all(bytes)?;
        Ok(file)
    };
    keep().map_err(|e: std::io::Error| {
        Diagnosis::infra(format!("cannot write a program's input to a temporary file: {e}"))
    })
}

/// A program that is running. Dropping it ends its whole process group.
#[derive(Debug)]
pub struct Running {
    /// The guard; its `stdout` and `stderr` are the program's.
    pub child: Child,
    lifeline: Option<ChildStdin>,
    program: String,
    /// The call as a line to paste into a shell.
    pub line: String,
    _input: Option<tempfile::NamedTempFile>,
    _slot: Option<Slot>,
}

impl Running {
    /// The exit code if the program has ended.
    pub fn ended(&mut self) -> Result<Option<i32>, Diagnosis> {
        self.child
            .try_wait()
            .map(|status| status.map(|s| s.code().unwrap_or(255)))
            .map_err(|e| Diagnosis::infra(format!("cannot wait for {}: {e}", self.program)))
    }

    /// Waits for the program to end by itself.
    pub fn wait(&mut self) -> Result<i32, Diagnosis> {
        self.child
            .wait()
            .map(|s| s.code().unwrap_or(255))
            .map_err(|e| Diagnosis::infra(format!("cannot wait for {}: {e}", self.program)))
    }

    /// Ends the process group and waits until it is gone.
    pub fn end(&mut self) {
        drop(self.lifeline.take());
        if cfg!(test) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

#[derive(Debug, Clone, Copy)]
enum Stream {
    Out,
    Err,
}

fn reader(
    pipe: Option<impl Read + Send + 'static>,
    stream: Stream,
    sender: mpsc::Sender<(Stream, Vec<u8>)>,
) -> Option<std::thread::JoinHandle<()>> {
    let pipe = pipe?;
    Some(std::thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        loop {
            let mut line = Vec::new();
            match pipe.read_until(b'\n', &mut line) {
                Ok(n) if n > 0 => {
                    if sender.send((stream, line)).is_err() {
                        return;
                    }
                }
                _ => return,
            }
        }
    }))
}

fn failed(program: &str, line: &str, output: &Output) -> Diagnosis {
    let words = if output.stderr.iter().all(u8::is_ascii_whitespace) {
        output.text()
    } else {
        output.error_text()
    };
    Diagnosis::infra(format!("{program} failed (exit code {})", output.code))
        .detail(last_lines(&words))
        .reproduce(line)
}

fn last_lines(text: &str) -> String {
    let lines: Vec<_> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(WORDS_SHOWN)..].join("\n")
}

/// Quotes a word for a POSIX shell, if it needs it.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
