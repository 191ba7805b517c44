// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which distribution this is, as far as package names go.

use crate::host::package::Requirement;

/// A group of distributions with the same package manager and package names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Debian, Ubuntu and their kin: apt.
    Debian,
    /// Fedora, RHEL and their kin: dnf.
    Fedora,
    /// Arch and its kin: pacman.
    Arch,
    /// Something else.
    Unknown,
}

impl Family {
    /// Asks the machine, see os-release(5).
    pub fn of_this_machine() -> Self {
        let text = ["/etc/os-release", "/usr/lib/os-release"]
            .into_iter()
            .find_map(|path| std::fs::read_to_string(path).ok());
        Self::from_os_release(&text.unwrap_or_default())
    }

    /// By `ID`, and where that is not known by `ID_LIKE`, whose first words are the closest kin.
    pub fn from_os_release(text: &str) -> Self {
        let value = |key: &str| {
            text.lines()
                .find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('='))
                .map_or("", |value| value.trim_matches(['"', '\'']))
        };
        [value("ID"), value("ID_LIKE")]
            .into_iter()
            .flat_map(str::split_whitespace)
            .find_map(|id| match id {
                "debian" | "ubuntu" => Some(Self::Debian),
                "fedora" | "rhel" | "centos" => Some(Self::Fedora),
                "arch" | "archlinux" => Some(Self::Arch),
                _ => None,
            })
            .unwrap_or(Self::Unknown)
    }

    /// The package that brings this; Debian's name where the distribution is not known.
    pub fn package(self, requirement: &Requirement) -> &'static str {
        match self {
            Self::Debian | Self::Unknown => requirement.debian,
            Self::Fedora => requirement.fedora,
            Self::Arch => requirement.arch,
        }
    }

    /// The start of the command with which a person installs packages, where it is not apt's.
    pub fn install_words(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Fedora => Some(&["dnf", "install"]),
            Self::Arch => Some(&["pacman", "-S", "--needed"]),
            Self::Debian | Self::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_are_told_apart() {
        let cases = [
            ("PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n", Family::Debian),
            ("ID=ubuntu\nID_LIKE=debian\n", Family::Debian),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", Family::Debian),
            ("ID=fedora\n", Family::Fedora),
            ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", Family::Fedora),
            ("ID=arch\n", Family::Arch),
            ("ID='manjaro'\nID_LIKE='arch'\n", Family::Arch),
            ("ID=nixos\n", Family::Unknown),
            ("VERSION_ID=12\nBUILD_ID=debian\n", Family::Unknown),
            ("", Family::Unknown),
        ];
        for (text, want) in cases {
            assert_eq!(Family::from_os_release(text), want, "{text}");
        }
    }
}
