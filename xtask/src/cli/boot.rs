// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask boot`: a shell in a guest, or one command.

use clap::Args;
use wire::{Job, Outcome, Task};

use super::select::Select;
use super::{Ending, Session};
use crate::cell;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::image::Definition;
use crate::report;
use crate::vm::{self, Console, Ended, Limits};

/// Boot a kernel: a shell, or one command.
#[derive(Debug, Args)]
pub struct Boot {
    #[command(flatten)]
    select: Select,
    /// A command to run instead of a shell; its exit status becomes ours
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

impl Boot {
    pub fn run(&self, session: &Session) -> Result<Ending, Diagnosis> {
        let (host, store, workspace) = (&session.host, &session.store, &session.workspace);
        let request = self.select.request(session, None)?;
        if session.dry_run {
            let steps = cell::plan(host, store, workspace, &request)?;
            session.print(&report::plan(&steps), &steps)?;
            return Ok(ExitKind::Pass.into());
        }
        let (task, console) = if self.command.is_empty() {
            let term = std::env::var("TERM").unwrap_or_default();
            let size = rustix::termios::tcgetwinsize(std::io::stdin()).ok();
            let (rows, columns) = size.map_or((0, 0), |size| (size.ws_row, size.ws_col));
            (Task::Shell { term, rows, columns }, Console::Terminal)
        } else {
            (Task::Command { argv: self.command.clone() }, Console::Logged)
        };
        let job = Job { tasks: vec![task], settle_ms: 0, heartbeat_ms: 1000 };
        // Before anything is built, as a missing package is known at once.
        let busybox = Definition::load(&workspace.image())?.find_busybox(&job.tasks)?;
        let mut result = cell::new_result(&request);
        let prepared = cell::prepare(host, store, workspace, &request, false, &mut result)
            .map_err(super::as_usage)?;
        let run_dir = store.new_run(&format!("boot-{}", request.label()))?;
        let initramfs = run_dir.file("initramfs.cpio");
        cell::write_image(host, store, workspace, &prepared, busybox.as_deref(), &initramfs)?;
        if console == Console::Terminal {
            host.progress.note(
                    "a shell in the guest: modules are in /modules; `exit` ends it, Ctrl-] leaves at once",
                );
        }
        let limits = Limits::for_job(&job, prepared.accel, prepared.artefact.manifest.debug);
        let machine = cell::machine(&prepared, initramfs);
        let step = (console == Console::Logged)
            .then(|| host.progress.step("boot", &prepared.artefact.manifest.release));
        let quiet = crate::host::Progress::hidden().step("boot", "");
        let console_log = run_dir.file("console.log");
        let mut stdout = std::io::stdout();
        let mut outlets = vm::session::Outlets { console_log: &console_log, output: &mut stdout };
        let seen = step.as_ref().unwrap_or(&quiet);
        let session = vm::run(host, &machine, &job, limits, console, &mut outlets, seen)?;
        let status = session.results.first().map(|r| &r.outcome);
        match (session.ended, status) {
            (Ended::Complete, Some(Outcome::Exited { status })) => {
                if let Some(step) = step {
                    step.done(&format!("exit status {status}"));
                }
                Ok(Ending::Code(*status))
            }
            (_, Some(Outcome::Broke { step, why, .. })) => {
                Err(Diagnosis::infra(format!("{step}: {why}")))
            }
            _ if session.left => Ok(ExitKind::Pass.into()),
            (why, _) => {
                let mut diagnosis = Diagnosis::new(
                    if why == Ended::QemuDied { ExitKind::Infra } else { ExitKind::CheckFailed },
                    format!("the guest ended before the command did: {why:?}"),
                );
                if let Some(finding) = session.scan.findings.first() {
                    diagnosis = diagnosis.detail(finding.excerpt.clone());
                }
                if !session.qemu_words.is_empty() {
                    diagnosis = diagnosis.detail(session.qemu_words.clone());
                }
                Err(diagnosis.next(format!("read {}", console_log.display())))
            }
        }
    }
}
