// SPDX-License-Identifier: MIT OR Apache-2.0
//! Applying, with real git trees.

use std::path::{Path, PathBuf};

use super::*;
use crate::diagnosis::ExitKind;
use crate::host::Host;
use crate::store::Store;
use crate::tree::{Origin, Source, Spec, fetch, git, snapshot};

struct Bench {
    dir: tempfile::TempDir,
    host: Host,
    store: Store,
}

const MAKEFILE: &str = "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 3\n";

/// Forty lines that differ from each other.
fn lines() -> String {
    let lines: Vec<_> = (1..=40).map(|n| format!("line {n}\n")).collect();
    lines.concat()
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().join("home"));
        Self { dir, host: Host::for_tests(), store }
    }

    /// A git repository with these files, each content one commit.
    fn repository(&self, name: &str, commits: &[&[(&str, &str)]]) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(&path).unwrap();
        let git = |args: &[&str]| {
            let git = git::plain(&self.host, &self.store).unwrap();
            git::as_fixed_person(git, None).cwd(&path).args(args).run().unwrap()
        };
        git(&["init", "--quiet"]);
        std::fs::write(path.join("Makefile"), MAKEFILE).unwrap();
        for files in commits {
            for (name, text) in *files {
                let file = path.join(name);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file, text).unwrap();
            }
            git(&["add", "--all"]);
            git(&["commit", "--quiet", "--message", "step"]);
        }
        path
    }

    fn source(&self, repository: &Path) -> Source {
        let origin =
            Origin::Git { repository: repository.display().to_string(), reference: "HEAD".into() };
        fetch(&self.host, &self.store, &Spec { name: "t".into(), origin }, false).unwrap()
    }

    /// A series with patches made by git between contents of files.
    fn series(&self, steps: &[(&str, &[(&str, &str)])]) -> Series {
        let work = self.repository("author", &[&[("f.c", &lines()), ("g.c", "int g;\n")]]);
        let git = |args: &[&str]| {
            let git = git::plain(&self.host, &self.store).unwrap();
            git::as_fixed_person(
                git,
                Some(("Åsa \"Ö\" Öberg", "asa@example.org", "Fri, 31 Dec 2021 10:00:00 +0100")),
            )
            .cwd(&work)
            .args(args)
            .run()
            .unwrap()
        };
        git(&["tag", "--force", "base"]);
        for (subject, files) in steps {
            for (name, text) in *files {
                std::fs::write(work.join(name), text).unwrap();
            }
            git(&["add", "--all"]);
            git(&["commit", "--quiet", "--message", subject]);
        }
        let files = patches_of_tree(&self.host, &self.store, &work, "base").unwrap();
        let entry = VariantEntry {
            directory: "any".into(),
            patches: files.iter().map(|(file, _)| PatchEntry { file: file.clone() }).collect(),
            ..VariantEntry::default()
        };
        let file = File {
            name: "s".into(),
            description: "A title\n\nA blurb.\n".into(),
            variants: vec![entry],
            ..File::default()
        };
        let patches = self.dir.path().join("patches");
        install(&patches.join("s"), "any", &files, &write(&file, 1).unwrap()).unwrap();
        Series::load(&patches, "s", Kind::Series).unwrap()
    }

    /// Two patches on the tree that they were made for.
    fn applied(&self) -> (Series, Source, Applied) {
        let series = self.two();
        let source = self.source(&self.repository("user", &[&[("f.c", &lines())]]));
        let variant = Some(&series.variants[0]);
        let applied = apply(&self.host, &self.store, &source, variant, None).unwrap();
        (series, source, applied)
    }

    fn tried(&self, series: &Series, source: &Source, policy: Policy) -> Vec<String> {
        let variant = &series.variants[0];
        let tried = try_all(&self.host, &self.store, source, variant, policy).unwrap();
        let mut all: Vec<_> = tried.applied.iter().map(|p| p.outcome.to_string()).collect();
        all.extend(tried.refused.map(|_| "conflict".to_owned()));
        all
    }
}

fn replaced(text: &str, edits: &[(&str, &str)]) -> String {
    let edit = |text: String, (from, to): &(&str, &str)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    edits.iter().fold(text.to_owned(), edit)
}

const ONE: (&str, &str) = ("line 10\n", "line ten\n");
const TWO: (&str, &str) = ("line 30\n", "line thirty\n");

fn two_steps() -> [(String, String); 2] {
    [
        ("one: Write ten out".into(), replaced(&lines(), &[ONE])),
        ("two: Write thirty out".into(), replaced(&lines(), &[ONE, TWO])),
    ]
}

impl Bench {
    fn two(&self) -> Series {
        std::fs::create_dir_all(self.dir.path().join("author/new")).unwrap();
        let steps = two_steps();
        self.series(&[
            (&steps[0].0, &[("f.c", &steps[0].1)]),
            (&steps[1].0, &[("f.c", &steps[1].1), ("new/h.c", "int h;\n")]),
        ])
    }
}

#[test]
fn each_way_of_applying_has_its_name() {
    let bench = Bench::new();
    let series = bench.two();
    let on = |name: &str, text: &str| {
        let path = bench.repository(name, &[&[("f.c", text)]]);
        bench.source(&path)
    };
    let strict = Policy::default();
    let cases = [
        ("clean", lines(), vec!["clean", "clean"]),
        ("offset", format!("a\nb\nc\n{}", lines()), vec!["offset +3", "offset +3"]),
        ("up", lines().replacen("line 1\nline 2\n", "", 1), vec!["offset -2", "offset -2"]),
        ("first-there", replaced(&lines(), &[ONE]), vec!["already applied", "clean"]),
        (
            "second-conflicts",
            replaced(&lines(), &[("line 30\n", "line XXX\n")]),
            vec!["clean", "conflict"],
        ),
        ("first-conflicts", replaced(&lines(), &[("line 10\n", "line X\n")]), vec!["conflict"]),
        ("context", replaced(&lines(), &[("line 7\n", "seven\n")]), vec!["conflict"]),
    ];
    for (name, text, want) in &cases {
        assert_eq!(bench.tried(&series, &on(name, text), strict), *want, "{name}");
    }
    let fuzz = |lines| Policy { fuzz: lines, ..strict };
    let context = on("context again", &cases[6].1);
    assert_eq!(bench.tried(&series, &context, fuzz(1)), ["fuzz 1", "clean"]);
    let nearer = on("nearer", &replaced(&lines(), &[("line 8\n", "eight\n")]));
    assert_eq!(bench.tried(&series, &nearer, fuzz(1)), ["conflict"]);
    assert_eq!(bench.tried(&series, &nearer, fuzz(2)), ["fuzz 2", "clean"]);
    // The neighbouring line differs: only a merge can do that, and it needs what the patch was made
    // on, which the first case brought into the store.
    let merged = on("merged", &replaced(&lines(), &[("line 7\n", "seven\n"), ("line 1\n", "")]));
    let three_way = Policy { three_way: true, ..strict };
    assert_eq!(bench.tried(&series, &merged, three_way), ["3-way", "offset -1"]);
    assert_eq!(bench.tried(&series, &merged, strict), ["conflict"]);
}

#[test]
fn what_is_there_already_is_not_put_in_again() {
    let bench = Bench::new();
    let repeated: String = (0..8).map(|_| "{\n\tx();\n}\n\n").collect();
    let text = |n: usize| {
        let mut parts: Vec<&str> = repeated.split_inclusive("\n\n").collect();
        parts[n] = "{\n\tx();\n\ty();\n}\n\n";
        parts.concat()
    };
    let series =
        bench.series(&[("base: Add", &[("f.c", &repeated)]), ("x: Call y", &[("f.c", &text(4))])]);
    let path = bench.repository("there", &[&[("f.c", &text(4)), ("g.c", "int g;\n")]]);
    let variant =
        Variant { patches: series.variants[0].patches[1..].to_vec(), ..series.variants[0].clone() };
    // It would fit once more, at any of the other seven places.
    let tried =
        try_all(&bench.host, &bench.store, &bench.source(&path), &variant, Policy::default())
            .unwrap();
    assert!(tried.applied[0].outcome.is_already_applied(), "{:?}", tried.applied);
}

#[test]
fn history_tells_what_later_changes_hide() {
    let bench = Bench::new();
    let series = bench.two();
    let one = replaced(&lines(), &[ONE]);
    let later = replaced(&one, &[("line 9\n", "nine\n"), ("line ten\n", "10th line\n")]);
    let steps: [&[(&str, &str)]; 3] = [&[("f.c", &lines())], &[("f.c", &one)], &[("f.c", &later)]];
    let source = bench.source(&bench.repository("user", &steps));
    let tried = try_all(&bench.host, &bench.store, &source, &series.variants[0], Policy::default())
        .unwrap();
    let first = &tried.applied[0].outcome;
    assert!(
        matches!(first, Outcome::AlreadyApplied { known: Known::PatchId(c) } if c.len() == 40),
        "{first:?}"
    );
    assert_eq!(tried.applied[1].outcome, Outcome::Clean);
    // Without the history, nobody can know.
    let bare = Source { repository: None, ..source };
    assert_eq!(bench.tried(&series, &bare, Policy::default()), ["conflict"]);
}

#[test]
fn the_base_of_a_series_is_looked_for() {
    let bench = Bench::new();
    let series = bench.two();
    let author = bench.dir.path().join("author");
    let git = |args: &[&str]| {
        let git = git::plain(&bench.host, &bench.store).unwrap();
        git.cwd(&author).args(args).run().unwrap().text().trim().to_owned()
    };
    let base = git(&["rev-parse", "base"]);
    let shown = bench.host.program("git").cwd(&author).args(["show", "HEAD~1"]).run().unwrap();
    let ids = git::plain(&bench.host, &bench.store).unwrap();
    let id = ids.args(["patch-id", "--stable"]).input(shown.stdout).run().unwrap().text();
    let id = id.split(' ').next().unwrap().to_owned();
    let notes = |base: &str, prerequisites: &[String], repository: &Path| {
        let mut series = series.clone();
        series.variants[0].base_commit = Some(base.to_owned());
        series.variants[0].prerequisites = prerequisites.to_vec();
        let source = bench.source(repository);
        let column =
            check(&bench.host, &bench.store, &series, "t", &source, Policy::default()).unwrap();
        column.notes.join("; ")
    };
    let there = notes(&base, &[id.clone(), "0".repeat(40)], &author);
    assert!(there.contains("2 commits back"), "{there}");
    assert!(there.contains(&format!("{id} is there")), "{there}");
    assert!(there.contains("0000 is missing"), "{there}");
    let gone = notes(&"1".repeat(40), &[], &author);
    assert!(gone.contains("does not have"), "{gone}");
    let other = bench.repository("other", &[&[("f.c", &lines())]]);
    let fetch = |from: &Path| {
        let git = git::plain(&bench.host, &bench.store).unwrap();
        git.cwd(&other).args(["fetch", "--quiet"]).arg(from).run().unwrap();
    };
    fetch(&author);
    let foreign = notes(&git(&["rev-parse", "HEAD"]), &[], &other);
    assert!(foreign.contains("is not in its history"), "{foreign}");
}

#[test]
fn a_cut_patch_is_noticed_on_the_very_file_it_was_made_for() {
    let bench = Bench::new();
    let both = replaced(&lines(), &[ONE, TWO]);
    let mut series = bench.series(&[("both: Write out", &[("f.c", &both)])]);
    let source = bench.source(&bench.repository("user", &[&[("f.c", &lines())]]));
    let altered = |series: &Series| {
        let variant = &series.variants[0];
        let applied = apply(&bench.host, &bench.store, &source, Some(variant), None).unwrap();
        applied.patches[0].altered.clone()
    };
    assert_eq!(altered(&series), [""; 0]);
    let hunks = &mut series.variants[0].patches[0].diff.files[0].hunks;
    assert_eq!(hunks.len(), 2);
    hunks.pop();
    assert_eq!(altered(&series), ["f.c"]);
}

#[test]
fn applying_touches_nothing_of_the_users() {
    let bench = Bench::new();
    let series = bench.two();
    let user = bench.repository("user", &[&[("f.c", &lines())], &[("g.c", "int g = 1;\n")]]);
    let git = |args: &[&str]| {
        let git = git::plain(&bench.host, &bench.store).unwrap();
        git::as_fixed_person(git, None).cwd(&user).args(args).output().unwrap()
    };
    // In the midst of a rebase that conflicts, with staged, changed and untracked files.
    git(&["checkout", "--quiet", "-b", "mine", "HEAD~1"]);
    std::fs::write(user.join("g.c"), "int g = 2;\n").unwrap();
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "mine"]);
    assert!(!git(&["rebase", "master"]).success());
    std::fs::write(user.join("staged.c"), "staged").unwrap();
    git(&["add", "staged.c"]);
    std::fs::write(user.join("f.c"), "dirty").unwrap();
    std::fs::write(user.join("untracked"), "u").unwrap();
    assert!(user.join(".git/rebase-merge").is_dir());
    let before = snapshot(&user);
    let source = bench.source(&user);
    assert!(apply(&bench.host, &bench.store, &source, Some(&series.variants[0]), None).is_ok());
    let steps = two_steps();
    let refused = bench.series(&[(&steps[0].0, &[("g.c", &steps[0].1)])]);
    let error =
        apply(&bench.host, &bench.store, &source, Some(&refused.variants[0]), None).unwrap_err();
    assert_eq!(error.exit, ExitKind::CheckFailed);
    let _ = patches_of_tree(&bench.host, &bench.store, &user, "HEAD~1");
    assert!(snapshot(&user) == before, "something in the user's tree changed");
}

#[test]
fn a_workbench_and_back_changes_nothing() {
    let bench = Bench::new();
    let (series, source, applied) = bench.applied();
    let variant = &series.variants[0];
    let tree = bench.dir.path().join("a tree");
    let about =
        workbench::About { series: "s".into(), kernel: "t".into(), base: source.commit.clone() };
    workbench::create(&bench.host, &bench.store, &tree, &applied.commit, &about, None).unwrap();
    assert_eq!(std::fs::read_to_string(tree.join("new/h.c")).unwrap(), "int h;\n");
    assert_eq!(workbench::about(&bench.host, &bench.store, &tree).unwrap(), Some(about.clone()));
    let again = workbench::create(&bench.host, &bench.store, &tree, &applied.commit, &about, None);
    assert_eq!(again.unwrap_err().exit.code(), 2);

    let files = patches_of_tree(&bench.host, &bench.store, &tree, &about.base).unwrap();
    replace_variant(&series, variant.kernels, &files, None).unwrap();
    let read = Series::load(&bench.dir.path().join("patches"), "s", Kind::Series).unwrap();
    assert_eq!(bare(&read.variants[0].patches), bare(&variant.patches));
    let error = patches_of_tree(&bench.host, &bench.store, &tree, "no-such").unwrap_err();
    assert!(error.to_string().contains("--base"), "{error}");
}

/// Patches without what depends on the file that they were read from.
fn bare(patches: &[Patch]) -> Vec<crate::mail::PatchText> {
    let mut all: Vec<_> = patches.iter().map(Patch::text).collect();
    for text in &mut all {
        text.diff.end = 0;
        for file in &mut text.diff.files {
            file.at = 0;
            file.extended.retain(|l| !l.starts_with("index "));
            file.hunks.iter_mut().for_each(|h| h.at = 0);
        }
    }
    all
}

#[test]
fn what_is_exported_imports_as_it_was() {
    let bench = Bench::new();
    let (series, source, applied) = bench.applied();
    let variant = &series.variants[0];
    for style in [
        Style::default(),
        Style { version: Some(3), cover: true, prefix: Some("RFC PATCH net-next".into()) },
    ] {
        let out = bench.dir.path().join(format!("out-{}", style.cover));
        let what = Exported { source: &source, series: &series, variant, applied: &applied };
        let exported = export(&bench.host, &bench.store, what, &style, &out).unwrap();
        assert_eq!(exported.len(), 2 + usize::from(style.cover));
        let names = [out.display().to_string()];
        let gathered = import::gather(&bench.host, &names, "", crate::mail::Proof::ALL).unwrap();
        let (all, postings) = crate::mail::postings(gathered.members);
        let chosen = import::choose(&all, &postings, &import::Wanted::default()).unwrap();
        assert_eq!(chosen.version, style.version);
        assert_eq!(chosen.base.commit.as_ref(), Some(&source.commit));
        if style.cover {
            assert_eq!(
                (chosen.title.as_str(), chosen.cover.as_deref()),
                ("A title", Some("A blurb."))
            );
        }
        let place =
            import::Place { name: Some("back".into()), replace: true, ..import::Place::default() };
        import::place(&bench.dir.path().join("patches"), &chosen, &place).unwrap();
        let back = Series::load(&bench.dir.path().join("patches"), "back", Kind::Series).unwrap();
        assert_eq!(bare(&back.variants[0].patches), bare(&variant.patches));
        let again =
            apply(&bench.host, &bench.store, &source, Some(&back.variants[0]), None).unwrap();
        assert_eq!(again.tree, applied.tree);
    }
}

#[test]
fn a_conflict_is_solved_in_a_shell() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = Bench::new();
    let series = bench.two();
    let text = replaced(&lines(), &[("line 30\n", "line XXX\n")]);
    let source = bench.source(&bench.repository("user", &[&[("f.c", &text)]]));
    let shell = |name: &str, script: &str| {
        let path = bench.dir.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    };
    let solve = |shell: &str| {
        resolve(&bench.host, &bench.store, &source, &series.variants[0], "6.1", "s", shell)
    };
    let gives_up = solve(&shell("give-up", "exit 1")).unwrap_err();
    assert!(gives_up.to_string().contains("given up"), "{gives_up}");
    let idle = solve(&shell("idle", "git checkout -q . && git clean -fdq")).unwrap_err();
    assert!(idle.to_string().contains("nothing was changed"), "{idle}");
    let resolved = solve(&shell("fix", "test -f f.c.rej && test -s \"$XTASK_PATCH\" && test -f new/h.c && sed -i 's/line XXX/line thirty/' f.c")).unwrap();
    assert_eq!(resolved.changed, [2]);
    let variant = &series.variants[0];
    replace_variant(&series, "6.1".parse().unwrap(), &resolved.files, Some(variant)).unwrap();
    let read = Series::load(&bench.dir.path().join("patches"), "s", Kind::Series).unwrap();
    let new = read.variant_of(&bench.host, &bench.store, &source).unwrap();
    assert_eq!(new.label(), "6.1");
    let applied = apply(&bench.host, &bench.store, &source, Some(new), None).unwrap();
    assert_eq!(applied.patches[1].outcome, Outcome::Clean);
    assert_eq!(new.patches[1].message, variant.patches[1].message);
    assert_eq!(new.patches[1].author, "Åsa \"Ö\" Öberg");
}

#[test]
fn variants_are_chosen_by_what_a_tree_contains() {
    let bench = Bench::new();
    let series = bench.series(&[("one: Write ten out", &[("f.c", &replaced(&lines(), &[ONE]))])]);
    let header = "int modify_ftrace_direct_multi(struct ftrace_ops *ops, unsigned long addr);\n";
    let with = |name: &str, text: &str| {
        bench.source(
            &bench.repository(name, &[&[("f.c", &lines()), ("include/linux/ftrace.h", text)]]),
        )
    };
    let (multi, none) = (with("multi", header), with("none", "\n"));
    let by = |contains: definition::Contains| {
        let mut series = series.clone();
        series.variants[0].contains = Some(contains);
        [&multi, &none].map(|s| series.variant_of(&bench.host, &bench.store, s).is_ok())
    };
    let era = crate::build::DirectApi::Multi;
    assert_eq!(by(definition::Contains { direct_api: Some(era), symbol: None }), [true, false]);
    let symbol = Some("modify_ftrace_direct_multi".to_owned());
    assert_eq!(by(definition::Contains { direct_api: None, symbol }), [true, false]);
    let symbol = Some("modify_ftrace".to_owned());
    assert_eq!(by(definition::Contains { direct_api: None, symbol }), [false, false]);
}

#[test]
fn the_schema_in_the_tree_is_that_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../patches/series.schema.json");
    let there = std::fs::read_to_string(path).unwrap();
    assert!(there == schema(), "run: cargo xtask series schema > patches/series.schema.json");
}
