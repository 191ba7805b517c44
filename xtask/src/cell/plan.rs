// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run would do: its steps, whether each is done already, and the commands.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::ground::ground;
use super::pipeline::{CPUS, MEMORY_MIB, artefact_key, build_dir, variant_for};
use super::rust::tools_for;
use super::{ChosenSeries, Request, Workspace};
use crate::build::{Artefact, Site, Toolchain};
use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::series;
use crate::store::Store;
use crate::tree::{self, Origin, Source};
use crate::vm::qemu::Sockets;
use crate::vm::{Accel, Machine};

/// A step that would be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlannedStep {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub subject: String,
    /// Whether its result is there; `None` if that is not known before an earlier step is done.
    pub cached: Option<bool>,
    /// The commands that it runs.
    pub commands: Vec<String>,
}

/// Looks at the caches and says what a run would do. Nothing is fetched, built or booted.
pub fn plan(
    host: &Host,
    store: &Store,
    workspace: &Workspace,
    request: &Request,
) -> Result<Vec<PlannedStep>, Diagnosis> {
    let source = tree::resolve(host, store, &request.kernel, true)?;
    let tree = PlannedStep {
        name: "tree".into(),
        subject: match &source {
            Some(source) => format!("linux {} ({})", source.version, source.origin),
            None => format!("linux {}", request.kernel.name),
        },
        cached: Some(source.is_some()),
        commands: if source.is_some() {
            Vec::new()
        } else {
            fetch_commands(&request.kernel.origin)
        },
    };
    let series = known_of_series(host, store, request, source.as_ref())?;
    let build = known_of_build(host, store, workspace, request, source.as_ref(), &series)?;
    let step = |name: &str, subject: String, commands: Vec<String>| PlannedStep {
        name: name.into(),
        subject,
        cached: build.cached,
        commands: if build.cached == Some(true) { Vec::new() } else { commands },
    };
    Ok(vec![
        tree,
        PlannedStep {
            name: "series".into(),
            subject: format!("{}, {} patches", request.series.name(), series.patches.len()),
            cached: source.as_ref().map(|_| series.applied.is_some()),
            commands: series.patches.iter().map(|p| format!("git apply --cached {p}")).collect(),
        },
        step("config", format!("{} options", build.options), build.configure),
        step("build", "bzImage, modules, test modules".into(), build.make),
        boot(host, request, build.image),
    ])
}

/// What is known of a series before anything is done.
struct KnownSeries {
    /// The patches that would be applied, by path.
    patches: Vec<String>,
    /// The tree that they make, if they were applied before.
    applied: Option<String>,
}

fn known_of_series(
    host: &Host,
    store: &Store,
    request: &Request,
    source: Option<&Source>,
) -> Result<KnownSeries, Diagnosis> {
    let patches = match (&request.series, source) {
        (ChosenSeries::None, _) => Vec::new(),
        (ChosenSeries::Series(series, upto), Some(source)) => {
            let variant = series.variant_of(host, store, source)?;
            let level = upto.unwrap_or(variant.patches.len());
            variant.patches.iter().take(level).map(|p| p.path.display().to_string()).collect()
        }
        (ChosenSeries::Series(series, upto), None) => {
            let patches = series.variants.first().map(|v| v.patches.as_slice()).unwrap_or_default();
            let level = upto.unwrap_or(patches.len());
            patches.iter().take(level).map(|p| p.path.display().to_string()).collect()
        }
    };
    let applied = match source {
        Some(source) => {
            let (variant, upto) = variant_for(host, store, &request.series, source)?;
            series::cached(host, store, source, variant, upto)?
        }
        None => None,
    };
    Ok(KnownSeries { patches, applied })
}

/// What is known of a build before anything is done.
struct KnownBuild {
    /// How many options are asked for.
    options: usize,
    /// Whether it is there; `None` if the source is not.
    cached: Option<bool>,
    /// The kernel's image, or what stands for it.
    image: PathBuf,
    configure: Vec<String>,
    make: Vec<String>,
}

fn known_of_build(
    host: &Host,
    store: &Store,
    workspace: &Workspace,
    request: &Request,
    source: Option<&Source>,
    series: &KnownSeries,
) -> Result<KnownBuild, Diagnosis> {
    let mut toolchain = Toolchain::detect(host)?;
    let requests = match source {
        Some(source) => {
            let requests = ground(host, store, workspace, &request.requests, source)?.requests;
            if requests.wants("RUST") {
                // The patches do not change what the tree asks of its tools.
                let tools = tools_for(host, store, request.subject, source, &source.commit)?;
                toolchain.rust = Some(tools);
            }
            requests
        }
        None => request.requests.clone(),
    };
    let modules = workspace.modules()?;
    let key =
        series.applied.as_ref().map(|tree| artefact_key(tree, &requests, &toolchain, &modules));
    let artefact = match &key {
        Some(key) => Artefact::find(host, store, key)?,
        None => None,
    };
    let (configure, make) = match source {
        Some(source) => {
            let tree = store.root().join("trees").join(&source.id).join("src");
            let site = Site {
                host,
                store,
                toolchain: &toolchain,
                tree: &tree,
                directory: build_dir(store, source, &requests),
            };
            let line = |target: &str| site.configure_call(target).map(|call| call.command_line());
            let make = site.kernel_call()?.command_line();
            (vec![line("tinyconfig")?, line("olddefconfig")?], vec![make])
        }
        None => (Vec::new(), Vec::new()),
    };
    Ok(KnownBuild {
        options: requests.len(),
        cached: source.map(|_| artefact.is_some()),
        image: artefact.map_or_else(|| PathBuf::from("ARTEFACT/bzImage"), |a| a.image()),
        configure,
        make,
    })
}

fn boot(host: &Host, request: &Request, kernel: PathBuf) -> PlannedStep {
    let machine = Machine {
        kernel,
        initramfs: "RUN/initramfs.cpio".into(),
        cpus: CPUS,
        memory_mib: MEMORY_MIB,
        accel: Accel::TcgSingle,
        append: Vec::new(),
    };
    let qemu = host
        .program("qemu-system-x86_64")
        .args(machine.arguments(&Sockets::within(Path::new("SOCKETS"))))
        .command_line();
    PlannedStep {
        name: "vm".into(),
        subject: format!(
            "suite {}, {} s a test",
            request.suite.name,
            request.duration_ms.div_ceil(1000)
        ),
        cached: Some(false),
        commands: vec![qemu],
    }
}

fn fetch_commands(origin: &Origin) -> Vec<String> {
    match origin {
        Origin::Debian { package, version, pin, .. } => {
            let release = pin.as_ref().map_or_else(|| version.to_string(), ToString::to_string);
            vec![
                "apt-get update (private state)".to_owned(),
                format!("curl (orig tarball of {package} {release}, verified against the index)"),
                "tar, git add".to_owned(),
            ]
        }
        Origin::KernelOrg(version) => {
            vec![format!("curl linux-{version}.tar.xz"), "tar, git add".to_owned()]
        }
        Origin::Git { repository, reference } => {
            vec![format!("git fetch {repository} {reference}")]
        }
        Origin::Directory(path) => vec![format!("git add {}", path.display())],
    }
}
