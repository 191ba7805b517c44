// SPDX-License-Identifier: MIT OR Apache-2.0
//! Upstream trees from Debian source packages.
//!
//! `linux_VERSION.orig.tar.xz` is the upstream stable release, less a few files that are not free.
//! apt verifies the signed index, in a state directory of our own; the index has the archive's
//! checksum. Mirrors are those that the machine's own apt configuration names.

mod choose;
mod index;
mod mirror;
mod release;

use std::collections::BTreeMap;

use self::choose::{Attempt, choose};
use self::index::Index;
pub use self::release::Release;
use super::{KernelVersion, Source, download, import, source};
use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::store::Store;

const NOT_THERE: &str = "listed, but the mirror answers 404";
const NO_ARCHIVE: &str = "the index names no orig tarball";

/// Releases of a kernel in a Debian source package.
#[derive(Debug, Clone, Copy)]
pub struct Packaged<'a> {
    /// The source package.
    pub package: &'a str,
    /// The suite whose index lists it.
    pub suite: &'a str,
    /// A line, or one exact release.
    pub version: KernelVersion,
}

impl Packaged<'_> {
    fn listed(&self, index: &Index<'_>) -> Result<Vec<Release>, Diagnosis> {
        let Self { package, suite, version } = self;
        let listed = index.releases(package, *version)?;
        if listed.is_empty() {
            return Err(Diagnosis::usage(format!(
                "no linux {version} in Debian's {suite} (source package {package})"
            ))
            .next(
                "`cargo xtask kernel list` shows what is listed; a git tree or directory works too",
            ));
        }
        Ok(listed)
    }

    fn none_of(&self, skipped: &[String]) -> Diagnosis {
        let what = format!("no linux {} can be had from Debian's {}", self.version, self.suite);
        Diagnosis::infra(what)
            .detail(skipped.join("\n"))
            .next("the mirror lags behind its index: try later, or name another release")
    }
}

/// Gets the pinned release, else the newest of a line that can be had, or one exact release.
pub fn fetch(
    host: &Host,
    store: &Store,
    packaged: &Packaged<'_>,
    pin: Option<&Release>,
) -> Result<Source, Diagnosis> {
    let Packaged { package, suite, version } = packaged;
    let _lock = store.lock(host, &format!("debian-{package}-{suite}"))?;
    let step = host.progress.step("fetch", &format!("linux {version}"));
    let index = Index::of(host, store, suite);
    step.line("reading the index");
    index.update()?;
    let listed = packaged.listed(&index)?;
    let choice = choose(&listed, pin, |release| {
        let id = release.upstream().to_string();
        if let Some(known) = source::recorded(host, store, &id)? {
            return Ok(Attempt::Had((known, "in the store")));
        }
        let Some(file) = index.archive(package, release)? else {
            return Ok(Attempt::Missing(NO_ARCHIVE));
        };
        let Some(archive) = download::get(host, store, &file, &step)? else {
            return Ok(Attempt::Missing(NOT_THERE));
        };
        let about = import::About {
            id: &id,
            origin: format!("Debian source package {package} {release}, {suite}"),
            sha256: Some(file.sha256.clone()),
            skipped: Vec::new(),
        };
        let _tree = store.lock(host, &format!("tree-{id}"))?;
        let source = import::archive(host, store, &archive, about, &step)?;
        Ok(Attempt::Had((source, "checksum verified")))
    })?;
    let Some((mut source, how)) = choice.had else {
        return Err(packaged.none_of(&choice.skipped));
    };
    for text in &choice.skipped {
        host.progress.note(&format!("skipped linux {text}"));
    }
    step.done(&format!("{}, {how}", source.id));
    source.skipped = choice.skipped;
    Ok(source)
}

/// The newest release of a line that can be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newest {
    /// The release.
    pub release: Release,
    /// Newer ones, and why they cannot be had.
    pub skipped: Vec<String>,
}

/// Looks for the newest releases that can be had, and downloads none. What is in the store says
/// nothing here: somebody else's store does not have it.
pub fn newest(
    host: &Host,
    store: &Store,
    asked: &[Packaged<'_>],
) -> Result<Vec<Newest>, Diagnosis> {
    let mut indexes = BTreeMap::new();
    let mut found = Vec::new();
    for packaged in asked {
        let Packaged { package, suite, version } = packaged;
        let step = host.progress.step("look", &format!("linux {version}"));
        if !indexes.contains_key(suite) {
            step.line("reading the index");
            let index = Index::of(host, store, suite);
            index.update()?;
            indexes.insert(*suite, index);
        }
        let index = &indexes[suite];
        let choice = choose(&packaged.listed(index)?, None, |release| {
            step.line(&format!("asking for {release}"));
            let Some(file) = index.archive(package, release)? else {
                return Ok(Attempt::Missing(NO_ARCHIVE));
            };
            if !download::is_served(host, &file)? {
                return Ok(Attempt::Missing(NOT_THERE));
            }
            Ok(Attempt::Had(release.clone()))
        })?;
        let Some(release) = choice.had else { return Err(packaged.none_of(&choice.skipped)) };
        step.done(&release.to_string());
        found.push(Newest { release, skipped: choice.skipped });
    }
    Ok(found)
}

/// The commands that [`newest`] runs.
pub fn commands(host: &Host, store: &Store, packaged: &Packaged<'_>) -> Vec<String> {
    let mut commands = Index::of(host, store, packaged.suite).commands(packaged.package);
    commands.push(download::head(host, "URI").command_line());
    commands
}
