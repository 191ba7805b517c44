// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a cell is made from.

use std::path::{Path, PathBuf};

use super::{Subject, Suite};
use crate::build::ModuleSources;
use crate::diagnosis::Diagnosis;
use crate::kconfig::{self, Fragment, KnownBreaks, Requests};
use crate::series::{Kind, Series};
use crate::tree::{KernelVersion, Matrix, Spec};

/// The checkout that the tool belongs to.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The checkout that cargo runs the tool from, else the one it was built in.
    pub fn locate() -> Self {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let xtask = manifest
            .filter(|m| m.join("../matrix.yaml").is_file())
            .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).to_owned());
        Self { root: xtask.parent().map(Path::to_owned).unwrap_or(xtask) }
    }

    /// Its root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `matrix.yaml`.
    pub fn matrix(&self) -> Result<Matrix, Diagnosis> {
        Matrix::load(&self.matrix_file())
    }

    /// The path of `matrix.yaml`.
    pub fn matrix_file(&self) -> PathBuf {
        self.root.join("matrix.yaml")
    }

    /// `patches/`.
    pub fn patches(&self) -> PathBuf {
        self.root.join("patches")
    }

    /// `selftests/suites/`.
    pub fn suites(&self) -> PathBuf {
        self.root.join("selftests/suites")
    }

    /// The image definition.
    pub fn image(&self) -> PathBuf {
        self.root.join("vm-images/initramfs.yaml")
    }

    /// The modules' sources.
    pub fn modules(&self) -> Result<ModuleSources, Diagnosis> {
        ModuleSources::read(&self.root.join("selftests/modules"))
    }

    /// `kconfigs/known-breaks.yaml`.
    pub fn known_breaks(&self) -> Result<KnownBreaks, Diagnosis> {
        KnownBreaks::load(&self.root.join("kconfigs/known-breaks.yaml"))
    }

    /// The fragments of the standard configuration, that of the subject, and those given by path,
    /// merged.
    pub fn requests(&self, subject: Subject, extra: &[PathBuf]) -> Result<Requests, Diagnosis> {
        let names = ["base", "ftrace", "debug"].into_iter().chain(subject.fragment());
        let standard = names.map(|name| PathBuf::from(format!("kconfigs/{name}.config")));
        let fragments = standard
            .chain(extra.iter().cloned())
            .map(|path| {
                // A path below the checkout reads better in an error.
                let ours = self.root.join(&path);
                Fragment::read(if path.is_file() || !ours.is_file() { &path } else { &ours })
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(kconfig::merge(&fragments)?)
    }
}

/// The series that was asked for.
#[derive(Debug, Clone)]
pub enum ChosenSeries {
    /// The tree as it is.
    None,
    /// A series, up to a patch.
    Series(Box<Series>, Option<usize>),
}

impl ChosenSeries {
    /// Its name, `none` without a series.
    pub fn name(&self) -> &str {
        match self {
            Self::None => "none",
            Self::Series(series, _) => &series.name,
        }
    }
}

/// What a user asked for, every name looked up.
#[derive(Debug, Clone)]
pub struct Request {
    /// The kernel.
    pub kernel: Spec,
    /// The series or fault.
    pub series: ChosenSeries,
    /// What the configuration must have.
    pub requests: Requests,
    /// The module under test.
    pub subject: Subject,
    /// The stress loops.
    pub suite: Suite,
    /// How long each loop runs, in milliseconds.
    pub duration_ms: u64,
    /// Seed of the loops.
    pub seed: u64,
    /// How the subject misbehaves, to prove the checks.
    pub sabotage: Option<String>,
    /// The command line that says all this.
    pub reproduce: String,
}

impl Request {
    /// Fails early if the series is not made for the kernel, where the kernel's name tells.
    pub fn check_variant(&self) -> Result<(), Diagnosis> {
        match (&self.series, self.kernel.name.parse::<KernelVersion>()) {
            (ChosenSeries::Series(series, _), Ok(version)) => series.variant(version).map(drop),
            _ => Ok(()),
        }
    }

    /// What to call the run.
    pub fn label(&self) -> String {
        let level = match &self.series {
            ChosenSeries::Series(_, Some(upto)) => format!("-upto{upto}"),
            _ => String::new(),
        };
        let kernel = self.kernel.name.rsplit('/').next().unwrap_or_default();
        let subject = match self.subject {
            Subject::C => "",
            Subject::Rust => "-rust",
        };
        format!("{kernel}-{}{level}{subject}", self.series.name())
    }
}

/// Looks up a series or a fault.
pub fn choose_series(
    workspace: &Workspace,
    series: &str,
    fault: Option<&str>,
    upto: Option<usize>,
) -> Result<ChosenSeries, Diagnosis> {
    let patches = workspace.patches();
    let chosen = match fault {
        Some(fault) => Series::load(&patches, fault, Kind::Fault)?,
        None if series == "none" => {
            return match upto {
                Some(_) => Err(Diagnosis::usage("--upto needs a series, not `none`")),
                None => Ok(ChosenSeries::None),
            };
        }
        None => Series::load(&patches, series, Kind::Series)?,
    };
    if let Some(upto) = upto
        && let Some(variant) = chosen.variants.first()
        && chosen.variants.iter().all(|v| v.patches.len() < upto)
    {
        return Err(Diagnosis::usage(format!(
            "--upto {upto}: {} has {} patches",
            chosen.name,
            variant.patches.len()
        )));
    }
    Ok(ChosenSeries::Series(Box::new(chosen), upto))
}
