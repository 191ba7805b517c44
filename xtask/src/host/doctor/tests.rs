// SPDX-License-Identifier: MIT OR Apache-2.0

use super::probe::{Findings, Outcome};
use super::*;

const GIB: u64 = 1 << 30;

fn tool(name: &str, optional: bool, state: State) -> Tool {
    Tool { name: name.into(), needed_for: "building kernels".into(), optional, state }
}

fn present(path: &str, version: &str) -> State {
    State::Present { path: path.into(), version: Some(version.into()), concern: None }
}

fn missing(remedy: &str) -> State {
    State::Missing { remedy: remedy.into() }
}

/// A machine like those of the CI service, where all is well but KVM.
fn healthy() -> Report {
    let mut report = Report {
        schema: SCHEMA,
        machine: Machine {
            system: "Debian GNU/Linux 12 (bookworm)".into(),
            kernel: "6.1.0".into(),
            arch: "x86_64".into(),
            cpus: 2,
            memory: 24 * GIB,
            memory_available: 20 * GIB + GIB / 2,
        },
        tools: vec![
            tool("git", false, present("/usr/bin/git", "2.39.5")),
            tool("qemu-system-x86_64", false, present("/usr/bin/qemu-system-x86_64", "7.2.22")),
            tool("busybox", true, missing("package busybox-static")),
        ],
        rust: vec![tool("cargo", false, present("/usr/bin/cargo", "1.95.0"))],
        rust_for_kernels: vec![
            tool("bindgen", true, missing("cargo install bindgen-cli")),
            tool("libclang", true, missing("package libclang-dev")),
        ],
        rust_obstacles: vec!["there is no libclang".into()],
        clang: tool("clang", true, present("/usr/bin/clang", "14.0.6")),
        accelerators: Accelerators::Booted(Findings {
            tcg: Outcome::Ran,
            kvm: Outcome::Failed { why: "KVM internal error: emulation failure".into() },
            kernel: None,
        }),
        caches: Caches {
            root: "/home/u/.cache/kernel-xtask".into(),
            from: "HOME".into(),
            free: 120 * GIB,
            needed: 4 * GIB,
            trouble: None,
        },
        sources: Sources {
            debian_suites: vec!["bookworm".into(), "bookworm-security".into()],
            debian_keys: true,
        },
        jobs: Vec::new(),
    };
    report.jobs = report.conclude();
    report
}

#[test]
fn the_report_of_a_healthy_machine() {
    let report = healthy();
    assert_eq!(report.exit(), ExitKind::Pass);
    insta::assert_snapshot!(report.text());
    insta::assert_json_snapshot!(report);
}

#[test]
fn the_report_of_a_sick_machine() {
    let mut report = healthy();
    report.tools[0].state = missing("package git");
    report.tools[1].state = State::Unusable {
        path: "/usr/bin/qemu-system-x86_64".into(),
        why: "it does not run: libpixman-1.so.0: cannot open shared object file".into(),
    };
    report.rust[0].state = State::Present {
        path: "/usr/bin/cargo".into(),
        version: Some("1.95.0".into()),
        concern: Some("it is odd".into()),
    };
    report.accelerators = Accelerators::Booted(Findings {
        tcg: Outcome::Failed { why: "QEMU ended with exit code 127".into() },
        kvm: Outcome::Failed { why: "there is no /dev/kvm".into() },
        kernel: None,
    });
    report.caches.free = GIB;
    report.machine.memory = GIB / 2;
    report.sources = Sources { debian_suites: vec![], debian_keys: false };
    report.jobs = report.conclude();
    assert_eq!(report.exit(), ExitKind::Infra);
    insta::assert_snapshot!(report.text());
}

#[test]
fn each_obstacle_stops_the_main_job_and_no_concern_does() {
    type Change = fn(&mut Report);
    let cases: &[(&str, Change)] = &[
        ("", |_| {}),
        ("", |r| r.tools[2].state = missing("package busybox-static")),
        ("", |r| r.caches.free = 5 * GIB),
        ("", |r| r.machine.memory = GIB + 1),
        ("", |r| r.sources.debian_suites.clear()),
        ("git is missing (package git)", |r| r.tools[0].state = missing("package git")),
        ("cargo is missing (rustup)", |r| r.rust[0].state = missing("rustup")),
        ("kernels are built for x86_64, this is aarch64", |r| r.machine.arch = "aarch64".into()),
        ("3.9 GiB free in /home/u/.cache/kernel-xtask, 4.0 GiB needed", |r| {
            r.caches.free = 4 * GIB - 1;
        }),
        ("0.9 GiB of memory, 1.0 GiB needed", |r| r.machine.memory = GIB - 1),
        ("cannot create /home/u", |r| r.caches.trouble = Some("cannot create /home/u".into())),
        ("cannot make a temporary directory", |r| {
            let why = "cannot make a temporary directory".into();
            r.accelerators = Accelerators::NotTried { why };
        }),
        ("QEMU does not run guests: no firmware", |r| {
            let (tcg, kvm) = (Outcome::Failed { why: "no firmware".into() }, Outcome::Ran);
            r.accelerators = Accelerators::Booted(Findings { tcg, kvm, kernel: None });
        }),
    ];
    for (want, change) in cases {
        let mut report = healthy();
        change(&mut report);
        report.jobs = report.conclude();
        assert_eq!(report.jobs[0].why_not.join("; "), *want);
        assert_eq!(report.main_job_works(), want.is_empty(), "{want}");
        assert!(!report.jobs[1].works, "no busybox, no shell");
        assert!(!report.jobs[2].works, "no bindgen, no Rust");
    }
}
