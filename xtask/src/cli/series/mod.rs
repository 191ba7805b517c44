// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask series`.

mod check;
mod export;
mod import;
mod levels;

use std::fmt::Write as _;

use clap::Subcommand;
use serde_json::json;

use super::Session;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::series::{self, Kind, Series, Variant};

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
    Import(import::Import),
    Check(check::Check),
    Apply(check::Apply),
    Export(export::Export),
    Refresh(export::Refresh),
    /// Print the JSON Schema of series.yaml
    Schema,
}

impl SeriesCommand {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        match self {
            Self::List => list(session)?,
            Self::Show { name } => {
                show(session, &Series::load_any(&session.workspace.patches(), name)?)?;
            }
            Self::Import(import) => return import.run(session),
            Self::Check(check) => return check.run(session),
            Self::Apply(apply) => return apply.run(session),
            Self::Export(export) => return export.run(session),
            Self::Refresh(refresh) => return refresh.run(session),
            Self::Schema => {
                let schema = series::schema();
                let value: serde_json::Value = serde_json::from_str(&schema).unwrap_or_default();
                session.print(&schema, &value)?;
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
            let kernels: Vec<_> = series.variants.iter().map(Variant::label).collect();
            let _ = writeln!(
                text,
                "{what:<7} {name:<24} {:<10} {}",
                kernels.join(" "),
                series.description.lines().next().unwrap_or_default()
            );
            values.push(json!({
                "name": name, "kind": kind, "kernels": kernels, "description": series.description,
            }));
        }
    }
    session.print(&text, &values)
}

fn show(session: &Session, series: &Series) -> Result<(), Diagnosis> {
    let mut text = format!("{}: {}\n", series.name, series.description.trim_end());
    if let Some(link) = &series.link {
        let _ = writeln!(text, "posted: {link}");
    }
    if let Some(answered) = &series.follow_up_to {
        let _ = writeln!(text, "a follow-up to: {}", answered.title);
    }
    let mut variants = Vec::new();
    for variant in &series.variants {
        let on = variant.on.as_ref().map(|on| format!(", on {on}")).unwrap_or_default();
        let _ = writeln!(text, "for linux {}{on}:", variant.label());
        for (n, patch) in variant.patches.iter().enumerate() {
            let _ = writeln!(text, "{:>3} {} ({})", n + 1, patch.subject, patch.author);
            let _ = writeln!(text, "      {}", patch.files().join(", "));
        }
        let patches: Vec<_> = variant
            .patches
            .iter()
            .map(|p| json!({"file": p.file_name(), "subject": p.subject, "files": p.files()}))
            .collect();
        variants.push(json!({
            "kernels": variant.label(), "on": variant.on, "base_commit": variant.base_commit,
            "patches": patches, "expect": variant.expect,
        }));
    }
    if let Some(expect) = &series.expect {
        let what = expect.property.iter().chain(&expect.finding).cloned().collect::<Vec<_>>();
        let _ = writeln!(text, "a run must report: {}", what.join(", "));
    }
    let value = json!({
        "name": series.name, "kind": series.kind, "description": series.description,
        "link": series.link, "version": series.version, "follow_up_to": series.follow_up_to,
        "variants": variants, "expect": series.expect,
    });
    session.print(&text, &value)
}
