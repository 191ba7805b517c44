// SPDX-License-Identifier: MIT OR Apache-2.0
//! A commit of a git repository: a user's own tree, or a remote one. It is only read.

use std::path::Path;
use std::time::Duration;

use super::{KernelVersion, Source, git, import, source};
use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::store::Store;

const LIMIT: Duration = Duration::from_secs(60 * 60);

/// Gets the commit that a ref stands for now.
pub fn fetch(
    host: &Host,
    store: &Store,
    repository: &str,
    reference: &str,
) -> Result<Source, Diagnosis> {
    let local = Path::new(repository).is_dir();
    let commit = if local {
        local_commit(host, store, repository, reference)?
    } else {
        remote_commit(host, store, repository, reference)?
    };
    let id = format!("git-{}", &commit[..12]);
    let _lock = store.lock(host, &format!("tree-{id}"))?;
    if let Some(known) = source::recorded(host, store, &id)? {
        let repository = local.then(|| Path::new(repository).to_owned());
        return Ok(Source { repository, ..known });
    }
    let step = host.progress.step("fetch", &format!("{repository} at {reference}"));
    let url = if local { format!("file://{repository}") } else { repository.to_owned() };
    git::bare(host, store)?
        .args(["-c", "protocol.version=2", "fetch", "--quiet", "--depth=1", "--no-tags"])
        .args([&url, &commit])
        .limit(LIMIT)
        .on_line(|line| step.line(line))
        .run()?;
    import::keep(host, store, &id, &commit)?;
    let tree = git::resolve(host, store, &format!("{commit}^{{tree}}"))?
        .ok_or_else(|| Diagnosis::infra(format!("{commit} did not arrive in the object store")))?;
    let makefile =
        git::bare(host, store)?.args(["show", &format!("{commit}:Makefile")]).output()?;
    let version = KernelVersion::of_makefile(&makefile.text()).ok_or_else(|| {
        Diagnosis::usage(format!(
            "{repository} at {reference} is no kernel tree: its Makefile tells no version"
        ))
    })?;
    let source = Source {
        id,
        version,
        origin: format!("{repository} at {reference}"),
        sha256: None,
        commit,
        tree,
        skipped: Vec::new(),
        repository: local.then(|| Path::new(repository).to_owned()),
    };
    source::record(store, &source)?;
    step.done(&version.to_string());
    Ok(source)
}

fn local_commit(
    host: &Host,
    store: &Store,
    repository: &str,
    reference: &str,
) -> Result<String, Diagnosis> {
    let output = git::plain(host, store)?
        .args(["-C", repository, "rev-parse", "--verify", "--quiet"])
        .arg(format!("{reference}^{{commit}}"))
        .output()?;
    if !output.success() {
        return Err(Diagnosis::usage(format!("{repository} has no commit {reference:?}"))
            .detail(output.error_text().trim())
            .next(format!("see `git -C {repository} log --oneline --all`")));
    }
    let dirty = git::plain(host, store)?
        .args(["-C", repository, "status", "--porcelain", "--untracked-files=no"])
        .output()?;
    let changed = dirty.text().lines().count();
    if dirty.success() && changed > 0 {
        host.progress.note(&format!(
            "{repository} has {changed} uncommitted changes; they are not used, only {reference}"
        ));
    }
    Ok(output.text().trim().to_owned())
}

fn remote_commit(
    host: &Host,
    store: &Store,
    repository: &str,
    reference: &str,
) -> Result<String, Diagnosis> {
    if reference.len() == 40 && reference.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Ok(reference.to_owned());
    }
    let output = git::plain(host, store)?
        .args(["ls-remote", "--quiet", repository, reference, &format!("{reference}^{{}}")])
        .limit(Duration::from_secs(120))
        .run()?;
    let text = output.text();
    // An annotated tag comes twice; the line with `^{}` has the commit.
    let line = text.lines().find(|l| l.ends_with("^{}")).or(text.lines().next());
    line.and_then(|l| l.split_whitespace().next()).map(str::to_owned).ok_or_else(|| {
        Diagnosis::usage(format!("{repository} has no ref {reference:?}"))
            .next(format!("see `git ls-remote {repository}`"))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Every file with its bytes and its time, to see that nothing changed.
    pub fn snapshot(path: &Path) -> Vec<(std::path::PathBuf, Vec<u8>, std::time::SystemTime)> {
        let mut all = Vec::new();
        let mut todo = vec![path.to_owned()];
        while let Some(directory) = todo.pop() {
            for entry in std::fs::read_dir(directory).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    todo.push(path);
                } else {
                    let time = path.metadata().unwrap().modified().unwrap();
                    all.push((path.clone(), std::fs::read(&path).unwrap(), time));
                }
            }
        }
        all.sort();
        all
    }

    #[test]
    fn a_users_tree_is_only_read() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::for_tests();
        let store = Store::at(dir.path().join("home"));
        let repository = dir.path().join("linux");
        std::fs::create_dir(&repository).unwrap();
        let git = |args: &[&str]| {
            git::as_fixed_person(git::plain(&host, &store).unwrap(), None)
                .cwd(&repository)
                .args(args)
                .run()
                .unwrap()
        };
        std::fs::write(repository.join("Makefile"), "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 3\n")
            .unwrap();
        git(&["init", "--quiet"]);
        git(&["add", "."]);
        git(&["commit", "--quiet", "-m", "one"]);
        git(&["tag", "v6.1.3"]);
        std::fs::write(repository.join("Makefile"), "VERSION = 9\nPATCHLEVEL = 9\n").unwrap();
        std::fs::write(repository.join("staged"), "work").unwrap();
        git(&["add", "staged"]);

        let before = snapshot(&repository);
        let path = repository.to_str().unwrap();
        let source = fetch(&host, &store, path, "v6.1.3").unwrap();
        assert_eq!(source.version.to_string(), "6.1.3");
        assert_eq!(fetch(&host, &store, path, "HEAD").unwrap(), source);
        assert_eq!(snapshot(&repository), before);

        let error = fetch(&host, &store, path, "v9").unwrap_err();
        assert_eq!(error.exit.code(), 2);
        assert!(error.what.contains("no commit \"v9\""), "{error}");
    }
}
