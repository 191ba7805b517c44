// SPDX-License-Identifier: MIT OR Apache-2.0
//! File systems that everything else needs.

use rustix::io::Errno;
use rustix::mount::{MountFlags, mount};

use crate::console;

/// A file system to mount.
struct Mount {
    kind: &'static str,
    at: &'static str,
    /// Whether a guest without it is of no use.
    needed: bool,
}

const fn needed(kind: &'static str, at: &'static str) -> Mount {
    Mount { kind, at, needed: true }
}

const fn wanted(kind: &'static str, at: &'static str) -> Mount {
    Mount { kind, at, needed: false }
}

const MOUNTS: &[Mount] = &[
    needed("devtmpfs", "/dev"),
    needed("proc", "/proc"),
    needed("sysfs", "/sys"),
    wanted("devpts", "/dev/pts"),
    wanted("debugfs", "/sys/kernel/debug"),
    wanted("tracefs", "/sys/kernel/tracing"),
    wanted("tmpfs", "/tmp"),
];

/// Mounts everything that the kernel knows.
pub fn mount_all() -> Result<(), String> {
    for &Mount { kind, at, needed } in MOUNTS {
        // Directories under /sys come from the kernel, if it knows the file system.
        if !at.starts_with("/sys/") {
            let _ = std::fs::create_dir_all(at);
        }
        match mount(kind, at, kind, MountFlags::empty(), None) {
            // The kernel mounts devtmpfs by itself if CONFIG_DEVTMPFS_MOUNT is set.
            Ok(()) | Err(Errno::BUSY) => {}
            Err(error) if needed => return Err(format!("cannot mount {kind} on {at}: {error}")),
            // This kernel was built without it.
            Err(Errno::NODEV | Errno::NOENT) => {}
            Err(error) => console::say(&format!("cannot mount {kind} on {at}: {error}")),
        }
    }
    Ok(())
}
