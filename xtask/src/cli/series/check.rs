// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask series check` and `apply`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::Session;
use super::levels;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::levels::Verdict;
use crate::series::{self, Column, KernelRange, Policy, Series, workbench};
use crate::tree::{self, Source};

/// How strictly patches must fit.
#[derive(Debug, Clone, Copy, Args)]
pub struct Fit {
    /// Lines of context that need not match: 0 to 2. What applies so is never called clean
    #[arg(long, value_name = "LINES", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=2))]
    fuzz: u8,
    /// Try a three-way merge where the store has what a patch was made on; never called clean
    #[arg(long = "3way", alias = "three-way")]
    three_way: bool,
}

impl Fit {
    pub fn policy(self) -> Policy {
        Policy { fuzz: self.fuzz, three_way: self.three_way }
    }
}

/// Try a series on many kernels: which patch goes onto which
#[derive(Debug, Args)]
pub struct Check {
    /// Its name
    name: String,
    /// The kernels [default: all of matrix.yaml]
    #[arg(long, value_name = "V,…", value_delimiter = ',')]
    kernels: Vec<String>,
    #[command(flatten)]
    fit: Fit,
    /// Build every level: new warnings in touched files and errors of checkpatch.pl fail a patch
    #[arg(long, conflicts_with_all = ["fuzz", "three_way"])]
    build: bool,
    /// Boot every level, too, with a short stress run
    #[arg(long, requires = "build")]
    pub(super) boot: bool,
    /// A further configuration fragment, for --build
    #[arg(long, value_name = "FILE", requires = "build")]
    pub(super) config: Vec<PathBuf>,
}

impl Check {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        let (host, store) = (&session.host, &session.store);
        let series = Series::load_any(&session.workspace.patches(), &self.name)?;
        let matrix = session.workspace.matrix()?;
        let names: Vec<String> = if self.kernels.is_empty() {
            matrix.kernels.iter().map(|k| k.name.to_string()).collect()
        } else {
            self.kernels.clone()
        };
        let specs = names.iter().map(|name| matrix.find(name)).collect::<Result<Vec<_>, _>>()?;
        if session.dry_run {
            session.print(&format!("would try {} on {}", series.name, names.join(", ")), &names)?;
            return Ok(ExitKind::Pass);
        }
        let mut columns: Vec<Column> = Vec::new();
        let mut walked = Vec::new();
        for spec in &specs {
            let column = tree::fetch(host, store, spec, false).and_then(|source| {
                let policy = self.fit.policy();
                let column = series::check(host, store, &series, &spec.name, &source, policy)?;
                if self.build {
                    walked.push(levels::walk(session, &series, spec, &source, &column, self)?);
                }
                Ok(column)
            });
            // One kernel that cannot be had does not hide the others.
            columns.push(match column {
                Ok(column) => column,
                Err(why) if why.exit == ExitKind::Infra => Column::without(&spec.name, &why),
                Err(why) => return Err(why),
            });
        }
        let mut value = json!({"series": series.name, "kernels": columns});
        let mut text = series::table(&columns);
        if self.build {
            value["levels"] = json!(walked);
            let blocks = walked.iter().map(levels::Walked::text);
            text = format!("{text}\n\n{}", blocks.collect::<Vec<_>>().join("\n"));
        }
        session.print(&text, &value)?;
        let levels = walked.iter().map(levels::Walked::verdict).max();
        let conflict = columns.iter().any(|c| c.conflict.is_some());
        Ok(if conflict || levels == Some(Verdict::Fail) {
            ExitKind::CheckFailed
        } else if columns.iter().any(|c| c.infra.is_some()) || levels == Some(Verdict::Infra) {
            ExitKind::Infra
        } else {
            ExitKind::Pass
        })
    }
}

/// Apply a series and say what happened; nothing is built
#[derive(Debug, Args)]
pub struct Apply {
    /// Its name
    name: String,
    /// The kernel
    #[arg(long, value_name = "V")]
    kernel: String,
    /// Only the first N patches
    #[arg(long, value_name = "N")]
    upto: Option<usize>,
    #[command(flatten)]
    fit: Fit,
    /// Make a git tree with the patches as commits, to work on them; `series refresh` takes them
    /// back
    #[arg(long, value_name = "DIR", conflicts_with = "resolve")]
    worktree: Option<PathBuf>,
    /// Open a shell for each conflict, and keep what comes of it as a new variant
    #[arg(long, conflicts_with_all = ["fuzz", "three_way", "upto"])]
    resolve: bool,
    /// Kernels that the new variant is for [default: the line of the kernel]
    #[arg(long, value_name = "RANGE", requires = "resolve")]
    kernels: Option<KernelRange>,
}

impl Apply {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        let (host, store) = (&session.host, &session.store);
        let series = Series::load_any(&session.workspace.patches(), &self.name)?;
        let spec = session.workspace.matrix()?.find(&self.kernel)?;
        if session.dry_run {
            session.print(&format!("would apply {} to {}", series.name, spec.name), &spec.name)?;
            return Ok(ExitKind::Pass);
        }
        let source = tree::fetch(host, store, &spec, false)?;
        if self.resolve {
            return self.resolve(session, &series, &source, &spec.name);
        }
        let variant = series.variant_of(host, store, &source)?;
        let policy = self.fit.policy();
        let applied = series::apply_with(host, store, &source, Some(variant), self.upto, policy)?;
        let mut text = String::new();
        if let Some(on) = &variant.on {
            let _ = writeln!(text, "on {on}:");
        }
        for patch in &applied.patches {
            let number = if patch.number == 0 { "on".to_owned() } else { patch.number.to_string() };
            let _ = writeln!(text, "{number:>3} {}: {}", patch.outcome, patch.subject);
            for moved in patch.outcome.moved() {
                let _ = writeln!(text, "      {moved}");
            }
            for note in patch.notes() {
                let _ = writeln!(text, "      {note}");
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
        if let Some(directory) = &self.worktree {
            let base = applied.patches.iter().rfind(|p| p.number == 0);
            let about = workbench::About {
                series: series.name.clone(),
                kernel: spec.name.clone(),
                base: base.map_or(&source.commit, |p| &p.commit).clone(),
            };
            workbench::create(host, store, directory, &applied.commit, &about, None)?;
            let _ = writeln!(
                text,
                "{}: branch xtask/{} has them as commits\nnext: edit them there (git rebase --interactive {}), then `cargo xtask series refresh {} --from {}`",
                directory.display(),
                series.name,
                about.base,
                series.name,
                directory.display(),
            );
        }
        let value = json!({
            "kernel": source.version, "series": series.name, "variant": variant.label(),
            "on": variant.on, "commit": applied.commit, "tree": applied.tree,
            "applied": applied.patches, "not_applied": applied.left_out,
        });
        session.print(&text, &value)?;
        Ok(ExitKind::Pass)
    }
}

impl Apply {
    fn resolve(
        &self,
        session: &Session,
        series: &Series,
        source: &Source,
        kernel: &str,
    ) -> Result<ExitKind, Diagnosis> {
        let (host, store) = (&session.host, &session.store);
        let (variant, _) = series.variant_or_nearest(host, store, source)?;
        let shell = std::env::var("SHELL").ok().filter(|s| !s.is_empty());
        let shell = shell.as_deref().unwrap_or("sh");
        let resolved = series::resolve(host, store, source, variant, kernel, &series.name, shell)?;
        if resolved.changed.is_empty() {
            let text = format!(
                "{} applies to linux {}: there is nothing to resolve",
                series.name, source.version
            );
            session.print(&text, &json!({"series": series.name, "changed": resolved.changed}))?;
            return Ok(ExitKind::Pass);
        }
        let line = source.version.line().to_string();
        let kernels = match self.kernels {
            Some(kernels) => kernels,
            None => line.parse().map_err(|e| Diagnosis::infra(format!("{e}")))?,
        };
        let like = Some(variant).filter(|v| v.on.is_some());
        let _lock = session.lock_patches()?;
        let directory = series::replace_variant(series, kernels, &resolved.files, like)?;
        let changed: Vec<_> = resolved.changed.iter().map(ToString::to_string).collect();
        let text = format!(
            "resolved patches {}; the variant for {kernels} is in {}",
            changed.join(", "),
            directory.display()
        );
        let value = json!({
            "series": series.name, "kernels": kernels, "directory": directory,
            "changed": resolved.changed,
        });
        session.print(&text, &value)?;
        Ok(ExitKind::Pass)
    }
}
