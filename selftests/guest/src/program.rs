// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding programs, as a shell does.
//!
//! The standard library must get a path that holds a slash, no directory to change to and nothing
//! to do between fork and exec: only then does it use `posix_spawn`. Its other way needs a socket
//! pair, which kernels without `CONFIG_NET` do not have.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// Where programs are looked for.
pub const PATH: &str = "/bin:/sbin:/usr/bin:/usr/sbin";

/// Why there is nothing to run. The numbers are those of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// There is such a file, but it cannot be executed.
    NotExecutable = 126,
    /// There is no such file.
    NotFound = 127,
}

impl Absent {
    /// In words.
    pub fn why(self) -> &'static str {
        match self {
            Self::NotExecutable => "cannot be executed",
            Self::NotFound => "not found",
        }
    }
}

/// The file that a command's first word means. A word with a slash is a path already.
pub fn find(word: &str, path: &str) -> Result<PathBuf, Absent> {
    let candidates: Vec<PathBuf> = if word.contains('/') {
        vec![word.into()]
    } else {
        path.split(':').map(|directory| Path::new(directory).join(word)).collect()
    };
    let mut absent = Absent::NotFound;
    for candidate in candidates {
        if candidate.is_file() && access(&candidate, Access::EXEC_OK).is_ok() {
            return Ok(candidate);
        }
        if !word.is_empty() && candidate.exists() {
            absent = Absent::NotExecutable;
        }
    }
    Err(absent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn programs_are_found_along_the_path() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for (name, mode) in [("a/tool", 0o644), ("b/tool", 0o755), ("a/data", 0o644)] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), "").unwrap();
            std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let path = format!("{}:{}", at("a").display(), at("b").display());
        assert_eq!(find("tool", &path), Ok(at("b/tool")));
        assert_eq!(find("data", &path), Err(Absent::NotExecutable));
        assert_eq!(find("none", &path), Err(Absent::NotFound));
        assert_eq!(find("", &path), Err(Absent::NotFound));
        assert_eq!(find(at("a").to_str().unwrap(), &path), Err(Absent::NotExecutable));
        assert_eq!(find(at("b/tool").to_str().unwrap(), ""), Ok(at("b/tool")));
    }
}
