// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask series export` and `refresh`.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::Session;
use crate::diagnosis::{Diagnosis, ExitKind, on_path};
use crate::series::{self, KernelRange, Series, Style, workbench};
use crate::store::write_atomic;
use crate::tree::{self, KernelVersion};

/// Write a series as mails to send, as git format-patch does
#[derive(Debug, Args)]
pub struct Export {
    /// Its name
    name: String,
    /// The kernel whose variant is exported [default: the first variant's]
    #[arg(long, value_name = "V")]
    kernel: Option<String>,
    /// Directory for the files [default: NAME-V]
    #[arg(short, long, value_name = "DIR", conflicts_with = "mbox")]
    output: Option<PathBuf>,
    /// One mbox, ready for `git send-email`, instead of a directory
    #[arg(long, value_name = "FILE")]
    mbox: Option<PathBuf>,
    /// Write a cover letter from the description
    #[arg(long)]
    cover: bool,
    /// Version to name: [PATCH vN …] [default: the series' own]
    #[arg(long, value_name = "N")]
    version: Option<u32>,
    /// What stands in the brackets instead of PATCH
    #[arg(long, value_name = "TEXT")]
    prefix: Option<String>,
    /// Only the first N patches
    #[arg(long, value_name = "N")]
    upto: Option<usize>,
}

impl Export {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        let (host, store) = (&session.host, &session.store);
        let series = Series::load_any(&session.workspace.patches(), &self.name)?;
        let matrix = session.workspace.matrix()?;
        let kernel = match &self.kernel {
            Some(kernel) => kernel.clone(),
            None => matrix
                .kernels
                .iter()
                .find(|k| series.variants.iter().any(|v| v.fits(k.name)))
                .map(|k| k.name.to_string())
                .ok_or_else(|| {
                    Diagnosis::usage(format!(
                        "no kernel of matrix.yaml has a variant of {}",
                        self.name
                    ))
                    .next("name one: --kernel V")
                })?,
        };
        let spec = matrix.find(&kernel)?;
        let directory = self.output.clone().unwrap_or_else(|| {
            PathBuf::from(format!(
                "{}-{}",
                series.name,
                kernel.rsplit('/').next().unwrap_or(&kernel)
            ))
        });
        let to = self.mbox.as_ref().unwrap_or(&directory);
        if session.dry_run {
            session.print(&format!("would write {}", to.display()), &to)?;
            return Ok(ExitKind::Pass);
        }
        let taken = std::fs::read_dir(&directory).is_ok_and(|mut d| d.next().is_some());
        if self.mbox.is_none() && taken {
            return Err(Diagnosis::usage(format!(
                "{} is there, and not empty",
                directory.display()
            ))
            .next("name another: --output DIR"));
        }
        let source = tree::fetch(host, store, &spec, false)?;
        let variant = series.variant_of(host, store, &source)?;
        let applied = series::apply(host, store, &source, Some(variant), self.upto)?;
        let style = Style {
            version: self.version.or(series.version).filter(|v| *v > 1),
            prefix: self.prefix.clone(),
            cover: self.cover,
        };
        let scratch = tempfile::tempdir()
            .map_err(|e| Diagnosis::infra(format!("cannot create a scratch directory: {e}")))?;
        let exported =
            series::Exported { source: &source, series: &series, variant, applied: &applied };
        let files = series::export(host, store, exported, &style, scratch.path())?;
        let mut mails = Vec::new();
        for file in &files {
            let name = file.file_name().unwrap_or_default().to_owned();
            mails.push((name, std::fs::read(file).map_err(|e| on_path("read", file, &e))?));
        }
        let written = if let Some(mbox) = &self.mbox {
            let all: Vec<u8> =
                mails.into_iter().flat_map(|(_, bytes)| [bytes, b"\n".to_vec()].concat()).collect();
            write_atomic(mbox, &all)?;
            vec![mbox.clone()]
        } else {
            std::fs::create_dir_all(&directory).map_err(|e| on_path("create", &directory, &e))?;
            let mut written = Vec::new();
            for (name, bytes) in mails {
                let path = directory.join(name);
                write_atomic(&path, &bytes)?;
                written.push(path);
            }
            written
        };
        let names: Vec<_> = written.iter().map(|p| p.display().to_string()).collect();
        let value = json!({
            "series": series.name, "kernel": source.version, "variant": variant.label(),
            "files": names,
        });
        session.print(&names.join("\n"), &value)?;
        Ok(ExitKind::Pass)
    }
}

/// Make a variant anew from the commits of a work tree; messages are theirs
#[derive(Debug, Args)]
pub struct Refresh {
    /// Its name
    name: String,
    /// The work tree, only read: one of `series apply --worktree`, or any other with --base
    #[arg(long, value_name = "DIR", default_value = ".")]
    from: PathBuf,
    /// The commit that the patches start from [default: what the work tree remembers]
    #[arg(long, value_name = "COMMIT")]
    base: Option<String>,
    /// The variant, by its kernels; one that is not there is made [default: the one that was applied]
    #[arg(long, value_name = "RANGE")]
    kernels: Option<KernelRange>,
}

impl Refresh {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        let (host, store) = (&session.host, &session.store);
        let series = Series::load_any(&session.workspace.patches(), &self.name)?;
        let about = workbench::about(host, store, &self.from)?;
        if let Some(about) = about.as_ref().filter(|a| a.series != series.name) {
            return Err(Diagnosis::usage(format!(
                "{} was made for {}",
                self.from.display(),
                about.series
            )));
        }
        let base =
            self.base.clone().or(about.as_ref().map(|a| a.base.clone())).ok_or_else(|| {
                Diagnosis::usage(format!(
                    "{} was not made by `series apply --worktree`",
                    self.from.display()
                ))
                .next("say where its patches start: --base COMMIT")
            })?;
        let kernels = match (self.kernels, &about) {
            (Some(kernels), _) => kernels,
            (None, Some(about)) => {
                let version: KernelVersion = about.kernel.parse().map_err(|e| {
                    Diagnosis::usage(format!("{e}")).next("say which variant: --kernels RANGE")
                })?;
                series.variant(version)?.kernels
            }
            (None, None) => match series.variants.as_slice() {
                [one] => one.kernels,
                _ => {
                    return Err(Diagnosis::usage(format!("{} has several variants", series.name))
                        .next("say which one: --kernels RANGE"));
                }
            },
        };
        let files = series::patches_of_tree(host, store, &self.from, &base)?;
        let names: Vec<_> = files.iter().map(|(name, _)| name.clone()).collect();
        if session.dry_run {
            session.print(&format!("would write {}", names.join(", ")), &names)?;
            return Ok(ExitKind::Pass);
        }
        let _lock = session.lock_patches()?;
        let directory = series::replace_variant(&series, kernels, &files, None)?;
        let text =
            format!("{}: {} patches\n{}", directory.display(), names.len(), names.join("\n"));
        let value = json!({"series": series.name, "kernels": kernels, "directory": directory, "files": names});
        session.print(&text, &value)?;
        Ok(ExitKind::Pass)
    }
}
