// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask doctor`.

use super::Session;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::host::doctor;

/// Shows what works on this machine.
pub fn run(session: &Session) -> Result<ExitKind, Diagnosis> {
    let report = doctor::examine(&session.host, &session.store);
    session.host.check_cancelled()?;
    session.print(&report.text(), &report)?;
    Ok(report.exit())
}
