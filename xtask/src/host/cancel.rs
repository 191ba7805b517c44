// SPDX-License-Identifier: MIT OR Apache-2.0
//! SIGINT and SIGTERM, as a flag that everything that waits looks at.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

use crate::diagnosis::{Diagnosis, ExitKind};

/// Whether, and by which signal, the tool was asked to end. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    signal: Arc<AtomicUsize>,
}

impl Cancel {
    /// Starts listening. The first signal asks for an orderly end; a second one ends the tool at
    /// once, and the guards then end its children.
    pub fn listen() -> Result<Self, Diagnosis> {
        let cancel = Self::default();
        let again = Arc::new(AtomicBool::new(false));
        for (signal, exit) in [(SIGINT, ExitKind::Interrupted), (SIGTERM, ExitKind::Terminated)] {
            let number = usize::try_from(signal).unwrap_or_default();
            let code = i32::from(exit.code());
            signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&again))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&again)))
                .and_then(|_| {
                    signal_hook::flag::register_usize(signal, Arc::clone(&cancel.signal), number)
                })
                .map_err(|e| Diagnosis::infra(format!("cannot listen to signals: {e}")))?;
        }
        Ok(cancel)
    }

    /// Whether the tool was asked to end.
    pub fn is_set(&self) -> bool {
        self.signal.load(Ordering::Relaxed) != 0
    }

    /// An error if the tool was asked to end.
    pub fn check(&self) -> Result<(), Diagnosis> {
        match i32::try_from(self.signal.load(Ordering::Relaxed)) {
            Ok(0) => Ok(()),
            Ok(SIGINT) => Err(Diagnosis::new(ExitKind::Interrupted, "interrupted")),
            _ => Err(Diagnosis::new(ExitKind::Terminated, "terminated")),
        }
    }
}
