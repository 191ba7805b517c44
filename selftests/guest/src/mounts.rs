// SPDX-License-Identifier: MIT OR Apache-2.0
//! File systems that everything else needs.

use rustix::io::Errno;
use rustix::mount::{MountFlags, mount};

/// File system, where, and whether a kernel without it is of no use.
const MOUNTS: &[(&str, &str, bool)] = &[
    ("devtmpfs", "/dev", true),
    ("proc", "/proc", true),
    ("sysfs", "/sys", true),
    ("debugfs", "/sys/kernel/debug", false),
    ("tracefs", "/sys/kernel/tracing", false),
    ("tmpfs", "/tmp", false),
];

/// Mounts everything that the kernel knows.
pub fn mount_all() -> Result<(), String> {
    for &(kind, at, needed) in MOUNTS {
        // sysfs brings the mount points of debugfs and tracefs along.
        if !std::path::Path::new(at).is_dir() {
            let _ = std::fs::create_dir_all(at);
        }
        match mount(kind, at, kind, MountFlags::empty(), None) {
            // The kernel mounts devtmpfs by itself if CONFIG_DEVTMPFS_MOUNT is set.
            Ok(()) | Err(Errno::BUSY) => {}
            Err(error) if needed => return Err(format!("cannot mount {kind} on {at}: {error}")),
            Err(_) => {}
        }
    }
    Ok(())
}
