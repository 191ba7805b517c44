// SPDX-License-Identifier: MIT OR Apache-2.0
//! How QEMU is called.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What executes the guest's instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accel {
    /// The processor itself.
    Kvm,
    /// QEMU's translator, all guest CPUs in one host thread. Safe for guests that patch their text.
    TcgSingle,
    /// QEMU's translator, a host thread for each guest CPU. QEMU 7.2 shows guests that patch their
    /// text stray `int3` traps in this mode.
    TcgMulti,
}

impl Accel {
    /// The value of QEMU's `-accel`.
    pub fn argument(self) -> &'static str {
        match self {
            Self::Kvm => "kvm",
            Self::TcgSingle => "tcg,thread=single",
            Self::TcgMulti => "tcg,thread=multi",
        }
    }

    /// How many times longer than on real hardware a guest may take.
    pub fn patience(self) -> u32 {
        match self {
            Self::Kvm => 1,
            Self::TcgSingle | Self::TcgMulti => 4,
        }
    }
}

/// One guest.
#[derive(Debug, Clone)]
pub struct Machine {
    /// The `bzImage`.
    pub kernel: PathBuf,
    /// The initramfs.
    pub initramfs: PathBuf,
    /// Guest CPUs.
    pub cpus: u32,
    /// Guest memory, in MiB.
    pub memory_mib: u32,
    /// What executes it.
    pub accel: Accel,
    /// Words added to the kernel's command line.
    pub append: Vec<String>,
}

/// The sockets that join QEMU to the tool. Their paths must be short, see unix(7): `sun_path` has
/// 108 bytes.
#[derive(Debug, Clone)]
pub struct Sockets {
    /// The serial console.
    pub console: PathBuf,
    /// The port for records, `kx.wire` in the guest.
    pub wire: PathBuf,
    /// The port for a command's output, `kx.out` in the guest.
    pub output: PathBuf,
}

impl Sockets {
    /// Sockets with fixed names in a directory of their own.
    pub fn within(directory: &Path) -> Self {
        let at = |name: &str| directory.join(name);
        Self { console: at("console"), wire: at("wire"), output: at("out") }
    }
}

impl Machine {
    /// The kernel's command line.
    pub fn command_line(&self) -> String {
        // `panic=-1` with `-no-reboot` makes QEMU leave at a panic; `ignore_loglevel` shows the
        // scanner everything that the kernel has to say.
        let mut words = vec!["console=ttyS0,115200", "panic=-1", "ignore_loglevel"];
        words.extend(self.append.iter().map(String::as_str));
        words.join(" ")
    }

    /// QEMU's arguments.
    pub fn arguments(&self, sockets: &Sockets) -> Vec<OsString> {
        let mut args: Vec<OsString> = Vec::new();
        let mut add = |words: &[&str]| args.extend(words.iter().map(OsString::from));
        add(&["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]);
        add(&["-machine", "pc", "-accel", self.accel.argument()]);
        if self.accel == Accel::Kvm {
            add(&["-cpu", "host"]);
        }
        add(&["-smp", &self.cpus.to_string(), "-m", &self.memory_mib.to_string()]);
        add(&["-kernel", &self.kernel.to_string_lossy()]);
        add(&["-initrd", &self.initramfs.to_string_lossy()]);
        add(&["-append", &self.command_line()]);
        add(&["-chardev", &chardev("console", &sockets.console), "-serial", "chardev:console"]);
        add(&["-device", "virtio-serial-pci"]);
        for (id, path) in [("wire", &sockets.wire), ("out", &sockets.output)] {
            add(&["-chardev", &chardev(id, path)]);
            add(&["-device", &format!("virtserialport,chardev={id},name=kx.{id}")]);
        }
        args
    }
}

/// The tool listens and QEMU connects, so there is no moment at which the socket is not there yet.
/// A comma in a QEMU option value is written twice.
fn chardev(id: &str, path: &Path) -> String {
    format!("socket,id={id},path={}", path.to_string_lossy().replace(',', ",,"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_call_is_complete() {
        let machine = Machine {
            kernel: "/k/bzImage".into(),
            initramfs: "/k/initramfs".into(),
            cpus: 2,
            memory_mib: 512,
            accel: Accel::TcgSingle,
            append: vec!["quiet".into()],
        };
        let args = machine.arguments(&Sockets::within(Path::new("/t,1")));
        let line: Vec<_> = args.iter().map(|a| a.to_string_lossy()).collect();
        insta::assert_snapshot!(line.join("\n"));
    }
}
