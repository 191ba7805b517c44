// SPDX-License-Identifier: MIT OR Apache-2.0
//! Walking through the levels of a series: one work tree, one build directory, each step rebuilds
//! only what differs.

use std::path::PathBuf;
use std::time::Instant;

use super::checkpatch::{self, Checkpatch};
use super::failure::Failure;
use super::known::{Compared, Known, Touched};
use super::{Boot, Build, Level, Verdict, judge};
use crate::build::{self, Said, Toolchain, read_output};
use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::kconfig::Requests;
use crate::series::{self, AppliedPatch, Variant};
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
/// The work tree is locked while a level is built and judged, and free while it boots.
///
/// # Errors
/// A series that does not apply, a work tree that cannot be had, and the end of the tool. That a
/// level does not build is a result, whoever is to blame.
pub fn check(
    site: &Site<'_>,
    mut boot: Option<&mut BootLevel<'_>>,
) -> Result<Vec<Level>, Diagnosis> {
    let Site { host, store, source, variant, .. } = site;
    let toolchain = Toolchain::detect(host)?;
    let applied = series::apply(host, store, source, Some(variant), None)?;
    let (base, own): (Vec<&AppliedPatch>, Vec<&AppliedPatch>) =
        applied.patches.iter().partition(|p| p.number == 0);
    let commit = base.last().map_or(&source.commit, |p| &p.commit).clone();
    let good = Good { commit, name: "the tree without the series".into(), proven: false };
    let mut walk = Walk {
        site,
        toolchain: &toolchain,
        known: Known::default(),
        good: Some(good),
        previous: None,
    };
    // Without a kernel the first patch would be charged with building all of it.
    if !site.directory.join("out/vmlinux").is_file() {
        let work = WorkTree::lock(host, store, source)?;
        walk.build_good(&work)?;
    }
    let mut levels: Vec<Level> = Vec::new();
    for patch in own {
        let mut level = walk.level(patch)?;
        if let (Some(boot), Build::Built { .. }) = (&mut boot, &level.build) {
            level.boot = Some(match boot(patch.number) {
                Ok(boot) => boot,
                Err(why) => {
                    host.check_cancelled()?;
                    Boot { verdict: Verdict::Infra, summary: why.what }
                }
            });
        }
        judge::judge(&mut level);
        levels.push(level);
    }
    judge::note_fixes(&mut levels);
    Ok(levels)
}

/// The last level that builds, as far as that is known.
#[derive(Debug, Clone)]
struct Good {
    commit: String,
    name: String,
    /// Whether it was really built in this walk.
    proven: bool,
}

struct Walk<'a> {
    site: &'a Site<'a>,
    toolchain: &'a Toolchain,
    known: Known,
    good: Option<Good>,
    /// Why the level before does not build.
    previous: Option<Failure>,
}

impl Walk<'_> {
    fn build_site<'w>(&'w self, work: &'w WorkTree) -> build::Site<'w> {
        build::Site {
            host: self.site.host,
            store: self.site.store,
            toolchain: self.toolchain,
            tree: work.path(),
            directory: self.site.directory.clone(),
        }
    }

    /// Checks out a commit, configures and builds it.
    fn build(
        &self,
        work: &WorkTree,
        commit: &str,
        what: &str,
    ) -> Result<Result<Said, Failure>, Diagnosis> {
        let Site { host, store, source, requests, .. } = self.site;
        work.checkout(host, store, commit)?;
        let site = self.build_site(work);
        let step = host.progress.step("build", &format!("linux {}, {what}", source.version));
        let configured = match site.configure(requests, &step) {
            Ok(configured) => configured,
            Err(why) => {
                host.check_cancelled()?;
                return Ok(Err(Failure::of_configuring(why, work.path())));
            }
        };
        let made = match site.try_kernel(&configured, &step) {
            Ok(made) => made,
            Err(why) => {
                host.check_cancelled()?;
                return Ok(Err(Failure::of_configuring(why, work.path())));
            }
        };
        if !made.success {
            return Ok(Err(Failure::of_make(&made, work.path())));
        }
        step.done("bzImage and modules");
        Ok(Ok(read_output(&made.output, work.path())))
    }

    /// Builds the last good level, and so learns what its objects warn of. If it turns out not to
    /// build, there is no good level.
    fn build_good(&mut self, work: &WorkTree) -> Result<(), Diagnosis> {
        let Some(good) = self.good.clone() else { return Ok(()) };
        match self.build(work, &good.commit, &good.name)? {
            Ok(said) => {
                self.known.learn(&said);
                self.good = Some(Good { proven: true, ..good });
            }
            Err(failure) => {
                self.good = None;
                self.previous = Some(failure);
            }
        }
        Ok(())
    }

    fn level(&mut self, applied: &AppliedPatch) -> Result<Level, Diagnosis> {
        let Site { host, store, source, variant, .. } = self.site;
        let patch = variant.patches.get(applied.number.saturating_sub(1));
        let touched = patch.map(|p| Touched::by(&p.diff)).unwrap_or_default();
        let work = WorkTree::lock(host, store, source)?;
        // The tree may be at this very level already, with every object up to date and silent. Going
        // down first gives the files that differ a new time stamp.
        if let Some(good) = &self.good {
            work.checkout(host, store, &good.commit)?;
        }
        let mut notes = applied.notes();
        let name = format!("patch {}", applied.number);
        let since = Instant::now();
        let built = self.build(&work, &applied.commit, &name)?;
        let ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let checkpatch = match patch {
            Some(patch) => checkpatch::run(host, work.path(), &patch.path)?,
            None => Checkpatch::DidNotRun { why: "its file is gone".into() },
        };
        let mut compared = Compared::default();
        let build = match built {
            Ok(said) => {
                self.note_silent(&work, &touched, &mut notes);
                compared = self.compare(&work, &said, &touched, &mut notes)?;
                self.known.learn(&said);
                self.good = Some(Good { commit: applied.commit.clone(), name, proven: true });
                self.previous = None;
                Build::Built { ms }
            }
            Err(failure) => self.failed(&work, failure, &touched)?,
        };
        Ok(Level {
            number: applied.number,
            file: applied.file.clone(),
            subject: applied.subject.clone(),
            build,
            new_warnings: compared.new,
            old_warnings: compared.old,
            new_elsewhere: compared.elsewhere,
            unjudged_warnings: compared.unknown,
            checkpatch,
            boot: None,
            notes,
            verdict: Verdict::Pass,
            reasons: Vec::new(),
        })
    }

    /// Compares with the last good level. That is built only if there is a warning of an object
    /// that this walk has not seen made yet: with the patch's files put back, make makes again
    /// exactly what depends on them.
    fn compare(
        &mut self,
        work: &WorkTree,
        said: &Said,
        touched: &Touched,
        notes: &mut Vec<String>,
    ) -> Result<Compared, Diagnosis> {
        let mut compared = self.known.compare(said, touched);
        if !compared.unknown.is_empty() && self.good.is_some() {
            let previous = self.previous.clone();
            self.build_good(work)?;
            self.previous = previous;
            compared = self.known.compare(said, touched);
            if self.good.is_some() {
                compared.settle(touched);
            }
        }
        compared.unknown.retain(|w| touched.has(&w.file));
        if let (Some(good), Some(_)) = (&self.good, &self.previous)
            && !said.warnings.is_empty()
        {
            notes.push(format!(
                "its warnings are compared with those of {}, the last level that builds",
                good.name
            ));
        }
        Ok(compared)
    }

    fn failed(
        &mut self,
        work: &WorkTree,
        failure: Failure,
        touched: &Touched,
    ) -> Result<Build, Diagnosis> {
        // Nobody knows yet whether the tree builds without the series.
        if !failure.infra && self.good.as_ref().is_some_and(|good| !good.proven) {
            self.build_good(work)?;
        }
        let before = failure.was_there(self.previous.as_ref(), touched);
        self.previous = Some(failure.clone());
        let Failure { infra, error, file, details, reproduce } = failure;
        Ok(if infra {
            Build::NotBuilt { why: error, details, reproduce }
        } else {
            let touched = file.as_deref().map(|f| touched.has(f));
            Build::Failed { error, file, touched, details, reproduce, before }
        })
    }

    /// Notes the files whose warnings this configuration cannot show.
    fn note_silent(&self, work: &WorkTree, touched: &Touched, notes: &mut Vec<String>) {
        let out = self.build_site(work).out();
        let silent = touched.objects().filter(|(file, object)| {
            work.path().join(file).is_file() && !out.join(object).is_file()
        });
        notes.extend(silent.map(|(file, _)| {
            format!("{file} has no object in this configuration: nothing is known of its warnings")
        }));
    }
}
