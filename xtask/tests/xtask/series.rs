// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patch tooling, driven as a user drives it, in a workspace of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tool::{Ended, root, run};

/// A workspace with a kernel tree that the sample mails are made for, and caches.
struct Bench {
    dir: tempfile::TempDir,
}

const LAMP: &str = "// SPDX-License-Identifier: GPL-2.0-only\n#include <linux/lamp.h>\n#include <linux/module.h>\n\nstatic int brightness;\n\n/* Turns the lamp on. */\nint lamp_on(struct lamp *lamp)\n{\n\tif (!lamp)\n\t\treturn -EINVAL;\n\n\tlamp->level = brightness;\n\tlamp->on = true;\n\n\treturn lamp_write(lamp);\n}\n\n/* Turns the lamp off. */\nint lamp_off(struct lamp *lamp)\n{\n\tlamp->on = false;\n\n\treturn lamp_write(lamp);\n}\n\nMODULE_LICENSE(\"GPL\");\n";

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn git(cwd: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=U", "-c", "user.email=u@example.org"])
        .args(args)
        .current_dir(cwd)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

impl Bench {
    fn new() -> Self {
        let bench = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(bench.path("ws/xtask")).unwrap();
        fs::create_dir_all(bench.path("ws/patches")).unwrap();
        fs::copy(root().join("matrix.yaml"), bench.path("ws/matrix.yaml")).unwrap();
        bench.tree("linux", LAMP);
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn kernel(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn tree(&self, name: &str, lamp: &str) {
        let tree = self.path(name);
        write(&tree.join("drivers/lamp/lamp.c"), lamp);
        write(&tree.join("Makefile"), "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 7\n");
        git(&tree, &["init", "--quiet"]);
        git(&tree, &["add", "."]);
        git(&tree, &["commit", "--quiet", "--message", "base"]);
    }

    fn xtask(&self, args: &[&str]) -> Ended {
        run(&mut self.call(args))
    }

    fn call(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command
            .args(args)
            .current_dir(self.path("ws"))
            .env("CARGO_MANIFEST_DIR", self.path("ws/xtask"))
            .env("XTASK_HOME", self.path("home"));
        command
    }

    fn ok(&self, args: &[&str]) -> Ended {
        let ended = self.xtask(args);
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.stderr);
        ended
    }

    fn imported() -> Self {
        let bench = Self::new();
        bench.ok(&[
            "series",
            "import",
            &fixture("thread.mbox"),
            "--version",
            "2",
            "--name",
            "lamp",
        ]);
        bench
    }

    /// All files under patches/, by name.
    fn patches(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut todo = vec![self.path("ws/patches")];
        while let Some(directory) = todo.pop() {
            for entry in fs::read_dir(directory).unwrap().flatten() {
                match entry.path() {
                    path if path.is_dir() => todo.push(path),
                    path => all.push(
                        path.strip_prefix(self.path("ws/patches")).unwrap().display().to_string(),
                    ),
                }
            }
        }
        all.sort();
        all
    }
}

fn fixture(name: &str) -> String {
    root().join("xtask/src/mail/fixtures").join(name).display().to_string()
}

#[test]
fn what_is_ambiguous_or_broken_is_refused_and_nothing_is_written() {
    let bench = Bench::new();
    let cases: [(&[&str], &[&str]); 8] = [
        (&["thread.mbox"], &["2 postings", "v1 2 of 2", "v2 3 of 3", "--version N"]),
        (&["resent.mbox"], &["2 postings", "--message-id"]),
        (&["incomplete.mbox"], &["of 3 patches, 2 did not come", "--partial"]),
        (&["edited.patch", "--partial"], &["its diffstat says", "cut, or was edited"]),
        (&["pull.eml"], &["pull request"]),
        (&["html.eml"], &["HTML only"]),
        (&["encrypted.eml"], &["encrypted"]),
        (&["quoted-tabs-lost.eml"], &["tabs of drivers/lamp/lamp.c", "line 24"]),
    ];
    for (args, words) in cases {
        let name = fixture(args[0]);
        let mut all = vec!["series", "import", &name];
        all.extend(&args[1..]);
        let ended = bench.xtask(&all);
        assert_eq!(ended.code, 2, "{args:?}: {}", ended.stderr);
        for word in words {
            assert!(ended.stderr.contains(word), "{args:?}: no {word:?} in\n{}", ended.stderr);
        }
    }
    // A user who knows better can say so.
    let edited = fixture("edited.patch");
    let args = ["series", "import", &edited, "--partial", "--as-is", "--dry-run"];
    assert_eq!(bench.ok(&args).code, 0);
    let gone = bench.xtask(&["series", "import", "no-such-file"]);
    assert_eq!(gone.code, 2, "{}", gone.stderr);
    assert_eq!(bench.patches(), [""; 0]);
}

#[test]
fn a_thread_becomes_a_series() {
    let bench = Bench::new();
    let thread = fixture("thread.mbox");
    let listed = bench.ok(&["series", "import", &thread, "--list", "--format", "json"]);
    assert_eq!(listed.json()["postings"].as_array().unwrap().len(), 2);
    assert_eq!(bench.patches(), [""; 0]);
    let args = ["series", "import", &thread, "--version", "2", "--format", "json"];
    let dry = bench.ok(&[&args[..], &["--dry-run"]].concat());
    assert_eq!(dry.json()["chosen"]["version"], 2);
    assert_eq!(bench.patches(), [""; 0]);
    let imported = bench.ok(&args).json();
    assert_eq!(imported["series"], "lamp-three-small-things");
    assert_eq!(
        bench.patches(),
        [
            "lamp-three-small-things/any/0001-lamp-Check-the-pointer-in-lamp_off.patch",
            "lamp-three-small-things/any/0002-lamp-Let-the-user-choose-the-brightness.patch",
            "lamp-three-small-things/any/0003-lamp-Document-lamp_on.patch",
            "lamp-three-small-things/series.yaml",
        ]
    );
    let again = bench.xtask(&args);
    assert_eq!(again.code, 2, "{}", again.stderr);
    assert!(again.stderr.contains("--replace"), "{}", again.stderr);
    bench.ok(&[&args[..], &["--replace"]].concat());
    let show = bench.ok(&["series", "show", "lamp-three-small-things"]);
    assert!(show.stdout.contains("the documentation is new"), "{}", show.stdout);
}

#[test]
fn a_thread_comes_by_its_message_id() {
    let bench = Bench::new();
    let id = "v2-0@ada.example.org";
    let call = |path: &Path, archive: &str| {
        let args = ["series", "import", id, "--version", "2", "--replace", "--archive", archive];
        run(bench.call(&args).env("PATH", path))
    };
    // Without b4: only what is needed is on PATH.
    let bare = bench.path("bin");
    fs::create_dir_all(&bare).unwrap();
    for program in ["curl", "gzip", "git"] {
        let found = Command::new("which").arg(program).output().unwrap().stdout;
        let found = String::from_utf8(found).unwrap();
        std::os::unix::fs::symlink(found.trim(), bare.join(program)).unwrap();
    }
    let thread = bench.path(&format!("archive/{id}/t.mbox"));
    write(&thread, &fs::read_to_string(fixture("thread.mbox")).unwrap());
    assert!(Command::new("gzip").arg(&thread).status().unwrap().success());
    let archive = format!("file://{}", bench.kernel("archive"));
    let ended = call(&bare, &archive);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let gone = call(&bare, "file:///nowhere");
    assert_eq!(gone.code, 3, "{}", gone.stderr);
    assert!(gone.stderr.contains("save the thread yourself"), "{}", gone.stderr);
    // With it, the archive is not asked.
    let script = format!(
        "#!/bin/sh\n[ \"$*\" = 'mbox --outdir - {id}' ] && exec /bin/cat '{}'\n",
        fixture("thread.mbox")
    );
    fs::write(bare.join("b4"), script).unwrap();
    fs::set_permissions(bare.join("b4"), fs::Permissions::from_mode(0o755)).unwrap();
    let ended = call(&bare, "file:///nowhere");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

#[test]
fn a_series_is_tried_on_many_kernels() {
    let bench = Bench::imported();
    bench.tree("moved", &format!("/* new */\n\n{LAMP}"));
    bench.tree("changed", &LAMP.replace("lamp->on = false", "lamp->on = 0"));
    bench.tree("context", &LAMP.replace("/* Turns the lamp off. */", "/* Off. */"));
    let there = LAMP.replace(
        "\tlamp->on = false;",
        "\tif (!lamp)\n\t\treturn -EINVAL;\n\n\tlamp->level = 0;\n\tlamp->on = false;",
    );
    bench.tree("there", &there);
    let states = |kernels: &str, extra: &[&str], code: i32| {
        let args = ["series", "check", "lamp", "--format", "json", "--kernels", kernels];
        let ended = bench.xtask(&[&args[..], extra].concat());
        assert_eq!(ended.code, code, "{}", ended.stderr);
        let kernels = ended.json()["kernels"].clone();
        let states = |k: &serde_json::Value| {
            let patches = k["patches"].as_array().unwrap().iter();
            patches.map(|p| p["state"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
        };
        kernels.as_array().unwrap().iter().map(states).collect::<Vec<_>>()
    };
    let four = ["linux", "moved", "changed", "there"].map(|k| bench.kernel(k)).join(",");
    assert_eq!(
        states(&four, &[], 1),
        [
            "clean clean clean",
            "offset offset offset",
            "conflict not-reached not-reached",
            "already-applied clean clean",
        ]
    );
    let context = bench.kernel("context");
    assert_eq!(states(&context, &[], 1), ["conflict not-reached not-reached"]);
    assert_eq!(states(&context, &["--fuzz", "2"], 0), ["fuzz clean clean"]);
    assert_eq!(states(&context, &["--3way"], 0), ["three-way clean clean"]);
    let table = bench.xtask(&["series", "check", "lamp", "--kernels", &four]);
    for word in ["variant any", "clean", "offset +2", "CONFLICT", "not reached", "already applied"]
    {
        assert!(table.stdout.contains(word), "no {word:?} in\n{}", table.stdout);
    }
    assert!(table.stdout.contains("lamp->on = 0;"), "{}", table.stdout);
}

#[test]
fn a_kernel_that_cannot_be_had_hides_no_other() {
    let bench = Bench::imported();
    let yaml = format!(
        "kernels:\n- name: '6.1'\n  directory: {}\n- name: '6.2'\n  git: {{url: 'file://{}', ref: HEAD}}\n",
        bench.kernel("linux"),
        bench.kernel("gone"),
    );
    fs::write(bench.path("ws/matrix.yaml"), yaml).unwrap();
    let ended = bench.xtask(&["series", "check", "lamp"]);
    assert_eq!(ended.code, 3, "{}", ended.stderr);
    assert!(
        ended.stdout.contains("6.1.7") && ended.stdout.contains("6.2: could not be tried"),
        "{}",
        ended.stdout
    );
}

#[test]
fn to_a_work_tree_and_back_and_out_as_mails() {
    let bench = Bench::imported();
    let (kernel, tree) = (bench.kernel("linux"), bench.kernel("work tree"));
    bench.ok(&["series", "apply", "lamp", "--kernel", &kernel, "--worktree", &tree]);
    let tree = Path::new(&tree);
    assert_eq!(git(tree, &["log", "--format=%s", "-1"]), "lamp: Document lamp_on()");
    let before = bench.patches();
    write(&tree.join("drivers/lamp/new.c"), "int new;\n");
    git(tree, &["add", "."]);
    git(tree, &["commit", "--quiet", "--message", "lamp: Add new.c\n\nFor tests."]);
    bench.ok(&["series", "refresh", "lamp", "--from", tree.to_str().unwrap(), "--kernels", "any"]);
    assert_eq!(bench.patches().len(), before.len() + 1);
    let applied = bench.ok(&["series", "apply", "lamp", "--kernel", &kernel, "--format", "json"]);
    assert_eq!(applied.json()["tree"], git(tree, &["rev-parse", "HEAD^{tree}"]));

    let mbox = bench.kernel("out.mbox");
    bench.ok(&["series", "export", "lamp", "--kernel", &kernel, "--mbox", &mbox]);
    let user = bench.path("linux");
    git(&user, &["am", "--quiet", &mbox]);
    assert_eq!(git(&user, &["rev-parse", "HEAD^{tree}"]), applied.json()["tree"]);
    assert_eq!(
        git(&user, &["log", "--format=%an %s", "-1", "HEAD~1"]),
        "Ada Lindqvist lamp: Document lamp_on()"
    );
    let out = bench.kernel("out");
    git(&user, &["reset", "--quiet", "--hard", "HEAD~4"]);
    bench.ok(&["series", "export", "lamp", "--kernel", &kernel, "--cover", "--output", &out]);
    let cover = fs::read_to_string(Path::new(&out).join("v2-0000-cover-letter.patch")).unwrap();
    for word in [
        "Subject: [PATCH v2 0/4] lamp: Three small things",
        "the documentation is new",
        "base-commit: ",
        "base-version: linux 6.1.7",
    ] {
        assert!(cover.contains(word), "no {word:?} in\n{cover}");
    }
    let again = bench.xtask(&["series", "export", "lamp", "--kernel", &kernel, "--output", &out]);
    assert_eq!(again.code, 2, "{}", again.stderr);
}

#[test]
fn a_conflict_is_resolved_into_a_variant() {
    let bench = Bench::imported();
    bench.tree("changed", &LAMP.replace("lamp->on = false", "lamp->on = 0"));
    let kernel = bench.kernel("changed");
    let shell = |script: &str| {
        let path = bench.path("shell");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        run(bench
            .call(&["series", "apply", "lamp", "--kernel", &kernel, "--resolve"])
            .env("SHELL", path))
    };
    let before = bench.patches();
    let given_up = shell("exit 1");
    assert_eq!(given_up.code, 1, "{}", given_up.stderr);
    assert_eq!(bench.patches(), before);
    let solved = shell(
        "rm drivers/lamp/*.rej; sed -i 's/\\tlamp->on = 0;/\\tif (!lamp)\\n\\t\\treturn -EINVAL;\\n\\n\\tlamp->level = 0;\\n\\tlamp->on = 0;/' drivers/lamp/lamp.c",
    );
    assert_eq!(solved.code, 0, "{}", solved.stderr);
    let check = bench.ok(&["series", "check", "lamp", "--kernels", &kernel]);
    assert!(check.stdout.contains("variant 6.1 "), "{}", check.stdout);
    assert!(
        !bench
            .path("home/trees")
            .read_dir()
            .unwrap()
            .flatten()
            .any(|e| e.file_name().to_string_lossy().starts_with("resolve-"))
    );
}

#[test]
fn mistakes_in_series_yaml_have_their_place() {
    let bench = Bench::imported();
    let yaml = bench.path("ws/patches/lamp/series.yaml");
    let good = fs::read_to_string(&yaml).unwrap();
    let cases = [
        ("description:", "descripton:", "series.yaml:4:"),
        ("kernels: any", "kernels: 6.x", "is no range of kernels: write 5.10, 5.10..5.15"),
        ("kind: series", "kind: serious", "series"),
        ("directory: any", "directory: ../any", "the name of one beside series.yaml"),
        ("0001-lamp", "0009-lamp", "series.yaml:"),
    ];
    for (from, to, want) in cases {
        assert!(good.contains(from), "{from} in {good}");
        fs::write(&yaml, good.replacen(from, to, 1)).unwrap();
        let ended = bench.xtask(&["series", "show", "lamp"]);
        assert_eq!(ended.code, 2, "{to}: {}", ended.stderr);
        assert!(
            ended.stderr.contains(want) && ended.stderr.contains("series.yaml:"),
            "{to}: {}",
            ended.stderr
        );
    }
}

#[test]
fn a_new_build_in_the_place_of_the_running_tool_does_no_harm() {
    let bench = Bench::imported();
    let copy = bench.path("xtask-copy");
    fs::copy(env!("CARGO_BIN_EXE_xtask"), &copy).unwrap();
    let git = Command::new("which").arg("git").output().unwrap().stdout;
    let git = String::from_utf8(git).unwrap();
    let bin = bench.path("bin");
    let script = format!("#!/bin/sh\nrm -f '{}'\nexec {} \"$@\"\n", copy.display(), git.trim());
    write(&bin.join("git"), &script);
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let ended = run(Command::new(&copy)
        .args(["series", "apply", "lamp", "--kernel", &bench.kernel("linux")])
        .current_dir(bench.path("ws"))
        .env("CARGO_MANIFEST_DIR", bench.path("ws/xtask"))
        .env("XTASK_HOME", bench.path("home"))
        .env("PATH", path));
    assert!(!copy.exists());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

#[test]
fn of_many_imports_at_once_one_wins_and_nothing_is_lost() {
    let bench = Bench::new();
    let thread = fixture("thread.mbox");
    let args = ["series", "import", &thread, "--version", "2", "--name", "lamp"];
    let started: Vec<_> = (0..8)
        .map(|_| {
            let mut call = bench.call(&args);
            call.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
            call.spawn().unwrap()
        })
        .collect();
    let mut codes: Vec<_> =
        started.into_iter().map(|mut child| child.wait().unwrap().code().unwrap()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [0, 2, 2, 2, 2, 2, 2, 2]);
    assert_eq!(bench.patches().len(), 4, "{:?}", bench.patches());
    bench.ok(&["series", "show", "lamp"]);
}
