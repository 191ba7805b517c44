// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ending the guest.

use std::path::Path;

use rustix::system::{RebootCommand, reboot};

/// Ends the guest, and with it QEMU, which is called with `-no-reboot`.
///
/// Without ACPI the kernel has no means to power off and halts for ever instead; a restart always
/// works.
pub fn off() -> ! {
    rustix::fs::sync();
    if Path::new("/sys/firmware/acpi").exists() {
        let _ = reboot(RebootCommand::PowerOff);
    }
    let _ = reboot(RebootCommand::Restart);
    loop {
        std::thread::park();
    }
}
