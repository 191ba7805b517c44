// SPDX-License-Identifier: MIT OR Apache-2.0
//! One guest from QEMU's start to its end.

use std::fs::File;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use serde::Serialize;
use wire::{Decoder, Encoder, End, FromGuest, Hello, Job, TestResult};

use super::qemu::{Machine, Sockets};
use super::terminal::RawTerminal;
use super::watch::{Ended, Event, Limits, Watch};
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::{Host, Running, Step};
use crate::verdict::console::{Scan, ScanEvent, Scanner};

const TICK: Duration = Duration::from_millis(50);

/// How much console goes to disk, in bytes. A runaway guest is scanned on, but not stored.
const CONSOLE_CAP: u64 = 64 << 20;

/// How long to wait for the rest of the console once QEMU is gone.
const DRAIN: Duration = Duration::from_secs(10);

/// What happens to the console besides being logged and scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Console {
    /// Nothing.
    Logged,
    /// It is joined to the user's terminal.
    Terminal,
}

/// Everything that is known about a guest that is over.
#[derive(Debug, Serialize)]
pub struct Session {
    /// Why it is over.
    pub ended: Ended,
    /// The guest's first record.
    pub hello: Option<Hello>,
    /// From QEMU's start to the first record, in milliseconds.
    pub boot_ms: Option<u64>,
    /// From QEMU's start to its end, in milliseconds.
    pub total_ms: u64,
    /// Results in the order in which they came.
    pub results: Vec<TestResult>,
    /// The task that was running at the end, if it did not end.
    pub unfinished: Option<String>,
    /// The guest's last record.
    pub end: Option<End>,
    /// Heartbeats that came.
    pub heartbeats: u64,
    /// The last heartbeat.
    pub last_heartbeat: Option<wire::Heartbeat>,
    /// Heartbeats of running tasks, in order; those that came first, if there were very many.
    pub course: Vec<wire::Heartbeat>,
    /// What is wrong with the records, in words; empty if nothing is.
    pub record_errors: Vec<String>,
    /// Whether the console was read and scanned to its end.
    pub console_complete: bool,
    /// What the scanner found.
    pub scan: Scan,
    /// QEMU's exit code, if it ended by itself.
    pub qemu_exit: Option<i32>,
    /// QEMU's own words.
    pub qemu_words: String,
    /// QEMU's command line.
    pub qemu_command: String,
    /// The limits that were set.
    pub limits: Limits,
    /// Whether the user left the guest's console.
    pub left: bool,
}

/// Where a session writes.
pub struct Outlets<'a> {
    /// File for the console log.
    pub console_log: &'a Path,
    /// What a command's output goes to.
    pub output: &'a mut dyn Write,
}

enum Input {
    WireOpen(UnixStream),
    ConsoleOpen(UnixStream),
    Console(Vec<u8>),
    Wire(Vec<u8>),
    Output(Vec<u8>),
    Closed(Port),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Port {
    Console,
    Wire,
    Output,
}

/// Boots the machine, hands the guest its job and watches it to its end.
///
/// # Errors
/// Only for what the tool or the machine did wrong, and when the tool is told to end. Whatever the
/// guest does is in the [`Session`].
pub fn run(
    host: &Host,
    machine: &Machine,
    job: &Job,
    limits: Limits,
    console: Console,
    outlets: &mut Outlets<'_>,
    step: &Step,
) -> Result<Session, Diagnosis> {
    super::bzimage::check(&machine.kernel)?;
    let directory = tempfile::Builder::new()
        .prefix("kx-")
        .tempdir()
        .map_err(|e| Diagnosis::infra(format!("cannot create a directory for sockets: {e}")))?;
    let sockets = Sockets::within(directory.path());
    let over = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    for (port, path) in [
        (Port::Console, &sockets.console),
        (Port::Wire, &sockets.wire),
        (Port::Output, &sockets.output),
    ] {
        let listener = UnixListener::bind(path).map_err(|e| on_path("listen on", path, &e))?;
        listener.set_nonblocking(true).map_err(|e| on_path("listen on", path, &e))?;
        listen(port, listener, sender.clone(), Arc::clone(&over));
    }
    drop(sender);
    let log = File::create(outlets.console_log)
        .map_err(|e| on_path("create", outlets.console_log, &e))?;

    let invocation =
        host.program("qemu-system-x86_64").args(machine.arguments(&sockets)).one_core();
    let qemu_command = invocation.command_line();
    let mut qemu = invocation.start()?;
    let words = [collect(qemu.child.stdout.take()), collect(qemu.child.stderr.take())];
    let terminal = match console {
        Console::Terminal => Some(RawTerminal::new()?),
        Console::Logged => None,
    };
    let mut live = Live {
        host,
        step,
        started: Instant::now(),
        watch: Watch::new(limits),
        scanner: Scanner::new(),
        log,
        log_path: outlets.console_log,
        logged: 0,
        output: &mut *outlets.output,
        terminal,
        decoder: Decoder::default(),
        wire: None,
        job,
        open: [true; 3],
        facts: Facts::default(),
    };
    let outcome = live.watch_over(&mut qemu, &receiver);
    let qemu_exit = qemu.ended().ok().flatten();
    qemu.end();
    let drained = live.drain(&receiver);
    let left = live.terminal.as_ref().is_some_and(RawTerminal::wants_to_leave);
    over.store(true, Ordering::Relaxed);
    drop(live.terminal.take());
    let ended = outcome?;
    drained?;
    let total_ms = millis(live.started.elapsed());
    live.facts.check_stream(live.decoder, ended);
    let console_complete = !live.open[Port::Console as usize];
    Ok(Session {
        ended,
        hello: live.facts.hello,
        boot_ms: live.facts.boot_ms,
        total_ms,
        results: live.facts.results,
        unfinished: live.facts.running,
        end: live.facts.end,
        heartbeats: live.facts.heartbeats,
        last_heartbeat: live.facts.last_heartbeat,
        course: live.facts.course,
        record_errors: live.facts.record_errors,
        console_complete,
        scan: live.scanner.finish(),
        qemu_exit,
        qemu_words: words.map(|w| w.join().unwrap_or_default()).concat().trim().to_owned(),
        qemu_command,
        limits,
        left,
    })
}

/// Heartbeats that are kept: the longest tests that can be asked for have fewer.
const COURSE: usize = 10_000;

#[derive(Debug, Default)]
struct Facts {
    hello: Option<Hello>,
    boot_ms: Option<u64>,
    results: Vec<TestResult>,
    running: Option<String>,
    end: Option<End>,
    heartbeats: u64,
    last_heartbeat: Option<wire::Heartbeat>,
    course: Vec<wire::Heartbeat>,
    record_errors: Vec<String>,
    output_bytes: u64,
}

impl Facts {
    /// Whether the guest has said its last word and all that its commands printed has come.
    fn all_here(&self) -> bool {
        self.end.as_ref().is_some_and(|end| self.output_bytes >= end.output_bytes)
    }

    /// A guest that is cut off may leave a cut record; one that said it was done may not. Nor may
    /// output be missing then.
    fn check_stream(&mut self, decoder: Decoder<FromGuest>, ended: Ended) {
        if let Err(error) = decoder.finish()
            && ended == Ended::Complete
        {
            self.record_errors.push(error.to_string());
        }
        if let Some(end) = &self.end
            && ended == Ended::Complete
            && self.output_bytes != end.output_bytes
        {
            self.record_errors.push(format!(
                "{} of {} bytes of the commands' output came",
                self.output_bytes, end.output_bytes
            ));
        }
    }
}

struct Live<'a> {
    host: &'a Host,
    step: &'a Step,
    started: Instant,
    watch: Watch,
    scanner: Scanner,
    log: File,
    log_path: &'a Path,
    logged: u64,
    output: &'a mut dyn Write,
    terminal: Option<RawTerminal>,
    decoder: Decoder<FromGuest>,
    wire: Option<UnixStream>,
    job: &'a Job,
    open: [bool; 3],
    facts: Facts,
}

impl Live<'_> {
    fn watch_over(
        &mut self,
        qemu: &mut Running,
        receiver: &Receiver<Input>,
    ) -> Result<Ended, Diagnosis> {
        loop {
            let input = receiver.recv_timeout(TICK);
            self.host.check_cancelled()?;
            if self.terminal.as_ref().is_some_and(RawTerminal::wants_to_leave) {
                return Ok(Ended::QemuDied);
            }
            let events = match input {
                Ok(input) => {
                    let events = self.take(input)?;
                    self.hang_up();
                    events
                }
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(TICK);
                    Vec::new()
                }
            };
            // Only when everything that QEMU still said has been taken in is it gone.
            let silent = !self.open[Port::Console as usize] && !self.open[Port::Wire as usize];
            let never_opened = self.started.elapsed() > DRAIN && self.wire.is_none();
            let gone = (silent || never_opened || self.wire.is_none()) && qemu.ended()?.is_some();
            let last = if gone { Event::QemuGone } else { Event::Tick };
            let now = self.started.elapsed();
            for event in events.into_iter().chain([last]) {
                if let Some(why) = self.watch.on(now, event) {
                    return Ok(why);
                }
            }
        }
    }

    /// Closes the wire once everything is here, for which the guest waits before it powers off.
    fn hang_up(&self) {
        if let Some(wire) = &self.wire
            && self.facts.all_here()
        {
            // It fails when this was done before.
            let _ = wire.shutdown(Shutdown::Write);
        }
    }

    /// Takes in what is left after QEMU's end.
    fn drain(&mut self, receiver: &Receiver<Input>) -> Result<(), Diagnosis> {
        let until = Instant::now() + DRAIN;
        while self.open.contains(&true) && Instant::now() < until {
            match receiver.recv_timeout(TICK) {
                Ok(input) => drop(self.take(input)?),
                Err(RecvTimeoutError::Timeout) => {
                    if self.wire.is_none() {
                        // QEMU never connected.
                        break;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.log.sync_all().map_err(|e| on_path("write", self.log_path, &e))
    }

    fn take(&mut self, input: Input) -> Result<Vec<Event>, Diagnosis> {
        match input {
            Input::WireOpen(stream) => self.wire = Some(stream),
            Input::ConsoleOpen(stream) => {
                if let Some(terminal) = &mut self.terminal {
                    terminal.feed(stream);
                }
            }
            Input::Console(bytes) => return self.console(&bytes),
            Input::Wire(bytes) => return Ok(self.records(&bytes)),
            Input::Output(bytes) => {
                self.facts.output_bytes += bytes.len() as u64;
                // Whoever reads the output may go away (`| head`); the guest's job goes on.
                let _ = self.output.write_all(&bytes).and_then(|()| self.output.flush());
            }
            Input::Closed(port) => self.open[port as usize] = false,
        }
        Ok(Vec::new())
    }

    fn console(&mut self, bytes: &[u8]) -> Result<Vec<Event>, Diagnosis> {
        let room = usize::try_from(CONSOLE_CAP.saturating_sub(self.logged)).unwrap_or(usize::MAX);
        let kept = &bytes[..bytes.len().min(room)];
        self.log.write_all(kept).map_err(|e| on_path("write", self.log_path, &e))?;
        self.logged += kept.len() as u64;
        if self.terminal.is_some() {
            RawTerminal::show(bytes);
        }
        self.scanner.push(bytes);
        let events = self.scanner.events().into_iter().filter_map(|event| match event {
            ScanEvent::Panic => Some(Event::Panic),
            ScanEvent::HungTask => Some(Event::HungTask),
            ScanEvent::RcuStall => Some(Event::RcuStall),
            ScanEvent::SecondBootBanner => Some(Event::SecondBanner),
            ScanEvent::StrayInt3 => None,
        });
        let events = std::iter::once(Event::ConsoleBytes).chain(events).collect();
        if self.facts.hello.is_none()
            && let Some(line) = bytes.split(|&b| b == b'\n').rfind(|l| l.len() > 1)
        {
            self.step.line(String::from_utf8_lossy(line).trim());
        }
        Ok(events)
    }

    fn records(&mut self, bytes: &[u8]) -> Vec<Event> {
        let records = self.decoder.push(bytes);
        records
            .into_iter()
            .map(|record| match record {
                Ok(record) => self.record(record),
                Err(error) => {
                    self.facts.record_errors.push(error.to_string());
                    Event::BadRecord
                }
            })
            .collect()
    }

    fn record(&mut self, record: FromGuest) -> Event {
        let facts = &mut self.facts;
        if facts.end.is_some() {
            facts.record_errors.push("a record came after the last record".to_owned());
            return Event::BadRecord;
        }
        match record {
            FromGuest::Hello(hello) => {
                if facts.hello.is_some() {
                    facts.record_errors.push("the guest said hello twice".to_owned());
                    return Event::BadRecord;
                }
                facts.boot_ms = Some(millis(self.started.elapsed()));
                self.step.line(&format!("booted {}", hello.release));
                facts.hello = Some(hello);
                if let Err(why) = self.send_job() {
                    self.facts.record_errors.push(why);
                    return Event::BadRecord;
                }
                return Event::Hello;
            }
            FromGuest::Heartbeat(beat) => {
                facts.heartbeats += 1;
                if let Some(task) = &beat.task {
                    self.step.line(&format!(
                        "{task}: {} modifies, {} calls",
                        beat.modifies,
                        crate::report::count(beat.calls)
                    ));
                }
                if beat.task.is_some() && facts.course.len() < COURSE {
                    facts.course.push(beat.clone());
                }
                facts.last_heartbeat = Some(beat);
            }
            FromGuest::Started { name } => facts.running = Some(name),
            FromGuest::Result(result) => {
                facts.running = None;
                facts.results.push(result);
            }
            FromGuest::End(end) => {
                facts.end = Some(end);
                return Event::End;
            }
        }
        Event::Record
    }

    fn send_job(&mut self) -> Result<(), String> {
        let line = Encoder::default().encode(self.job).map_err(|e| e.to_string())?;
        let wire = self.wire.as_mut().ok_or("the guest spoke before it was connected")?;
        wire.write_all(line.as_bytes()).map_err(|e| format!("cannot send the job: {e}"))
    }
}

/// Accepts one connection and reads it to its end.
fn listen(port: Port, listener: UnixListener, sender: Sender<Input>, over: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        let stream = loop {
            match listener.accept() {
                Ok((stream, _)) => break stream,
                Err(_) if over.load(Ordering::Relaxed) => return,
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let opened = stream.set_nonblocking(false).and_then(|()| stream.try_clone());
        let opened = match (opened, port) {
            (Ok(writer), Port::Wire) => sender.send(Input::WireOpen(writer)),
            (Ok(writer), Port::Console) => sender.send(Input::ConsoleOpen(writer)),
            _ => Ok(()),
        };
        let mut stream = stream;
        let mut buffer = vec![0; 1 << 16];
        if opened.is_ok() {
            while let Ok(n) = stream.read(&mut buffer) {
                if n == 0 {
                    break;
                }
                let bytes = buffer[..n].to_vec();
                let input = match port {
                    Port::Console => Input::Console(bytes),
                    Port::Wire => Input::Wire(bytes),
                    Port::Output => Input::Output(bytes),
                };
                if sender.send(input).is_err() {
                    return;
                }
            }
        }
        let _ = sender.send(Input::Closed(port));
    });
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
