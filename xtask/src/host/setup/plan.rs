// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is missing, and what would be done about it.

use std::fmt;

use super::Family;
use super::apt::{Apt, SystemApt};
use super::decide::{Decision, Package, decide};
use crate::diagnosis::Diagnosis;
use crate::host::package::{self, REQUIREMENTS, Requirement};
use crate::host::{Host, quote};

/// A command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine(pub Vec<String>);

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.0.iter().map(|word| quote(word)).collect();
        f.write_str(&words.join(" "))
    }
}

/// What is missing, and what would be done about it.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What is missing.
    pub missing: Vec<&'static Requirement>,
    /// The packages that bring it and can be installed, as apt is told them.
    pub packages: Vec<String>,
    /// The commands, in order. A person can run them by hand.
    pub commands: Vec<CommandLine>,
    /// Installed packages that would be removed, whatever is tried.
    pub removes: Vec<String>,
    /// What else there is to know, a line each.
    pub notes: Vec<String>,
    /// With whose rights the commands can be run.
    pub rights: Rights,
    /// Whether the last command is a guess, because the package lists must be fetched first.
    pub provisional: bool,
}

/// With whose rights packages can be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// We are root.
    Root,
    /// There is a sudo.
    Sudo,
    /// Neither.
    None,
    /// Not at all by this tool: it drives apt only.
    NotOurs,
}

impl Rights {
    /// What this process has.
    pub fn of_this_process() -> Self {
        if rustix::process::geteuid().is_root() {
            Self::Root
        } else if package::find_program("sudo".as_ref()).is_some() {
            Self::Sudo
        } else {
            Self::None
        }
    }
}

/// Where the plan is made for.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Decides package names.
    pub family: Family,
    /// Decides who runs the commands.
    pub rights: Rights,
}

impl Place {
    /// This machine and this process.
    pub fn here() -> Self {
        Self { family: Family::of_this_machine(), rights: Rights::of_this_process() }
    }

    fn command(self, words: &[&str]) -> CommandLine {
        let is_root = rustix::process::geteuid().is_root();
        let sudo = match self.rights {
            Rights::Sudo => true,
            Rights::NotOurs => !is_root,
            Rights::Root | Rights::None => false,
        };
        let prefix: &[&str] = if sudo { &["sudo"] } else { &[] };
        CommandLine(prefix.iter().chain(words).map(|&word| word.to_owned()).collect())
    }
}

/// Finds out what is missing and what would install it. Changes nothing; starts no program when
/// nothing is missing.
///
/// # Errors
/// Apt knows no way to install what is missing.
pub fn plan(host: &Host) -> Result<Plan, Diagnosis> {
    plan_again(host, false)
}

/// With `updated`, the package lists have just been fetched.
pub fn plan_again(host: &Host, updated: bool) -> Result<Plan, Diagnosis> {
    let missing = REQUIREMENTS.iter().filter(|r| r.find().is_none()).collect();
    let mut place = Place::here();
    if place.family != Family::Debian || package::find_program("apt-get".as_ref()).is_none() {
        place.rights = Rights::NotOurs;
    }
    plan_for(&SystemApt(host), place, missing, updated)
}

/// The plan for a given place and apt.
pub fn plan_for(
    apt: &dyn Apt,
    place: Place,
    missing: Vec<&'static Requirement>,
    updated: bool,
) -> Result<Plan, Diagnosis> {
    let packages = packages(place.family, &missing);
    let names = |packages: &[Package]| packages.iter().map(|p| p.name.to_owned()).collect();
    let mut plan = Plan {
        missing,
        packages: names(&packages),
        commands: Vec::new(),
        removes: Vec::new(),
        notes: Vec::new(),
        rights: place.rights,
        provisional: false,
    };
    if packages.is_empty() {
        return Ok(plan);
    }
    if place.rights == Rights::NotOurs {
        let words: Vec<_> = packages.iter().map(|p| p.name).collect();
        match place.family.install_words() {
            Some(install) => plan.commands.push(place.command(&[install, &words].concat())),
            None => plan.notes.push(format!(
                "install what brings these with your package manager; Debian's packages are: {}",
                words.join(" ")
            )),
        }
        return Ok(plan);
    }

    if apt.was_interrupted() {
        plan.commands.push(place.command(&["dpkg", "--configure", "-a"]));
    }
    let mut options: &[&str] = &[];
    match decide(apt, &packages, updated)? {
        Decision::UpdateFirst => {
            plan.provisional = true;
            plan.commands.push(place.command(&["apt-get", "update", "-o", "Acquire::Retries=3"]));
            plan.notes.push("what else the install would change shows after the update".to_owned());
        }
        Decision::Install(install) => {
            if install.downgrades {
                plan.notes.push(
                    "installed packages that are in the way are exchanged for this archive's"
                        .to_owned(),
                );
            }
            for name in &install.left_out {
                plan.notes.push(format!("no archive of this machine has {name}; it is optional"));
            }
            plan.packages = install.targets;
            plan.removes = install.removes;
            options = if install.downgrades { &["--allow-downgrades"] } else { &[] };
        }
    }
    if !plan.packages.is_empty() {
        plan.commands.push(place.install(&plan.packages, options));
    }
    Ok(plan)
}

impl Place {
    fn install(self, targets: &[String], options: &[&str]) -> CommandLine {
        let words = ["apt-get", "install", "-y", "--no-install-recommends"];
        // Another apt or dpkg may hold the lock: unattended upgrades do so on fresh machines.
        let patience = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"];
        let targets: Vec<_> = targets.iter().map(String::as_str).collect();
        self.command(&[&words, &patience, options, &targets].concat())
    }
}

/// Each package once; it is optional if everything that it brings is.
fn packages(family: Family, missing: &[&'static Requirement]) -> Vec<Package> {
    let mut packages: Vec<Package> = Vec::new();
    for requirement in missing {
        let name = family.package(requirement);
        match packages.iter_mut().find(|p| p.name == name) {
            Some(package) => package.optional &= requirement.optional,
            None => packages.push(Package { name, optional: requirement.optional }),
        }
    }
    packages
}

impl Plan {
    /// Whether the main job runs without what is missing.
    pub fn is_optional(&self) -> bool {
        self.missing.iter().all(|r| r.optional)
    }

    /// The commands as one line to paste into a shell.
    pub fn command_line(&self) -> String {
        let lines: Vec<_> = self.commands.iter().map(ToString::to_string).collect();
        lines.join(" && ")
    }

    /// What is missing: a line each, with its name, its package and what needs it.
    pub fn list(&self) -> String {
        let width = self.missing.iter().map(|r| r.name().len()).max().unwrap_or_default();
        let line = |r: &&Requirement| {
            let optional = if r.optional { "optional; " } else { "" };
            format!("{:<width$}  {optional}for {}\n", r.name(), r.needed_for)
        };
        self.missing.iter().map(line).collect()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.missing.is_empty() {
            return f.write_str("nothing is missing");
        }
        f.write_str("missing:")?;
        self.list().lines().try_for_each(|line| write!(f, "\n  {line}"))?;
        if !self.commands.is_empty() {
            f.write_str("\ncommands:")?;
            self.commands.iter().try_for_each(|command| write!(f, "\n  {command}"))?;
        }
        if !self.removes.is_empty() {
            write!(f, "\nwould be removed: {} (refused without --yes)", self.removes.join(" "))?;
        }
        self.notes.iter().try_for_each(|note| write!(f, "\nnote: {note}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::apt::{Removed, Simulation};
    use super::*;

    /// What of the machine conflicts with QEMU's package.
    #[derive(Default, Clone, Copy, PartialEq)]
    enum InTheWay {
        #[default]
        Nothing,
        /// A newer package, of which the archive has a version that fits.
        Exchangeable,
        /// A package that is in no archive.
        Stuck,
    }

    /// An apt that knows every package.
    #[derive(Default)]
    struct Willing {
        empty: bool,
        interrupted: bool,
        in_the_way: InTheWay,
    }

    impl Apt for Willing {
        fn lists_are_empty(&self) -> bool {
            self.empty
        }
        fn was_interrupted(&self) -> bool {
            self.interrupted
        }
        fn simulate(&self, targets: &[String]) -> Result<Simulation, Diagnosis> {
            let removed = if self.in_the_way == InTheWay::Nothing
                || targets.iter().any(|t| t == "qemu-utils=1:7.2")
            {
                vec![]
            } else {
                vec![Removed { name: "qemu-utils".into(), version: "1:10".into() }]
            };
            Ok(Simulation::Possible { removed })
        }
        fn versions(&self, _: &str) -> Result<Vec<String>, Diagnosis> {
            let known = self.in_the_way == InTheWay::Exchangeable;
            Ok(if known { vec!["1:7.2".into()] } else { vec![] })
        }
    }

    fn shown(apt: &Willing, family: Family, rights: Rights, names: &[&str]) -> String {
        let missing = REQUIREMENTS.iter().filter(|r| names.contains(&r.name())).collect();
        plan_for(apt, Place { family, rights }, missing, false).unwrap().to_string()
    }

    const QEMU: &str = "qemu-system-x86_64";

    #[test]
    fn plans_are_shown_with_exact_commands() {
        let apt = Willing::default();
        let names = ["libc.a", "stdio.h", QEMU, "ccache"];
        insta::assert_snapshot!(shown(&apt, Family::Debian, Rights::Root, &names), @r"
        missing:
          libc.a              for the guest's static /init, and the programs that kernel builds run
          stdio.h             for the programs that kernel builds run
          qemu-system-x86_64  for booting kernels
          ccache              optional; for faster rebuilds across series
        commands:
          apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 libc6-dev qemu-system-x86 ccache
        ");
        insta::assert_snapshot!(shown(&apt, Family::Debian, Rights::Sudo, &["bc"]), @r"
        missing:
          bc  for building kernels (time constants)
        commands:
          sudo apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 bc
        ");
        assert_eq!(shown(&apt, Family::Debian, Rights::Root, &[]), "nothing is missing");
    }

    #[test]
    fn a_bare_or_interrupted_machine_is_put_in_order_first() {
        let apt = Willing { empty: true, interrupted: true, ..Willing::default() };
        insta::assert_snapshot!(shown(&apt, Family::Debian, Rights::Root, &["bc"]), @r"
        missing:
          bc  for building kernels (time constants)
        commands:
          dpkg --configure -a
          apt-get update -o Acquire::Retries=3
          apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 bc
        note: what else the install would change shows after the update
        ");
    }

    #[test]
    fn what_is_in_the_way_is_exchanged_or_told() {
        let apt = Willing { in_the_way: InTheWay::Exchangeable, ..Willing::default() };
        insta::assert_snapshot!(shown(&apt, Family::Debian, Rights::Root, &[QEMU]), @r"
        missing:
          qemu-system-x86_64  for booting kernels
        commands:
          apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 --allow-downgrades qemu-system-x86 qemu-utils=1:7.2
        note: installed packages that are in the way are exchanged for this archive's
        ");
        let apt = Willing { in_the_way: InTheWay::Stuck, ..Willing::default() };
        insta::assert_snapshot!(shown(&apt, Family::Debian, Rights::Root, &[QEMU]), @r"
        missing:
          qemu-system-x86_64  for booting kernels
        commands:
          apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 qemu-system-x86
        would be removed: qemu-utils (refused without --yes)
        ");
    }

    #[test]
    fn other_distributions_get_their_own_names() {
        let apt = Willing::default();
        let of = |family| {
            let missing = REQUIREMENTS.iter().filter(|r| ["libelf.h", "xz"].contains(&r.name()));
            let place = Place { family, rights: Rights::NotOurs };
            let plan = plan_for(&apt, place, missing.collect(), false).unwrap();
            let line = plan.command_line();
            (line.trim_start_matches("sudo ").to_owned(), plan.notes.join("\n"))
        };
        assert_eq!(of(Family::Fedora).0, "dnf install xz elfutils-libelf-devel");
        assert_eq!(of(Family::Arch).0, "pacman -S --needed xz libelf");
        let (line, note) = of(Family::Unknown);
        assert_eq!(line, "");
        assert!(note.ends_with("Debian's packages are: xz-utils libelf-dev"), "{note}");
    }
}
