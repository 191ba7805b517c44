// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which accelerator really runs guests here.
//!
//! A `/dev/kvm` that opens is no proof. On machines without real hardware virtualisation KVM may
//! accept a guest and then abort, give up at an instruction, or hang in early boot. So KVM is used
//! only after two boots under it went well: of a tiny guest of our own, which filters out most
//! broken ones within a second, and of a real kernel. Otherwise QEMU's translator (TCG) is used.
//!
//! What a boot showed is kept in the store until the host boots again or QEMU changes.

mod attempt;
mod tiny;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use attempt::Outcome;

use super::{Host, package};
use crate::diagnosis::Diagnosis;
use crate::store::{Key, Store, write_json};
use attempt::Guest;

/// The emulator that boots every guest.
pub const QEMU: &str = "qemu-system-x86_64";

/// What can execute a guest's instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The processor itself.
    Kvm,
    /// QEMU's translator.
    Tcg,
}

/// The accelerator to use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Accelerator {
    /// Which one.
    pub kind: Kind,
    /// Why this one, in words for the user.
    pub why: String,
}

/// What is known about each accelerator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// The tiny guest under TCG. If it failed, QEMU itself does not work.
    pub tcg: Outcome,
    /// The tiny guest under KVM.
    pub kvm: Outcome,
    /// A real kernel under KVM, if one was tried since the host booted.
    pub kernel: Option<Outcome>,
}

/// QEMU's arguments for the machine that all guests get: two CPUs, 512 MiB, and nothing that the
/// user's own QEMU configuration adds.
pub fn machine(kind: Kind) -> Vec<&'static str> {
    let mut args =
        vec!["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-machine", "pc"];
    args.extend(match kind {
        Kind::Kvm => ["-accel", "kvm", "-cpu", "host"].as_slice(),
        Kind::Tcg => &["-accel", "tcg,thread=single"],
    });
    args.extend(["-smp", "2", "-m", "512"]);
    args
}

/// Chooses the accelerator. KVM is chosen only if a real kernel has booted under it since the host
/// booted; `kernel` is the `bzImage` to try that with if none has. The answer is remembered, except
/// when the kernel boots under neither: that is the kernel's fault and says nothing about KVM.
///
/// # Errors
/// QEMU is missing, the store cannot be written, or the user cancelled.
pub fn accelerator(
    host: &Host,
    store: &Store,
    kernel: Option<&Path>,
) -> Result<Accelerator, Diagnosis> {
    Prober::new(host, store)?.accelerator(kernel)
}

/// Boots the tiny guest under each accelerator, whatever is remembered, and remembers the outcome.
///
/// # Errors
/// As for [`accelerator`]; an accelerator that fails is no error.
pub fn examine(host: &Host, store: &Store) -> Result<Findings, Diagnosis> {
    Prober::new(host, store)?.examine()
}

/// What is remembered, in `probe/KEY.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Memory {
    tiny: Option<Outcome>,
    kernel: Option<Outcome>,
}

/// How long each boot may take. KVM needs a fraction of a second where it works; TCG's limits are
/// generous, for a machine busy with other things.
#[derive(Debug, Clone, Copy)]
struct Limits {
    tiny_kvm: Duration,
    tiny_tcg: Duration,
    kernel_kvm: Duration,
    kernel_tcg: Duration,
}

const LIMITS: Limits = Limits {
    tiny_kvm: Duration::from_secs(5),
    tiny_tcg: Duration::from_secs(30),
    kernel_kvm: Duration::from_secs(15),
    kernel_tcg: Duration::from_secs(90),
};

struct Prober<'a> {
    host: &'a Host,
    store: &'a Store,
    qemu: PathBuf,
    device: PathBuf,
    boot_id: String,
    limits: Limits,
}

impl<'a> Prober<'a> {
    fn new(host: &'a Host, store: &'a Store) -> Result<Self, Diagnosis> {
        let qemu = package::find_program(QEMU.as_ref()).ok_or_else(|| package::missing(QEMU))?;
        let boot_id =
            std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let device = PathBuf::from("/dev/kvm");
        Ok(Self { host, store, qemu, device, boot_id, limits: LIMITS })
    }

    fn accelerator(&self, kernel: Option<&Path>) -> Result<Accelerator, Diagnosis> {
        let tcg = |why: String| Ok(Accelerator { kind: Kind::Tcg, why });
        // Never remembered: rights to the device may change at any time, and asking costs nothing.
        if let Err(why) = self.device_opens() {
            return tcg(why);
        }
        let _lock = self.store.lock(self.host, "probe")?;
        let mut memory = self.recall();
        let tiny = if let Some(outcome) = memory.tiny.clone() {
            outcome
        } else {
            let outcome = self.boot(Kind::Kvm, Guest::Tiny, self.limits.tiny_kvm)?;
            memory.tiny = Some(outcome.clone());
            self.remember(&memory)?;
            outcome
        };
        if let Outcome::Failed { why } = tiny {
            return tcg(format!("KVM does not run guests here: {why}"));
        }
        let known = match (memory.kernel.clone(), kernel) {
            (Some(outcome), _) => outcome,
            (None, None) => {
                return tcg("a tiny guest ran under KVM, but no kernel has been booted under it \
                            since the host booted"
                    .to_owned());
            }
            (None, Some(kernel)) => {
                let guest = Guest::Kernel(kernel);
                let outcome = self.boot(Kind::Kvm, guest, self.limits.kernel_kvm)?;
                if let Outcome::Failed { why } = &outcome
                    && self.boot(Kind::Tcg, guest, self.limits.kernel_tcg)? != Outcome::Ran
                {
                    return tcg(format!(
                        "{} boots neither under KVM nor under TCG, so KVM is unproven ({why})",
                        kernel.display()
                    ));
                }
                memory.kernel = Some(outcome.clone());
                self.remember(&memory)?;
                outcome
            }
        };
        match known {
            Outcome::Ran => Ok(Accelerator {
                kind: Kind::Kvm,
                why: "a kernel booted under it since the host booted".to_owned(),
            }),
            Outcome::Failed { why } => {
                tcg(format!("KVM does not boot a kernel here that TCG boots: {why}"))
            }
        }
    }

    fn examine(&self) -> Result<Findings, Diagnosis> {
        let tcg = self.boot(Kind::Tcg, Guest::Tiny, self.limits.tiny_tcg)?;
        if let Err(why) = self.device_opens() {
            return Ok(Findings { tcg, kvm: Outcome::Failed { why }, kernel: None });
        }
        let _lock = self.store.lock(self.host, "probe")?;
        let kvm = self.boot(Kind::Kvm, Guest::Tiny, self.limits.tiny_kvm)?;
        let mut memory = self.recall();
        memory.tiny = Some(kvm.clone());
        self.remember(&memory)?;
        Ok(Findings { tcg, kvm, kernel: memory.kernel })
    }

    fn device_opens(&self) -> Result<(), String> {
        let path = self.device.display();
        match std::fs::File::options().read(true).write(true).open(&self.device) {
            Ok(_) => Ok(()),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                Err(format!("there is no {path}"))
            }
            Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => {
                Err(format!("no right to open {path} (its group must have you as a member)"))
            }
            Err(e) => Err(format!("{path} does not open: {e}")),
        }
    }

    fn boot(&self, kind: Kind, guest: Guest<'_>, limit: Duration) -> Result<Outcome, Diagnosis> {
        let accelerator = match kind {
            Kind::Kvm => "KVM",
            Kind::Tcg => "TCG",
        };
        let subject = match guest {
            Guest::Tiny => format!("a tiny guest under {accelerator}"),
            Guest::Kernel(_) => format!("a kernel under {accelerator}"),
        };
        let step = self.host.progress.step("probe", &subject);
        let outcome = attempt::boot(self.host, &self.qemu, kind, guest, limit)?;
        step.done(&match &outcome {
            Outcome::Ran => "runs".to_owned(),
            Outcome::Failed { why } => format!("does not run: {why}"),
        });
        Ok(outcome)
    }

    /// Depends on this boot of the host and on the very QEMU binary.
    fn memory_file(&self) -> PathBuf {
        let qemu = std::fs::canonicalize(&self.qemu).unwrap_or_else(|_| self.qemu.clone());
        let stamp = qemu
            .metadata()
            .and_then(|m| Ok((m.len(), m.modified()?)))
            .map(|(len, modified)| format!("{len} {modified:?}"))
            .unwrap_or_default();
        let key = Key::of("probe")
            .with("boot", self.boot_id.trim())
            .with("qemu", qemu.to_string_lossy().as_bytes())
            .with("stamp", stamp)
            .finish();
        Path::new("probe").join(format!("{}.json", key.short()))
    }

    /// A file that cannot be read or understood is as good as none.
    fn recall(&self) -> Memory {
        std::fs::read(self.store.root().join(self.memory_file()))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }

    fn remember(&self, memory: &Memory) -> Result<(), Diagnosis> {
        let path = self.store.path(self.memory_file())?;
        write_json(&path, memory)?;
        // What earlier boots of the host showed is of no use any more.
        let old = path.parent().and_then(|d| std::fs::read_dir(d).ok()).into_iter().flatten();
        for entry in old.flatten().filter(|e| e.path() != path) {
            let _ = std::fs::remove_file(entry.path());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
