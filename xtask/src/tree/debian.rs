// SPDX-License-Identifier: MIT OR Apache-2.0
//! Upstream trees from Debian source packages.
//!
//! `linux_VERSION.orig.tar.xz` is the upstream stable release, less a few files that are not free.
//! apt verifies the signed index, in a state directory of our own; the index has the archive's
//! checksum. Mirrors are those that the machine's own apt configuration names.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use super::download::{self, Wanted};
use super::{KernelVersion, Source, import, source};
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::{Host, Invocation, package};
use crate::store::{Store, write_atomic};

const UPDATE_LIMIT: Duration = Duration::from_secs(600);

/// How many releases, from the newest, are tried before giving up.
const TRIES: usize = 15;

static URI_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^'(?P<uri>[^']+)' (?P<name>\S+\.orig\.tar\.\w+) (?P<size>\d+) SHA256:(?P<sha>[0-9a-f]{64})$").ok()
});

/// Gets the newest release of a line that can be had, or one exact release.
pub fn fetch(
    host: &Host,
    store: &Store,
    package: &str,
    suite: &str,
    wanted: KernelVersion,
) -> Result<Source, Diagnosis> {
    let _lock = store.lock(host, &format!("debian-{package}-{suite}"))?;
    let step = host.progress.step("fetch", &format!("linux {wanted}"));
    let apt = Apt::prepare(host, store, suite)?;
    step.line("reading the index");
    apt.update()?;
    let candidates = apt.versions(package, wanted)?;
    if candidates.is_empty() {
        return Err(Diagnosis::usage(format!(
            "no linux {wanted} in Debian's {suite} (source package {package})"
        ))
        .next(
            "`cargo xtask kernel list` shows what is listed; a git tree or directory works too",
        ));
    }
    let mut skipped = Vec::new();
    for candidate in candidates.iter().take(TRIES) {
        let id = candidate.upstream.to_string();
        if let Some(mut known) = source::recorded(host, store, &id)? {
            known.skipped = skipped;
            step.done(&format!("{id} is in the store"));
            return Ok(known);
        }
        let Some(file) = apt.archive(package, &candidate.debian)? else {
            skipped.push(format!("{}: the index names no orig tarball", candidate.debian));
            continue;
        };
        let Some(archive) = download::get(host, store, &file, &step)? else {
            skipped.push(format!("{}: listed, but the mirror answers 404", candidate.debian));
            continue;
        };
        let about = import::About {
            id: &id,
            origin: format!("Debian source package {package} {}, {suite}", candidate.debian),
            sha256: Some(file.sha256.clone()),
            skipped: skipped.clone(),
        };
        let _tree = store.lock(host, &format!("tree-{id}"))?;
        let source = import::archive(host, store, &archive, about, &step)?;
        for text in &skipped {
            host.progress.note(&format!("skipped linux {text}"));
        }
        step.done(&format!("{id}, checksum verified"));
        return Ok(source);
    }
    Err(Diagnosis::infra(format!("no linux {wanted} can be had from Debian's {suite}"))
        .detail(skipped.join("\n"))
        .next("the mirror lags behind its index: try later, or name another release"))
}

/// A release in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    upstream: KernelVersion,
    debian: String,
}

/// apt with a state of its own.
struct Apt<'h> {
    host: &'h Host,
    root: PathBuf,
    suite: String,
}

impl<'h> Apt<'h> {
    fn prepare(host: &'h Host, store: &Store, suite: &str) -> Result<Self, Diagnosis> {
        if package::find_program("apt-get".as_ref()).is_none() {
            return Err(Diagnosis::infra(
                "this machine has no apt-get to read Debian's index with",
            )
            .next("use another source in matrix.yaml: kernel-org, git, or a directory"));
        }
        let mirrors = mirrors(Path::new("/etc/apt"));
        let line = source_line(&mirrors, suite).ok_or_else(|| {
            Diagnosis::infra(format!(
                "the machine's apt configuration names no mirror that could have {suite}"
            ))
            .detail("looked into /etc/apt/sources.list and /etc/apt/sources.list.d")
            .next("use another source in matrix.yaml: kernel-org, git, or a directory")
        })?;
        let root = store.dir(Path::new("apt").join(suite))?;
        for directory in ["lists/partial", "cache/archives/partial"] {
            let path = root.join(directory);
            std::fs::create_dir_all(&path).map_err(|e| on_path("create", &path, &e))?;
        }
        write_atomic(&root.join("sources.list"), line.as_bytes())?;
        Ok(Self { host, root, suite: suite.to_owned() })
    }

    fn call(&self, program: &str) -> Invocation<'h> {
        let option = |key: &str, path: &str| format!("{key}={}/{path}", self.root.display());
        self.host
            .program(program)
            .env("LC_ALL", "C")
            .args(["-o", &option("Dir::Etc::SourceList", "sources.list")])
            .args(["-o", "Dir::Etc::SourceParts=/dev/null"])
            .args(["-o", &option("Dir::State", "")])
            .args(["-o", &option("Dir::State::Lists", "lists")])
            .args(["-o", &option("Dir::Cache", "cache")])
            // apt run by root drops to a user who cannot read our directories.
            .args(["-o", "APT::Sandbox::User=root"])
            .args(["-o", "Acquire::Languages=none"])
    }

    fn update(&self) -> Result<(), Diagnosis> {
        let output = self.call("apt-get").arg("update").limit(UPDATE_LIMIT).output()?;
        let words = output.error_text();
        // apt-get exits with 0 when it falls back on an old index.
        let bad = words.lines().any(|l| l.starts_with("E:") || l.starts_with("W:"));
        if output.success() && !bad {
            return Ok(());
        }
        Err(Diagnosis::infra(format!("cannot read Debian's index for {}", self.suite))
            .detail(words.trim())
            .next("check the network, and that the suite still exists"))
    }

    fn versions(&self, package: &str, wanted: KernelVersion) -> Result<Vec<Candidate>, Diagnosis> {
        let output = self.call("apt-cache").args(["showsrc", "--only-source", package]).run()?;
        Ok(candidates(&output.text(), wanted))
    }

    fn archive(&self, package: &str, version: &str) -> Result<Option<Wanted>, Diagnosis> {
        let output = self
            .call("apt-get")
            .args(["source", "--print-uris", "--only-source", &format!("{package}={version}")])
            .run()?;
        Ok(orig_archive(&output.text()))
    }
}

/// The releases in `apt-cache showsrc`'s output that fit, newest first, one a release.
fn candidates(showsrc: &str, wanted: KernelVersion) -> Vec<Candidate> {
    let versions = showsrc.lines().filter_map(|l| l.strip_prefix("Version: "));
    let mut found: Vec<_> = versions
        .filter_map(|debian| {
            // `5.10.262-1`, `6.12.117-1~deb12u1`: no epoch, and the revision follows the last dash.
            let upstream = debian.rsplit_once('-')?.0.parse::<KernelVersion>().ok()?;
            let candidate = Candidate { upstream, debian: debian.trim().to_owned() };
            upstream.is_of(wanted).then_some(candidate)
        })
        .collect();
    found.sort_by(|a, b| b.upstream.cmp(&a.upstream).then(b.debian.cmp(&a.debian)));
    found.dedup_by(|a, b| a.upstream == b.upstream);
    found
}

/// The orig tarball in the output of `apt-get source --print-uris`.
fn orig_archive(print_uris: &str) -> Option<Wanted> {
    let found = URI_LINE.as_ref()?.captures(print_uris)?;
    Some(Wanted {
        uri: found["uri"].to_owned(),
        name: found["name"].to_owned(),
        size: found["size"].parse().ok(),
        sha256: found["sha"].to_owned(),
    })
}

/// A mirror that the machine uses.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mirror {
    uri: String,
    suite: String,
    signed_by: Option<String>,
}

/// Reads apt's sources in both formats, see sources.list(5).
fn mirrors(etc: &Path) -> Vec<Mirror> {
    let mut files = vec![etc.join("sources.list")];
    if let Ok(entries) = std::fs::read_dir(etc.join("sources.list.d")) {
        files.extend(entries.flatten().map(|e| e.path()));
    }
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        match file.extension().and_then(|e| e.to_str()) {
            Some("sources") => found.extend(deb822(&text)),
            Some("list") => found.extend(one_line(&text)),
            _ => {}
        }
    }
    found
}

fn one_line(text: &str) -> Vec<Mirror> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let Some(rest) = line.strip_prefix("deb ").or(line.strip_prefix("deb-src ")) else {
            continue;
        };
        let rest = rest.trim();
        let (options, rest) = match rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
            Some((options, rest)) => (options, rest),
            None => ("", rest),
        };
        let signed_by = options
            .split_whitespace()
            .find_map(|o| o.strip_prefix("signed-by="))
            .map(str::to_owned);
        let mut words = rest.split_whitespace();
        if let (Some(uri), Some(suite)) = (words.next(), words.next()) {
            found.push(Mirror { uri: uri.to_owned(), suite: suite.to_owned(), signed_by });
        }
    }
    found
}

fn deb822(text: &str) -> Vec<Mirror> {
    let mut found = Vec::new();
    for stanza in text.split("\n\n") {
        let field = |name: &str| {
            stanza.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            })
        };
        if field("Enabled").is_some_and(|e| e.eq_ignore_ascii_case("no")) {
            continue;
        }
        let signed_by = field("Signed-By").filter(|s| s.starts_with('/'));
        for uri in field("URIs").unwrap_or_default().split_whitespace() {
            for suite in field("Suites").unwrap_or_default().split_whitespace() {
                found.push(Mirror {
                    uri: uri.to_owned(),
                    suite: suite.to_owned(),
                    signed_by: signed_by.clone(),
                });
            }
        }
    }
    found
}

/// The `deb-src` line for a suite: security suites are on the mirror that has the machine's own
/// security suite, all others on the one that has its main suite.
fn source_line(mirrors: &[Mirror], suite: &str) -> Option<String> {
    const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
    let is_security = |s: &str| s.ends_with("-security") || s.ends_with("/updates");
    let mirror = mirrors.iter().find(|m| {
        // Third-party repositories have suites and paths of other shapes.
        m.uri.trim_end_matches('/').rsplit('/').next().is_some_and(|n| n.starts_with("debian"))
            && is_security(&m.suite) == is_security(suite)
    })?;
    let keyring = mirror.signed_by.as_deref().unwrap_or(KEYRING);
    Some(format!("deb-src [signed-by={keyring}] {} {suite} main\n", mirror.uri))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_release_comes_first_and_once() {
        let showsrc = "Package: linux\nVersion: 5.10.251-5\n\nPackage: linux\nVersion: 5.10.262-1\n\nVersion: 5.10.251-4\nVersion: 6.1.192-3\nVersion: nonsense\n";
        let names = |wanted: &str| {
            candidates(showsrc, wanted.parse().unwrap())
                .into_iter()
                .map(|c| c.debian)
                .collect::<Vec<_>>()
        };
        assert_eq!(names("5.10"), ["5.10.262-1", "5.10.251-5"]);
        assert_eq!(names("5.10.251"), ["5.10.251-5"]);
        assert_eq!(names("4.19"), [""; 0]);
    }

    #[test]
    fn the_archive_is_read_from_the_index() {
        let sha = "e".repeat(64);
        let text = format!(
            "Need to get 124 MB of source archives.\n'http://mirror.example/linux_5.10.262-1.dsc' linux_5.10.262-1.dsc 193221 SHA256:{sha}\n'http://mirror.example/linux_5.10.262.orig.tar.xz' linux_5.10.262.orig.tar.xz 122205276 SHA256:{sha}\n"
        );
        let archive = orig_archive(&text).unwrap();
        assert_eq!(archive.name, "linux_5.10.262.orig.tar.xz");
        assert_eq!(archive.size, Some(122_205_276));
        assert_eq!(orig_archive("nothing here\n"), None);
    }

    #[test]
    fn mirrors_of_both_formats() {
        let etc = tempfile::tempdir().unwrap();
        let parts = etc.path().join("sources.list.d");
        std::fs::create_dir(&parts).unwrap();
        std::fs::write(
            parts.join("debian.sources"),
            "Types: deb\n# a note\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\nComponents: main\nSigned-By: /k.gpg\n\nTypes: deb\nURIs: http://mirror.example/debian-security\nSuites: bookworm-security\n",
        )
        .unwrap();
        std::fs::write(
            parts.join("x.list"),
            "deb [arch=amd64 signed-by=/x.gpg] https://other.example/cloud stable main\n",
        )
        .unwrap();
        std::fs::write(parts.join("old.sources.disabled"), "URIs: http://no.example/debian\n")
            .unwrap();
        let mirrors = mirrors(etc.path());
        assert_eq!(
            source_line(&mirrors, "trixie-backports").unwrap(),
            "deb-src [signed-by=/k.gpg] http://mirror.example/debian trixie-backports main\n"
        );
        assert_eq!(
            source_line(&mirrors, "bullseye-security").unwrap(),
            "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://mirror.example/debian-security bullseye-security main\n"
        );
        assert_eq!(source_line(&[], "bookworm"), None);
    }
}
