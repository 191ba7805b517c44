// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask series`.

use std::fmt::Write as _;

use clap::Subcommand;
use serde_json::json;

use super::Session;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::series::{self, Kind, Series};
use crate::tree;

/// Patch series.
#[derive(Debug, Subcommand)]
pub enum SeriesCommand {
    /// Show all series and faults
    List,
    /// Show one series or fault with its patches
    Show {
        /// Its name
        name: String,
    },
    /// Apply a series, strictly, and say what happened; nothing is built
    Apply {
        /// Its name
        name: String,
        /// The kernel
        #[arg(long, value_name = "V")]
        kernel: String,
        /// Only the first N patches
        #[arg(long, value_name = "N")]
        upto: Option<usize>,
    },
}

/// A series, or else a fault, of this name.
fn load(session: &Session, name: &str) -> Result<Series, Diagnosis> {
    let patches = session.workspace.patches();
    let kind = if series::list(&patches, Kind::Fault).iter().any(|n| n == name) {
        Kind::Fault
    } else {
        Kind::Series
    };
    Series::load(&patches, name, kind)
}

impl SeriesCommand {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        match self {
            Self::List => list(session)?,
            Self::Show { name } => show(session, &load(session, name)?)?,
            Self::Apply { name, kernel, upto } => {
                let series = load(session, name)?;
                let spec = session.workspace.matrix()?.find(kernel)?;
                let source = tree::fetch(&session.host, &session.store, &spec, false)?;
                let variant = series.variant(source.version)?;
                let applied =
                    series::apply(&session.host, &session.store, &source, Some(variant), *upto)?;
                let mut text = String::new();
                for patch in &applied.patches {
                    let how = if patch.offsets.is_empty() { "clean" } else { "with offsets" };
                    let _ = writeln!(text, "{:>3} {how}: {}", patch.number, patch.subject);
                    for offset in &patch.offsets {
                        let _ = writeln!(text, "      {offset}");
                    }
                }
                for file in &applied.left_out {
                    let _ = writeln!(text, "    not applied: {file}");
                }
                let _ = writeln!(
                    text,
                    "linux {} with {}: commit {}",
                    source.version, series.name, applied.commit
                );
                let value = json!({
                    "kernel": source.version, "series": series.name, "commit": applied.commit,
                    "applied": applied.patches, "not_applied": applied.left_out,
                });
                session.print(&text, &value)?;
            }
        }
        Ok(ExitKind::Pass)
    }
}

fn list(session: &Session) -> Result<(), Diagnosis> {
    let patches = session.workspace.patches();
    let mut text = String::new();
    let mut values = Vec::new();
    for (kind, what) in [(Kind::Series, "series"), (Kind::Fault, "fault")] {
        for name in series::list(&patches, kind) {
            let series = Series::load(&patches, &name, kind)?;
            let kernels: Vec<_> = series.variants.iter().map(|v| v.kernels.as_str()).collect();
            let _ = writeln!(
                text,
                "{what:<7} {name:<24} {:<10} {}",
                kernels.join(" "),
                series.description
            );
            values.push(json!({
                "name": name, "kind": kind, "kernels": kernels, "description": series.description,
            }));
        }
    }
    session.print(&text, &values)
}

fn show(session: &Session, series: &Series) -> Result<(), Diagnosis> {
    let mut text = format!("{}: {}\n", series.name, series.description);
    let mut variants = Vec::new();
    for variant in &series.variants {
        let _ = writeln!(text, "for linux {}:", variant.kernels);
        for (n, patch) in variant.patches.iter().enumerate() {
            let _ = writeln!(text, "{:>3} {} ({})", n + 1, patch.subject, patch.author);
            let _ = writeln!(text, "      {}", patch.files().join(", "));
        }
        let patches: Vec<_> = variant
            .patches
            .iter()
            .map(|p| json!({"file": p.file_name(), "subject": p.subject, "files": p.files()}))
            .collect();
        variants.push(json!({"kernels": variant.kernels, "patches": patches}));
    }
    if let Some(expect) = &series.expect {
        let what = expect.property.iter().chain(&expect.finding).cloned().collect::<Vec<_>>();
        let _ = writeln!(text, "a run must report: {}", what.join(", "));
    }
    let value = json!({
        "name": series.name, "kind": series.kind, "description": series.description,
        "variants": variants, "expect": series.expect,
    });
    session.print(&text, &value)
}
