// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records to and from the host.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use wire::{Decoder, Encoder, FromGuest, Job};

use crate::port::{self, Port, Received};

/// How long the host may take to send the job.
const JOB: Duration = Duration::from_secs(120);

/// How long to wait for the host to hang up after the last record.
const LINGER: Duration = Duration::from_secs(1);

/// Time between two looks at a host that is not connected.
const LOOK: Duration = Duration::from_millis(50);

/// The port for records, both ways. Any thread may send.
#[derive(Debug)]
pub struct Channel {
    port: Port,
    /// `None` once the last record was sent.
    encoder: Mutex<Option<Encoder<FromGuest>>>,
}

impl Channel {
    /// Opens the port.
    pub fn open() -> Result<Self, String> {
        let port = Port::open(wire::RECORDS_PORT, port::FIRST)?;
        Ok(Self { port, encoder: Mutex::new(Some(Encoder::default())) })
    }

    /// Sends one record. Once [`FromGuest::End`] was sent, others are dropped: a heartbeat may come
    /// a moment too late.
    pub fn send(&self, record: &FromGuest) -> Result<(), String> {
        let mut encoder = self.encoder.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = encoder.as_mut() else { return Ok(()) };
        let line = open.encode(record).map_err(|e| e.to_string())?;
        if matches!(record, FromGuest::End(_)) {
            *encoder = None;
        }
        // Under the lock, as lines must not mix.
        self.port.write_all(line.as_bytes())
    }

    /// Waits for the host's job.
    pub fn receive_job(&self) -> Result<Job, String> {
        let mut decoder = Decoder::<Job>::default();
        let mut buffer = vec![0; 1 << 16];
        let until = Instant::now() + JOB;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let cut = decoder.finish().err().map_or(String::new(), |e| format!(": {e}"));
                return Err(format!("the host sent no job within {} s{cut}", JOB.as_secs()));
            }
            let bytes = match self.port.read(&mut buffer, left)? {
                Received::Bytes(n) => &buffer[..n],
                Received::Nothing => continue,
                Received::HostAway => {
                    std::thread::sleep(LOOK);
                    continue;
                }
            };
            if let Some(job) = decoder.push(bytes).into_iter().next() {
                return job.map_err(|e| format!("the host's job cannot be used: {e}"));
            }
        }
    }

    /// Gives the host time to read everything: QEMU may still hold some of it when it is told to
    /// power off. The host that has what it wants hangs up.
    pub fn linger(&self) {
        let until = Instant::now() + LINGER;
        let mut buffer = [0; 64];
        while Instant::now() < until {
            match self.port.read(&mut buffer, LINGER) {
                Ok(Received::HostAway) | Err(_) => return,
                Ok(_) => {}
            }
        }
    }
}
