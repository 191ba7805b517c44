// SPDX-License-Identifier: MIT OR Apache-2.0
//! The user's terminal, lent to a guest's console.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::diagnosis::Diagnosis;

/// Ctrl-], as in telnet and `virsh console`: leaves the guest, whatever state it is in.
const LEAVE: u8 = 0x1d;

/// The terminal in raw mode, so that the guest gets every key. Dropping it restores the mode.
#[derive(Debug)]
pub struct RawTerminal {
    before: Option<Termios>,
    leave: Arc<AtomicBool>,
}

impl RawTerminal {
    /// Puts standard input, if it is a terminal, into raw mode.
    pub fn new() -> Result<Self, Diagnosis> {
        let stdin = std::io::stdin();
        let mut before = None;
        if stdin.is_terminal() {
            let mode = tcgetattr(&stdin)
                .map_err(|e| Diagnosis::infra(format!("cannot read the terminal's mode: {e}")))?;
            let mut raw = mode.clone();
            raw.make_raw();
            tcsetattr(&stdin, OptionalActions::Now, &raw)
                .map_err(|e| Diagnosis::infra(format!("cannot set the terminal's mode: {e}")))?;
            before = Some(mode);
        }
        Ok(Self { before, leave: Arc::default() })
    }

    /// Sends what the user types to the guest.
    pub fn feed(&mut self, mut console: UnixStream) {
        let leave = Arc::clone(&self.leave);
        let is_terminal = self.before.is_some();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n) = std::io::stdin().read(&mut buffer) {
                let bytes = &buffer[..n];
                let end = bytes.iter().position(|&b| is_terminal && b == LEAVE);
                if console.write_all(&bytes[..end.unwrap_or(n)]).is_err() || n == 0 {
                    return;
                }
                if end.is_some() {
                    leave.store(true, Ordering::Relaxed);
                    return;
                }
            }
        });
    }

    /// Shows what the guest wrote.
    pub fn show(bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    }

    /// Whether the user pressed Ctrl-].
    pub fn wants_to_leave(&self) -> bool {
        self.leave.load(Ordering::Relaxed)
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        if let Some(mode) = &self.before {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, mode);
        }
    }
}
