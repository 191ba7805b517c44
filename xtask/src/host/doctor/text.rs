// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report as text: aligned, one fact a line, each with a mark.

use std::fmt::Write as _;

use super::super::probe::Outcome;
use super::machine::{MEMORY_NEEDED, MEMORY_WANTED, SPACE_FOR_TWO};
use super::{Accelerators, Report, State, Tool};

const GOOD: char = '✓';
const BAD: char = '✗';
const CONCERN: char = '!';
const NEUTRAL: char = '·';

/// One line.
struct Fact {
    mark: char,
    name: String,
    text: String,
}

fn fact(mark: char, name: &str, text: impl Into<String>) -> Fact {
    Fact { mark, name: name.to_owned(), text: text.into() }
}

/// The whole report.
pub fn render(report: &Report) -> String {
    let tools = |tools: &[Tool]| tools.iter().map(tool).collect::<Vec<_>>();
    let mut kernels = tools(&report.rust_for_kernels);
    kernels.push(match &report.clang.state {
        State::Missing { .. } => fact(NEUTRAL, &report.clang.name, "not installed, and not needed"),
        _ => tool(&report.clang),
    });
    let sections = [
        ("machine", machine(report)),
        ("tools", tools(&report.tools)),
        ("Rust", tools(&report.rust)),
        ("Rust for kernels, other compilers", kernels),
        ("accelerators", accelerators(&report.accelerators)),
        ("caches", caches(report)),
        ("kernel sources", sources(report)),
    ];
    let width = sections.iter().flat_map(|(_, facts)| facts).map(|f| f.name.chars().count()).max();
    let width = width.unwrap_or_default();
    let mut text = String::new();
    for (title, facts) in &sections {
        let _ = writeln!(text, "{title}");
        for Fact { mark, name, text: words } in facts {
            let _ = writeln!(text, "  {mark} {name:<width$}  {words}");
        }
        text.push('\n');
    }
    text.push_str("what works\n");
    for (nth, job) in report.jobs.iter().enumerate() {
        let (mark, words) = if job.works { (GOOD, "will work") } else { (BAD, "will not:") };
        let _ = writeln!(text, "  {mark} {}: {words}", job.command);
        // What keeps the main job from working keeps the others too; once is enough.
        let main = report.jobs.first().filter(|_| nth > 0);
        let (known, own): (Vec<_>, Vec<_>) =
            job.why_not.iter().partition(|why| main.is_some_and(|main| main.why_not.contains(why)));
        if !known.is_empty() {
            text.push_str("      all of the above\n");
        }
        for why in own {
            let _ = writeln!(text, "      {why}");
        }
    }
    let missing = report.tools.iter().any(|t| matches!(t.state, State::Missing { .. }));
    if missing {
        text.push_str("\n`cargo xtask setup` installs what is missing of the tools.\n");
    }
    text
}

/// A number of bytes for people, in GiB with one digit.
pub fn bytes(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10) >> 30;
    format!("{}.{} GiB", tenths / 10, tenths % 10)
}

fn machine(report: &Report) -> Vec<Fact> {
    let machine = &report.machine;
    let native = machine.arch == "x86_64";
    let memory = match machine.memory {
        ..MEMORY_NEEDED => BAD,
        MEMORY_NEEDED..MEMORY_WANTED => CONCERN,
        _ => GOOD,
    };
    vec![
        fact(
            if native { GOOD } else { BAD },
            "system",
            format!("{}, Linux {}, {}", machine.system, machine.kernel, machine.arch),
        ),
        fact(GOOD, "CPUs", machine.cpus.to_string()),
        fact(
            memory,
            "memory",
            format!("{}, {} available", bytes(machine.memory), bytes(machine.memory_available)),
        ),
    ]
}

fn tool(tool: &Tool) -> Fact {
    let bad = if tool.optional { CONCERN } else { BAD };
    let only = if tool.optional { "only " } else { "" };
    match &tool.state {
        State::Present { path, version, concern } => {
            let mark = if concern.is_some() { CONCERN } else { GOOD };
            let version = version.as_deref().unwrap_or("-");
            let mut text = format!("{version:<10}  {}", path.display());
            if let Some(concern) = concern {
                let _ = write!(text, "  ({concern})");
            }
            fact(mark, &tool.name, text)
        }
        State::Unusable { path, why } => {
            let text = format!("{}: {why}; {only}for {}", path.display(), tool.needed_for);
            fact(bad, &tool.name, text)
        }
        State::Missing { remedy } => {
            fact(bad, &tool.name, format!("missing: {remedy}; {only}for {}", tool.needed_for))
        }
    }
}

fn accelerators(accelerators: &Accelerators) -> Vec<Fact> {
    let findings = match accelerators {
        Accelerators::NotTried { why } => return vec![fact(BAD, "guests", why.as_str())],
        Accelerators::Booted(findings) => findings,
    };
    let tcg = match &findings.tcg {
        Outcome::Ran => fact(
            GOOD,
            "TCG",
            "a guest ran; used with thread=single: with thread=multi, QEMU 7.2 breaks guests that \
             patch their text",
        ),
        Outcome::Failed { why } => fact(BAD, "TCG", why.as_str()),
    };
    let kvm = match (&findings.kvm, &findings.kernel) {
        (Outcome::Failed { why }, _) => fact(CONCERN, "KVM", format!("not used, TCG is: {why}")),
        (Outcome::Ran, Some(Outcome::Ran)) => fact(GOOD, "KVM", "a guest and a kernel ran"),
        (Outcome::Ran, Some(Outcome::Failed { why })) => {
            fact(CONCERN, "KVM", format!("not used, TCG is: a kernel did not boot: {why}"))
        }
        (Outcome::Ran, None) => {
            fact(GOOD, "KVM", "a guest ran; used once the first kernel has booted under it")
        }
    };
    vec![tcg, kvm]
}

fn caches(report: &Report) -> Vec<Fact> {
    let caches = &report.caches;
    let place = format!("{} (from {})", caches.root.display(), caches.from);
    let place = match &caches.trouble {
        Some(trouble) => fact(BAD, "place", format!("{place}: {trouble}")),
        None => fact(GOOD, "place", place),
    };
    let mark = match caches.free {
        free if free < caches.needed => BAD,
        ..SPACE_FOR_TWO => CONCERN,
        _ => GOOD,
    };
    let space = format!(
        "{} free; the next run needs {}, two kernels from scratch {}",
        bytes(caches.free),
        bytes(caches.needed),
        bytes(SPACE_FOR_TWO)
    );
    vec![place, fact(mark, "space", space)]
}

fn sources(report: &Report) -> Vec<Fact> {
    let sources = &report.sources;
    let debian = match (sources.debian_suites.as_slice(), sources.debian_keys) {
        ([], _) => fact(
            CONCERN,
            "Debian",
            "apt has no Debian archive here: kernels come from kernel.org, git or a directory",
        ),
        (suites, true) => fact(
            GOOD,
            "Debian",
            format!(
                "source packages from the archive of {} (not fetched to check)",
                suites.join(", ")
            ),
        ),
        (suites, false) => fact(
            CONCERN,
            "Debian",
            format!(
                "apt has {}, but not the keys to verify source packages: package \
                 debian-archive-keyring",
                suites.join(", ")
            ),
        ),
    };
    vec![debian]
}
