// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine, its disk and its apt sources.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use crate::host::Host;
use crate::host::package::find_program;
use crate::store::Store;

const GIB: u64 = 1 << 30;

/// Free space, in bytes, without which not even a kernel that was built before can be run.
const SPACE_FOR_A_RUN: u64 = GIB;

/// Free space, in bytes, that a first kernel takes. Measured on 6.1: work tree 1.5 GiB, object store
/// 0.3 GiB, build 0.6 GiB, archive 0.13 GiB; the rest is for ccache and runs.
const SPACE_FOR_ONE: u64 = 4 * GIB;

/// The same for two kernels.
pub const SPACE_FOR_TWO: u64 = 8 * GIB;

/// Files that a first kernel takes: 6.1 has 79 000, its build a few thousand.
const FILES_FOR_ONE: u64 = 120_000;

/// Memory, in bytes, that a build with debug information and a 512 MiB guest get by with.
pub const MEMORY_NEEDED: u64 = GIB;

/// Memory, in bytes, below which builds get slow.
pub const MEMORY_WANTED: u64 = 2 * GIB;

/// The machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// The distribution's name for itself.
    pub system: String,
    /// The running kernel's release.
    pub kernel: String,
    /// The architecture, in Rust's words.
    pub arch: String,
    /// CPUs that we may use.
    pub cpus: usize,
    /// Memory that we may use, in bytes: the machine's, or the control group's limit.
    pub memory: u64,
    /// Memory that is available now, in bytes.
    pub memory_available: u64,
}

impl Machine {
    /// Asks the machine.
    pub fn examine() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let meminfo = read("/proc/meminfo");
        let limit = read("/sys/fs/cgroup/memory.max").trim().parse().unwrap_or(u64::MAX);
        let release = read("/etc/os-release");
        let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
        Self {
            system: name.map_or("unknown system", |n| n.trim_matches('"')).to_owned(),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
            memory: memory(&meminfo, "MemTotal").min(limit),
            memory_available: memory(&meminfo, "MemAvailable").min(limit),
        }
    }
}

/// A line of /proc/meminfo, in bytes; 0 if there is none.
fn memory(meminfo: &str, key: &str) -> u64 {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or_default() * 1024
}

/// The place of the caches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Caches {
    /// The directory.
    pub root: PathBuf,
    /// The variable that it comes from.
    pub from: String,
    /// Free space in its file system, in bytes.
    pub free: u64,
    /// Free space, in bytes, that the next run may need.
    pub needed: u64,
    /// Why nothing can be written there, if so.
    pub trouble: Option<String>,
}

impl Caches {
    /// Looks at the store's place, and creates it to see whether that is possible.
    pub fn examine(store: &Store) -> Self {
        let root = store.root();
        let mut trouble = store
            .dir("probe")
            .and_then(|dir| {
                tempfile::tempfile_in(&dir)
                    .map_err(|e| crate::diagnosis::on_path("write in", &dir, &e))
            })
            .err()
            .map(|diagnosis| diagnosis.what);
        let from = ["XTASK_HOME", "XDG_CACHE_HOME"]
            .into_iter()
            .find(|key| std::env::var_os(key).is_some_and(|value| !value.is_empty()));
        let has_kernels =
            std::fs::read_dir(root.join("trees")).is_ok_and(|mut d| d.next().is_some());
        let needed = if has_kernels { SPACE_FOR_A_RUN } else { SPACE_FOR_ONE };
        let mut free = 0;
        let existing = root.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("/"));
        match rustix::fs::statvfs(existing) {
            Ok(fs) => {
                free = fs.f_bavail.saturating_mul(fs.f_frsize);
                // File systems without a fixed number of inodes state none at all.
                if fs.f_files > 0 && !has_kernels && fs.f_favail < FILES_FOR_ONE {
                    trouble.get_or_insert(format!(
                        "only {} more files fit on its file system; a kernel has some \
                         {FILES_FOR_ONE}",
                        fs.f_favail
                    ));
                }
            }
            Err(e) => {
                trouble.get_or_insert(format!("cannot ask for its free space: {e}"));
            }
        }
        Self {
            root: root.to_owned(),
            from: from.unwrap_or("HOME").to_owned(),
            free,
            needed,
            trouble,
        }
    }
}

/// Where kernel sources can come from, as far as the machine's configuration tells. Nothing is
/// fetched to find out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sources {
    /// The suites of Debian archives that apt is configured with; source packages of these and of
    /// other suites come from the same mirror.
    pub debian_suites: Vec<String>,
    /// Whether Debian's keys are here, to verify what comes from there.
    pub debian_keys: bool,
}

impl Sources {
    /// Asks apt, which reads its configuration only.
    pub fn examine(host: &Host) -> Self {
        let mut suites = Vec::new();
        if find_program("apt-get".as_ref()).is_some() {
            let output = host
                .program("apt-get")
                .args(["indextargets", "--format", "$(RELEASE)", "Created-By: Packages"])
                .limit(Duration::from_secs(10))
                .output();
            // Without an answer there is no archive; kernel.org remains.
            suites = output.map(|output| debian_suites(&output.text())).unwrap_or_default();
        }
        let keys = Path::new("/usr/share/keyrings/debian-archive-keyring.gpg").is_file();
        Self { debian_suites: suites, debian_keys: keys }
    }
}

/// The suites with Debian's names among apt's, each once. Other archives have names of their own.
fn debian_suites(targets: &str) -> Vec<String> {
    const NAMES: [&str; 11] = [
        "buster",
        "bullseye",
        "bookworm",
        "trixie",
        "forky",
        "sid",
        "stable",
        "oldstable",
        "oldoldstable",
        "testing",
        "unstable",
    ];
    let mut suites: Vec<String> = Vec::new();
    for suite in targets.lines().map(str::trim) {
        let name = suite.split(['-', '/']).next().unwrap_or_default();
        if NAMES.contains(&name) && !suites.iter().any(|s| s == suite) {
            suites.push(suite.to_owned());
        }
    }
    suites
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_in_bytes() {
        let text = "MemTotal:       24577764 kB\nMemFree:  1 kB\nMemAvailable:   20000000 kB\n";
        assert_eq!(memory(text, "MemTotal"), 24_577_764 * 1024);
        assert_eq!(memory(text, "MemAvailable"), 20_000_000 * 1024);
        assert_eq!(memory(text, "SwapTotal") + memory("", "MemTotal"), 0);
    }

    #[test]
    fn only_debian_suites_count() {
        let targets = "bookworm\nbookworm\nbookworm-updates\nnoble\nnodistro\ncloud-sdk-bookworm\n\
                       bookworm-security\n";
        let want = ["bookworm", "bookworm-updates", "bookworm-security"];
        assert_eq!(debian_suites(targets), want);
    }

    #[test]
    fn a_place_that_cannot_be_made_is_told() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let caches = Caches::examine(&Store::at(file.path().join("home")));
        assert!(caches.trouble.is_some_and(|t| t.starts_with("cannot create")));
        let dir = tempfile::tempdir().unwrap();
        let caches = Caches::examine(&Store::at(dir.path().join("a/b")));
        assert_eq!(caches.needed, SPACE_FOR_ONE);
        std::fs::create_dir_all(dir.path().join("a/b/trees/6.1")).unwrap();
        let caches = Caches::examine(&Store::at(dir.path().join("a/b")));
        assert_eq!(caches.needed, SPACE_FOR_A_RUN);
    }
}
