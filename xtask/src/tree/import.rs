// SPDX-License-Identifier: MIT OR Apache-2.0
//! From an unpacked tree to a commit in the object store.

use std::path::Path;
use std::time::Duration;

use super::{KernelVersion, Source, git, source};
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::{Host, Step};
use crate::store::Store;

/// What an import is told about the tree.
pub struct About<'a> {
    /// The source's id in the store.
    pub id: &'a str,
    /// Where it came from, for a person.
    pub origin: String,
    /// SHA-256 of the archive.
    pub sha256: Option<String>,
    /// Newer ones that could not be had.
    pub skipped: Vec<String>,
}

/// Unpacks a verified archive into the store and makes it the work tree of its id.
pub fn archive(
    host: &Host,
    store: &Store,
    archive: &Path,
    about: About<'_>,
    step: &Step,
) -> Result<Source, Diagnosis> {
    let home = store.dir(Path::new("trees").join(about.id))?;
    let unpacked = home.join(".new");
    remove_dir(&unpacked)?;
    std::fs::create_dir(&unpacked).map_err(|e| on_path("create", &unpacked, &e))?;
    step.line("unpacking");
    host.program("tar")
        .args(["--extract", "--strip-components=1", "--no-same-owner", "--file"])
        .arg(archive)
        .arg("--directory")
        .arg(&unpacked)
        .run()?;
    let index = home.join("index.new");
    let source = tree(host, store, &unpacked, &index, about, step)?;
    // The unpacked tree is a checkout of that commit, index and all: keep it as the work tree.
    let (tree, final_index) = (home.join("src"), home.join("index"));
    remove_dir(&tree)?;
    std::fs::rename(&unpacked, &tree)
        .and_then(|()| std::fs::rename(&index, &final_index))
        .map_err(|e| on_path("move", &unpacked, &e))?;
    Ok(source)
}

fn remove_dir(path: &Path) -> Result<(), Diagnosis> {
    match std::fs::remove_dir_all(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(on_path("remove", path, &e)),
        _ => Ok(()),
    }
}

/// Makes a commit of everything in a directory. `index` is left describing it.
pub fn tree(
    host: &Host,
    store: &Store,
    directory: &Path,
    index: &Path,
    about: About<'_>,
    step: &Step,
) -> Result<Source, Diagnosis> {
    let version = version_of(directory)?;
    let _ = std::fs::remove_file(index);
    let _ = std::fs::remove_file(index.with_extension("new.lock"));
    step.line("storing");
    sweep(host, store)?;
    // A threshold of one byte has git write everything into one pack instead of 80,000 files.
    git::on_tree(host, store, directory, index)?
        .args(["-c", "core.bigFileThreshold=1", "-c", "core.compression=1"])
        .args(["add", "--all", "--force", "."])
        .run()?;
    let written = git::on_tree(host, store, directory, index)?.arg("write-tree").run()?;
    let tree = written.text().trim().to_owned();
    let message = format!("linux {version}\n\n{}\n", about.origin);
    let commit = git::as_fixed_person(git::bare(host, store)?, None)
        .args(["commit-tree", &tree])
        .input(message)
        .run()?
        .text()
        .trim()
        .to_owned();
    keep(host, store, about.id, &commit)?;
    let source = Source {
        id: about.id.to_owned(),
        version,
        origin: about.origin,
        sha256: about.sha256,
        commit,
        tree,
        skipped: about.skipped,
        repository: None,
    };
    source::record(store, &source)?;
    Ok(source)
}

/// How old a temporary pack must be before it is taken for a killed run's: no import takes an hour.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// Removes packs that git was writing when it was killed. git itself would do so in a collection,
/// and those are off.
fn sweep(host: &Host, store: &Store) -> Result<(), Diagnosis> {
    let packs = git::object_store(host, store)?.join("objects/pack");
    for entry in std::fs::read_dir(&packs).into_iter().flatten().flatten() {
        let old = entry
            .metadata()
            .and_then(|m| m.modified())
            .is_ok_and(|m| m.elapsed().is_ok_and(|age| age > ABANDONED));
        if old && entry.file_name().to_string_lossy().starts_with("tmp_") {
            let path = entry.path();
            std::fs::remove_file(&path).map_err(|e| on_path("remove", &path, &e))?;
        }
    }
    Ok(())
}

/// Gives a commit a name in the object store, so that it stays.
pub fn keep(host: &Host, store: &Store, id: &str, commit: &str) -> Result<(), Diagnosis> {
    git::bare(host, store)?
        .args(["update-ref", &format!("refs/xtask/kernels/{id}"), commit])
        .run()
        .map(drop)
}

/// The version of a tree, from its Makefile.
pub fn version_of(directory: &Path) -> Result<KernelVersion, Diagnosis> {
    let makefile = directory.join("Makefile");
    std::fs::read_to_string(&makefile)
        .ok()
        .and_then(|text| KernelVersion::of_makefile(&text))
        .ok_or_else(|| {
            Diagnosis::usage(format!(
                "{} is no kernel tree: its Makefile tells no version",
                directory.display()
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn only_abandoned_packs_are_swept() {
        let dir = tempfile::tempdir().unwrap();
        let (host, store) = (Host::for_tests(), Store::at(dir.path()));
        let packs = git::object_store(&host, &store).unwrap().join("objects/pack");
        let write = |name: &str, age: u64| {
            let file = std::fs::File::create(packs.join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        };
        write("tmp_pack_old", 7200);
        write("tmp_pack_new", 5);
        write("pack-1.pack", 7200);
        sweep(&host, &store).unwrap();
        let left = |name: &str| packs.join(name).exists();
        assert_eq!(
            [left("tmp_pack_old"), left("tmp_pack_new"), left("pack-1.pack")],
            [false, true, true]
        );
    }
}
