// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which package brings which program, and what needs it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::diagnosis::Diagnosis;

/// Something that must be on the machine, and where it comes from.
#[derive(Debug, Clone, Copy)]
pub struct Requirement {
    /// How it is found.
    pub what: Wanted,
    /// Debian's and Ubuntu's package.
    pub debian: &'static str,
    /// Fedora's package.
    pub fedora: &'static str,
    /// Arch's package.
    pub arch: &'static str,
    /// What stops working without it.
    pub needed_for: &'static str,
    /// Whether the main job runs without it.
    pub optional: bool,
}

/// How a requirement is found on the machine.
#[derive(Debug, Clone, Copy)]
pub enum Wanted {
    /// A program on `PATH`.
    Program(&'static str),
    /// A file that a package installs where compilers look for it.
    Header(&'static str),
    /// A static library of the C library.
    StaticLibc,
}

const fn program(
    name: &'static str,
    debian: &'static str,
    fedora: &'static str,
    arch: &'static str,
    needed_for: &'static str,
) -> Requirement {
    Requirement { what: Wanted::Program(name), debian, fedora, arch, needed_for, optional: false }
}

const fn header(
    path: &'static str,
    debian: &'static str,
    fedora: &'static str,
    arch: &'static str,
    needed_for: &'static str,
) -> Requirement {
    Requirement { what: Wanted::Header(path), debian, fedora, arch, needed_for, optional: false }
}

/// Everything that the tool may call for.
pub const REQUIREMENTS: &[Requirement] = &[
    program("git", "git", "git", "git", "keeping sources, applying patches"),
    program("tar", "tar", "tar", "tar", "unpacking kernel sources"),
    program("xz", "xz-utils", "xz", "xz", "unpacking kernel sources"),
    program("curl", "curl", "curl", "curl", "fetching kernel sources"),
    program("make", "make", "make", "make", "building kernels"),
    program("gcc", "gcc", "gcc", "gcc", "building kernels"),
    program("ld", "binutils", "binutils", "binutils", "building kernels"),
    program("flex", "flex", "flex", "flex", "building kernels (Kconfig)"),
    program("bison", "bison", "bison", "bison", "building kernels (Kconfig)"),
    program("bc", "bc", "bc", "bc", "building kernels"),
    program("perl", "perl", "perl", "perl", "building kernels, checkpatch"),
    header(
        "libelf.h",
        "libelf-dev",
        "elfutils-libelf-devel",
        "libelf",
        "building kernels (objtool)",
    ),
    Requirement {
        what: Wanted::StaticLibc,
        debian: "libc6-dev",
        fedora: "glibc-static",
        arch: "glibc",
        needed_for: "the guest's static /init",
        optional: false,
    },
    program(
        "qemu-system-x86_64",
        "qemu-system-x86",
        "qemu-system-x86-core",
        "qemu-system-x86",
        "booting kernels",
    ),
    Requirement {
        optional: true,
        ..program(
            "busybox",
            "busybox-static",
            "busybox",
            "busybox",
            "a shell in the guest (`cargo xtask boot`)",
        )
    },
    Requirement {
        optional: true,
        ..program("ccache", "ccache", "ccache", "ccache", "faster rebuilds across series")
    },
];

impl Requirement {
    /// Where it is on this machine, if it is there.
    pub fn find(&self) -> Option<PathBuf> {
        match self.what {
            Wanted::Program(name) => find_program(OsStr::new(name)),
            Wanted::Header(name) => first_file(&["/usr/include", "/usr/local/include"], name),
            Wanted::StaticLibc => {
                first_file(&["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"], "libc.a")
            }
        }
    }

    /// What to call it.
    pub fn name(&self) -> &'static str {
        match self.what {
            Wanted::Program(name) | Wanted::Header(name) => name,
            Wanted::StaticLibc => "libc.a",
        }
    }
}

fn first_file(directories: &[&str], name: &str) -> Option<PathBuf> {
    directories.iter().map(|d| Path::new(d).join(name)).find(|p| p.is_file())
}

/// Looks a program up on `PATH`; a name with a slash is taken as a path.
pub fn find_program(name: &OsStr) -> Option<PathBuf> {
    let executable = |path: &Path| {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    };
    let path = Path::new(name);
    if path.components().count() > 1 {
        return executable(path).then(|| path.to_owned());
    }
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories).map(|d| d.join(path)).find(|p| executable(p))
}

/// The error for a program that is not there.
pub fn missing(name: &str) -> Diagnosis {
    let diagnosis = Diagnosis::infra(format!("{name} is not installed, or not on PATH"));
    match REQUIREMENTS.iter().find(|r| r.name() == name) {
        Some(r) => diagnosis
            .detail(format!(
                "needed for {}; package: {} (Debian, Ubuntu), {} (Fedora), {} (Arch)",
                r.needed_for, r.debian, r.fedora, r.arch
            ))
            .next("run `cargo xtask setup`"),
        None => diagnosis,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_names_its_package() {
        let text = missing("qemu-system-x86_64").to_string();
        assert!(text.contains("qemu-system-x86 (Debian, Ubuntu)"), "{text}");
        assert!(text.contains("cargo xtask setup"), "{text}");
    }

    #[test]
    fn programs_are_found_on_path_only_when_executable() {
        assert!(find_program(OsStr::new("sh")).is_some());
        assert!(find_program(OsStr::new("no-such-program-here")).is_none());
        assert!(find_program(OsStr::new("/etc/passwd")).is_none());
    }
}
