// SPDX-License-Identifier: MIT OR Apache-2.0
//! A series on many kernels: which patch goes onto which. The table is pure.

use std::fmt::Write as _;

use serde::Serialize;

use super::conflict::Conflict;
use super::history::History;
use super::{Outcome, Policy, Series, Tried, Variant, try_all};
use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::store::Store;
use crate::tree::{KernelVersion, Source};

/// One kernel.
#[derive(Debug, Clone, Serialize)]
pub struct Column {
    /// What the user called it.
    pub kernel: String,
    /// What it is, if it could be had.
    pub version: Option<KernelVersion>,
    /// The variant that was tried.
    pub variant: Option<String>,
    /// Whether that variant is made for another kernel: none is for this one.
    pub nearest: bool,
    /// The patches, in order.
    pub patches: Vec<Cell>,
    /// What is known of the base that the patches were made on.
    pub notes: Vec<String>,
    /// Why nothing could be tried.
    pub infra: Option<String>,
    /// The conflict, in full.
    #[serde(skip)]
    pub conflict: Option<Diagnosis>,
}

/// One patch on one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// Its number, from 1; 0 for a patch that the series stands on.
    pub number: usize,
    /// Its file.
    pub file: String,
    /// Its subject.
    pub subject: String,
    /// How it went.
    #[serde(flatten)]
    pub state: State,
}

/// How a patch went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum State {
    /// It went on.
    Applied(Outcome),
    /// It did not, or was not reached.
    Not(NotApplied),
}

/// A patch that did not go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum NotApplied {
    /// It conflicts with the tree.
    Conflict {
        /// In a line.
        what: String,
        /// The facts, for a person.
        details: Vec<String>,
        /// The same, hunk by hunk.
        conflicts: Vec<Conflict>,
        /// How to see it again.
        reproduce: Option<String>,
    },
    /// One before it conflicts.
    NotReached,
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Applied(outcome) => outcome.fmt(f),
            Self::Not(NotApplied::Conflict { .. }) => f.write_str("CONFLICT"),
            Self::Not(NotApplied::NotReached) => f.write_str("not reached"),
        }
    }
}

/// Tries a series on a kernel: the variant for it, or else the nearest one.
pub fn check(
    host: &Host,
    store: &Store,
    series: &Series,
    kernel: &str,
    source: &Source,
    policy: Policy,
) -> Result<Column, Diagnosis> {
    let (variant, nearest) = series.variant_or_nearest(host, store, source)?;
    let tried = try_all(host, store, source, variant, policy)?;
    let notes = match (&variant.base_commit, History::of(host, store, source)) {
        (Some(base), Some(history)) => history.of_base(base, &variant.prerequisites)?,
        (Some(base), None) => vec![format!(
            "made on commit {base}; this kernel comes without history, so how far it is from that is not known"
        )],
        (None, _) => Vec::new(),
    };
    Ok(Column { notes, ..column(kernel, source.version, variant, nearest, tried) })
}

fn column(
    kernel: &str,
    version: KernelVersion,
    variant: &Variant,
    nearest: bool,
    tried: Tried,
) -> Column {
    let mut patches: Vec<Cell> = tried
        .applied
        .into_iter()
        .map(|p| Cell {
            number: p.number,
            file: p.file,
            subject: p.subject,
            state: State::Applied(p.outcome),
        })
        .collect();
    let all = variant
        .base
        .iter()
        .map(|p| (0, p))
        .chain(variant.patches.iter().enumerate().map(|(n, p)| (n + 1, p)));
    for (at, (number, patch)) in all.enumerate().skip(patches.len()) {
        let refused = tried.refused.as_ref().filter(|_| {
            at == patches.len() && !patches.iter().any(|c| matches!(c.state, State::Not(_)))
        });
        let state = State::Not(match refused {
            Some((why, conflicts)) => NotApplied::Conflict {
                what: why.what.clone(),
                details: why.details.clone(),
                conflicts: conflicts.clone(),
                reproduce: why.reproduce.clone(),
            },
            None => NotApplied::NotReached,
        });
        patches.push(Cell {
            number,
            file: patch.file_name(),
            subject: patch.subject.clone(),
            state,
        });
    }
    Column {
        kernel: kernel.to_owned(),
        version: Some(version),
        variant: Some(variant.label()),
        nearest,
        patches,
        notes: Vec::new(),
        infra: None,
        conflict: tried.refused.map(|(why, _)| why),
    }
}

impl Column {
    /// A kernel that could not be had.
    pub fn without(kernel: &str, why: &Diagnosis) -> Self {
        Self {
            kernel: kernel.to_owned(),
            version: None,
            variant: None,
            nearest: false,
            patches: Vec::new(),
            notes: Vec::new(),
            infra: Some(why.what.clone()),
            conflict: None,
        }
    }

    fn title(&self) -> String {
        self.version.map_or_else(|| self.kernel.clone(), |v| v.to_string())
    }
}

/// How wide a subject may be in the table.
const SUBJECT: usize = 44;

/// The table: a row a patch, a column a kernel. Kernels with different variants get tables of their
/// own.
pub fn table(columns: &[Column]) -> String {
    let mut out = String::new();
    let mut groups: Vec<(&Option<String>, Vec<&Column>)> = Vec::new();
    for column in columns.iter().filter(|c| c.infra.is_none()) {
        match groups.iter_mut().find(|(variant, _)| **variant == column.variant) {
            Some((_, group)) => group.push(column),
            None => groups.push((&column.variant, vec![column])),
        }
    }
    for (variant, group) in groups {
        let Some(first) = group.first() else { continue };
        let variant = variant.as_deref().unwrap_or_default();
        let widths: Vec<usize> = group
            .iter()
            .map(|c| {
                let cells = c.patches.iter().map(|p| p.state.to_string().len());
                cells.chain([c.title().len()]).max().unwrap_or(0)
            })
            .collect();
        let _ = write!(out, "{:<w$}", format!("variant {variant}"), w = SUBJECT + 4);
        for (column, width) in group.iter().zip(&widths) {
            let _ = write!(out, "  {:<width$}", column.title());
        }
        let _ = writeln!(out);
        for (row, cell) in first.patches.iter().enumerate() {
            let number = if cell.number == 0 { "on".to_owned() } else { cell.number.to_string() };
            let subject: String = match cell.subject.char_indices().nth(SUBJECT - 1) {
                Some((at, _)) if cell.subject.chars().count() > SUBJECT => {
                    format!("{}…", &cell.subject[..at])
                }
                _ => cell.subject.clone(),
            };
            let pad = SUBJECT.saturating_sub(subject.chars().count());
            let _ = write!(out, "{number:>3} {subject}{}", " ".repeat(pad));
            for (column, width) in group.iter().zip(&widths) {
                let state =
                    column.patches.get(row).map(|c| c.state.to_string()).unwrap_or_default();
                let _ = write!(out, "  {state:<width$}");
            }
            let _ = writeln!(out);
        }
        let nearest: Vec<_> = group.iter().filter(|c| c.nearest).map(|c| c.title()).collect();
        if !nearest.is_empty() {
            let _ = writeln!(
                out,
                "    no variant is for {}: {variant} is the nearest",
                nearest.join(", ")
            );
        }
        for column in &group {
            for note in &column.notes {
                let _ = writeln!(out, "    {}: {note}", column.title());
            }
        }
        let _ = writeln!(out);
    }
    for column in columns {
        if let Some(why) = &column.infra {
            let _ = writeln!(out, "{}: could not be tried: {why}\n", column.kernel);
        }
        if let Some(conflict) = &column.conflict {
            let _ = writeln!(out, "linux {}: {conflict}\n", column.title());
        }
    }
    let lines: Vec<_> = out.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}
