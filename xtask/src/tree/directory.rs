// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plain directory: everything in it but `.git` is taken as it is now.

use std::path::Path;

use super::{Source, git, import};
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::Host;
use crate::store::{Key, Store};

/// Imports a directory. Files that are in the store already cost little the next time.
pub fn fetch(host: &Host, store: &Store, path: &Path) -> Result<Source, Diagnosis> {
    if path.join(".config").exists() || path.join("include/config").exists() {
        return Err(Diagnosis::usage(format!("{} was built in", path.display()))
            .detail("kbuild refuses to build out of tree from a source that is not clean")
            .next(format!("run `make -C {} mrproper`, or use a clean copy", path.display())));
    }
    let key = Key::of("directory").with("path", path.to_string_lossy().as_bytes()).finish();
    let id = format!("dir-{}", &key.short()[..12]);
    let _lock = store.lock(host, &format!("tree-{id}"))?;
    let step = host.progress.step("import", &path.display().to_string());
    let index = store.dir(Path::new("trees").join(&id))?.join("import-index");
    let about = import::About {
        id: &id,
        origin: format!("directory {}", path.display()),
        sha256: None,
        skipped: Vec::new(),
    };
    let source = import::tree(host, store, path, &index, about, &step)?;
    std::fs::remove_file(&index).map_err(|e| on_path("remove", &index, &e))?;
    step.done(&source.version.to_string());
    debug_assert!(git::resolve(host, store, &source.commit).is_ok());
    Ok(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_and_nothing_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::for_tests();
        let store = Store::at(dir.path().join("home"));
        let tree = dir.path().join("tree");
        std::fs::create_dir_all(tree.join("sub")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(tree.join(name), text).unwrap();
        write("Makefile", "VERSION = 5\nPATCHLEVEL = 10\nSUBLEVEL = 1\n");
        write(".gitignore", "ignored\n");
        write("sub/ignored", "is needed all the same\r\n");
        write(".gitattributes", "* text eol=lf\n");
        let first = fetch(&host, &store, &tree).unwrap();
        assert_eq!(fetch(&host, &store, &tree).unwrap(), first);
        let show = git::bare(&host, &store)
            .unwrap()
            .args(["show", &format!("{}:sub/ignored", first.commit)])
            .run()
            .unwrap();
        assert_eq!(show.text(), "is needed all the same\r\n");
        write("sub/ignored", "other");
        assert_ne!(fetch(&host, &store, &tree).unwrap().tree, first.tree);

        write("Makefile", "all:\n");
        assert_eq!(fetch(&host, &store, &tree).unwrap_err().exit.code(), 2);
    }
}
