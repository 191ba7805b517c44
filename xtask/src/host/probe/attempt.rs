// SPDX-License-Identifier: MIT OR Apache-2.0
//! One boot, and what it proves.

use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{Kind, tiny};
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::Host;

/// How often a boot is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// What is booted.
#[derive(Debug, Clone, Copy)]
pub enum Guest<'a> {
    /// Our own few bytes, see [`tiny`].
    Tiny,
    /// A `bzImage`, without an initramfs: it ends with a panic about its root file system.
    Kernel(&'a Path),
}

/// Whether the guest got where it should.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// It did.
    Ran,
    /// It did not.
    Failed {
        /// What was seen instead, for the user.
        why: String,
    },
}

/// How QEMU's run was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Left(i32),
    /// Stopped, because everything worth knowing had been seen.
    Seen,
    TimedOut(Duration),
}

/// What one boot left behind.
#[derive(Debug)]
struct Traces {
    console: String,
    errors: String,
    end: End,
}

/// Boots a guest and judges it. An error means that nothing could be tried (no QEMU, no disk space,
/// cancelled), never that the guest failed.
pub fn boot(
    host: &Host,
    qemu: &Path,
    kind: Kind,
    guest: Guest<'_>,
    limit: Duration,
) -> Result<Outcome, Diagnosis> {
    let dir = tempfile::Builder::new().prefix("kx-probe-").tempdir().map_err(|e| {
        Diagnosis::infra(format!("cannot make a temporary directory for a probe: {e}"))
    })?;
    let console = dir.path().join("console");
    let mut invocation = host.program(qemu).args(super::machine(kind));
    let chardev = format!("file,id=console,path={}", console.to_string_lossy().replace(',', ",,"));
    invocation = invocation.args(["-chardev", &chardev, "-serial", "chardev:console"]);
    invocation = match guest {
        Guest::Tiny => {
            let image = dir.path().join("tiny");
            std::fs::write(&image, tiny::image()).map_err(|e| on_path("write", &image, &e))?;
            let exit = format!("isa-debug-exit,iobase={},iosize=1", tiny::EXIT_PORT);
            invocation.arg("-kernel").arg(image).args(["-device", &exit])
        }
        Guest::Kernel(image) => invocation
            .arg("-kernel")
            .arg(image)
            .args(["-append", "console=ttyS0,115200 panic=-1 ignore_loglevel"]),
    };

    let mut running = invocation.start()?;
    let errors = Arc::new(Mutex::new(Vec::new()));
    let reader = running.child.stderr.take().map(|mut pipe| {
        let errors = Arc::clone(&errors);
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(n @ 1..) = pipe.read(&mut chunk) {
                errors.lock().unwrap_or_else(PoisonError::into_inner).extend(&chunk[..n]);
            }
        })
    });
    let traces = |end| Traces {
        console: std::fs::read(&console)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default(),
        errors: String::from_utf8_lossy(&errors.lock().unwrap_or_else(PoisonError::into_inner))
            .into_owned(),
        end,
    };
    let started = Instant::now();
    let end = loop {
        host.check_cancelled()?;
        if let Some(code) = running.ended()? {
            break End::Left(code);
        }
        if traces(End::Seen).is_telling(guest) {
            break End::Seen;
        }
        if started.elapsed() > limit {
            break End::TimedOut(limit);
        }
        std::thread::sleep(LOOK);
    };
    running.end();
    if let Some(reader) = reader {
        let _ = reader.join();
    }
    Ok(traces(end).judge(guest))
}

impl Traces {
    /// Whether waiting longer could not change the judgement. A guest that KVM gave up on stays
    /// in QEMU, stopped, for ever.
    fn is_telling(&self, guest: Guest<'_>) -> bool {
        let reached = matches!(guest, Guest::Kernel(_)) && kernel_reached_init(&self.console);
        reached || self.errors.contains("KVM internal error") && self.errors.contains("Code=")
    }

    fn judge(&self, guest: Guest<'_>) -> Outcome {
        let reached = match guest {
            Guest::Tiny => {
                self.end == End::Left(tiny::EXIT_CODE) && self.console.ends_with(tiny::GREETING)
            }
            Guest::Kernel(_) => kernel_reached_init(&self.console),
        };
        if reached { Outcome::Ran } else { Outcome::Failed { why: self.why_not() } }
    }

    fn why_not(&self) -> String {
        let errors: Vec<_> = self.errors.lines().map(str::trim).collect();
        if errors.iter().any(|l| l.starts_with("KVM internal error")) {
            let reason = errors.iter().find(|l| l.ends_with("emulation failure"));
            return format!("KVM internal error: {}", reason.unwrap_or(&"the guest was stopped"));
        }
        // What the end of the probe itself makes QEMU say is no reason.
        let said = errors.iter().find(|l| !l.is_empty() && !l.contains("terminating on signal"));
        if let Some(said) = said {
            return (*said).to_owned();
        }
        let last = self.console.lines().rev().map(str::trim).find(|l| !l.is_empty());
        let last = last.map_or("it wrote nothing".to_owned(), |l| format!("its last line: {l}"));
        match self.end {
            End::TimedOut(limit) => {
                format!("the guest hung ({} s without reaching its end; {last})", limit.as_secs())
            }
            End::Left(0) => format!("the guest was reset ({last})"),
            End::Left(code) => format!("QEMU ended with exit code {code} ({last})"),
            End::Seen => last,
        }
    }
}

/// Whether a kernel's console shows that it booted to the point where it starts /init, or found that
/// there is none: paging, interrupts, timers and all CPUs work by then.
fn kernel_reached_init(console: &str) -> bool {
    const ARRIVED: [&str; 4] = [
        "Run /init as init process",
        "Run /sbin/init as init process",
        "VFS: Unable to mount root fs",
        "No working init found",
    ];
    console
        .split_once("Linux version ")
        .is_some_and(|(_, later)| ARRIVED.iter().any(|line| later.contains(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(guest: Guest<'_>, console: &str, errors: &str, end: End) -> String {
        let traces = Traces { console: console.into(), errors: errors.into(), end };
        match traces.judge(guest) {
            Outcome::Ran => "ran".into(),
            Outcome::Failed { why } => why,
        }
    }

    #[test]
    fn the_tiny_guest_must_speak_and_leave_in_its_own_way() {
        let hang = End::TimedOut(Duration::from_secs(5));
        let msr = "qemu-system-x86_64: error: failed to set MSR 0x10a to 0x0\nqemu-system-x86_64: \
                   kvm_buf_set_msrs: Assertion `ret == cpu->kvm_msr_buf->nmsrs' failed.";
        let emulation = "KVM internal error. Suberror: 1\nextra data[0]: 0x1\nemulation failure\n\
                         RAX=0\nCode=a1 00\nqemu-system-x86_64: terminating on signal 15";
        let terminated = "qemu-system-x86_64: terminating on signal 15 from pid 7";
        let cases = [
            (tiny::GREETING, "", End::Left(tiny::EXIT_CODE), "ran"),
            // A firmware message before ours is no harm, text after it is.
            ("SeaBIOS\ntiny guest: 64-bit code runs\n", "", End::Left(0x43), "ran"),
            ("", "", End::Left(0x43), "QEMU ended with exit code 67 (it wrote nothing)"),
            (
                tiny::GREETING,
                "",
                End::Left(0),
                "the guest was reset (its last line: tiny guest: 64-bit code runs)",
            ),
            ("", "", End::Left(0x45), "QEMU ended with exit code 69 (it wrote nothing)"),
            (
                "",
                terminated,
                hang,
                "the guest hung (5 s without reaching its end; it wrote nothing)",
            ),
            ("", msr, End::Left(134), "qemu-system-x86_64: error: failed to set MSR 0x10a to 0x0"),
            ("", emulation, End::Seen, "KVM internal error: emulation failure"),
        ];
        for (console, errors, end, want) in cases {
            assert_eq!(judge(Guest::Tiny, console, errors, end), want, "{console:?} {errors:?}");
        }
    }

    #[test]
    fn a_kernel_must_come_to_its_init() {
        let kernel = Guest::Kernel(Path::new("bzImage"));
        let banner = "[    0.000000] Linux version 6.1.187 (u@h)\n";
        let cases = [
            ("[    1.0] Run /init as init process\n", "ran"),
            ("[    1.0] Kernel panic - not syncing: VFS: Unable to mount root fs on x\n", "ran"),
            ("[    1.0] Kernel panic - not syncing: No working init found.  Try\n", "ran"),
            (
                "[    0.1] Kernel panic - not syncing: Fatal exception in interrupt\n",
                "the guest was reset (its last line: [    0.1] Kernel panic - not syncing: Fatal \
                 exception in interrupt)",
            ),
        ];
        for (later, want) in cases {
            assert_eq!(judge(kernel, &format!("{banner}{later}"), "", End::Left(0)), want);
        }
        let before = "Run /init as init process\n[    0.000000] Linux version 6.1.187\n";
        assert_ne!(judge(kernel, before, "", End::Left(0)), "ran", "the banner comes first");
        let hang = judge(kernel, banner, "", End::TimedOut(Duration::from_secs(10)));
        assert_eq!(
            hang,
            "the guest hung (10 s without reaching its end; its last line: [    0.000000] Linux \
             version 6.1.187 (u@h))"
        );
    }
}
