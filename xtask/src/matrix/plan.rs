// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which cells there are. Pure: the definition and the series in, the cells out.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::definition::{Definition, Entry, STANDARD};
use super::{Expectation, Role};
use crate::cell::Subject;
use crate::diagnosis::Diagnosis;
use crate::series::{Kind, Series};
use crate::tree::KernelVersion;

/// The patches of a cell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Patches {
    /// The tree as it is.
    None,
    /// A series.
    Series {
        /// Its name.
        name: String,
        /// Only its first patches.
        upto: Option<usize>,
    },
    /// A fault.
    Fault {
        /// Its name.
        name: String,
    },
}

impl Patches {
    /// The series or fault, or `none`.
    pub fn name(&self) -> &str {
        match self {
            Self::None => "none",
            Self::Series { name, .. } | Self::Fault { name } => name,
        }
    }

    /// As it appears in the names of cells.
    pub fn label(&self) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::Series { name, upto: None } | Self::Fault { name } => name.clone(),
            Self::Series { name, upto: Some(upto) } => format!("{name}-upto{upto}"),
        }
    }
}

/// A cell of the matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Its name: unique, and the same in every run. `6.1-none-c`.
    pub id: String,
    /// The kernel, by its name in `matrix.yaml`.
    pub kernel: KernelVersion,
    /// What is applied.
    pub patches: Patches,
    /// The configuration's name.
    pub config: String,
    /// Fragments over the standard ones. All cells of a kernel × configuration have the same.
    pub fragments: Vec<PathBuf>,
    /// The module under test.
    pub subject: Subject,
    /// The suite.
    pub suite: String,
    /// How long each test runs, in milliseconds.
    pub duration_ms: u64,
    /// Why it is there.
    pub role: Role,
    /// What it must report.
    pub expect: Expectation,
    /// The cell with the same tree as it is.
    pub baseline: Option<String>,
    /// Why it cannot be had.
    pub skip: Option<String>,
}

/// All cells, and what is nowhere in the matrix.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The cells: by kernel, then by row, then by subject.
    pub cells: Vec<Cell>,
    /// Kernels that a row's series has no variant for, a line each.
    pub notes: Vec<String>,
}

/// Makes the plan. `series` has every series and fault that the definition names.
pub fn plan(
    definition: &Definition,
    kernels: &[KernelVersion],
    series: &[Series],
) -> Result<Plan, Diagnosis> {
    let mut plan = Plan::default();
    let mut left_out = vec![Vec::new(); definition.cells.len()];
    for &kernel in kernels {
        for (entry, left_out) in definition.cells.iter().zip(&mut left_out) {
            if !entry.kernels.has(kernel) {
                continue;
            }
            let (patches, made_for, expect) = row(entry, kernel, series)?;
            if !made_for {
                left_out.push(kernel.to_string());
                continue;
            }
            for subject in &definition.subjects {
                if entry.subjects.as_ref().is_some_and(|only| !only.contains(&subject.name)) {
                    continue;
                }
                let skip = (!subject.kernels.has(kernel)).then(|| {
                    subject.otherwise.clone().unwrap_or_else(|| "not on this kernel".into())
                });
                let config = entry.config.clone().unwrap_or_else(|| STANDARD.to_owned());
                let stress = entry.stress.as_ref().unwrap_or(&definition.stress);
                let cell = Cell {
                    id: id(kernel, &patches.label(), &config, subject.name),
                    kernel,
                    role: match &patches {
                        Patches::None => Role::Baseline,
                        Patches::Series { .. } => Role::Series,
                        Patches::Fault { .. } => Role::Fault,
                    },
                    patches: patches.clone(),
                    fragments: fragments(definition, kernel, &config),
                    config,
                    subject: subject.name,
                    suite: stress.suite.clone(),
                    duration_ms: stress.duration.0,
                    expect: expect.clone(),
                    baseline: None,
                    skip,
                };
                if plan.cells.iter().any(|other| other.id == cell.id) {
                    return Err(Diagnosis::usage(format!(
                        "matrix.yaml: two entries make the cell {}",
                        cell.id
                    )));
                }
                plan.cells.push(cell);
            }
        }
    }
    find_baselines(&mut plan.cells);
    for (entry, kernels) in definition.cells.iter().zip(left_out) {
        if !kernels.is_empty() {
            let name = entry.series.as_deref().or(entry.fault.as_deref()).unwrap_or_default();
            plan.notes.push(format!("{name} is not made for {}", kernels.join(", ")));
        }
    }
    Ok(plan)
}

fn id(kernel: KernelVersion, patches: &str, config: &str, subject: Subject) -> String {
    match config {
        STANDARD => format!("{kernel}-{patches}-{}", subject.name()),
        config => format!("{kernel}-{patches}-{config}-{}", subject.name()),
    }
}

/// What a row applies to a kernel, whether it is made for it, and what must come of it.
fn row(
    entry: &Entry,
    kernel: KernelVersion,
    series: &[Series],
) -> Result<(Patches, bool, Expectation), Diagnosis> {
    let (name, kind, patches) = match (&entry.series, &entry.fault) {
        (Some(name), _) if name == "none" => {
            let expect = Expectation::of(entry.expect.as_ref(), false);
            return Ok((Patches::None, true, expect));
        }
        (Some(name), _) => {
            let patches = Patches::Series { name: name.clone(), upto: entry.upto };
            (name, Kind::Series, patches)
        }
        (_, Some(name)) => (name, Kind::Fault, Patches::Fault { name: name.clone() }),
        _ => return Err(Diagnosis::usage("an entry of cells has neither series nor fault")),
    };
    let found = series.iter().find(|s| s.name == *name && s.kind == kind);
    let found = found.ok_or_else(|| Diagnosis::usage(format!("unknown series {name:?}")))?;
    let variant = found.variants.iter().find(|v| v.fits(kernel));
    // What a whole series must report is not what a part of it must.
    let stated = variant.and_then(|v| v.expect.as_ref()).or(found.expect.as_ref());
    let stated = stated.filter(|_| entry.upto.is_none());
    let expect = Expectation::of(entry.expect.as_ref().or(stated), kind == Kind::Fault);
    let enough = variant.is_some_and(|v| entry.upto.is_none_or(|upto| upto <= v.patches.len()));
    Ok((patches, enough, expect))
}

/// One kernel is built once for all of its subjects, so it has what each of them needs.
fn fragments(definition: &Definition, kernel: KernelVersion, config: &str) -> Vec<PathBuf> {
    let subjects = definition.subjects.iter().filter(|s| s.kernels.has(kernel));
    let needed = subjects.filter_map(|s| s.name.fragment());
    let needed = needed.map(|name| PathBuf::from(format!("kconfigs/{name}.config")));
    needed.chain(definition.configs.get(config).into_iter().flatten().cloned()).collect()
}

fn find_baselines(cells: &mut [Cell]) {
    let bare: Vec<_> = cells.iter().filter(|c| c.role == Role::Baseline).cloned().collect();
    for cell in cells.iter_mut().filter(|c| c.role != Role::Baseline) {
        let baseline = bare.iter().find(|b| {
            (b.kernel, &b.config, b.subject) == (cell.kernel, &cell.config, cell.subject)
        });
        cell.baseline = baseline.map(|b| b.id.clone());
    }
}
