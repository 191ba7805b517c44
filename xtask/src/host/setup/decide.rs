// SPDX-License-Identifier: MIT OR Apache-2.0
//! What to ask of apt so that the machine gets what is missing and loses nothing.

use super::apt::{Apt, Removed, Simulation};
use crate::diagnosis::Diagnosis;

/// How often removed packages are added to the install before it is given up.
const ROUNDS: usize = 4;

/// A package to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: &'static str,
    /// Whether the main job runs without it.
    pub optional: bool,
}

/// What to ask of apt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The package lists must be fetched before anything can be said.
    UpdateFirst,
    /// Install these.
    Install(Install),
}

/// An install that apt says it can do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Install {
    /// `NAME` or `NAME=VERSION`.
    pub targets: Vec<String>,
    /// Whether some of them are older than what is installed.
    pub downgrades: bool,
    /// Installed packages that would be removed.
    pub removes: Vec<String>,
    /// Optional packages that no archive of this machine has.
    pub left_out: Vec<String>,
}

/// Decides. With `updated`, fetching the package lists has been tried already.
///
/// Installing a package may remove installed ones that it conflicts with, as when an image carries
/// a tool from a newer release. Those are then named in the install as well, in the newest other
/// version that the archives have, so that apt exchanges them instead.
pub fn decide(apt: &dyn Apt, packages: &[Package], updated: bool) -> Result<Decision, Diagnosis> {
    if !updated && apt.lists_are_empty() {
        return Ok(Decision::UpdateFirst);
    }
    let mut install = Install::default();
    let mut wanted = packages.to_vec();
    let removed = loop {
        install.targets = wanted.iter().map(|p| p.name.to_owned()).collect();
        if wanted.is_empty() {
            return Ok(Decision::Install(install));
        }
        match apt.simulate(&install.targets)? {
            Simulation::Possible { removed } => break removed,
            Simulation::Impossible { words } => {
                return Err(Diagnosis::infra(format!(
                    "apt cannot install {}",
                    install.targets.join(" ")
                ))
                .detail(words)
                .next("repair the packages that apt names, then run `cargo xtask setup` again"));
            }
            Simulation::Unknown { .. } if !updated => return Ok(Decision::UpdateFirst),
            Simulation::Unknown { packages: unknown } => {
                let known = |p: &Package| !unknown.iter().any(|u| u == p.name);
                let (keep, drop): (Vec<_>, Vec<_>) = wanted.into_iter().partition(known);
                let needed: Vec<_> = drop.iter().filter(|p| !p.optional).map(|p| p.name).collect();
                if !needed.is_empty() || drop.is_empty() {
                    let names =
                        if needed.is_empty() { unknown.join(", ") } else { needed.join(", ") };
                    return Err(Diagnosis::infra(format!(
                        "no archive of this machine has {names}"
                    ))
                    .next("check the machine's apt sources, and that they can be reached"));
                }
                install.left_out.extend(drop.iter().map(|p| p.name.to_owned()));
                wanted = keep;
            }
        }
    };
    keep_installed(apt, &mut install, removed)?;
    Ok(Decision::Install(install))
}

/// Looks for versions of the removed packages that can stay; falls back to the plain install if
/// that does not help.
fn keep_installed(
    apt: &dyn Apt,
    install: &mut Install,
    removed: Vec<Removed>,
) -> Result<(), Diagnosis> {
    let mut targets = install.targets.clone();
    let mut now = removed.clone();
    for _ in 0..ROUNDS {
        if now.is_empty() {
            install.downgrades = targets.len() > install.targets.len();
            install.targets = targets;
            return Ok(());
        }
        let before = targets.len();
        for Removed { name, version } in &now {
            let named = targets.iter().any(|t| t.split('=').next() == Some(name));
            let other = apt.versions(name)?.into_iter().find(|v| v != version);
            if let (false, Some(other)) = (named, other) {
                targets.push(format!("{name}={other}"));
            }
        }
        if targets.len() == before {
            break;
        }
        match apt.simulate(&targets)? {
            Simulation::Possible { removed } => now = removed,
            Simulation::Unknown { .. } | Simulation::Impossible { .. } => break,
        }
    }
    install.removes = removed.into_iter().map(|r| r.name).collect();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// An apt that answers by a table: from targets, joined, to a simulation.
    #[derive(Default)]
    struct Table {
        empty: bool,
        simulations: BTreeMap<&'static str, Simulation>,
        versions: BTreeMap<&'static str, Vec<&'static str>>,
    }

    impl Apt for Table {
        fn lists_are_empty(&self) -> bool {
            self.empty
        }
        fn was_interrupted(&self) -> bool {
            false
        }
        fn simulate(&self, targets: &[String]) -> Result<Simulation, Diagnosis> {
            let targets = targets.join(" ");
            Ok(self.simulations.get(targets.as_str()).cloned().expect(&targets))
        }
        fn versions(&self, package: &str) -> Result<Vec<String>, Diagnosis> {
            let versions = self.versions.get(package).cloned().unwrap_or_default();
            Ok(versions.into_iter().map(str::to_owned).collect())
        }
    }

    fn removes(names: &[&str]) -> Simulation {
        let removed =
            names.iter().map(|n| Removed { name: (*n).to_owned(), version: "10".to_owned() });
        Simulation::Possible { removed: removed.collect() }
    }

    fn unknown(names: &[&str]) -> Simulation {
        Simulation::Unknown { packages: names.iter().map(|n| (*n).to_owned()).collect() }
    }

    const QEMU: Package = Package { name: "qemu", optional: false };
    const CCACHE: Package = Package { name: "ccache", optional: true };

    fn install(targets: &[&str], downgrades: bool, removes: &[&str]) -> Decision {
        let own = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
        Decision::Install(Install {
            targets: own(targets),
            downgrades,
            removes: own(removes),
            left_out: Vec::new(),
        })
    }

    #[test]
    fn nothing_in_the_way() {
        let apt = Table { simulations: [("qemu ccache", removes(&[]))].into(), ..Table::default() };
        let want = install(&["qemu", "ccache"], false, &[]);
        assert_eq!(decide(&apt, &[QEMU, CCACHE], false), Ok(want));
    }

    #[test]
    fn without_lists_or_candidates_the_lists_are_fetched_once() {
        let bare = Table { empty: true, ..Table::default() };
        assert_eq!(decide(&bare, &[QEMU], false), Ok(Decision::UpdateFirst));

        let stale =
            Table { simulations: [("qemu", unknown(&["qemu"]))].into(), ..Table::default() };
        assert_eq!(decide(&stale, &[QEMU], false), Ok(Decision::UpdateFirst));
        let error = decide(&stale, &[QEMU], true).unwrap_err();
        assert_eq!(error.what, "no archive of this machine has qemu");
    }

    #[test]
    fn an_optional_package_that_is_nowhere_is_left_out() {
        let apt = Table {
            simulations: [("qemu ccache", unknown(&["ccache"])), ("qemu", removes(&[]))].into(),
            ..Table::default()
        };
        let Ok(Decision::Install(install)) = decide(&apt, &[QEMU, CCACHE], true) else { panic!() };
        assert_eq!(
            (install.targets, install.left_out),
            (vec!["qemu".into()], vec!["ccache".into()])
        );

        let alone =
            Table { simulations: [("ccache", unknown(&["ccache"]))].into(), ..Table::default() };
        let Ok(Decision::Install(install)) = decide(&alone, &[CCACHE], true) else { panic!() };
        assert!(install.targets.is_empty());
    }

    #[test]
    fn removed_packages_are_exchanged() {
        let apt = Table {
            simulations: [
                ("qemu", removes(&["qemu-utils"])),
                ("qemu qemu-utils=7.2", removes(&["qemu-block"])),
                ("qemu qemu-utils=7.2 qemu-block=7.2", removes(&[])),
            ]
            .into(),
            // The installed version, 10, is in an archive as well.
            versions: [("qemu-utils", vec!["10", "7.2", "7.1"]), ("qemu-block", vec!["7.2"])]
                .into(),
            ..Table::default()
        };
        let want = install(&["qemu", "qemu-utils=7.2", "qemu-block=7.2"], true, &[]);
        assert_eq!(decide(&apt, &[QEMU], false), Ok(want));
    }

    #[test]
    fn what_cannot_be_exchanged_is_told_as_removed() {
        let plain = install(&["qemu"], false, &["qemu-utils"]);
        let no_other = Table {
            simulations: [("qemu", removes(&["qemu-utils"]))].into(),
            versions: [("qemu-utils", vec!["10"])].into(),
            ..Table::default()
        };
        assert_eq!(decide(&no_other, &[QEMU], false), Ok(plain.clone()));

        for second in [
            removes(&["qemu-utils"]),
            Simulation::Impossible { words: "E: held broken packages".into() },
        ] {
            let no_help = Table {
                simulations: [("qemu", removes(&["qemu-utils"])), ("qemu qemu-utils=7.2", second)]
                    .into(),
                versions: [("qemu-utils", vec!["7.2"])].into(),
                ..Table::default()
            };
            assert_eq!(decide(&no_help, &[QEMU], false), Ok(plain.clone()));
        }
    }

    #[test]
    fn apt_gives_its_reason() {
        let words = "impossible : Depends: nonesuch-lib".to_owned();
        let apt = Table {
            simulations: [("qemu", Simulation::Impossible { words: words.clone() })].into(),
            ..Table::default()
        };
        let error = decide(&apt, &[QEMU], false).unwrap_err();
        assert_eq!(error.what, "apt cannot install qemu");
        assert_eq!(error.details, [words]);
    }
}
