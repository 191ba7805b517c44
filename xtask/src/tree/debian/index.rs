// SPDX-License-Identifier: MIT OR Apache-2.0
//! Debian's signed index of a suite, read by an apt with a state directory of its own.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use super::Release;
use super::mirror::{mirrors, source_line};
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::{Host, Invocation, package};
use crate::store::{Lock, Store, write_atomic};
use crate::tree::KernelVersion;
use crate::tree::download::Wanted;

const UPDATE_LIMIT: Duration = Duration::from_secs(600);

static URI_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^'(?P<uri>[^']+)' (?P<name>\S+\.orig\.tar\.\w+) (?P<size>\d+) SHA256:(?P<sha>[0-9a-f]{64})$").ok()
});

/// The index of one suite.
pub struct Index<'h> {
    host: &'h Host,
    store: &'h Store,
    root: PathBuf,
    suite: String,
}

impl<'h> Index<'h> {
    /// The index of a suite; it is not read yet.
    pub fn of(host: &'h Host, store: &'h Store, suite: &str) -> Self {
        let root = store.root().join("apt").join(suite);
        Self { host, store, root, suite: suite.to_owned() }
    }

    /// Gets what the mirror has now.
    pub fn update(&self) -> Result<(), Diagnosis> {
        let _lock = self.lock()?;
        self.prepare()?;
        let output = self.update_call().limit(UPDATE_LIMIT).output()?;
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

    /// The releases of a line that are listed, newest first.
    pub fn releases(
        &self,
        package: &str,
        wanted: KernelVersion,
    ) -> Result<Vec<Release>, Diagnosis> {
        let _lock = self.lock()?;
        Ok(releases(&self.releases_call(package).run()?.text(), wanted))
    }

    /// The orig tarball of a release, as the index describes it.
    pub fn archive(&self, package: &str, release: &Release) -> Result<Option<Wanted>, Diagnosis> {
        let _lock = self.lock()?;
        Ok(orig_archive(&self.archive_call(package, &release.to_string()).run()?.text()))
    }

    /// The commands of all this, for a person.
    pub fn commands(&self, package: &str) -> Vec<String> {
        let calls = [
            self.update_call(),
            self.releases_call(package),
            self.archive_call(package, "VERSION"),
        ];
        calls.iter().map(Invocation::command_line).collect()
    }

    /// apt cannot read lists that another apt is writing.
    fn lock(&self) -> Result<Lock, Diagnosis> {
        self.store.lock(self.host, &format!("apt-{}", self.suite.replace('/', "-")))
    }

    fn prepare(&self) -> Result<(), Diagnosis> {
        if package::find_program("apt-get".as_ref()).is_none() {
            return Err(Diagnosis::infra(
                "this machine has no apt-get to read Debian's index with",
            )
            .next("use another source in matrix.yaml: kernel-org, git, or a directory"));
        }
        let mirrors = mirrors(Path::new("/etc/apt"));
        let line = source_line(&mirrors, &self.suite).ok_or_else(|| {
            Diagnosis::infra(format!(
                "the machine's apt configuration names no mirror that could have {}",
                self.suite
            ))
            .detail("looked into /etc/apt/sources.list and /etc/apt/sources.list.d")
            .next("use another source in matrix.yaml: kernel-org, git, or a directory")
        })?;
        for directory in ["lists/partial", "cache/archives/partial"] {
            let path = self.root.join(directory);
            std::fs::create_dir_all(&path).map_err(|e| on_path("create", &path, &e))?;
        }
        write_atomic(&self.root.join("sources.list"), line.as_bytes())
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

    fn update_call(&self) -> Invocation<'h> {
        self.call("apt-get").arg("update")
    }

    fn releases_call(&self, package: &str) -> Invocation<'h> {
        self.call("apt-cache").args(["showsrc", "--only-source", package])
    }

    fn archive_call(&self, package: &str, version: &str) -> Invocation<'h> {
        self.call("apt-get").args([
            "source",
            "--print-uris",
            "--only-source",
            &format!("{package}={version}"),
        ])
    }
}

/// The releases in `apt-cache showsrc`'s output that fit, newest first, one a tarball.
fn releases(showsrc: &str, wanted: KernelVersion) -> Vec<Release> {
    let versions = showsrc.lines().filter_map(|l| l.strip_prefix("Version: "));
    let mut found: Vec<Release> = versions
        .filter_map(|text| text.trim().parse().ok())
        .filter(|release: &Release| release.upstream().is_of(wanted))
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.dedup_by(|a, b| a.same_source(b));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_release_comes_first_and_once() {
        let showsrc = "Package: linux\nVersion: 5.10.251-5\n\nPackage: linux\nVersion: 5.10.262-1\n\nVersion: 5.10.251-10\nVersion: 6.1.192-3\nVersion: nonsense\n";
        let names = |wanted: &str| {
            let found = releases(showsrc, wanted.parse().unwrap());
            found.iter().map(Release::to_string).collect::<Vec<_>>()
        };
        assert_eq!(names("5.10"), ["5.10.262-1", "5.10.251-10"]);
        assert_eq!(names("5.10.251"), ["5.10.251-10"]);
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
}
