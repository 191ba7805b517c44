// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which package brings which program, and what needs it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::rust;
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
    /// A program on `PATH` that runs without shared libraries, so that a guest can run it too.
    StaticProgram(&'static str),
    /// A file that a package installs where compilers look for it.
    Header(&'static str),
    /// A static library of the C library.
    StaticLibc,
    /// The certificates that programs check servers against.
    Certificates,
    /// A Rust compiler that has its library's source.
    RustWithSource,
    /// A libclang that bindgen can load.
    Libclang,
}

const fn program(
    name: &'static str,
    packages: [&'static str; 3],
    needed_for: &'static str,
) -> Requirement {
    let [debian, fedora, arch] = packages;
    Requirement { what: Wanted::Program(name), debian, fedora, arch, needed_for, optional: false }
}

/// Everything that the tool may call for.
///
/// `OpenSSL`'s headers are not among it: kernels need them for signed modules and built-in
/// certificates, which no fragment under `kconfigs/` asks for. Neither is pkg-config, without which
/// objtool's Makefile falls back to `-lelf`.
pub const REQUIREMENTS: &[Requirement] = &[
    program("git", ["git"; 3], "keeping sources, applying patches"),
    program("curl", ["curl"; 3], "fetching kernel sources"),
    Requirement {
        what: Wanted::Certificates,
        ..program("", ["ca-certificates"; 3], "fetching kernel sources over HTTPS")
    },
    program("tar", ["tar"; 3], "unpacking kernel sources"),
    program("xz", ["xz-utils", "xz", "xz"], "unpacking kernel sources"),
    program("make", ["make"; 3], "building kernels and modules"),
    program("gcc", ["gcc"; 3], "building kernels, modules and the guest's /init"),
    program("ld", ["binutils"; 3], "building kernels, modules and the guest's /init"),
    Requirement {
        what: Wanted::StaticLibc,
        ..program(
            "",
            ["libc6-dev", "glibc-static", "glibc"],
            "the guest's static /init, and the programs that kernel builds run",
        )
    },
    Requirement {
        what: Wanted::Header("stdio.h"),
        ..program("", ["libc6-dev", "glibc-devel", "glibc"], "the programs that kernel builds run")
    },
    Requirement {
        what: Wanted::Header("libelf.h"),
        ..program(
            "",
            ["libelf-dev", "elfutils-libelf-devel", "libelf"],
            "building kernels (objtool)",
        )
    },
    program("flex", ["flex"; 3], "building kernels (Kconfig)"),
    program("bison", ["bison"; 3], "building kernels (Kconfig)"),
    program("bc", ["bc"; 3], "building kernels (time constants)"),
    program("perl", ["perl"; 3], "building kernels, checking patches (checkpatch)"),
    program("awk", ["mawk", "gawk", "gawk"], "building kernels (instruction tables)"),
    program("cmp", ["diffutils"; 3], "building kernels (generated files)"),
    program("find", ["findutils"; 3], "building kernels"),
    program("gzip", ["gzip"; 3], "building kernels (bzImage)"),
    program(
        "qemu-system-x86_64",
        ["qemu-system-x86", "qemu-system-x86-core", "qemu-system-x86"],
        "booting kernels",
    ),
    Requirement {
        what: Wanted::StaticProgram("busybox"),
        optional: true,
        ..program(
            "",
            ["busybox-static", "busybox", "busybox"],
            "a shell in the guest (`cargo xtask boot`)",
        )
    },
    Requirement {
        optional: true,
        ..program("ccache", ["ccache"; 3], "faster rebuilds across series")
    },
    Requirement {
        optional: true,
        ..program(
            "xmllint",
            ["libxml2-utils", "libxml2", "libxml2"],
            "the project's own tests (`cargo xtask test`)",
        )
    },
    // Two packages that come from one source; Debian's plain rustc is too old for kernels.
    Requirement {
        what: Wanted::RustWithSource,
        optional: true,
        ..program("", ["rustc-web", "rust", "rust"], "kernels with CONFIG_RUST")
    },
    Requirement {
        what: Wanted::RustWithSource,
        optional: true,
        ..program("", ["rust-web-src", "rust-src", "rust-src"], "kernels with CONFIG_RUST")
    },
    Requirement {
        what: Wanted::Libclang,
        optional: true,
        ..program(
            "",
            ["libclang-19-dev", "clang-devel", "clang"],
            "kernels with CONFIG_RUST (bindgen)",
        )
    },
];

impl Requirement {
    /// Where it is on this machine, if it is there.
    pub fn find(&self) -> Option<PathBuf> {
        match self.what {
            Wanted::Program(name) => find_program(OsStr::new(name)),
            Wanted::StaticProgram(name) => {
                find_program(OsStr::new(name)).filter(|path| is_static(path))
            }
            Wanted::Header(name) => first_file(&["/usr/include", "/usr/local/include"], name),
            Wanted::StaticLibc => {
                first_file(&["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"], "libc.a")
            }
            Wanted::Certificates => {
                let bundles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/cert.pem"];
                let own =
                    ["SSL_CERT_FILE", "CURL_CA_BUNDLE"].into_iter().filter_map(std::env::var_os);
                own.map(PathBuf::from).chain(bundles.map(PathBuf::from)).find(|p| p.is_file())
            }
            Wanted::RustWithSource => rust::library_source(),
            Wanted::Libclang => rust::libclang(),
        }
    }

    /// What to call it.
    pub fn name(&self) -> &'static str {
        match self.what {
            Wanted::Program(name) | Wanted::StaticProgram(name) | Wanted::Header(name) => name,
            Wanted::StaticLibc => "libc.a",
            Wanted::Certificates => "CA certificates",
            Wanted::RustWithSource => "rustc with library source",
            Wanted::Libclang => "libclang",
        }
    }
}

/// Whether the file is an ELF program that asks for no dynamic loader.
fn is_static(path: &Path) -> bool {
    use object::elf::{FileHeader64, PT_INTERP};
    use object::read::elf::{FileHeader as _, ProgramHeader as _};
    let Ok(bytes) = std::fs::read(path) else { return false };
    FileHeader64::<object::Endianness>::parse(&*bytes)
        .and_then(|header| {
            let endian = header.endian()?;
            header.program_headers(endian, &*bytes).map(|all| {
                !all.is_empty() && all.iter().all(|program| program.p_type(endian) != PT_INTERP)
            })
        })
        .unwrap_or(false)
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
    fn dynamic_programs_and_scripts_are_not_static() {
        // The test program itself needs the dynamic loader.
        assert!(!is_static(&std::env::current_exe().unwrap()));
        assert!(!is_static(Path::new("/etc/passwd")));
        assert!(!is_static(Path::new("/nonexistent")));
        if let Some(busybox) = find_program(OsStr::new("busybox")) {
            let words = std::process::Command::new("ldd").arg(&busybox).output().unwrap();
            let dynamic = String::from_utf8_lossy(&words.stdout).contains("=>");
            assert_eq!(is_static(&busybox), !dynamic);
        }
    }

    #[test]
    fn programs_are_found_on_path_only_when_executable() {
        assert!(find_program(OsStr::new("sh")).is_some());
        assert!(find_program(OsStr::new("no-such-program-here")).is_none());
        assert!(find_program(OsStr::new("/etc/passwd")).is_none());
    }
}
