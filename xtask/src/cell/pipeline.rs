// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of a cell, in order.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::ground::{Ground, ground, worked_around};
use super::rust::tools_for;
use super::suite::Loops;
use super::{ChosenSeries, Request, Workspace};
use crate::build::{
    self, Artefact, DirectApi, Manifest, ModuleSources, Site, Toolchain, check_vermagic,
};
use crate::diagnosis::{Diagnosis, ExitKind, on_path};
use crate::host::{Host, probe};
use crate::image;
use crate::kconfig::Requests;
use crate::series::{self, Applied, AppliedPatch, Variant};
use crate::store::{Key, RunDir, Store, write_json};
use crate::tree::{self, Source, WorkTree};
use crate::verdict::course;
use crate::verdict::frames::Symbolizer;
use crate::verdict::{
    Evidence, FindingResult, KernelResult, RunResult, SeriesResult, StepResult, judge,
};
use crate::vm::{self, Accel, Console, Limits, Machine};

/// Memory of a guest, in MiB.
pub const MEMORY_MIB: u32 = 512;
/// CPUs of a guest.
pub const CPUS: u32 = 2;

/// A kernel that is ready to boot.
#[derive(Debug)]
pub struct Prepared {
    /// Where the source came from.
    pub source: Source,
    /// What was built.
    pub artefact: Artefact,
    /// What executes it.
    pub accel: Accel,
}

/// Keeps account of the steps of a run.
pub struct Steps<'a> {
    steps: &'a mut Vec<StepResult>,
}

impl<'a> Steps<'a> {
    /// An account that goes on in `steps`.
    pub fn new(steps: &'a mut Vec<StepResult>) -> Self {
        Self { steps }
    }

    fn done(&mut self, name: &str, key: &str, cached: bool, since: Instant) {
        let ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.steps.push(StepResult { name: name.to_owned(), key: key.to_owned(), cached, ms });
    }
}

/// The variant of the chosen series, and how many of its patches to apply.
pub(super) fn variant_for<'r>(
    host: &Host,
    store: &Store,
    series: &'r ChosenSeries,
    source: &Source,
) -> Result<(Option<&'r Variant>, Option<usize>), Diagnosis> {
    match series {
        ChosenSeries::None => Ok((None, None)),
        ChosenSeries::Series(series, upto) => {
            Ok((Some(series.variant_of(host, store, source)?), *upto))
        }
    }
}

/// What a kernel's bytes depend on.
pub(super) fn artefact_key(
    tree: &str,
    requests: &Requests,
    toolchain: &Toolchain,
    modules: &ModuleSources,
) -> Key {
    Key::of("kernel")
        .with("tree", tree)
        .with("config", requests.key().to_string())
        .with("toolchain", toolchain.key().to_string())
        .with("modules", modules.key().to_string())
        .finish()
}

/// The build directory of a kernel × configuration; it need not exist yet.
pub fn build_dir(store: &Store, source: &Source, requests: &Requests) -> PathBuf {
    let name = format!("{}-{}", source.id, &requests.key().short()[..8]);
    store.root().join("build").join(name)
}

/// Gets a kernel built: fetch, apply, configure, build, as far as it was not done before.
pub fn prepare(
    host: &Host,
    store: &Store,
    workspace: &Workspace,
    request: &Request,
    rebuild: bool,
    result: &mut RunResult,
) -> Result<Prepared, Diagnosis> {
    let mut steps = std::mem::take(&mut result.steps);
    let mut account = Steps::new(&mut steps);
    let outcome = prepare_steps(host, store, workspace, request, rebuild, result, &mut account);
    result.steps = steps;
    outcome
}

fn prepare_steps(
    host: &Host,
    store: &Store,
    workspace: &Workspace,
    request: &Request,
    rebuild: bool,
    result: &mut RunResult,
    account: &mut Steps<'_>,
) -> Result<Prepared, Diagnosis> {
    let since = Instant::now();
    let known = tree::resolve(host, store, &request.kernel, true)?;
    let source = match known.clone() {
        Some(source) => source,
        None => tree::fetch(host, store, &request.kernel, false)?,
    };
    account.done("tree", &source.tree, known.is_some(), since);
    result.kernel = Some(KernelResult {
        version: source.version,
        source: source.origin.clone(),
        sha: source.sha256.clone().unwrap_or_else(|| source.commit.clone()),
        skipped: source.skipped.clone(),
    });

    let since = Instant::now();
    let Ground { source, requests, breaks } =
        ground(host, store, workspace, &request.requests, &source)?;
    result.config.worked_around = breaks.iter().map(worked_around).collect();
    let (variant, upto) = variant_for(host, store, &request.series, &source)?;
    result.series.variant = variant.map(Variant::label);
    let applied = series::apply(host, store, &source, variant, upto)?;
    account.done("series", &applied.tree, applied.cached, since);
    result.series = SeriesResult {
        name: request.series.name().to_owned(),
        variant: variant.map(Variant::label),
        applied: applied.patches.iter().map(|p| p.file.clone()).collect(),
        not_applied: applied.left_out.clone(),
        offsets: applied.patches.iter().flat_map(AppliedPatch::offsets).collect(),
        notes: applied.patches.iter().flat_map(AppliedPatch::notes).collect(),
    };

    let since = Instant::now();
    let mut toolchain = Toolchain::detect(host)?;
    if requests.wants("RUST") {
        toolchain.rust = Some(tools_for(host, store, request.subject, &source, &applied.commit)?);
    }
    result.toolchain = Some(toolchain.clone());
    let modules = workspace.modules()?;
    let key = artefact_key(&applied.tree, &requests, &toolchain, &modules);
    let found = if rebuild { None } else { Artefact::find(host, store, &key)? };
    let cached = found.is_some();
    let artefact = if let Some(artefact) = found {
        artefact
    } else {
        let inputs = Inputs {
            requests: &requests,
            source: &source,
            applied: &applied,
            modules: &modules,
            toolchain,
        };
        make(host, store, &inputs, &key, rebuild)?
    };
    account.done("build", &key.to_string(), cached, since);
    result.config.missing.clone_from(&artefact.manifest.not_in_version);

    let since = Instant::now();
    let accelerator = probe::accelerator(host, store, Some(&artefact.image()))?;
    let accel = match accelerator.kind {
        probe::Kind::Kvm => Accel::Kvm,
        // Text is patched in these guests: one thread for all guest CPUs.
        probe::Kind::Tcg => Accel::TcgSingle,
    };
    account.done("probe", "", true, since);
    result.accel = Some(accel);
    Ok(Prepared { source, artefact, accel })
}

struct Inputs<'a> {
    requests: &'a Requests,
    source: &'a Source,
    applied: &'a Applied,
    modules: &'a ModuleSources,
    toolchain: Toolchain,
}

fn make(
    host: &Host,
    store: &Store,
    inputs: &Inputs<'_>,
    key: &Key,
    rebuild: bool,
) -> Result<Artefact, Diagnosis> {
    let Inputs { requests, source, applied, modules, toolchain } = inputs;
    let work = WorkTree::lock(host, store, source)?;
    // Another run may have built the very same while this one waited for the lock.
    if !rebuild && let Some(artefact) = Artefact::find(host, store, key)? {
        return Ok(artefact);
    }
    let level = format!("linux {} + {} patches", source.version, applied.patches.len());
    let site = Site {
        host,
        store,
        toolchain,
        tree: work.path(),
        directory: build_dir(store, source, requests),
    };

    let step = host.progress.step("config", &level);
    work.checkout(host, store, &applied.commit)?;
    let configured = site.configure(requests, &step)?;
    step.done(&format!("{} options asked for, all kept", requests.len()));

    let step = host.progress.step("build", &level);
    site.kernel(&configured, applied, &step)?;
    step.done("bzImage and modules");

    let api = DirectApi::of_tree(work.path())?.ok_or_else(|| {
        Diagnosis::check_failed(format!(
            "linux {} has no API for ftrace direct calls",
            source.version
        ))
    })?;
    let step = host.progress.step("modules", &format!("{level}, {} API", api.name()));
    let built = site.modules(modules, api, applied, &step)?;
    let out = site.out();
    let release_file = out.join("include/config/kernel.release");
    let release = std::fs::read_to_string(&release_file)
        .map_err(|e| on_path("read", &release_file, &e))?
        .trim()
        .to_owned();
    let mut files = vec![
        ("bzImage".to_owned(), out.join("arch/x86/boot/bzImage")),
        ("vmlinux".to_owned(), out.join("vmlinux")),
        ("config".to_owned(), out.join(".config")),
    ];
    for module in built.into_iter().chain(build::modules_below(&out.join("samples"))?) {
        check_vermagic(&module, &release)?;
        let name = module.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.push((format!("modules/{name}"), module));
    }
    step.done(&format!("{} modules", files.len() - 3));
    let image = out.join("arch/x86/boot/bzImage");
    if let Err(error) = vm::bzimage::check(&image) {
        // make would take it for finished for ever.
        std::fs::remove_file(&image).map_err(|e| on_path("remove", &image, &e))?;
        return Err(error.next("run again: it was removed and will be linked anew"));
    }
    let manifest = Manifest {
        key: key.clone(),
        release,
        source: work.path().to_owned(),
        toolchain: toolchain.clone(),
        direct_api: Some(api),
        not_in_version: configured
            .report
            .not_in_version
            .iter()
            .map(|request| request.symbol.to_string())
            .collect(),
        debug: requests.wants("PROVE_LOCKING"),
        files: std::collections::BTreeMap::new(),
    };
    if rebuild {
        Artefact::remove(store, key)?;
    }
    Artefact::publish(store, manifest, &files)
}

/// Writes the initramfs of a run.
pub fn write_image(
    host: &Host,
    store: &Store,
    workspace: &Workspace,
    prepared: &Prepared,
    busybox: Option<&Path>,
    to: &Path,
) -> Result<(), Diagnosis> {
    let step = host.progress.step("image", "initramfs");
    let init = image::build_init(host, store, workspace.root(), &step)?;
    let definition = image::Definition::load(&workspace.image())?;
    let modules = prepared.artefact.modules()?;
    for module in &modules {
        check_vermagic(module, &prepared.artefact.manifest.release)?;
    }
    let parts = image::Parts { init: &init, modules: &modules, busybox };
    let mut bytes = Vec::new();
    let summary = image::write(&definition, &parts, &mut bytes)?;
    std::fs::write(to, &bytes).map_err(|e| on_path("write", to, &e))?;
    step.done(&format!("{} KiB, {} entries", summary.bytes / 1024, summary.entries));
    Ok(())
}

/// The machine for a prepared kernel.
pub fn machine(prepared: &Prepared, initramfs: PathBuf) -> Machine {
    Machine {
        kernel: prepared.artefact.image(),
        initramfs,
        cpus: CPUS,
        memory_mib: MEMORY_MIB,
        accel: prepared.accel,
        append: Vec::new(),
    }
}

/// Runs a cell to its verdict. The result is complete when this returns `Ok`; when it returns
/// `Err`, the result says how far it came.
pub fn run(
    host: &Host,
    store: &Store,
    workspace: &Workspace,
    request: &Request,
    run_dir: &RunDir,
    result: &mut RunResult,
) -> Result<ExitKind, Diagnosis> {
    let prepared = prepare(host, store, workspace, request, false, result)?;
    stress(host, store, workspace, request, &prepared, run_dir, result)
}

/// The second half of [`run`]: boots what [`prepare`] made, stresses it, and judges.
pub fn stress(
    host: &Host,
    store: &Store,
    workspace: &Workspace,
    request: &Request,
    prepared: &Prepared,
    run_dir: &RunDir,
    result: &mut RunResult,
) -> Result<ExitKind, Diagnosis> {
    let config = run_dir.file("config");
    std::fs::copy(prepared.artefact.config(), &config).map_err(|e| on_path("copy", &config, &e))?;
    let since = Instant::now();
    let initramfs = run_dir.file("initramfs.cpio");
    write_image(host, store, workspace, prepared, None, &initramfs)?;
    Steps::new(&mut result.steps).done("image", "", false, since);

    let api = prepared
        .artefact
        .manifest
        .direct_api
        .ok_or_else(|| Diagnosis::infra("the artefact does not say which API its tree has"))?;
    let loops = Loops {
        duration_ms: request.duration_ms,
        seed: request.seed,
        sabotage: request.sabotage.as_deref(),
    };
    let job = request.suite.job(request.subject, api, &loops);
    let limits = Limits::for_job(&job, prepared.accel, prepared.artefact.manifest.debug);
    let machine = machine(prepared, initramfs);
    let since = Instant::now();
    let step = host
        .progress
        .step("stress", &format!("{} {}", prepared.source.version, request.suite.name));
    let console_log = run_dir.file("console.log");
    let mut sink = std::io::sink();
    let mut outlets = vm::session::Outlets { console_log: &console_log, output: &mut sink };
    let session = vm::run(host, &machine, &job, limits, Console::Logged, &mut outlets, &step)?;
    step.done(&ended_in_words(&session));
    Steps::new(&mut result.steps).done("vm", "", false, since);
    write_json(&run_dir.file("session.json"), &session)?;

    let findings = decode(&session, &prepared.artefact)?;
    let tests = request.suite.test_names();
    let evidence =
        Evidence { session: &session, findings: &findings, tests: &tests, accel: prepared.accel };
    let judgement = judge(&evidence);
    result.boot_ms = session.boot_ms;
    result.verdict = judgement.verdict;
    result.reason = judgement.reason;
    result.exit_code = judgement.exit.code();
    result.properties = judgement.properties;
    result.stress = judgement.stress;
    result.tests = judgement.tests;
    // A loop that never ended still made calls: the last heartbeat knows how many.
    if let (true, Some(beat)) = (result.stress.is_empty(), &session.last_heartbeat) {
        let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        result.stress.insert("modifies".into(), number(beat.modifies));
        result.stress.insert("calls".into(), number(beat.calls));
    }
    result.samples = course::samples(&session.course);
    result.modify_latency = course::modify_latency(&session.results);
    result.findings = findings;
    Ok(judgement.exit)
}

fn ended_in_words(session: &vm::Session) -> String {
    let boot = session.boot_ms.map_or("did not boot".to_owned(), |ms| {
        format!("booted in {:.1} s", Duration::from_millis(ms).as_secs_f64())
    });
    match session.ended {
        vm::Ended::Complete => boot,
        why => format!("{boot}, ended by {why:?}"),
    }
}

fn decode(session: &vm::Session, artefact: &Artefact) -> Result<Vec<FindingResult>, Diagnosis> {
    let manifest = &artefact.manifest;
    let source = manifest.source.to_string_lossy();
    // Compilers name sources by full path or relative to the build directory.
    let tail = manifest
        .source
        .parent()
        .and_then(Path::file_name)
        .map(|id| format!("/trees/{}/src/", id.to_string_lossy()));
    let sources = std::iter::once(format!("{source}/")).chain(tail).collect();
    let sources: Vec<String> = [sources, vec!["/modules/".to_owned()]].concat();
    let mut symbolizer = Symbolizer::new(artefact.vmlinux(), &artefact.modules()?, sources);
    Ok(session
        .scan
        .findings
        .iter()
        .map(|finding| FindingResult {
            kind: finding.kind,
            title: finding.title.clone(),
            signature: finding.signature.clone(),
            first_line: finding.first_line,
            excerpt: finding.excerpt.clone(),
            frames: finding.frames.iter().map(|raw| symbolizer.decode(raw)).collect(),
        })
        .collect())
}
