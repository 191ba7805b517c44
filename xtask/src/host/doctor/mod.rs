// SPDX-License-Identifier: MIT OR Apache-2.0
//! What works on this machine, and what does not and why.

mod machine;
mod rust;
mod text;
mod tool;

use serde::Serialize;

pub use machine::{Caches, Machine, Sources};
pub use tool::{State, Tool};

use super::{Host, probe, setup};
use crate::diagnosis::ExitKind;
use crate::store::Store;

/// Changes whenever the report's JSON does.
const SCHEMA: u32 = 1;

/// Everything that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Version of this layout.
    pub schema: u32,
    /// The machine.
    pub machine: Machine,
    /// The programs and files that runs need.
    pub tools: Vec<Tool>,
    /// Rust, for this workspace.
    pub rust: Vec<Tool>,
    /// Rust, for kernels.
    pub rust_for_kernels: Vec<Tool>,
    /// Why none of them serves the newest kernels; empty if some do.
    pub rust_obstacles: Vec<String>,
    /// Clang, which is not needed.
    pub clang: Tool,
    /// What executes guests.
    pub accelerators: Accelerators,
    /// The place of the caches.
    pub caches: Caches,
    /// Where kernel sources can come from.
    pub sources: Sources,
    /// What follows from all that.
    pub jobs: Vec<Job>,
}

/// What executes guests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "probe")]
pub enum Accelerators {
    /// Each was tried by booting a guest.
    Booted(probe::Findings),
    /// None could be tried.
    NotTried {
        /// Why.
        why: String,
    },
}

/// Something that a person wants to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Job {
    /// The command.
    pub command: String,
    /// Whether it will work.
    pub works: bool,
    /// Why not.
    pub why_not: Vec<String>,
}

/// Examines the machine. Boots tiny guests, which takes a few seconds at most; fetches nothing.
pub fn examine(host: &Host, store: &Store) -> Report {
    let family = setup::Family::of_this_machine();
    let (rust_for_kernels, rust_obstacles) = rust::for_kernels(host, store);
    let caches = Caches::examine(store);
    let accelerators = match probe::examine(host, store) {
        Ok(findings) => Accelerators::Booted(findings),
        Err(diagnosis) => Accelerators::NotTried { why: diagnosis.what },
    };
    let mut report = Report {
        schema: SCHEMA,
        machine: Machine::examine(),
        tools: tool::requirements(host, family),
        rust: rust::for_the_guest(host),
        rust_for_kernels,
        rust_obstacles,
        clang: tool::program(host, "clang", "nothing: kernels are built with gcc", "package clang"),
        accelerators,
        caches,
        sources: Sources::examine(host),
        jobs: Vec::new(),
    };
    report.jobs = report.conclude();
    report
}

impl Report {
    /// Whether the main job, `cargo xtask run`, will work.
    pub fn main_job_works(&self) -> bool {
        self.jobs.first().is_some_and(|job| job.works)
    }

    /// How `cargo xtask doctor` ends.
    pub fn exit(&self) -> ExitKind {
        if self.main_job_works() { ExitKind::Pass } else { ExitKind::Infra }
    }

    /// The report for a person.
    pub fn text(&self) -> String {
        text::render(self)
    }

    /// What will work; the main job comes first.
    fn conclude(&self) -> Vec<Job> {
        let main = self.obstacles();
        let with = |more: Vec<String>| [main.clone(), more].concat();
        let busybox = self.tools.iter().filter(|t| t.name == "busybox");
        let jobs = [
            ("cargo xtask run", main.clone()),
            ("cargo xtask boot", with(busybox.filter_map(Tool::trouble).collect())),
            ("cargo xtask run --subject rust", with(self.rust_obstacles.clone())),
        ];
        let job = |(command, why_not): (&str, Vec<String>)| Job {
            command: command.to_owned(),
            works: why_not.is_empty(),
            why_not,
        };
        jobs.map(job).into()
    }

    /// What keeps the main job from working.
    fn obstacles(&self) -> Vec<String> {
        let mut obstacles = Vec::new();
        if self.machine.arch != "x86_64" {
            obstacles.push(format!("kernels are built for x86_64, this is {}", self.machine.arch));
        }
        let tools = self.tools.iter().chain(&self.rust).filter(|tool| !tool.optional);
        obstacles.extend(tools.filter_map(Tool::trouble));
        match &self.accelerators {
            Accelerators::Booted(findings) => {
                if let probe::Outcome::Failed { why } = &findings.tcg {
                    obstacles.push(format!("QEMU does not run guests: {why}"));
                }
            }
            // A missing QEMU is among the tools already.
            Accelerators::NotTried { why } => {
                if obstacles.is_empty() && self.caches.trouble.is_none() {
                    obstacles.push(why.clone());
                }
            }
        }
        if let Some(trouble) = &self.caches.trouble {
            obstacles.push(trouble.clone());
        } else if self.caches.free < self.caches.needed {
            obstacles.push(format!(
                "{} free in {}, {} needed",
                text::bytes(self.caches.free),
                self.caches.root.display(),
                text::bytes(self.caches.needed)
            ));
        }
        if self.machine.memory < machine::MEMORY_NEEDED {
            obstacles.push(format!(
                "{} of memory, {} needed",
                text::bytes(self.machine.memory),
                text::bytes(machine::MEMORY_NEEDED)
            ));
        }
        obstacles
    }
}

#[cfg(test)]
mod tests;
