// SPDX-License-Identifier: MIT OR Apache-2.0
//! The virtio-serial ports that join the guest to the host.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

/// How long the first port may take to appear. The driver is built in, so it is there within
/// moments.
pub const FIRST: Duration = Duration::from_secs(20);

/// How long another port of the same device may take.
pub const ANOTHER: Duration = Duration::from_secs(2);

/// How long the host's end may be closed before the guest gives up. A host that is only slow is
/// waited for without limit.
const HOST_AWAY: Duration = Duration::from_secs(5);

/// Time between two looks at something that cannot be waited for.
const LOOK: Duration = Duration::from_millis(20);

/// Where the kernel lists the ports, see `drivers/char/virtio_console.c`.
const PORTS: &str = "/sys/class/virtio-ports";

/// An open port. The kernel lets a port be open once only, so it is opened once and shared.
#[derive(Debug)]
pub struct Port {
    file: File,
    name: &'static str,
}

/// What reading found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// So many bytes.
    Bytes(usize),
    /// Nothing within the time.
    Nothing,
    /// The host's end is closed.
    HostAway,
}

impl Port {
    /// Opens the port to which QEMU gave this name, if it is there within the limit.
    pub fn open(name: &'static str, limit: Duration) -> Result<Self, String> {
        let device = wait_for(Path::new(PORTS), Path::new("/dev"), name, limit)?;
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
        File::options()
            .read(true)
            .write(true)
            .custom_flags(flags)
            .open(&device)
            .map(|file| Self { file, name })
            .map_err(|e| format!("cannot open port {name}, {}: {e}", device.display()))
    }

    /// Writes everything, or fails when the host has closed its end for good.
    pub fn write_all(&self, mut bytes: &[u8]) -> Result<(), String> {
        let mut away_since = None;
        while !bytes.is_empty() {
            match rustix::io::write(&self.file, bytes) {
                Ok(n) => {
                    bytes = &bytes[n..];
                    away_since = None;
                    continue;
                }
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(e) => return Err(format!("cannot write to port {}: {e}", self.name)),
            }
            if self.wait(PollFlags::OUT, HOST_AWAY)?.contains(PollFlags::HUP) {
                let since = *away_since.get_or_insert_with(Instant::now);
                if since.elapsed() > HOST_AWAY {
                    return Err(format!("the host has closed port {}", self.name));
                }
                std::thread::sleep(LOOK);
            }
        }
        Ok(())
    }

    /// Reads what has come, waiting for it if need be.
    pub fn read(&self, buffer: &mut [u8], limit: Duration) -> Result<Received, String> {
        let until = Instant::now() + limit;
        loop {
            match rustix::io::read(&self.file, &mut *buffer) {
                Ok(0) => return Ok(Received::HostAway),
                Ok(n) => return Ok(Received::Bytes(n)),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(e) => return Err(format!("cannot read from port {}: {e}", self.name)),
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Received::Nothing);
            }
            self.wait(PollFlags::IN, left)?;
        }
    }

    fn wait(&self, what: PollFlags, limit: Duration) -> Result<PollFlags, String> {
        let mut fds = [PollFd::new(&self.file, what)];
        let limit = Timespec::try_from(limit).ok();
        match poll(&mut fds, limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(fds[0].revents()),
            Err(e) => Err(format!("cannot wait for port {}: {e}", self.name)),
        }
    }
}

/// The device of the port with this name, once it is there.
fn wait_for(ports: &Path, devices: &Path, name: &str, limit: Duration) -> Result<PathBuf, String> {
    let until = Instant::now() + limit;
    loop {
        let device = port_named(ports, name).map(|port| devices.join(port));
        match device {
            Some(device) if device.exists() => return Ok(device),
            _ if Instant::now() < until => std::thread::sleep(LOOK),
            Some(device) => {
                return Err(format!("port {name} has no device {}", device.display()));
            }
            None => {
                let known = port_names(ports).join(", ");
                return Err(format!(
                    "no virtio-serial port is named {name} (there are: {})",
                    if known.is_empty() { "none" } else { &known }
                ));
            }
        }
    }
}

/// Directory name of the port with this name, such as `vport0p1`.
fn port_named(ports: &Path, name: &str) -> Option<String> {
    std::fs::read_dir(ports).ok()?.flatten().find_map(|entry| {
        let found = std::fs::read_to_string(entry.path().join("name")).ok()?;
        (found.trim_end() == name).then(|| entry.file_name().to_string_lossy().into_owned())
    })
}

fn port_names(ports: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(ports).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("name")).ok())
        .map(|name| name.trim_end().to_owned())
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(names: &[(&str, Option<&str>)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (port, name) in names {
            std::fs::create_dir(dir.path().join(port)).unwrap();
            if let Some(name) = name {
                std::fs::write(dir.path().join(port).join("name"), format!("{name}\n")).unwrap();
            }
        }
        dir
    }

    #[test]
    fn ports_are_found_by_their_whole_name() {
        let dir = machine(&[
            ("vport0p1", Some("kx.wire")),
            ("vport0p2", Some("kx.out")),
            ("vport0p3", None),
        ]);
        assert_eq!(port_named(dir.path(), "kx.out").as_deref(), Some("vport0p2"));
        assert_eq!(port_named(dir.path(), "kx"), None);
        assert_eq!(port_named(Path::new("/no/such"), "kx.out"), None);
    }

    #[test]
    fn a_missing_port_is_named_with_those_there_are() {
        let dir = machine(&[("vport0p1", Some("kx.wire")), ("vport0p2", Some("agent"))]);
        let find = |name| wait_for(dir.path(), Path::new("/no/such"), name, Duration::ZERO);
        let error = find("kx.out").unwrap_err();
        assert_eq!(error, "no virtio-serial port is named kx.out (there are: agent, kx.wire)");
        assert_eq!(find("kx.wire").unwrap_err(), "port kx.wire has no device /no/such/vport0p1");
    }
}
