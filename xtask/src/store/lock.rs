// SPDX-License-Identifier: MIT OR Apache-2.0
//! Locks between runs.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use super::Store;
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::Host;

/// How often a waiting run looks again.
const RETRY: Duration = Duration::from_millis(100);

/// An exclusive lock, held until dropped or until the process is gone, see flock(2).
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Store {
    /// Takes the lock of this name, waiting for other runs; says once that it waits.
    pub fn lock(&self, host: &Host, name: &str) -> Result<Lock, Diagnosis> {
        let path = self.path(Path::new("locks").join(name))?;
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|e| on_path("open", &path, &e))?;
        let mut said = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(e)) => return Err(on_path("lock", &path, &e)),
            }
            if !said {
                host.progress.note(&format!("waiting for another run that uses {name}"));
                said = true;
            }
            host.check_cancelled()?;
            std::thread::sleep(RETRY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn the_second_waits_for_the_first() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path());
        let first = store.lock(&Host::for_tests(), "tree").unwrap();
        let released = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let lock = store.lock(&Host::for_tests(), "tree").unwrap();
                assert!(released.load(Ordering::SeqCst), "got a lock that is held");
                drop(lock);
            });
            std::thread::sleep(Duration::from_millis(300));
            released.store(true, Ordering::SeqCst);
            drop(first);
            second.join().unwrap();
        });
        store.lock(&Host::for_tests(), "other").unwrap();
    }
}
