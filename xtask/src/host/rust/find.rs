// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looking for compilers, bindgens and libclangs, and asking each.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::{Candidate, ToolVersion};
use crate::host::Host;
use crate::store::Store;

/// How long a program may take to answer.
const LIMIT: Duration = Duration::from_secs(20);

/// A library's source below the directory of its compiler, its sysroot.
const LIBRARY: &str = "lib/rustlib/src/rust/library";

/// Everything that was found, what is to be preferred first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Candidates {
    /// Compilers.
    pub rustc: Vec<Candidate>,
    /// bindgens.
    pub bindgen: Vec<Candidate>,
    /// Directories of libclang.
    pub libclang: Vec<Candidate>,
}

/// The library source of the first compiler that has it. Starts no program, for setup: from where a
/// compiler lies follows where its library would.
pub fn library_source() -> Option<PathBuf> {
    programs("RUSTC", "rustc", rustc_places()).iter().find_map(|rustc| {
        let library = rustc.parent()?.parent()?.join(LIBRARY);
        library.join("core/src/lib.rs").is_file().then_some(library)
    })
}

/// The first libclang that bindgen would find.
pub fn libclang() -> Option<PathBuf> {
    libclangs().into_iter().map(|candidate| candidate.path).next()
}

/// Looks in the places where distributions and rustup put them. `RUSTC`, `BINDGEN` and
/// `LIBCLANG_PATH`, as kernel builds know them, overrule that.
pub fn find(host: &Host, store: &Store) -> Candidates {
    let libclang = libclangs();
    let bindgen: Vec<_> = programs("BINDGEN", "bindgen", bindgen_places(store))
        .iter()
        .map(|p| ask(host, p))
        .collect();
    let works = bindgen.iter().find(|b| b.trouble.is_none()).map(|b| b.path.clone());
    Candidates {
        rustc: programs("RUSTC", "rustc", rustc_places())
            .iter()
            .map(|path| with_library(host, ask(host, path)))
            .collect(),
        bindgen,
        libclang: libclang
            .into_iter()
            .map(|candidate| tried(host, works.as_deref(), candidate))
            .collect(),
    }
}

/// The one that the environment names, else those on `PATH` and in `places`, each file once.
fn programs(variable: &str, name: &str, places: Vec<PathBuf>) -> Vec<PathBuf> {
    if let Some(own) = std::env::var_os(variable).filter(|v| !v.is_empty()) {
        return vec![crate::host::package::find_program(&own).unwrap_or_else(|| own.into())];
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut seen = Vec::new();
    std::env::split_paths(&path)
        .map(|directory| directory.join(name))
        .chain(places)
        .filter(|file| file.is_file())
        .filter(|file| {
            // rustup's programs are all one file, which acts by the name it is called by.
            let real = file.canonicalize().unwrap_or_else(|_| file.clone());
            let new = !seen.contains(&real);
            seen.push(real);
            new
        })
        .collect()
}

fn rustc_places() -> Vec<PathBuf> {
    let mut places = vec![PathBuf::from("/usr/bin/rustc")];
    // Ubuntu's rustc-1.85, and the toolchains of rustup other than the chosen one.
    places.extend(below(Path::new("/usr/lib"), "rust-", "bin/rustc"));
    let rustup = std::env::var_os("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".rustup")));
    if let Some(rustup) = rustup {
        places.extend(below(&rustup.join("toolchains"), "", "bin/rustc"));
    }
    places
}

fn bindgen_places(store: &Store) -> Vec<PathBuf> {
    let cargo = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let own = super::install::root(store).join("bin/bindgen");
    cargo.map(|c| c.join("bin/bindgen")).into_iter().chain([own]).collect()
}

/// `DIRECTORY/PREFIX*/TAIL`, the highest number first.
fn below(directory: &Path, prefix: &str, tail: &str) -> Vec<PathBuf> {
    let mut found: Vec<(Option<ToolVersion>, PathBuf)> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let rest = name.strip_prefix(prefix)?;
            let version =
                ToolVersion::within(rest).or_else(|| Some(ToolVersion(rest.parse().ok()?, 0, 0)));
            Some((version, entry.path().join(tail)))
        })
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, path)| path).collect()
}

fn ask(host: &Host, path: &Path) -> Candidate {
    let asked = host.program(path).arg("--version").limit(LIMIT).output();
    let (version, trouble) = match asked {
        Ok(output) if output.success() => (ToolVersion::within(&output.text()), None),
        Ok(output) => {
            let said = output.error_text();
            let said = said.lines().next().unwrap_or("it says nothing").to_owned();
            (None, Some(format!("it does not run: {said}")))
        }
        Err(diagnosis) => (None, Some(diagnosis.what)),
    };
    Candidate { path: path.to_owned(), version, library: None, trouble }
}

/// A kernel builds `core` itself, so it needs the source.
fn with_library(host: &Host, mut candidate: Candidate) -> Candidate {
    if candidate.trouble.is_some() {
        return candidate;
    }
    let asked = host.program(&candidate.path).args(["--print", "sysroot"]).limit(LIMIT).output();
    let Ok(output) = asked else { return candidate };
    let sysroot = PathBuf::from(output.text().trim());
    let library = sysroot.join(LIBRARY);
    if library.join("core/src/lib.rs").is_file() {
        candidate.library = Some(library);
    } else {
        candidate.trouble =
            Some(format!("it lacks its library's source ({} is not there)", library.display()));
    }
    candidate
}

fn libclangs() -> Vec<Candidate> {
    let directories: Vec<PathBuf> = match std::env::var_os("LIBCLANG_PATH") {
        Some(own) => {
            let own = PathBuf::from(own);
            vec![if own.is_file() { own.parent().map(Path::to_owned).unwrap_or(own) } else { own }]
        }
        None => below(Path::new("/usr/lib"), "llvm-", "lib")
            .into_iter()
            .chain(["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"].map(PathBuf::from))
            .collect(),
    };
    directories.into_iter().filter_map(|directory| libclang_in(&directory)).collect()
}

/// What bindgen would load from there: `libclang.so` or `libclang-*.so`.
fn libclang_in(directory: &Path) -> Option<Candidate> {
    let names: Vec<String> = std::fs::read_dir(directory)
        .ok()?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("libclang.so") || name.starts_with("libclang-"))
        .filter(|name| name.contains(".so"))
        .collect();
    let loadable = names.iter().any(|n| Path::new(n).extension().is_some_and(|e| e == "so"));
    if !loadable {
        return None;
    }
    let version = names
        .iter()
        .filter_map(|name| {
            let rest = name.trim_start_matches("libclang-").trim_start_matches("libclang.so.");
            ToolVersion::within(rest)
                .or_else(|| Some(ToolVersion(rest.split('.').next()?.parse().ok()?, 0, 0)))
        })
        .max();
    Some(Candidate { path: directory.to_owned(), version, library: None, trouble: None })
}

/// Has bindgen read a line with it: a library that does not load shows only then.
fn tried(host: &Host, bindgen: Option<&Path>, mut candidate: Candidate) -> Candidate {
    let (Some(bindgen), Ok(file)) = (bindgen, header()) else { return candidate };
    let output = host
        .program(bindgen)
        .arg(file.path())
        .env("LIBCLANG_PATH", &candidate.path)
        .limit(LIMIT)
        .output();
    match output {
        Ok(output) if output.success() && output.text().contains("kx_probe") => {}
        Ok(output) => {
            let said = output.error_text();
            let said = said.lines().find(|l| !l.trim().is_empty()).unwrap_or("no binding came");
            candidate.trouble = Some(format!("bindgen cannot use it: {}", said.trim()));
        }
        Err(diagnosis) => candidate.trouble = Some(diagnosis.what),
    }
    candidate
}

fn header() -> std::io::Result<tempfile::NamedTempFile> {
    let file = tempfile::Builder::new().prefix("kx-").suffix(".h").tempfile()?;
    std::fs::write(file.path(), "int kx_probe(void);\n")?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(path: &Path, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_compiler_without_its_library_is_of_no_use() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::for_tests();
        let sysroot = dir.path().join("sysroot");
        let rustc = dir.path().join("rustc");
        let say = format!(
            "case $1 in --version) echo 'rustc 1.88.0 (x)';; *) echo {};; esac",
            sysroot.display()
        );
        script(&rustc, &say);
        let without = with_library(&host, ask(&host, &rustc));
        assert_eq!(without.version, Some(ToolVersion(1, 88, 0)));
        assert!(without.trouble.unwrap().starts_with("it lacks its library's source"));
        let library = sysroot.join("lib/rustlib/src/rust/library");
        std::fs::create_dir_all(library.join("core/src")).unwrap();
        std::fs::write(library.join("core/src/lib.rs"), "").unwrap();
        let with = with_library(&host, ask(&host, &rustc));
        assert_eq!((with.trouble, with.library), (None, Some(library)));
    }

    #[test]
    fn broken_tools_say_why() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::for_tests();
        let broken = dir.path().join("bindgen");
        script(&broken, "echo 'no libfoo.so' >&2; exit 127");
        assert_eq!(ask(&host, &broken).trouble.unwrap(), "it does not run: no libfoo.so");
        // One that runs, and a libclang that it cannot load.
        script(
            &broken,
            "[ -n \"$LIBCLANG_PATH\" ] && { echo 'cannot load' >&2; exit 1; }; echo 1.0",
        );
        let lib = dir.path().join("llvm-19/lib");
        std::fs::create_dir_all(&lib).unwrap();
        std::fs::write(lib.join("libclang-19.1.7.so"), "").unwrap();
        let found = libclang_in(&lib).unwrap();
        assert_eq!(found.version, Some(ToolVersion(19, 1, 7)));
        let tried = tried(&host, Some(&broken), found);
        assert_eq!(tried.trouble.unwrap(), "bindgen cannot use it: cannot load");
        assert!(libclang_in(dir.path()).is_none());
    }

    #[test]
    fn the_newest_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["llvm-9", "llvm-19", "llvm-14", "other"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        let found = below(dir.path(), "llvm-", "lib");
        let want = ["llvm-19/lib", "llvm-14/lib", "llvm-9/lib"].map(|n| dir.path().join(n));
        assert_eq!(found, want);
    }
}
