// SPDX-License-Identifier: MIT OR Apache-2.0
//! Building the kernel and the modules of its tree.

use std::path::Path;

use super::interrupted::Marker;
use super::{Configured, MakeError, Site};
use crate::diagnosis::{Diagnosis, ExitKind, on_path};
use crate::host::{Invocation, Step};
use crate::series::Applied;

/// How a call of make ended that builds a kernel.
#[derive(Debug, Clone)]
pub struct Made {
    /// Whether it built everything.
    pub success: bool,
    /// Its error output, and then its standard output.
    pub output: String,
    /// The call, to paste into a shell.
    pub command: String,
}

impl<'h> Site<'h> {
    /// Builds `bzImage` and the tree's modules.
    ///
    /// # Errors
    /// The first real error, with the patch that touched the file. It is the series' or tree's
    /// fault unless the machine is to blame (a full disk).
    pub fn kernel(
        &self,
        configured: &Configured,
        applied: &Applied,
        step: &Step,
    ) -> Result<(), Diagnosis> {
        let made = self.try_kernel(configured, step)?;
        if made.success {
            return Ok(());
        }
        Err(explain(&made.output, self.tree, applied, made.command))
    }

    /// Builds `bzImage` and the tree's modules; that make fails is a result, too.
    pub fn try_kernel(&self, configured: &Configured, step: &Step) -> Result<Made, Diagnosis> {
        let out = self.out();
        std::fs::create_dir_all(&out).map_err(|e| on_path("create", &out, &e))?;
        let (marker, deleted) = Marker::set(&out)?;
        if deleted > 0 {
            self.host.progress.note(&format!(
                "the last build here was cut off: {deleted} files that it may have left half-written are made again"
            ));
        }
        adopt_config(&configured.path, &out.join(".config"))?;
        let make = self.kernel_call()?;
        let command = make.command_line();
        let output = make.on_line(|line| step.line(line)).output()?;
        marker.clear()?;
        let text = format!("{}\n{}", output.error_text(), output.text());
        Ok(Made { success: output.success(), output: text, command })
    }

    /// The call of make that builds the kernel and its modules.
    pub fn kernel_call(&self) -> Result<Invocation<'h>, Diagnosis> {
        Ok(self
            .toolchain
            .make(self.host, self.store)?
            .arg("-C")
            .arg(self.tree)
            .arg(format!("O={}", self.out().display()))
            .all_cores()
            .args(["bzImage", "modules"]))
    }
}

/// Takes the configuration over only if it differs: a new time stamp alone would have kbuild look
/// at everything again.
fn adopt_config(from: &Path, to: &Path) -> Result<(), Diagnosis> {
    let new = std::fs::read(from).map_err(|e| on_path("read", from, &e))?;
    if std::fs::read(to).is_ok_and(|old| old == new) {
        return Ok(());
    }
    std::fs::write(to, new).map_err(|e| on_path("write", to, &e))
}

pub(super) fn explain(output: &str, tree: &Path, applied: &Applied, line: String) -> Diagnosis {
    let Some(error) = MakeError::first(output, tree) else {
        let last: Vec<_> = output.trim_end().lines().rev().take(20).collect();
        let last: Vec<_> = last.into_iter().rev().collect();
        return Diagnosis::infra("make failed without naming an error")
            .detail(last.join("\n"))
            .reproduce(line);
    };
    let exit = if error.is_the_machines() { ExitKind::Infra } else { ExitKind::CheckFailed };
    let mut diagnosis = Diagnosis::new(exit, format!("the build fails: {}", error.headline()))
        .detail(error.excerpt.clone());
    if let Some(file) = &error.file {
        let touching: Vec<_> = applied
            .patches
            .iter()
            .filter(|p| p.files.iter().any(|f| f == file || f.ends_with(&format!("/{file}"))))
            .map(|p| format!("patch {} touches {file}: {} ({})", p.number, p.subject, p.file))
            .collect();
        if touching.is_empty() && !applied.patches.is_empty() {
            diagnosis = diagnosis.detail(format!("no patch of the series touches {file}"));
        }
        for text in touching {
            diagnosis = diagnosis.detail(text);
        }
    }
    if exit == ExitKind::Infra {
        diagnosis = diagnosis.next("free some space (`cargo xtask clean`) and run again");
    }
    diagnosis.reproduce(line)
}
