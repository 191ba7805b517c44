// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fetched kernels: what is known about each, and getting them.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::debian::Packaged;
use super::{KernelVersion, Origin, Spec, debian, directory, git, kernel_org, local_git};
use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::store::{Key, Store, write_json};

/// How long "the newest" stands before it is looked up again.
const FRESH: Duration = Duration::from_secs(24 * 60 * 60);

/// A kernel source in the object store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Names it in the store: `5.10.262`, `git-…`, `dir-…`.
    pub id: String,
    /// What its own Makefile says.
    pub version: KernelVersion,
    /// Where it came from, for a person.
    pub origin: String,
    /// SHA-256 of the archive, where there was one.
    pub sha256: Option<String>,
    /// The commit that holds it.
    pub commit: String,
    /// The git tree of that commit.
    pub tree: String,
    /// Newer ones that could not be had, and why.
    pub skipped: Vec<String>,
    /// The user's repository that it was read from, where there is one: it has the history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<PathBuf>,
}

/// What a name was resolved to, and when.
#[derive(Debug, Serialize, Deserialize)]
struct Resolved {
    id: String,
    at: jiff::Timestamp,
    /// What was skipped then; a source that is in the store was imported for another name.
    #[serde(default)]
    skipped: Option<Vec<String>>,
}

fn resolution_key(spec: &Spec) -> Key {
    Key::of("kernel").with("origin", format!("{:?}", spec.origin)).finish()
}

/// The pinned release, if it is in the store. No newer one makes it stale.
fn pinned(host: &Host, store: &Store, spec: &Spec) -> Result<Option<Source>, Diagnosis> {
    let Origin::Debian { pin: Some(pin), .. } = &spec.origin else { return Ok(None) };
    let source = load(host, store, &pin.upstream().to_string())?;
    Ok(source.map(|source| Source { skipped: Vec::new(), ..source }))
}

/// What is in the store already for this kernel, without any network. `fresh` asks for an answer
/// that is recent enough to stand for "the newest".
pub fn resolve(
    host: &Host,
    store: &Store,
    spec: &Spec,
    fresh: bool,
) -> Result<Option<Source>, Diagnosis> {
    match &spec.origin {
        // A tree may change at any time: it is looked at every time.
        Origin::Git { .. } | Origin::Directory(_) => return Ok(None),
        Origin::Debian { .. } | Origin::KernelOrg(_) => {}
    }
    if let Some(source) = pinned(host, store, spec)? {
        return Ok(Some(source));
    }
    let path = store.root().join("kernels").join(format!("{}.name", resolution_key(spec).short()));
    let Some(resolved) =
        std::fs::read(path).ok().and_then(|t| serde_json::from_slice::<Resolved>(&t).ok())
    else {
        return Ok(None);
    };
    let exact = match &spec.origin {
        Origin::Debian { version, .. } | Origin::KernelOrg(version) => version.is_exact(),
        _ => false,
    };
    let age = jiff::Timestamp::now().duration_since(resolved.at).unsigned_abs();
    if fresh && !exact && age > FRESH {
        return Ok(None);
    }
    let Some(mut source) = load(host, store, &resolved.id)? else { return Ok(None) };
    source.skipped = resolved.skipped.unwrap_or(source.skipped);
    if fresh
        && let Origin::Debian { pin: Some(pin), .. } = &spec.origin
        && pin.upstream().cmp(&source.version).is_ne()
    {
        host.progress.note(&format!(
            "linux {pin} is pinned, and was not to be had: using {}; `cargo xtask kernel update \
             {}` moves the pin",
            source.version, spec.name
        ));
    }
    Ok(Some(source))
}

fn load(host: &Host, store: &Store, id: &str) -> Result<Option<Source>, Diagnosis> {
    let path = store.root().join("kernels").join(format!("{id}.json"));
    let source = std::fs::read(path).ok().and_then(|t| serde_json::from_slice::<Source>(&t).ok());
    let Some(source) = source else { return Ok(None) };
    // The objects are the truth: a record without them is worth nothing.
    let tree = git::resolve(host, store, &format!("{}^{{tree}}", source.commit))?;
    Ok((tree.as_ref() == Some(&source.tree)).then_some(source))
}

/// Writes down a source that was imported.
pub(super) fn record(store: &Store, source: &Source) -> Result<(), Diagnosis> {
    write_json(&store.path(format!("kernels/{}.json", source.id))?, source)
}

/// A source that was imported before, by its id.
pub(super) fn recorded(host: &Host, store: &Store, id: &str) -> Result<Option<Source>, Diagnosis> {
    load(host, store, id)
}

/// Gets a kernel: from the store if it is there, else from its origin.
///
/// # Errors
/// Usage errors for what does not exist (a ref, a version); infra errors for networks and disks.
pub fn fetch(host: &Host, store: &Store, spec: &Spec, refresh: bool) -> Result<Source, Diagnosis> {
    let there =
        if refresh { pinned(host, store, spec)? } else { resolve(host, store, spec, true)? };
    if let Some(source) = there {
        return Ok(source);
    }
    let fetched = match &spec.origin {
        Origin::Debian { package, suite, version, pin } => {
            let packaged = Packaged { package, suite, version: *version };
            debian::fetch(host, store, &packaged, pin.as_ref())
        }
        Origin::KernelOrg(version) => kernel_org::fetch(host, store, *version),
        Origin::Git { repository, reference } => {
            local_git::fetch(host, store, repository, reference)
        }
        Origin::Directory(path) => directory::fetch(host, store, path),
    };
    let source = match (fetched, resolve(host, store, spec, false)) {
        (Ok(source), _) => source,
        // Without a network, yesterday's newest is better than nothing, as long as it is said.
        (Err(error), Ok(Some(source))) if error.exit == crate::diagnosis::ExitKind::Infra => {
            host.progress.note(&format!(
                "cannot look for a newer {}: {}; using {}",
                spec.name, error.what, source.version
            ));
            return Ok(source);
        }
        (Err(error), _) => return Err(error),
    };
    let resolved = Resolved {
        id: source.id.clone(),
        at: jiff::Timestamp::now(),
        skipped: Some(source.skipped.clone()),
    };
    let name = format!("kernels/{}.name", resolution_key(spec).short());
    write_json(&store.path(name)?, &resolved)?;
    Ok(source)
}

/// All sources in the store, oldest version first.
pub fn known(store: &Store) -> Vec<Source> {
    let entries = std::fs::read_dir(store.root().join("kernels"));
    let mut all: Vec<Source> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter(|e| e.path().extension().is_some_and(|x| x == "json"))
        .filter_map(|e| serde_json::from_slice(&std::fs::read(e.path()).ok()?).ok())
        .collect();
    all.sort_by_key(|s| s.version);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store with one kernel, linux 6.1.187, and what the lines of a matrix find in it.
    fn pinned_to(pin: &str) -> (tempfile::TempDir, Store, Spec) {
        let dir = tempfile::tempdir().unwrap();
        let (host, store) = (Host::for_tests(), Store::at(dir.path().join("home")));
        let tree = dir.path().join("linux");
        std::fs::create_dir(&tree).unwrap();
        std::fs::write(tree.join("Makefile"), "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 187\n")
            .unwrap();
        let source = directory::fetch(&host, &store, &tree).unwrap();
        let skipped = vec!["6.1.192-3: an old story".to_owned()];
        record(&store, &Source { id: "6.1.187".into(), skipped, ..source }).unwrap();
        let origin = Origin::Debian {
            package: "linux".into(),
            // No mirror has it: whoever asks the network fails.
            suite: "no-such-suite".into(),
            version: "6.1".parse().unwrap(),
            pin: Some(pin.parse().unwrap()),
        };
        (dir, store, Spec { name: "6.1".into(), origin })
    }

    #[test]
    fn a_pin_that_is_in_the_store_needs_no_network() {
        for pin in ["6.1.187-1", "6.1.187"] {
            let (_dir, store, spec) = pinned_to(pin);
            for refresh in [false, true] {
                let source = fetch(&Host::for_tests(), &store, &spec, refresh).unwrap();
                assert_eq!(source.id, "6.1.187");
                assert_eq!(source.skipped, [""; 0], "nothing is newer than a pin");
            }
            assert!(!store.root().join("apt").exists());
        }
        let (_dir, store, spec) = pinned_to("6.1.190-1");
        let error = fetch(&Host::for_tests(), &store, &spec, false).unwrap_err();
        assert_eq!(error.exit, crate::diagnosis::ExitKind::Infra, "{error}");
    }

    #[test]
    fn what_stands_in_for_a_pin_says_so_every_time() {
        let (_dir, store, spec) = pinned_to("6.1.190-1");
        let words = "6.1.190-1 (pinned): no longer served: a reason";
        let resolved = Resolved {
            id: "6.1.187".into(),
            at: jiff::Timestamp::now(),
            skipped: Some(vec![words.to_owned()]),
        };
        let name = format!("kernels/{}.name", resolution_key(&spec).short());
        write_json(&store.path(name).unwrap(), &resolved).unwrap();
        let source = resolve(&Host::for_tests(), &store, &spec, true).unwrap().unwrap();
        assert_eq!((source.id.as_str(), &source.skipped[..]), ("6.1.187", &[words.to_owned()][..]));
    }
}
