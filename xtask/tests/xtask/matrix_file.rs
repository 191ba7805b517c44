// SPDX-License-Identifier: MIT OR Apache-2.0
//! `kernel add` and `kernel update`: what they write into `matrix.yaml`, and what they refuse.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::tool::{Ended, root, run, tiny_tree, xtask_at};

const MATRIX: &str = "# Mine.\nkernels:\n  - name: \"6.1\" # the one\n    debian: { package: linux, suite: bookworm-security }\n  - name: \"6.6\"\n    git: { url: \"https://git.example/linux\", ref: v6.6 }\n";

/// A checkout of its own, with a matrix and caches.
struct Checkout {
    dir: tempfile::TempDir,
}

impl Checkout {
    fn with(matrix: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("ws/xtask")).unwrap();
        fs::write(dir.path().join("ws/matrix.yaml"), matrix).unwrap();
        Self { dir }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("ws/matrix.yaml")
    }

    fn matrix(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn call(&self, args: &[&str]) -> Ended {
        let mut call = xtask_at(&self.home(), &[&["kernel"], args].concat());
        call.env("CARGO_MANIFEST_DIR", self.dir.path().join("ws/xtask"));
        run(call.stderr(Stdio::piped()))
    }

    fn refuses(&self, args: &[&str], words: &[&str]) {
        let before = self.matrix();
        let ended = self.call(args);
        assert_eq!(ended.code, 2, "{args:?}: {}", ended.stderr);
        for word in words {
            assert!(ended.stderr.contains(word), "{args:?}: no {word:?} in\n{}", ended.stderr);
        }
        assert_eq!(self.matrix(), before, "{args:?}");
        assert!(!self.home().join("apt").exists(), "{args:?} asked the network");
    }
}

#[test]
fn pins_that_cannot_be_looked_for() {
    let checkout = Checkout::with(MATRIX);
    checkout.refuses(&["update", "9.9"], &["no kernel 9.9 in matrix.yaml", "known: 6.1, 6.6"]);
    checkout.refuses(&["update", "6.1.4"], &["no kernel 6.1.4"]);
    checkout.refuses(&["update", "6.6"], &["does not come from a Debian package"]);
    for (pin, words) in [("5.10.1-1", "no release of that line"), ("new", "\"new\" is no release")]
    {
        let suite = format!("bookworm-security, pin: {pin}");
        let checkout = Checkout::with(&MATRIX.replace("bookworm-security", &suite));
        checkout.refuses(&["update"], &[words, "matrix.yaml"]);
        checkout.refuses(&["list"], &[words]);
    }
    Checkout::with("kernels: 1\n").refuses(&["update", "--check"], &["matrix.yaml:1:"]);
}

#[test]
fn a_dry_run_of_update_shows_commands_and_asks_nobody() {
    let checkout = Checkout::with(MATRIX);
    let ended = checkout.call(&["update", "--dry-run", "--format", "json"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let commands = ended.json()["commands"].as_array().unwrap().clone();
    let has = |words: &str| commands.iter().any(|c| c.as_str().unwrap().contains(words));
    assert!(has("--print-uris --only-source linux=VERSION") && has("curl --head"), "{commands:?}");
    assert_eq!(checkout.matrix(), MATRIX);
    assert!(!checkout.home().join("apt").exists());
}

#[test]
fn without_a_debian_kernel_there_is_nothing_to_pin() {
    let git = "kernels:\n- {name: '6.6', git: {url: x, ref: y}}\n";
    let ended = Checkout::with(git).call(&["update", "--check"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("no kernel of matrix.yaml"), "{}", ended.stdout);
}

#[test]
fn a_kernel_is_added_and_can_be_used() {
    let checkout = Checkout::with(MATRIX);
    let tree = checkout.dir.path().join("linux");
    tiny_tree(&tree, (6, 19, 3));
    let path = tree.to_str().unwrap();
    let ended = checkout.call(&["add", "6.19", "--directory", path, "--dry-run"]);
    assert_eq!((ended.code, checkout.matrix().as_str()), (0, MATRIX), "{}", ended.stderr);
    let ended = checkout.call(&["add", "6.19", "--directory", path]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let directory = tree.canonicalize().unwrap();
    let added = format!("  - name: \"6.19\"\n    directory: \"{}\"\n", directory.display());
    assert_eq!(checkout.matrix(), format!("{MATRIX}{added}"));
    let ended = checkout.call(&["fetch", "6.19"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);

    for (name, origin) in [
        ("6.12", &["--debian", "linux-6.12", "--suite", "bookworm-security"][..]),
        ("6.18", &["--kernel-org", "6.18.3"]),
        ("7.0", &["--git", "https://me@git.example/linux.git@v7.0"]),
    ] {
        let ended = checkout.call(&[&["add", name], origin].concat());
        assert_eq!(ended.code, 0, "{}", ended.stderr);
    }
    let new = "  - name: \"6.12\"\n    debian: { package: linux-6.12, suite: bookworm-security }\n  - name: \"6.18\"\n    kernel-org: \"6.18.3\"\n  - name: \"7.0\"\n    git: { url: \"https://me@git.example/linux.git\", ref: \"v7.0\" }\n";
    assert_eq!(checkout.matrix(), format!("{MATRIX}{added}{new}"));
    let list = checkout.call(&["list", "--format", "json"]).json();
    let names: Vec<_> = list["kernels"].as_array().unwrap().iter().map(|k| &k["name"]).collect();
    assert_eq!(names, ["6.1", "6.6", "6.19", "6.12", "6.18", "7.0"]);
}

#[test]
fn kernels_that_cannot_be_added() {
    let checkout = Checkout::with(MATRIX);
    let debian = ["--debian", "linux", "--suite", "sid"];
    let add = |name: &str, origin: &[&str], words: &[&str]| {
        checkout.refuses(&[&["add", name], origin].concat(), words);
    };
    add("6.1", &debian, &["6.1 is listed already"]);
    add("6.1.4", &debian, &["6.1.4 belongs to 6.1"]);
    for name in ["linux", "v6.2", "6", ""] {
        add(name, &debian, &["is no kernel version"]);
    }
    add("6.2", &[], &["--debian"]);
    add("6.2", &["--debian", "linux"], &["--suite"]);
    add("6.2", &["--kernel-org", "6.2.1", "--suite", "sid"], &["--debian"]);
    add("6.2", &["--kernel-org", "6.2.1", "--directory", "/"], &["cannot be used with"]);
    add("6.2", &["--kernel-org", "6.3.1"], &["6.3.1 is no release of 6.2"]);
    add("6.2", &["--git", "https://git.example/linux"], &["no URL@REF"]);
    add("6.2", &["--directory", "/no/such"], &["no such directory"]);
    add("6.2", &["--debian", "linux", "--suite", "../sid"], &["no name of a Debian suite"]);
    add("6.2", &["--debian", "linux}, x", "--suite", "sid"], &["no name of a Debian package"]);
    let odd = Checkout::with("kernels: &all\n- &one {name: '6.1', directory: /}\n");
    odd.refuses(
        &["add", "6.2", "--kernel-org", "6.2.1"],
        &[
            "cannot be edited in place",
            "write it by hand: { name: \"6.2\", kernel-org: \"6.2.1\" }",
        ],
    );
}

#[test]
fn a_link_stays_a_link() {
    let checkout = Checkout::with(MATRIX);
    let file = checkout.dir.path().join("real.yaml");
    fs::rename(checkout.path(), &file).unwrap();
    std::os::unix::fs::symlink(&file, checkout.path()).unwrap();
    let ended = checkout.call(&["add", "6.2", "--kernel-org", "6.2.1"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(checkout.path().symlink_metadata().unwrap().is_symlink());
    assert!(fs::read_to_string(&file).unwrap().contains("kernel-org: \"6.2.1\""));
}

/// The matrix as it is shipped, without its pins.
fn unpinned(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.split_once(", pin: ") {
            Some((before, _)) => lines.push(format!("{before} }}\n")),
            None => lines.push(format!("{line}\n")),
        }
    }
    lines.concat()
}

#[test]
#[ignore = "reads Debian's indexes and asks a mirror"]
fn every_shipped_kernel_gets_a_pin_that_is_served() {
    let shipped = fs::read_to_string(Path::new(&root()).join("matrix.yaml")).unwrap();
    let bare = unpinned(&shipped);
    let checkout = Checkout::with(&bare);
    let check = checkout.call(&["update", "--check", "--format", "json"]);
    assert_eq!(check.code, 1, "{}", check.stderr);
    assert_eq!(check.json()["written"], false);
    assert_eq!(checkout.matrix(), bare);

    let update = checkout.call(&["update", "--format", "json"]);
    assert_eq!(update.code, 0, "{}", update.stderr);
    let (found, wanted) = (update.json(), check.json());
    assert_eq!((&found["written"], &found["kernels"]), (&true.into(), &wanted["kernels"]));
    let rows = found["kernels"].as_array().unwrap();
    assert_eq!(rows.len(), 5, "{found:#}");
    let matrix = checkout.matrix();
    for row in rows {
        let pin = row["new"].as_str().unwrap();
        assert!(pin.starts_with(&format!("{}.", row["name"].as_str().unwrap())), "{row}");
        assert!(matrix.contains(&format!(", pin: \"{pin}\" }}")), "{pin} in {matrix}");
    }
    // Nothing but the pins is new, nothing moves twice, and no tarball was fetched.
    assert_eq!(unpinned(&matrix), bare);
    let again = checkout.call(&["update", "--check"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stdout.contains("nothing moved"), "{}", again.stdout);
    assert!(!checkout.home().join("downloads").exists());

    // A pin that nobody serves moves to one that is.
    let old = rows[0]["new"].as_str().unwrap();
    fs::write(checkout.path(), matrix.replace(old, "5.10.1-1")).unwrap();
    let back = checkout.call(&["update", "5.10", "--format", "json"]);
    assert_eq!(back.json()["kernels"][0]["old"], "5.10.1-1", "{}", back.stderr);
    assert_eq!(checkout.matrix(), matrix);
}
