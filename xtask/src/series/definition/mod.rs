// SPDX-License-Identifier: MIT OR Apache-2.0
//! `patches/NAME/series.yaml`: a series and its variants.

mod edit;
mod file;
mod range;

use std::path::{Path, PathBuf};

pub use edit::{with_variant, write};
pub use file::{
    Contains, Expect, ExpectedVerdict, File, FollowUpTo, Kind, On, PatchEntry, VariantEntry, schema,
};
pub use range::KernelRange;

use super::Patch;
use crate::build::DirectApi;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::host::Host;
use crate::store::Store;
use crate::tree::{KernelVersion, Source, git};
use file::wrong;

/// A series, with all of its patches read.
#[derive(Debug, Clone)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Whether it is meant to work.
    pub kind: Kind,
    /// Where it was posted.
    pub link: Option<String>,
    /// The version that was posted.
    pub version: Option<u32>,
    /// The patch that it answers.
    pub follow_up_to: Option<FollowUpTo>,
    /// What a run must report.
    pub expect: Option<Expect>,
    /// Its directory.
    pub directory: PathBuf,
    /// Its variants.
    pub variants: Vec<Variant>,
}

/// The patches for some kernels.
#[derive(Debug, Clone)]
pub struct Variant {
    /// The kernels.
    pub kernels: KernelRange,
    /// What their trees contain.
    pub contains: Option<Contains>,
    /// What the patches of `base` are, in words.
    pub on: Option<String>,
    /// Patches of other series that come first.
    pub base: Vec<Patch>,
    /// The commit that the patches were made on.
    pub base_commit: Option<String>,
    /// Patch ids of patches that were there before them.
    pub prerequisites: Vec<String>,
    /// The patches, in order.
    pub patches: Vec<Patch>,
    /// What a run must report with this variant.
    pub expect: Option<Expect>,
}

impl Variant {
    /// Whether its range has this version.
    pub fn fits(&self, version: KernelVersion) -> bool {
        self.kernels.has(version)
    }

    /// Whether it is made for a tree: by version, and by what the tree contains.
    fn fits_tree(&self, host: &Host, store: &Store, source: &Source) -> Result<bool, Diagnosis> {
        if !self.fits(source.version) {
            return Ok(false);
        }
        let Some(contains) = &self.contains else { return Ok(true) };
        if let Some(era) = contains.direct_api {
            let header = git::file_of(host, store, &source.commit, "include/linux/ftrace.h")?;
            if header.and_then(|text| DirectApi::of_header(&text)) != Some(era) {
                return Ok(false);
            }
        }
        if let Some(symbol) = &contains.symbol {
            let found = git::bare(host, store)?
                .args(["grep", "--quiet", "--word-regexp", "--fixed-strings", "-e", symbol])
                .args([&source.commit, "--", "include"])
                .output()?;
            return Ok(found.success());
        }
        Ok(true)
    }

    /// Its range and conditions, in words.
    pub fn label(&self) -> String {
        let mut label = self.kernels.to_string();
        if let Some(contains) = &self.contains {
            let era = contains.direct_api.map(|era| format!("direct-api {}", era.name()));
            for condition in era.into_iter().chain(contains.symbol.clone()) {
                label = format!("{label} with {condition}");
            }
        }
        label
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
    /// Usage errors, with file, line and column, for everything that is wrong with the files.
    pub fn load(patches: &Path, name: &str, kind: Kind) -> Result<Self, Diagnosis> {
        load(patches, name, kind, 0)
    }

    /// A series, or else a fault, of this name.
    pub fn load_any(patches: &Path, name: &str) -> Result<Self, Diagnosis> {
        let fault = list(patches, Kind::Fault).iter().any(|n| n == name);
        Self::load(patches, name, if fault { Kind::Fault } else { Kind::Series })
    }

    fn none_for(&self, kernel: &str) -> Diagnosis {
        let labels: Vec<_> = self.variants.iter().map(Variant::label).collect();
        Diagnosis::usage(format!("{} has no variant for linux {kernel}", self.name))
            .detail(format!("it has variants for: {}", labels.join(", ")))
            .next(format!(
                "choose another kernel with --kernel, or --series none; `cargo xtask series check {} --kernels {kernel}` tries the nearest variant",
                self.name
            ))
    }

    /// The first variant whose range has a version. What its tree contains is not known yet.
    pub fn variant(&self, version: KernelVersion) -> Result<&Variant, Diagnosis> {
        let fits = self.variants.iter().find(|v| v.fits(version));
        fits.ok_or_else(|| self.none_for(&version.to_string()))
    }

    /// The variant for a kernel.
    pub fn variant_of(
        &self,
        host: &Host,
        store: &Store,
        source: &Source,
    ) -> Result<&Variant, Diagnosis> {
        for variant in &self.variants {
            if variant.fits_tree(host, store, source)? {
                return Ok(variant);
            }
        }
        Err(self.none_for(&source.version.to_string()))
    }

    /// The variant for a kernel, or else the one for the nearest version; then the flag is set.
    pub fn variant_or_nearest(
        &self,
        host: &Host,
        store: &Store,
        source: &Source,
    ) -> Result<(&Variant, bool), Diagnosis> {
        match self.variant_of(host, store, source) {
            Ok(variant) => Ok((variant, false)),
            Err(none) if none.exit == ExitKind::Usage => {
                self.nearest(source.version).map(|nearest| (nearest, true)).ok_or(none)
            }
            Err(error) => Err(error),
        }
    }

    /// The variant that was made for the nearest version, for a kernel that has none.
    fn nearest(&self, version: KernelVersion) -> Option<&Variant> {
        let older = |v: &&Variant| v.kernels.ends().1.is_none_or(|last| last <= version);
        let last = |v: &&Variant| v.kernels.ends().1;
        let first = |v: &&Variant| v.kernels.ends().0;
        let below = self.variants.iter().filter(older).max_by_key(last);
        below.or_else(|| self.variants.iter().min_by_key(first))
    }
}

/// Series may stand on others; deeper than this they go in circles.
const DEEPEST: usize = 4;

fn load(patches: &Path, name: &str, kind: Kind, depth: usize) -> Result<Series, Diagnosis> {
    let (what, directory) = match kind {
        Kind::Series => ("series", patches.join(name)),
        Kind::Fault => ("fault", patches.join(FAULTS).join(name)),
    };
    let path = directory.join("series.yaml");
    let plain = is_plain(name) && name != FAULTS;
    if !plain || !path.is_file() {
        let known = list(patches, kind).join(", ");
        return Err(Diagnosis::usage(format!("unknown {what} {name:?}"))
            .detail(format!("known: {known}"))
            .next("`cargo xtask series list` shows what there is"));
    }
    let (file, text) = File::read(&path)?;
    let wrong = |near: &str, why: String| wrong(&path, &text, near, why);
    if file.name != name || file.kind != kind {
        let why = format!(
            "it says it is the {:?} {:?}, and lies where the {kind:?} {name:?} belongs",
            file.kind, file.name
        );
        return Err(wrong("name:", why));
    }
    if file.variants.is_empty() {
        return Err(wrong(
            "variants",
            "it has no variants; each needs `directory` and `patches`".into(),
        ));
    }
    for expect in file.expect.iter().chain(file.variants.iter().filter_map(|v| v.expect.as_ref())) {
        let named = expect.property.is_some() || expect.finding.is_some();
        if named && expect.verdict == Some(ExpectedVerdict::Pass) {
            let why = "a run that passes has neither a failed property nor a finding".into();
            return Err(wrong("verdict:", why));
        }
    }
    if depth > DEEPEST {
        return Err(wrong("on:", "its `on` leads back to itself".into()));
    }
    let variants = file
        .variants
        .iter()
        .map(|entry| {
            let (on, base) = match &entry.on {
                Some(on) => base(patches, on, entry.kernels, depth, &wrong)?,
                None => (None, Vec::new()),
            };
            let own = patches_of(&directory, entry, &wrong)?;
            Ok(Variant {
                kernels: entry.kernels,
                contains: entry.contains.clone(),
                on,
                base,
                base_commit: entry.base_commit.clone(),
                prerequisites: entry.prerequisite_patch_ids.clone(),
                patches: own,
                expect: entry.expect.clone(),
            })
        })
        .collect::<Result<_, Diagnosis>>()?;
    Ok(Series {
        name: file.name,
        description: file.description,
        kind: file.kind,
        link: file.link,
        version: file.version,
        follow_up_to: file.follow_up_to,
        expect: file.expect,
        directory,
        variants,
    })
}

/// Whether a name is that of one directory or file, and leads nowhere else.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', '\0']) && !name.starts_with('.')
}

type Wrong<'a> = dyn Fn(&str, String) -> Diagnosis + 'a;

/// The patches that a variant stands on.
fn base(
    patches: &Path,
    on: &On,
    kernels: KernelRange,
    depth: usize,
    wrong: &Wrong<'_>,
) -> Result<(Option<String>, Vec<Patch>), Diagnosis> {
    let (name, kind) = match (&on.series, &on.fault) {
        (Some(name), None) => (name, Kind::Series),
        (None, Some(name)) => (name, Kind::Fault),
        _ => return Err(wrong("on:", "`on` names exactly one of `series` and `fault`".into())),
    };
    let series = load(patches, name, kind, depth + 1)?;
    let version = kernels.ends().0.or(kernels.ends().1);
    let variant = match version {
        Some(version) => series.variant(version)?,
        None => &series.variants[0],
    };
    let all: Vec<Patch> = variant.base.iter().chain(&variant.patches).cloned().collect();
    let upto = on.upto.unwrap_or(variant.patches.len());
    if upto > variant.patches.len() {
        let why = format!(
            "{name} has {} patches for linux {}, not {upto}",
            variant.patches.len(),
            variant.kernels
        );
        return Err(wrong("upto:", why));
    }
    let words = format!("{name}, {upto} of {} patches", variant.patches.len());
    Ok((Some(words), all[..variant.base.len() + upto].to_vec()))
}

/// The patches of a variant, read.
fn patches_of(
    series: &Path,
    entry: &VariantEntry,
    wrong: &Wrong<'_>,
) -> Result<Vec<Patch>, Diagnosis> {
    if !is_plain(&entry.directory) {
        let why =
            format!("`directory` is the name of one beside series.yaml, not {:?}", entry.directory);
        return Err(wrong(&entry.directory, why));
    }
    let directory = series.join(&entry.directory);
    if entry.patches.is_empty() {
        return Err(wrong(&entry.directory, format!("variant {} has no patches", entry.kernels)));
    }
    if let Some(bad) = entry.patches.iter().find(|p| !is_plain(&p.file)) {
        return Err(wrong(
            &bad.file,
            format!("`file` is the name of one in {}, not {:?}", entry.directory, bad.file),
        ));
    }
    let listed: Vec<PathBuf> = entry.patches.iter().map(|p| directory.join(&p.file)).collect();
    // A patch that lies there and is in no list would be skipped without a word.
    for stray in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
        let path = stray.path();
        if path.extension().is_some_and(|e| e == "patch") && !listed.contains(&path) {
            let why = format!("variant {} does not list {}", entry.kernels, path.display());
            return Err(wrong(&entry.directory, why));
        }
    }
    listed
        .into_iter()
        .zip(&entry.patches)
        .map(|(path, listed)| {
            let bytes = std::fs::read(&path)
                .map_err(|e| wrong(&listed.file, format!("cannot read {}: {e}", path.display())))?;
            Patch::parse(&path, bytes)
        })
        .collect()
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
        assert_eq!(names, ["no-pause-reply", "pause", "unregister-under-lock"]);
    }
}
