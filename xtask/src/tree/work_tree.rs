// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work trees that move between commits.

use std::path::{Path, PathBuf};

use super::{Source, git};
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::Host;
use crate::store::{Lock, Store};

/// The one work tree of a source, locked for this process.
#[derive(Debug)]
pub struct WorkTree {
    path: PathBuf,
    home: PathBuf,
    _lock: Lock,
}

impl WorkTree {
    /// Locks the work tree of a source, creating an empty one if need be.
    pub fn lock(host: &Host, store: &Store, source: &Source) -> Result<Self, Diagnosis> {
        let lock = store.lock(host, &format!("tree-{}", source.id))?;
        let home = store.dir(Path::new("trees").join(&source.id))?;
        let path = store.dir(Path::new("trees").join(&source.id).join("src"))?;
        Ok(Self { path, home, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Moves it to a commit. Only files that differ get a new time stamp; whatever else was changed
    /// in it is put back.
    pub fn checkout(&self, host: &Host, store: &Store, commit: &str) -> Result<(), Diagnosis> {
        let index = self.home.join("index");
        // The lock is ours: another lock file is a killed run's.
        for stale in [self.home.join("index.lock"), self.home.join("index.new.lock")] {
            if stale.exists() {
                std::fs::remove_file(&stale).map_err(|e| on_path("remove", &stale, &e))?;
            }
        }
        let marker = self.home.join("moving");
        let cut_off = marker.exists();
        std::fs::write(&marker, commit).map_err(|e| on_path("write", &marker, &e))?;
        let move_to = || {
            git::on_tree(host, store, &self.path, &index)?
                .args(["read-tree", "--reset", "-u", commit])
                .run()
        };
        if let Err(error) = move_to() {
            host.check_cancelled()?;
            // A damaged index is no loss: the tree can be compared file by file.
            if !index.exists() || std::fs::remove_file(&index).is_err() {
                return Err(error);
            }
            move_to()?;
        }
        if cut_off {
            // Files that a cut-off move brought in are in no index.
            git::on_tree(host, store, &self.path, &index)?
                .args(["clean", "-d", "--force", "--force", "-x", "--quiet"])
                .run()?;
        }
        std::fs::remove_file(&marker).map_err(|e| on_path("remove", &marker, &e))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{import, source};
    use super::*;

    fn import(host: &Host, store: &Store, directory: &Path, id: &str) -> Source {
        let step = host.progress.step("import", id);
        let about = import::About { id, origin: id.into(), sha256: None, skipped: Vec::new() };
        let index = directory.with_extension("index");
        import::tree(host, store, directory, &index, about, &step).unwrap()
    }

    #[test]
    fn moves_touch_only_what_differs_and_repair_the_rest() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::for_tests();
        let store = Store::at(dir.path().join("home"));
        let tree = dir.path().join("tree");
        std::fs::create_dir(&tree).unwrap();
        let write = |name: &str, text: &str| std::fs::write(tree.join(name), text).unwrap();
        write("Makefile", "VERSION = 5\nPATCHLEVEL = 10\n");
        write("a.c", "a");
        write("b.c", "b");
        let one = import(&host, &store, &tree, "one");
        write("b.c", "B");
        write("new.c", "n");
        let two = import(&host, &store, &tree, "two");
        assert!(source::recorded(&host, &store, "two").unwrap().is_some());

        let work = WorkTree::lock(&host, &store, &one).unwrap();
        let read = |name: &str| std::fs::read_to_string(work.path().join(name)).ok();
        work.checkout(&host, &store, &one.commit).unwrap();
        let stamp = || work.path().join("a.c").metadata().unwrap().modified().unwrap();
        let before = stamp();
        work.checkout(&host, &store, &two.commit).unwrap();
        assert_eq!((read("b.c"), read("new.c")), (Some("B".into()), Some("n".into())));
        assert_eq!(stamp(), before);

        // A user's edit, a killed git and a cut-off move.
        std::fs::write(work.path().join("a.c"), "edited").unwrap();
        std::fs::write(work.home.join("index.lock"), "").unwrap();
        std::fs::write(work.home.join("moving"), "").unwrap();
        std::fs::write(work.path().join("stray.c"), "").unwrap();
        work.checkout(&host, &store, &one.commit).unwrap();
        assert_eq!((read("a.c"), read("b.c")), (Some("a".into()), Some("b".into())));
        assert_eq!((read("new.c"), read("stray.c")), (None, None));

        std::fs::write(work.home.join("index"), "damaged").unwrap();
        work.checkout(&host, &store, &two.commit).unwrap();
        assert_eq!(read("b.c"), Some("B".into()));
    }
}
