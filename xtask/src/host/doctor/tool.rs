// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tools and their versions.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;
use serde::Serialize;

use super::super::package::{REQUIREMENTS, Requirement, Wanted, find_program};
use super::super::setup::Family;
use crate::host::Host;

/// How long a program may take to tell its version.
const LIMIT: Duration = Duration::from_secs(10);

/// The oldest versions that the newest kernels still build with, see `scripts/min-tool-version.sh`
/// and `Documentation/process/changes.rst` of 6.16. Older kernels are content with less.
const WANTED_BY_NEW_KERNELS: [(&str, &str); 3] = [("gcc", "8.1"), ("ld", "2.30"), ("make", "4.0")];

/// A tool, or a file that is needed like one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// What it is called.
    pub name: String,
    /// What stops working without it.
    pub needed_for: String,
    /// Whether the main job runs without it.
    pub optional: bool,
    /// How it is.
    #[serde(flatten)]
    pub state: State,
}

/// How a tool is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum State {
    /// It is there.
    Present {
        /// Where.
        path: PathBuf,
        /// The version that it tells; files have none.
        version: Option<String>,
        /// What is not right about it, though it will mostly do.
        concern: Option<String>,
    },
    /// It is there and does not run, or is too old.
    Unusable {
        /// Where.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// It is not there.
    Missing {
        /// The package that brings it, or another way to get it.
        remedy: String,
    },
}

impl Tool {
    /// Whether something that needs it can work.
    #[cfg(test)]
    fn works(&self) -> bool {
        matches!(self.state, State::Present { .. })
    }

    /// Why it does not work, in a few words.
    pub fn trouble(&self) -> Option<String> {
        match &self.state {
            State::Present { .. } => None,
            State::Unusable { why, .. } => Some(format!("{}: {why}", self.name)),
            State::Missing { remedy } => Some(format!("{} is missing ({remedy})", self.name)),
        }
    }
}

/// Everything in [`REQUIREMENTS`]. The programs are asked at the same time: some take a while.
pub fn requirements(host: &Host, family: Family) -> Vec<Tool> {
    std::thread::scope(|scope| {
        let asked: Vec<_> = REQUIREMENTS
            .iter()
            // Told in full elsewhere, candidate by candidate.
            .filter(|r| !matches!(r.what, Wanted::RustWithSource | Wanted::Libclang))
            .map(|r| scope.spawn(move || requirement(host, family, r)))
            .collect();
        asked.into_iter().filter_map(|tool| tool.join().ok()).collect()
    })
}

fn requirement(host: &Host, family: Family, requirement: &Requirement) -> Tool {
    let state = match (requirement.find(), requirement.what) {
        (None, what) => {
            let remedy = format!("package {}", family.package(requirement));
            match what {
                Wanted::StaticProgram(name) if find_program(name.as_ref()).is_some() => {
                    State::Missing {
                        remedy: format!("{name} here needs shared libraries; {remedy}"),
                    }
                }
                _ => State::Missing { remedy },
            }
        }
        (Some(path), Wanted::Program(name) | Wanted::StaticProgram(name)) => ask(host, name, path),
        (
            Some(path),
            Wanted::Header(_)
            | Wanted::StaticLibc
            | Wanted::Certificates
            | Wanted::RustWithSource
            | Wanted::Libclang,
        ) => State::Present { path, version: None, concern: None },
    };
    Tool {
        name: requirement.name().to_owned(),
        needed_for: requirement.needed_for.to_owned(),
        optional: requirement.optional,
        state,
    }
}

/// A program that no package of [`REQUIREMENTS`] brings.
pub fn program(host: &Host, name: &str, needed_for: &str, remedy: &str) -> Tool {
    let state = match find_program(name.as_ref()) {
        Some(path) => ask(host, name, path),
        None => State::Missing { remedy: remedy.to_owned() },
    };
    Tool { name: name.to_owned(), needed_for: needed_for.to_owned(), optional: true, state }
}

/// Asks a program for its version. One that runs without telling it is taken as it is.
pub fn ask(host: &Host, name: &str, path: PathBuf) -> State {
    let question: &[&str] = match name {
        // It takes `--version` for the name of an applet.
        "busybox" => &["--help"],
        // Debian's mawk knows no other way, and gawk knows this one too.
        "awk" => &["-W", "version"],
        _ => &["--version"],
    };
    let output = match host.program(&path).args(question).env("LC_ALL", "C").limit(LIMIT).output() {
        Ok(output) => output,
        Err(diagnosis) => return State::Unusable { path, why: diagnosis.what },
    };
    // Some write it to standard error.
    let text = format!("{}\n{}", output.text(), output.error_text());
    // From 126 on: it could not be started, lacks a library, or died by a signal.
    if output.code >= 126 {
        let said = text.lines().map(str::trim).find(|line| !line.is_empty());
        let said = said.map_or(format!("exit code {}", output.code), str::to_owned);
        return State::Unusable { path, why: format!("it does not run: {said}") };
    }
    let version = version_in(&text).map(str::to_owned);
    let concern = version.as_deref().and_then(|version| concern(name, version));
    State::Present { path, version, concern }
}

fn concern(name: &str, version: &str) -> Option<String> {
    let (_, wanted) = WANTED_BY_NEW_KERNELS.iter().find(|(n, _)| *n == name)?;
    is_older(version, wanted).then(|| format!("kernels from 6.16 on need {wanted} or newer"))
}

/// The version in the first lines that a program says about itself. What stands in parentheses is
/// mostly the distribution's.
fn version_in(text: &str) -> Option<&str> {
    static PARENTHESES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\([^)]*\)").ok());
    static VERSION: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\d+(?:\.\d+)+(?:-[0-9a-z.]+)?").ok());
    let (parentheses, version) = (PARENTHESES.as_ref()?, VERSION.as_ref()?);
    text.lines().take(3).find_map(|line| {
        let asides: Vec<_> = parentheses.find_iter(line).map(|m| m.range()).collect();
        let outside = |at: usize| !asides.iter().any(|range| range.contains(&at));
        let found = version.find_iter(line).find(|m| outside(m.start()));
        found.or_else(|| version.find(line)).map(|m| m.as_str())
    })
}

/// Compares the numbers of two versions; what follows them does not count.
pub fn is_older(version: &str, than: &str) -> bool {
    let numbers = |text: &str| -> Vec<u64> {
        let text = text.split(['-', '+', '~']).next().unwrap_or_default();
        text.split('.').map_while(|n| n.parse().ok()).collect()
    };
    let (mut ours, mut theirs) = (numbers(version), numbers(than));
    let length = ours.len().max(theirs.len());
    ours.resize(length, 0);
    theirs.resize(length, 0);
    ours < theirs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        let cases = [
            ("git version 2.39.5", "2.39.5"),
            ("gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright", "12.2.0"),
            ("GNU ld (GNU Binutils for Debian) 2.40", "2.40"),
            ("\nThis is perl 5, version 36, subversion 0 (v5.36.0) built for x86_64", "5.36.0"),
            ("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)", "7.2.22"),
            ("BusyBox v1.35.0 (Debian 1:1.35.0-4+b3) multi-call binary.", "1.35.0"),
            ("curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1 OpenSSL/3.0.17", "7.88.1"),
            ("rustc 1.96.0-nightly (0123abcde 2026-01-01)", "1.96.0-nightly"),
            ("mawk 1.3.4 20200120", "1.3.4"),
        ];
        for (text, want) in cases {
            assert_eq!(version_in(text), Some(want), "{text}");
        }
        assert_eq!(version_in("error while loading shared libraries"), None);
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(is_older("2.9", "2.30") && is_older("7.5.0", "8.1") && is_older("1.89.0", "1.90"));
        assert!(!is_older("2.40", "2.30") && !is_older("4.0", "4.0.0"));
        assert!(!is_older("1.96.0-nightly", "1.90") && is_older("4", "4.0.1"));
        assert_eq!(concern("gcc", "12.2.0"), None);
        assert!(concern("gcc", "7.5.0").is_some_and(|c| c.contains("8.1")));
    }

    #[test]
    fn a_program_that_does_not_run_is_told_from_one_that_is_missing() {
        let host = Host::for_tests();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("gcc");
        let script = "#!/bin/sh\necho 'cc1: cannot open shared object' >&2; exit 127\n";
        host.program("tee").arg(&path).input(script).run().unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).unwrap();
        let why = "it does not run: cc1: cannot open shared object".to_owned();
        assert_eq!(ask(&host, "gcc", path.clone()), State::Unusable { path: path.clone(), why });
        let script = "#!/bin/sh\necho 'unknown option' >&2; exit 2\n";
        host.program("tee").arg(&path).input(script).run().unwrap();
        let state = ask(&host, "gcc", path.clone());
        assert_eq!(state, State::Present { path, version: None, concern: None });
        let missing = program(&host, "no-such-program-here", "nothing", "buy one");
        assert_eq!(missing.state, State::Missing { remedy: "buy one".into() });
        assert!(!missing.works());
    }
}
