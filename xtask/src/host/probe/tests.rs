// SPDX-License-Identifier: MIT OR Apache-2.0

use std::os::unix::fs::PermissionsExt as _;

use super::*;

/// A machine with a made-up QEMU: a shell script that is told by its arguments which accelerator and
/// which guest it is to play, and writes every start into `starts`.
struct Machine {
    dir: tempfile::TempDir,
    host: Host,
    store: Store,
    limits: Limits,
}

impl Machine {
    fn new(tiny_kvm: &str, kernel_kvm: &str, kernel_tcg: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().join("home"));
        let script = format!(
            r#"#!/bin/sh
            for word; do
                case $word in
                    kvm) accel=kvm ;;
                    tcg,*) accel=tcg ;;
                    */tiny) guest=tiny ;;
                    */bzImage) guest=kernel ;;
                    file,id=console,path=*) console=${{word#*path=}} ;;
                esac
            done
            greet() {{ echo "tiny guest: 64-bit code runs" >$console; exit 67; }}
            panic() {{ echo "Linux version 6.1"; echo "VFS: Unable to mount root fs"; }}
            echo $guest-$accel >>{starts}
            case $guest-$accel in
                tiny-kvm) {tiny_kvm} ;;
                tiny-tcg) greet ;;
                kernel-kvm) {kernel_kvm} ;;
                kernel-tcg) {kernel_tcg} ;;
            esac"#,
            starts = dir.path().join("starts").display()
        );
        let qemu = dir.path().join("qemu");
        // Written by another process: a file that this one has open for writing, inherited by a
        // child that another test is just starting, could not be executed.
        let host = Host::for_tests();
        host.program("tee").arg(&qemu).input(script).run().unwrap();
        std::fs::set_permissions(&qemu, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::write(dir.path().join("kvm"), "").unwrap();
        Self { dir, host, store, limits: LIMITS }
    }

    fn prober(&self, boot_id: &str) -> Prober<'_> {
        Prober {
            host: &self.host,
            store: &self.store,
            qemu: self.dir.path().join("qemu"),
            device: self.dir.path().join("kvm"),
            boot_id: boot_id.to_owned(),
            limits: self.limits,
        }
    }

    /// The choice, and what was booted for it.
    fn choose(&self, boot_id: &str, with_kernel: bool) -> (Kind, String, String) {
        let kernel = self.dir.path().join("bzImage");
        let choice =
            self.prober(boot_id).accelerator(with_kernel.then_some(kernel.as_path())).unwrap();
        let starts = self.dir.path().join("starts");
        let booted = std::fs::read_to_string(&starts).unwrap_or_default().replace('\n', " ");
        let _ = std::fs::remove_file(starts);
        (choice.kind, choice.why, booted.trim().to_owned())
    }
}

#[test]
fn kvm_is_chosen_once_a_kernel_has_booted_under_it() {
    let machine = Machine::new("greet", "panic >$console", "exit 1");
    let (kind, why, booted) = machine.choose("a", false);
    assert_eq!((kind, booted.as_str()), (Kind::Tcg, "tiny-kvm"));
    assert!(why.contains("no kernel has been booted under it"), "{why}");
    let (kind, _, booted) = machine.choose("a", true);
    assert_eq!((kind, booted.as_str()), (Kind::Kvm, "kernel-kvm"), "the tiny boot is remembered");
    let (kind, _, booted) = machine.choose("a", false);
    assert_eq!((kind, booted.as_str()), (Kind::Kvm, ""), "and so is the kernel's");
    let (kind, _, booted) = machine.choose("b", false);
    assert_eq!((kind, booted.as_str()), (Kind::Tcg, "tiny-kvm"), "the host has booted since");
    assert_eq!(std::fs::read_dir(machine.store.root().join("probe")).unwrap().count(), 1);
}

#[test]
fn another_qemu_is_probed_anew() {
    let machine = Machine::new("greet", "panic >$console", "exit 1");
    assert_eq!(machine.choose("a", true).0, Kind::Kvm);
    let qemu = machine.dir.path().join("qemu");
    let broken = "#!/bin/sh\necho 'failed to set MSR 0x10a to 0x0' >&2; kill -ABRT $$\n";
    machine.host.program("tee").arg(&qemu).input(broken).run().unwrap();
    let (kind, why, _) = machine.choose("a", true);
    assert_eq!(kind, Kind::Tcg);
    assert_eq!(why, "KVM does not run guests here: failed to set MSR 0x10a to 0x0");
}

#[test]
fn a_tiny_guest_that_hangs_rules_kvm_out() {
    let mut machine = Machine::new("exec sleep 60", "exit 1", "exit 1");
    machine.limits.tiny_kvm = Duration::from_millis(300);
    let (kind, why, booted) = machine.choose("a", true);
    assert_eq!((kind, booted.as_str()), (Kind::Tcg, "tiny-kvm"));
    assert!(why.contains("the guest hung"), "{why}");
    assert_eq!(machine.choose("a", true).2, "", "the failure is remembered");
}

#[test]
fn a_kernel_that_only_tcg_boots_rules_kvm_out() {
    let machine = Machine::new("greet", "echo Linux version 6.1 >$console", "panic >$console");
    let (kind, why, booted) = machine.choose("a", true);
    assert_eq!((kind, booted.as_str()), (Kind::Tcg, "tiny-kvm kernel-kvm kernel-tcg"));
    assert!(why.contains("last line: Linux version 6.1"), "{why}");
    assert_eq!(machine.choose("a", true).2, "", "the failure is remembered");
}

#[test]
fn a_kernel_that_boots_nowhere_says_nothing_about_kvm() {
    let machine = Machine::new("greet", "exit 0", "exit 0");
    let (kind, why, _) = machine.choose("a", true);
    assert_eq!(kind, Kind::Tcg);
    assert!(why.contains("boots neither under KVM nor under TCG"), "{why}");
    assert_eq!(machine.choose("a", true).2, "kernel-kvm kernel-tcg", "it is not remembered");
}

#[test]
fn without_the_device_nothing_is_booted() {
    let machine = Machine::new("greet", "panic >$console", "exit 1");
    std::fs::remove_file(machine.dir.path().join("kvm")).unwrap();
    let (kind, why, booted) = machine.choose("a", true);
    assert_eq!((kind, booted.as_str()), (Kind::Tcg, ""));
    assert!(why.starts_with("there is no "), "{why}");
}

#[test]
fn a_broken_memory_is_no_memory() {
    let machine = Machine::new("greet", "panic >$console", "exit 1");
    let file = machine.store.path(machine.prober("a").memory_file()).unwrap();
    std::fs::write(file, "{\"tiny\": {\"outcome\": \"ra").unwrap();
    assert_eq!(machine.choose("a", true).0, Kind::Kvm);
}

/// With the real QEMU.
#[test]
fn the_tiny_guest_runs_under_tcg() {
    let host = Host::for_tests();
    let qemu = package::find_program(QEMU.as_ref()).ok_or_else(|| package::missing(QEMU)).unwrap();
    let outcome = attempt::boot(&host, &qemu, Kind::Tcg, Guest::Tiny, LIMITS.tiny_tcg);
    assert_eq!(outcome, Ok(Outcome::Ran));
}
