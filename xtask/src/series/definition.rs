// SPDX-License-Identifier: MIT OR Apache-2.0
//! `patches/NAME/series.yaml`: a series and its variants.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Patch;
use crate::diagnosis::{Diagnosis, on_path};
use crate::tree::KernelVersion;

/// Whether a series is meant to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It is.
    Series,
    /// It breaks the kernel on purpose, to prove that a check can fail.
    Fault,
}

/// What a run with a fault must report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// A property that must fail.
    pub property: Option<String>,
    /// Text in the title of a finding.
    pub finding: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    description: String,
    kind: Kind,
    variants: Vec<VariantEntry>,
    #[serde(default)]
    expect: Option<Expect>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct VariantEntry {
    kernels: String,
    directory: String,
    patches: Vec<PatchEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PatchEntry {
    file: String,
}

/// A series, with all of its patches read.
#[derive(Debug, Clone)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// What it does, in a sentence.
    pub description: String,
    /// Whether it is meant to work.
    pub kind: Kind,
    /// What a run must report, for a fault.
    pub expect: Option<Expect>,
    /// Its variants.
    pub variants: Vec<Variant>,
}

/// The patches for one range of kernels.
#[derive(Debug, Clone)]
pub struct Variant {
    /// The range as written: a version, or two joined by `..`.
    pub kernels: String,
    range: (KernelVersion, KernelVersion),
    /// The patches, in order.
    pub patches: Vec<Patch>,
}

impl Variant {
    /// Whether it is made for this version.
    pub fn fits(&self, version: KernelVersion) -> bool {
        let (first, last) = self.range;
        (first <= version || version.is_of(first)) && (version <= last || version.is_of(last))
    }
}

/// Where faults live, below the series.
const FAULTS: &str = "faults";

/// Names of all series, or of all faults, that are there.
pub fn list(patches: &Path, kind: Kind) -> Vec<String> {
    let directory = match kind {
        Kind::Series => patches.to_owned(),
        Kind::Fault => patches.join(FAULTS),
    };
    let mut names: Vec<_> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|e| e.path().join("series.yaml").is_file())
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

impl Series {
    /// Reads a series or a fault by name.
    ///
    /// # Errors
    /// Usage errors, with file and line, for everything that is wrong with the files.
    pub fn load(patches: &Path, name: &str, kind: Kind) -> Result<Self, Diagnosis> {
        let (what, directory) = match kind {
            Kind::Series => ("series", patches.join(name)),
            Kind::Fault => ("fault", patches.join(FAULTS).join(name)),
        };
        let path = directory.join("series.yaml");
        let plain = !name.is_empty() && !name.contains('/') && name != FAULTS && name != "..";
        if !plain || !path.is_file() {
            let known = list(patches, kind).join(", ");
            return Err(Diagnosis::usage(format!("unknown {what} {name:?}"))
                .detail(format!("known: {known}"))
                .next("`cargo xtask series list` shows what there is"));
        }
        let text = std::fs::read_to_string(&path).map_err(|e| on_path("read", &path, &e))?;
        let file: File = serde_yaml::from_str(&text).map_err(|why| {
            let (line, column) = why.location().map_or((0, 0), |l| (l.line(), l.column()));
            Diagnosis::usage(format!("{}:{line}:{column}: {why}", path.display()))
        })?;
        let wrong = |why: String| Diagnosis::usage(format!("{}: {why}", path.display()));
        if file.name != name || file.kind != kind {
            return Err(wrong(format!("it says it is the {:?} {:?}", file.kind, file.name)));
        }
        if file.variants.is_empty() {
            return Err(wrong("it has no variants".into()));
        }
        let variants = file
            .variants
            .into_iter()
            .map(|entry| variant(&directory, &entry, &wrong))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            name: file.name,
            description: file.description,
            kind: file.kind,
            expect: file.expect,
            variants,
        })
    }

    /// The variant for a kernel.
    pub fn variant(&self, version: KernelVersion) -> Result<&Variant, Diagnosis> {
        self.variants.iter().find(|v| v.fits(version)).ok_or_else(|| {
            let ranges: Vec<_> = self.variants.iter().map(|v| v.kernels.as_str()).collect();
            Diagnosis::usage(format!("{} has no variant for linux {version}", self.name))
                .detail(format!("it has variants for: {}", ranges.join(", ")))
                .next("choose another kernel with --kernel, or --series none")
        })
    }
}

fn variant(
    series: &Path,
    entry: &VariantEntry,
    wrong: &dyn Fn(String) -> Diagnosis,
) -> Result<Variant, Diagnosis> {
    let (first, last) = entry.kernels.split_once("..").unwrap_or((&entry.kernels, &entry.kernels));
    let parse = |text: &str| {
        text.parse::<KernelVersion>().map_err(|e| wrong(format!("variant {}: {e}", entry.kernels)))
    };
    let range = (parse(first)?, parse(last)?);
    let directory = series.join(&entry.directory);
    if entry.patches.is_empty() {
        return Err(wrong(format!("variant {} has no patches", entry.kernels)));
    }
    let listed: Vec<PathBuf> = entry.patches.iter().map(|p| directory.join(&p.file)).collect();
    // A patch that lies there and is in no list would be skipped without a word.
    for stray in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
        let path = stray.path();
        if path.extension().is_some_and(|e| e == "patch") && !listed.contains(&path) {
            return Err(wrong(format!(
                "variant {} does not list {}",
                entry.kernels,
                path.display()
            )));
        }
    }
    let patches = listed
        .into_iter()
        .map(|path| {
            let bytes = std::fs::read(&path)
                .map_err(|e| wrong(format!("cannot read {}: {e}", path.display())))?;
            Patch::parse(&path, bytes)
        })
        .collect::<Result<_, _>>()?;
    Ok(Variant { kernels: entry.kernels.clone(), range, patches })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "From: A <a@b.c>\nSubject: [PATCH] x: Do y\n\nwhy\n---\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n";

    fn load(yaml: &str, files: &[&str]) -> Result<Series, Diagnosis> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("s/5.10")).unwrap();
        std::fs::write(dir.path().join("s/series.yaml"), yaml).unwrap();
        for file in files {
            std::fs::write(dir.path().join("s/5.10").join(file), PATCH).unwrap();
        }
        Series::load(dir.path(), "s", Kind::Series)
    }

    const GOOD: &str = "name: s\ndescription: d\nkind: series\nvariants:\n- kernels: '5.10..5.15'\n  directory: '5.10'\n  patches:\n  - file: 1.patch\n";

    #[test]
    fn ranges_include_both_lines() {
        let series = load(GOOD, &["1.patch"]).unwrap();
        let fits = |v: &str| series.variant(v.parse().unwrap()).is_ok();
        let cases = [
            ("5.9.99", false),
            ("5.10", true),
            ("5.10.262", true),
            ("5.15.3", true),
            ("5.16", false),
        ];
        for (version, want) in cases {
            assert_eq!(fits(version), want, "{version}");
        }
        let error = series.variant("6.1".parse().unwrap()).unwrap_err();
        assert!(error.to_string().contains("5.10..5.15"), "{error}");
    }

    #[test]
    fn nothing_is_skipped_silently() {
        let stray = load(GOOD, &["1.patch", "2.patch"]).unwrap_err();
        assert!(stray.what.contains("does not list") && stray.what.contains("2.patch"), "{stray}");
        assert!(load(GOOD, &[]).unwrap_err().what.contains("cannot read"));
        let none = GOOD.replace("  patches:\n  - file: 1.patch\n", "  patches: []\n");
        assert!(load(&none, &[]).unwrap_err().what.contains("no patches"));
        let typo = GOOD.replace("description", "descripton");
        assert!(load(&typo, &["1.patch"]).unwrap_err().what.contains("series.yaml:"));
    }

    #[test]
    fn unknown_names_list_the_known() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["nope", "..", "faults", ""] {
            let error = Series::load(dir.path(), name, Kind::Series).unwrap_err();
            assert_eq!(error.exit.code(), 2);
            assert!(error.what.contains("unknown series"), "{error}");
        }
    }

    #[test]
    fn the_shipped_series_are_sound() {
        let patches = Path::new(env!("CARGO_MANIFEST_DIR")).join("../patches");
        for kind in [Kind::Series, Kind::Fault] {
            for name in list(&patches, kind) {
                let series = Series::load(&patches, &name, kind).unwrap();
                assert_eq!(series.expect.is_some(), kind == Kind::Fault, "{name}");
            }
        }
        let names = list(&patches, Kind::Fault);
        assert_eq!(names, ["pause", "unregister-under-lock"]);
    }
}
