// SPDX-License-Identifier: MIT OR Apache-2.0
//! What apt would do, asked before it does it.
//!
//! `apt-get -s` needs no rights and changes nothing. Its output is read in the C locale.

use std::path::Path;

use crate::diagnosis::Diagnosis;
use crate::host::Host;

/// What an install would lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Simulation {
    /// It can be done; these installed packages would be removed for it.
    Possible {
        /// Name and installed version of each.
        removed: Vec<Removed>,
    },
    /// The lists name no such packages.
    Unknown {
        /// Their names.
        packages: Vec<String>,
    },
    /// It cannot be done, for the reason in apt's own words.
    Impossible {
        /// Apt's words.
        words: String,
    },
}

/// An installed package that would be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// Its name, with `:ARCH` where it is of a foreign architecture.
    pub name: String,
    /// The version that is installed.
    pub version: String,
}

/// Questions to apt. They change nothing.
pub trait Apt {
    /// Whether the machine has no package lists at all, as fresh containers do.
    fn lists_are_empty(&self) -> bool;
    /// Whether dpkg was killed in the middle of something and must be made to finish it first.
    fn was_interrupted(&self) -> bool;
    /// What installing these would lead to. A target is `NAME` or `NAME=VERSION`.
    fn simulate(&self, targets: &[String]) -> Result<Simulation, Diagnosis>;
    /// The versions of a package that the archives offer, newest first.
    fn versions(&self, package: &str) -> Result<Vec<String>, Diagnosis>;
}

/// The machine's own apt.
#[derive(Debug)]
pub struct SystemApt<'h>(pub &'h Host);

impl Apt for SystemApt<'_> {
    fn lists_are_empty(&self) -> bool {
        let lists = std::fs::read_dir("/var/lib/apt/lists");
        !lists.is_ok_and(|mut entries| {
            entries.any(|e| e.is_ok_and(|e| e.file_name().to_string_lossy().contains("_Packages")))
        })
    }

    fn was_interrupted(&self) -> bool {
        // The journal of unfinished steps; apt's own check looks for the same files.
        std::fs::read_dir(Path::new("/var/lib/dpkg/updates")).is_ok_and(|mut entries| {
            entries.any(|e| {
                e.is_ok_and(|e| e.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit))
            })
        })
    }

    fn simulate(&self, targets: &[String]) -> Result<Simulation, Diagnosis> {
        let output = self
            .0
            .program("apt-get")
            .env("LC_ALL", "C")
            .args(["-s", "install", "--allow-downgrades", "--no-install-recommends"])
            .args(targets)
            .output()?;
        Ok(read_simulation(output.success(), &output.text(), &output.error_text()))
    }

    fn versions(&self, package: &str) -> Result<Vec<String>, Diagnosis> {
        let output =
            self.0.program("apt-cache").env("LC_ALL", "C").args(["madison", package]).output()?;
        Ok(read_madison(&output.text()))
    }
}

fn read_simulation(success: bool, stdout: &str, stderr: &str) -> Simulation {
    if success {
        let removed = stdout.lines().filter_map(|line| {
            let words = line.strip_prefix("Remv ").or_else(|| line.strip_prefix("Purg "))?;
            let (name, rest) = words.split_once(' ')?;
            let version = rest.strip_prefix('[')?.split(']').next()?;
            Some(Removed { name: name.to_owned(), version: version.to_owned() })
        });
        return Simulation::Possible { removed: removed.collect() };
    }
    let packages: Vec<_> = stderr.lines().filter_map(unknown_package).collect();
    if packages.is_empty() {
        // The reason, unmet dependencies say, is on standard output; the verdict on standard error.
        let reason = stdout
            .split_once("The following packages have unmet dependencies:")
            .map_or("", |(_, reason)| reason.trim_matches('\n'));
        return Simulation::Impossible { words: format!("{reason}\n{stderr}").trim().to_owned() };
    }
    Simulation::Unknown { packages }
}

fn unknown_package(line: &str) -> Option<String> {
    let line = line.strip_prefix("E: ")?;
    let name = line.strip_prefix("Unable to locate package ").or_else(|| {
        line.strip_suffix(" has no installation candidate")?.strip_prefix("Package ")
    })?;
    Some(name.trim_matches('\'').to_owned())
}

fn read_madison(text: &str) -> Vec<String> {
    let mut versions = Vec::new();
    for line in text.lines().filter(|line| line.trim_end().ends_with("Packages")) {
        if let Some(version) = line.split('|').nth(1) {
            let version = version.trim().to_owned();
            if !versions.contains(&version) {
                versions.push(version);
            }
        }
    }
    versions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of apt 2.6 in a bookworm with a newer qemu-utils; shortened.
    const REMOVES: &str = "\
Reading package lists...
Building dependency tree...
The following packages will be REMOVED:
  qemu-utils
0 upgraded, 59 newly installed, 1 to remove and 12 not upgraded.
Remv qemu-utils [1:10.0.2+ds-2]
Inst seabios (1.16.2-1 Debian:12.15/oldstable [all])
Inst qemu-system-x86 (1:7.2+dfsg-7+deb12u18+b3 Debian:12.15/oldstable [amd64])
Conf qemu-system-x86 (1:7.2+dfsg-7+deb12u18+b3 Debian:12.15/oldstable [amd64])
";

    const UNMET: &str = "\
Reading package lists...
Building dependency tree...
Some packages could not be installed. This may mean that you have
requested an impossible situation
The following information may help to resolve the situation:

The following packages have unmet dependencies:
 impossible : Depends: nonesuch-lib (>= 2) but it is not installable
";

    #[test]
    fn simulations_are_understood() {
        let removed =
            |name: &str, version: &str| Removed { name: name.into(), version: version.into() };
        let possible = |removed| Simulation::Possible { removed };
        let cases = [
            (true, "Inst bc (1.07 Debian [amd64])\n", "", possible(vec![])),
            (true, REMOVES, "", possible(vec![removed("qemu-utils", "1:10.0.2+ds-2")])),
            (
                true,
                "Remv qemu-utils:i386 [1:10] [qemu-x:i386 ]\nPurg b [2]\n",
                "",
                possible(vec![removed("qemu-utils:i386", "1:10"), removed("b", "2")]),
            ),
            (
                false,
                "",
                "E: Unable to locate package git\nE: Package 'bc' has no installation candidate\n",
                Simulation::Unknown { packages: vec!["git".into(), "bc".into()] },
            ),
            (
                false,
                UNMET,
                "E: Unable to correct problems, you have held broken packages.\n",
                Simulation::Impossible {
                    words: " impossible : Depends: nonesuch-lib (>= 2) but it is not installable\n\
                            E: Unable to correct problems, you have held broken packages."
                        .trim()
                        .into(),
                },
            ),
            (
                false,
                "",
                "E: Version '99' for 'dpkg-dev' was not found\n",
                Simulation::Impossible {
                    words: "E: Version '99' for 'dpkg-dev' was not found".into(),
                },
            ),
        ];
        for (success, stdout, stderr, want) in cases {
            assert_eq!(read_simulation(success, stdout, stderr), want, "{stdout}{stderr}");
        }
    }

    #[test]
    fn versions_are_those_of_binary_packages() {
        let text = "\
qemu-utils | 1:7.2+dfsg-7+deb12u18 | mirror bookworm/main amd64 Packages
qemu-utils | 1:7.2+dfsg-7+deb12u18 | mirror bookworm-updates/main amd64 Packages
qemu-utils | 1:7.2+dfsg-7+deb12u15 | mirror bookworm-security/main amd64 Packages
qemu | 1:7.2+dfsg-7+deb12u18 | mirror bookworm/main Sources
";
        assert_eq!(read_madison(text), ["1:7.2+dfsg-7+deb12u18", "1:7.2+dfsg-7+deb12u15"]);
        assert!(read_madison("").is_empty());
    }
}
