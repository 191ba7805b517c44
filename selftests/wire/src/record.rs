// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the records say.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What the guest is asked to do. The host sends one job after [`FromGuest::Hello`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Tasks, done in this order.
    pub tasks: Vec<Task>,
    /// How long to go on watching after the last task, in milliseconds, so that a late oops counts.
    pub settle_ms: u64,
    /// Time between two heartbeats, in milliseconds.
    pub heartbeat_ms: u64,
}

/// One thing to do in the guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "kebab-case")]
pub enum Task {
    /// Load modules from `/modules`, run the stress loop of the `direct_target` module, unload them.
    Stress(StressSpec),
    /// Run a command; its output goes to the output port, its exit status into the result.
    Command {
        /// Program and arguments.
        argv: Vec<String>,
    },
    /// Give an interactive shell on the console; its exit status is the result.
    Shell {
        /// `TERM` of the terminal that the console is joined to.
        term: String,
        /// Height of that terminal, in lines; 0 if it is not known.
        rows: u16,
        /// Width of that terminal, in columns; 0 if it is not known.
        columns: u16,
    },
}

/// Parameters of one stress loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StressSpec {
    /// Name of the test, unique within the job.
    pub name: String,
    /// Modules to load, in this order; unloaded in reverse order.
    pub modules: Vec<ModuleSpec>,
    /// How long to call and modify, in milliseconds.
    pub duration_ms: u64,
    /// Worker threads that call the traced functions.
    pub workers: u32,
    /// Traced functions that are attached.
    pub targets: u32,
    /// Seed of everything random in the loop.
    pub seed: u64,
}

/// A module to load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleSpec {
    /// File name under `/modules`, such as `direct_c.ko`.
    pub file: String,
    /// Parameters, as insmod takes them.
    pub params: String,
}

impl ModuleSpec {
    /// The name under which the kernel knows the module: kbuild makes every dash an underscore.
    pub fn name(&self) -> String {
        self.file.strip_suffix(".ko").unwrap_or(&self.file).replace('-', "_")
    }
}

/// A record from the guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub enum FromGuest {
    /// First record: init runs and the channel works.
    Hello(Hello),
    /// Proof of life, with progress.
    Heartbeat(Heartbeat),
    /// A task begins.
    Started {
        /// The test's name, or the command.
        name: String,
    },
    /// A task ended.
    Result(TestResult),
    /// Last record: everything was done and nothing more will come.
    End(End),
}

/// Who is speaking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// `uname -r`.
    pub release: String,
    /// `uname -v`.
    pub build: String,
    /// Processors that are online.
    pub cpus: u32,
    /// Time since the kernel started, in milliseconds (`CLOCK_BOOTTIME`).
    pub boot_ms: u64,
}

/// Proof of life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// Time since the kernel started, in milliseconds.
    pub uptime_ms: u64,
    /// The running task, if any.
    pub task: Option<String>,
    /// Modifies done so far by the running stress loop.
    pub modifies: u64,
    /// Calls made so far by the running stress loop.
    pub calls: u64,
    /// Calls so far that reached no trampoline.
    pub missed: u64,
}

/// How one task ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestResult {
    /// The test's name, or the command.
    pub name: String,
    /// What came of it.
    pub outcome: Outcome,
    /// Counters of a stress loop; empty for other tasks.
    pub counters: Counters,
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// The task ran to its end. For a stress loop the counters tell whether the kernel did well.
    Completed,
    /// A command or shell ended with this status (128 + signal if a signal ended it).
    Exited {
        /// Exit status, 0 to 255.
        status: u8,
    },
    /// A step of the task did not work: which, and the error.
    Broke {
        /// `insmod direct_c.ko`, `write run`, …
        step: String,
        /// The error number, 0 if there is none.
        errno: i32,
        /// The error in words.
        why: String,
    },
}

/// `key=value` lines of the stress loop, split into numbers and words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Values that are whole numbers, such as `calls`.
    pub numbers: BTreeMap<String, i64>,
    /// All others, such as `era`.
    pub words: BTreeMap<String, String>,
}

/// The last record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// How many [`FromGuest::Result`] records came before.
    pub results: u32,
    /// `/proc/sys/kernel/tainted` at the end, if it could be read.
    pub taint: Option<u64>,
    /// How many bytes were written to the output port. The two ports have no common order: the host
    /// has all output when it has read this many.
    pub output_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_known_by_their_kernel_names() {
        let name = |file: &str| ModuleSpec { file: file.into(), params: String::new() }.name();
        assert_eq!(name("direct_c.ko"), "direct_c");
        assert_eq!(name("ftrace-direct-too.ko"), "ftrace_direct_too");
    }

    #[test]
    fn the_job_has_this_form() {
        let stress = StressSpec {
            name: "no-missed-call".into(),
            modules: vec![ModuleSpec {
                file: "direct_c.ko".into(),
                params: "sabotage=none".into(),
            }],
            duration_ms: 10_000,
            workers: 2,
            targets: 16,
            seed: u64::MAX,
        };
        let job = Job {
            tasks: vec![
                Task::Stress(stress),
                Task::Command { argv: vec!["uname".into(), "-r".into()] },
                Task::Shell { term: "xterm".into(), rows: 25, columns: 80 },
            ],
            settle_ms: 500,
            heartbeat_ms: 1000,
        };
        let json = serde_json::to_string_pretty(&job).unwrap();
        assert_eq!(serde_json::from_str::<Job>(&json).unwrap(), job);
        insta::assert_snapshot!(json);
    }

    #[test]
    fn the_guest_s_records_have_this_form() {
        let mut counters = Counters::default();
        counters.numbers.insert("calls".into(), 12);
        counters.words.insert("era".into(), "multi".into());
        let result = |outcome, counters| {
            FromGuest::Result(TestResult { name: "t".into(), outcome, counters })
        };
        let records = [
            FromGuest::Hello(Hello {
                release: "6.1.0".into(),
                build: "#1 SMP".into(),
                cpus: 2,
                boot_ms: 2900,
            }),
            FromGuest::Started { name: "t".into() },
            FromGuest::Heartbeat(Heartbeat {
                uptime_ms: 4000,
                task: Some("t".into()),
                modifies: 7,
                calls: 9,
                missed: 1,
            }),
            result(Outcome::Completed, counters),
            result(Outcome::Exited { status: 127 }, Counters::default()),
            result(
                Outcome::Broke { step: "insmod a.ko".into(), errno: 8, why: "no".into() },
                Counters::default(),
            ),
            FromGuest::End(End { results: 3, taint: Some(4096), output_bytes: 10 }),
        ];
        let lines: Vec<_> = records
            .iter()
            .map(|record| {
                let json = serde_json::to_string(record).unwrap();
                assert_eq!(&serde_json::from_str::<FromGuest>(&json).unwrap(), record);
                json
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
