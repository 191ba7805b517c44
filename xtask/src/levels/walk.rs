// SPDX-License-Identifier: MIT OR Apache-2.0
//! Walking through the levels of a series: one work tree, one build directory, each step rebuilds
//! only what differs.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;

use super::{Boot, Build, Level, checkpatch, judge};
use crate::build::{self, Toolchain, Warning, warnings};
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::host::Host;
use crate::kconfig::Requests;
use crate::series::{self, Applied, AppliedPatch, Variant};
use crate::store::Store;
use crate::tree::{Source, WorkTree};

/// Where a series is walked through.
pub struct Site<'a> {
    /// The machine.
    pub host: &'a Host,
    /// The caches.
    pub store: &'a Store,
    /// The kernel.
    pub source: &'a Source,
    /// The patches.
    pub variant: &'a Variant,
    /// The configuration.
    pub requests: &'a Requests,
    /// The build directory of this kernel and configuration.
    pub directory: PathBuf,
}

/// Boots a level, by its number.
pub type BootLevel<'a> = dyn FnMut(usize) -> Result<Boot, Diagnosis> + 'a;

/// Builds and judges every level of a series.
///
/// # Errors
/// A series that does not apply, and what is wrong with the machine. That a level does not build is
/// a result.
pub fn check(
    site: &Site<'_>,
    mut boot: Option<&mut BootLevel<'_>>,
) -> Result<Vec<Level>, Diagnosis> {
    let Site { host, store, source, variant, .. } = site;
    let toolchain = Toolchain::detect(host)?;
    let applied = series::apply(host, store, source, Some(variant), None)?;
    let (base, own): (Vec<&AppliedPatch>, Vec<&AppliedPatch>) =
        applied.patches.iter().partition(|p| p.number == 0);
    let mut walk = Walk { site, toolchain: &toolchain, known: HashMap::new() };
    let mut commit = base.last().map_or(&source.commit, |p| &p.commit).clone();
    // A build directory that has a kernel tells which files are compiled; what the tree is without
    // patches need not be built then, unless the first patch fails.
    let mut before = None;
    if !site.directory.join("out/vmlinux").is_file() {
        before = Some(walk.build(&commit, &applied, BEFORE)?.err());
    }
    let mut levels: Vec<Level> = Vec::new();
    for patch in own {
        let level = walk.level(patch, &commit, &applied, before.as_ref())?;
        before = Some(match &level.build {
            Build::Built { .. } => None,
            Build::Failed { error, .. } => Some(Diagnosis::check_failed(error.clone())),
        });
        commit.clone_from(&patch.commit);
        let booted = match (&mut boot, &level.build) {
            (Some(boot), Build::Built { .. }) => Some(boot(patch.number)?),
            _ => None,
        };
        let (verdict, reasons) =
            judge::judge(&level.build, &level.new_warnings, &level.checkpatch, booted.as_ref());
        levels.push(Level { boot: booted, verdict, reasons, ..level });
    }
    judge::note_fixes(&mut levels);
    Ok(levels)
}

/// Warnings in other files that are worth a note each.
const NOTED: usize = 3;

const BEFORE: &str = "before the first patch";

struct Walk<'a> {
    site: &'a Site<'a>,
    toolchain: &'a Toolchain,
    /// What each file warned of when it was last compiled.
    known: HashMap<String, Vec<Warning>>,
}

impl Walk<'_> {
    /// Checks out a commit, configures and builds it. What make said, or why it failed.
    fn build(
        &self,
        commit: &str,
        applied: &Applied,
        what: &str,
    ) -> Result<Result<String, Diagnosis>, Diagnosis> {
        let Site { host, store, source, requests, .. } = self.site;
        let work = WorkTree::lock(host, store, source)?;
        let step = host.progress.step("build", &format!("linux {} {what}", source.version));
        work.checkout(host, store, commit)?;
        let site = self.build_site(&work);
        // A patch may break Kconfig, too: that is its failure as much as a compiler's error.
        let made = site
            .configure(requests, &step)
            .and_then(|configured| site.kernel(&configured, applied, &step));
        match made {
            Ok(output) => {
                step.done("bzImage and modules");
                Ok(Ok(output))
            }
            Err(error) if error.exit == ExitKind::CheckFailed => Ok(Err(error)),
            Err(error) => Err(error),
        }
    }

    fn build_site<'w>(&'w self, work: &'w WorkTree) -> build::Site<'w> {
        build::Site {
            host: self.site.host,
            store: self.site.store,
            toolchain: self.toolchain,
            tree: work.path(),
            directory: self.site.directory.clone(),
        }
    }

    /// What the files that a patch touches warn of without it: their objects are made again, since
    /// an object that is up to date says nothing.
    fn baseline(
        &mut self,
        commit: &str,
        touched: &[String],
        notes: &mut Vec<String>,
    ) -> Result<Vec<Warning>, Diagnosis> {
        let Site { host, store, source, .. } = self.site;
        let work = WorkTree::lock(host, store, source)?;
        work.checkout(host, store, commit)?;
        let site = self.build_site(&work);
        // A patch that makes a file may have left its object behind.
        let objects: Vec<String> = touched
            .iter()
            .filter(|f| work.path().join(f).is_file())
            .filter_map(|f| f.strip_suffix(".c").or_else(|| f.strip_suffix(".S")))
            .map(|stem| format!("{stem}.o"))
            .filter(|object| site.out().join(object).is_file())
            .collect();
        if objects.is_empty() {
            return Ok(self.last_known(touched));
        }
        let step = host.progress.step("warnings", "of the touched files, without the patch");
        if let Some(output) = site.objects(&objects, &step)? {
            step.done(&format!("{} files", objects.len()));
            Ok(warnings(&output, work.path()))
        } else {
            notes.push(
                "the touched files do not compile without the patch; their warnings are compared \
                 with those of an earlier level"
                    .into(),
            );
            Ok(self.last_known(touched))
        }
    }

    fn last_known(&self, touched: &[String]) -> Vec<Warning> {
        touched.iter().filter_map(|f| self.known.get(f)).flatten().cloned().collect()
    }

    fn level(
        &mut self,
        patch: &AppliedPatch,
        before: &str,
        applied: &Applied,
        base: Option<&Option<Diagnosis>>,
    ) -> Result<Level, Diagnosis> {
        let Site { host, store, source, variant, .. } = self.site;
        let mut notes = patch.notes();
        let old = self.baseline(before, &patch.files, &mut notes)?;
        let since = Instant::now();
        // An error is not blamed on patches that come later.
        let to_here = applied.patches.iter().position(|p| p.commit == patch.commit);
        let patches = applied.patches.iter().take(to_here.map_or(usize::MAX, |n| n + 1));
        let so_far = Applied { patches: patches.cloned().collect(), ..applied.clone() };
        let made = self.build(&patch.commit, &so_far, &format!("+ patch {}", patch.number))?;
        let ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let unpatched = match (&made, base) {
            (Err(_), None) => self.build(before, applied, BEFORE)?.err(),
            (_, base) => base.cloned().flatten(),
        };
        let work = WorkTree::lock(host, store, source)?;
        let mut new = Vec::new();
        let build = match made {
            Ok(output) => {
                new = warnings(&output, work.path());
                Build::Built { ms }
            }
            Err(error) => Build::Failed {
                before: unpatched.is_some_and(|b| b.what == error.what),
                error: error.what,
                details: error.details,
                reproduce: error.reproduce,
            },
        };
        let (new_warnings, old_warnings) = judge::split(&old, &new, &patch.files);
        for file in &patch.files {
            // A build that failed may not have come to the file.
            if matches!(build, Build::Built { .. }) {
                let here = new.iter().filter(|w| w.file == *file).cloned().collect();
                self.known.insert(file.clone(), here);
            }
            let object = file.strip_suffix(".c").map(|stem| format!("{stem}.o"));
            let out = self.build_site(&work).out();
            if object.is_some_and(|o| !out.join(o).is_file())
                && matches!(build, Build::Built { .. })
            {
                notes.push(format!(
                    "{file} is not compiled in this configuration: nothing is known of its warnings"
                ));
            }
        }
        let judged = |w: &&Warning| !patch.files.contains(&w.file) && !new_warnings.contains(w);
        for warning in new.iter().filter(judged).take(NOTED) {
            notes.push(format!("not judged, it touches no such file: {warning}"));
        }
        let file = variant.patches.get(patch.number.saturating_sub(1));
        let checkpatch = match file {
            Some(file) => checkpatch::run(host, work.path(), &file.path)?,
            None => checkpatch::Checkpatch::DidNotRun { why: "its file is gone".into() },
        };
        Ok(Level {
            number: patch.number,
            file: patch.file.clone(),
            subject: patch.subject.clone(),
            build,
            new_warnings,
            old_warnings,
            checkpatch,
            boot: None,
            notes,
            verdict: super::Verdict::Pass,
            reasons: Vec::new(),
        })
    }
}
