// SPDX-License-Identifier: MIT OR Apache-2.0
//! The virtio-serial ports that join the guest to the host.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use wire::{Decoder, Encoder, FromGuest, Job};

/// How long a port may take to appear after the driver has started.
const APPEAR: Duration = Duration::from_secs(30);
/// How long the host may take to send the job.
const JOB: Duration = Duration::from_secs(120);

/// Looks a port up by the name that QEMU gave it.
fn port_named(ports: &Path, name: &str) -> Option<String> {
    std::fs::read_dir(ports).ok()?.flatten().find_map(|entry| {
        let found = std::fs::read_to_string(entry.path().join("name")).ok()?;
        (found.trim() == name).then(|| entry.file_name().to_string_lossy().into_owned())
    })
}

/// The device of a named port, once it is there.
pub fn wait_for_port(name: &str) -> Result<PathBuf, String> {
    let until = Instant::now() + APPEAR;
    loop {
        if let Some(port) = port_named(Path::new("/sys/class/virtio-ports"), name) {
            let device = Path::new("/dev").join(port);
            if device.exists() {
                return Ok(device);
            }
        }
        if Instant::now() > until {
            return Err(format!("no virtio-serial port named {name}"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The port for records, both ways.
#[derive(Debug)]
pub struct Channel {
    port: File,
    sender: Sender,
}

/// The sending half. Any thread may use it.
#[derive(Debug)]
pub struct Sender {
    inner: Mutex<(File, Encoder<FromGuest>)>,
}

impl Sender {
    /// Sends one record.
    pub fn send(&self, record: &FromGuest) -> Result<(), String> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let (port, encoder) = &mut *inner;
        let line = encoder.encode(record).map_err(|e| e.to_string())?;
        port.write_all(line.as_bytes()).map_err(|e| format!("cannot write to the host: {e}"))
    }
}

impl Channel {
    /// Opens the port `kx.wire`.
    pub fn open() -> Result<Self, String> {
        let device = wait_for_port("kx.wire")?;
        let failed = |e: std::io::Error| format!("cannot open {}: {e}", device.display());
        let port = File::options().read(true).write(true).open(&device).map_err(failed)?;
        let writer = port.try_clone().map_err(failed)?;
        Ok(Self { port, sender: Sender { inner: Mutex::new((writer, Encoder::default())) } })
    }

    /// Sends one record.
    pub fn send(&mut self, record: &FromGuest) -> Result<(), String> {
        self.sender.send(record)
    }

    /// Waits for the host's job.
    pub fn receive_job(&mut self) -> Result<Job, String> {
        let mut decoder = Decoder::<Job>::default();
        let mut buffer = vec![0; 1 << 16];
        let until = Instant::now() + JOB;
        while Instant::now() < until {
            let n = self
                .port
                .read(&mut buffer)
                .map_err(|e| format!("cannot read from the host: {e}"))?;
            if n == 0 {
                // Nobody is connected at the host's end.
                std::thread::sleep(Duration::from_millis(50));
            }
            if let Some(job) = decoder.push(&buffer[..n]).into_iter().next() {
                return job.map_err(|e| format!("the host's job cannot be used: {e}"));
            }
        }
        Err("the host sent no job".to_owned())
    }

    /// Keeps the sending half; the host sends nothing after the job.
    pub fn into_sender(self) -> Sender {
        self.sender
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_found_by_name() {
        let dir = std::env::temp_dir().join(format!("kx-ports-{}", std::process::id()));
        for (port, name) in [("vport0p1", "kx.wire\n"), ("vport0p2", "kx.out\n")] {
            std::fs::create_dir_all(dir.join(port)).unwrap();
            std::fs::write(dir.join(port).join("name"), name).unwrap();
        }
        std::fs::create_dir_all(dir.join("vport0p3")).unwrap();
        assert_eq!(port_named(&dir, "kx.out").as_deref(), Some("vport0p2"));
        assert_eq!(port_named(&dir, "kx"), None);
        std::fs::remove_dir_all(&dir).unwrap();
        assert_eq!(port_named(&dir, "kx.out"), None);
    }
}
