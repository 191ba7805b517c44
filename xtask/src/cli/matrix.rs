// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask matrix`: many cells.

use std::fmt::Write as _;

use clap::Args;

use super::{Format, Session, setup};
use crate::cell::{self, Request};
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::host::quote;
use crate::matrix::{
    self, Cell, Definition, Plan, Record, Runner, Selection, Selector, Shard, View, needed_mib,
    to_do,
};
use crate::series::{Kind, Series};
use crate::store::{Key, RunDir};
use crate::verdict::RunResult;

/// Plan and run every cell of matrix.yaml: kernels × series × configurations × subjects.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Matrix {
    /// Only cells that fit: 'kernel=6.1.. & subject=c', 'role!=fault', '6.1-*'
    #[arg(long, value_name = "EXPR")]
    only: Option<Selector>,
    /// Without cells that fit
    #[arg(long, value_name = "EXPR")]
    exclude: Option<Selector>,
    /// The I-th of N parts; a kernel's cells stay together, and every machine deals them out alike
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Cores to use [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Begin nothing more after a cell that is not as expected
    #[arg(long)]
    fail_fast: bool,
    /// Go on with a matrix that was stopped: cells without a result, and those of which the machine
    /// or the tool failed [default: the last one]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "last",
          conflicts_with_all = ["only", "exclude", "shard", "duration", "list"])]
    resume: Option<String>,
    /// How long each test calls and modifies, in all cells
    #[arg(long, value_name = "TIME", value_parser = cell::duration_ms)]
    duration: Option<u64>,
    /// Disk space that is kept free, in GiB
    #[arg(long, value_name = "GIB", default_value_t = 2)]
    keep_free: u64,
    /// Show the cells, and run nothing; with --format github or gitlab, as jobs of a CI system
    #[arg(long)]
    list: bool,
    /// With --list: into so many jobs [default: one for each kernel and configuration]
    #[arg(long, value_name = "N", requires = "list", value_parser = clap::value_parser!(u16).range(1..=256))]
    shards: Option<u16>,
    /// Install what the host lacks first
    #[arg(long)]
    setup: bool,
    /// Let setup use sudo and replace packages
    #[arg(long)]
    yes: bool,
}

impl Matrix {
    /// Whether it only lists cells.
    pub fn lists(&self) -> bool {
        self.list
    }

    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        let resumed = self.resume.as_deref().map(|name| find(session, name)).transpose()?;
        let selection = match &resumed {
            Some((_, record)) => record.selection.clone(),
            None => self.selection(),
        };
        let whole = plan(session, selection.duration_ms)?;
        let cells = select(&whole.cells, &selection)?;
        if self.list || session.dry_run {
            return self.show(session, &cells, &whole.notes);
        }
        if cells.is_empty() && selection.shard.is_none() {
            return Err(Diagnosis::usage("no cell of the matrix fits")
                .next("`cargo xtask matrix --list` shows them all"));
        }
        if self.setup {
            setup::install(session, self.yes)?;
        }
        let kernels = session.workspace.matrix()?;
        let requests = cells
            .iter()
            .map(|cell| matrix::request(&session.workspace, &kernels, cell))
            .collect::<Result<Vec<_>, _>>()?;
        let inputs = inputs(session)?;
        let (run, mut record) = if let Some((run, record)) = resumed {
            let same =
                record.inputs == inputs && record.cells.iter().map(|c| &c.cell).eq(cells.iter());
            if !same {
                return Err(Diagnosis::usage(format!(
                        "{} cannot be resumed: matrix.yaml, patches, configurations or tests have changed since",
                        run.path().display()
                    ))
                    .next("run the matrix anew: what is built already is used"));
            }
            (run, Record { resumed: record.resumed + 1, ended: None, ..record })
        } else {
            let run = session.store.new_run("matrix")?;
            let record = Record::new(cells, inputs, selection.clone(), reproduce(&selection));
            (run, record)
        };
        let name = run.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let _lock = session.store.lock(&session.host, &format!("run-{name}"))?;
        let results = record.results(&run);
        record.save(&run)?;
        let outcome = self.go(session, &run, &mut record, &requests, results);
        let results = record.results(&run);
        let exit = record.judge(&results);
        match session.format {
            Format::Json => session.print("", &record)?,
            _ => session.print(&table(&record, results, &run), &())?,
        }
        if outcome.is_err() || exit == ExitKind::Incomplete {
            let words = format!("go on with: cargo xtask matrix --resume {}", quote(&name));
            session.host.progress.note(&words);
        }
        outcome
    }

    fn selection(&self) -> Selection {
        Selection {
            only: self.only.as_ref().map(|s| s.text.clone()),
            exclude: self.exclude.as_ref().map(|s| s.text.clone()),
            shard: self.shard.map(|shard| shard.to_string()),
            duration_ms: self.duration,
        }
    }

    fn go(
        &self,
        session: &Session,
        run: &RunDir,
        record: &mut Record,
        requests: &[Request],
        results: Vec<Option<RunResult>>,
    ) -> Result<ExitKind, Diagnosis> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let todo = results.iter().filter(|r| to_do(r.as_ref())).count();
        let view =
            View::detect(session.host.progress.is_hidden(), results.len(), results.len() - todo);
        let runner = Runner {
            host: &session.host,
            store: &session.store,
            workspace: &session.workspace,
            view: &view,
            run,
            jobs: self.jobs.map_or(cores, usize::from),
            fail_fast: self.fail_fast,
            keep_mib: self.keep_free << 10,
        };
        let chains = matrix::chains_to_do(record, &results);
        view.say(&format!(
            "matrix   {}: {} cells, {todo} to do",
            run.path().display(),
            results.len()
        ));
        for chain in &chains {
            let levels: Vec<_> = chain
                .builds
                .iter()
                .map(|build| format!("{} ({})", build.patches.label(), build.cells.len()))
                .collect();
            view.say(&format!("         linux {}: {}", chain.kernel, levels.join(", ")));
        }
        let built = |chain: &matrix::Chain| {
            let first = chain.builds.first().and_then(|b| b.cells.first());
            first.is_some_and(|&at| has_build(session, &requests[at]))
        };
        matrix::check_space(
            session.store.root(),
            needed_mib(&chains, built),
            self.keep_free << 10,
        )?;
        runner.run(record, requests, results, &chains)
    }

    fn show(
        &self,
        session: &Session,
        cells: &[Cell],
        notes: &[String],
    ) -> Result<ExitKind, Diagnosis> {
        let jobs = matrix::jobs(cells, self.shards.map(usize::from));
        match session.format {
            Format::Github => session.print(&matrix::github(&jobs), &())?,
            Format::Gitlab => session.print(&matrix::gitlab(&jobs), &())?,
            _ => {
                let value = serde_json::json!({"cells": cells, "jobs": jobs, "notes": notes});
                session.print(&matrix::text(cells, notes), &value)?;
            }
        }
        Ok(ExitKind::Pass)
    }
}

/// Whether a kernel's tree is there: then most of the space is taken already.
fn has_build(session: &Session, request: &Request) -> bool {
    let (host, store) = (&session.host, &session.store);
    let source = crate::tree::resolve(host, store, &request.kernel, true).ok().flatten();
    source.is_some_and(|s| store.root().join("trees").join(&s.id).join("src/Makefile").is_file())
}

fn find(session: &Session, name: &str) -> Result<(RunDir, Record), Diagnosis> {
    let run =
        if name == "last" { session.store.last_matrix()? } else { session.store.find_run(name)? };
    match Record::load(&run)? {
        Some(record) => Ok((run, record)),
        None => Err(Diagnosis::usage(format!("{} is no matrix", run.path().display()))),
    }
}

/// The whole plan.
fn plan(session: &Session, duration_ms: Option<u64>) -> Result<Plan, Diagnosis> {
    let definition = Definition::load(&session.workspace.root().join("matrix.yaml"))?;
    let kernels: Vec<_> = session.workspace.matrix()?.kernels.iter().map(|k| k.name).collect();
    let patches = session.workspace.patches();
    let mut series: Vec<Series> = Vec::new();
    for entry in &definition.cells {
        let named = entry.series.iter().map(|name| (name, Kind::Series));
        for (name, kind) in named.chain(entry.fault.iter().map(|name| (name, Kind::Fault))) {
            if name != "none" && !series.iter().any(|s| s.name == *name && s.kind == kind) {
                series.push(Series::load(&patches, name, kind)?);
            }
        }
    }
    let mut plan = matrix::plan(&definition, &kernels, &series)?;
    for cell in &mut plan.cells {
        cell.duration_ms = duration_ms.unwrap_or(cell.duration_ms);
    }
    Ok(plan)
}

fn select(cells: &[Cell], selection: &Selection) -> Result<Vec<Cell>, Diagnosis> {
    let parse =
        |text: &String| text.parse::<Selector>().map_err(|e| Diagnosis::usage(e.to_string()));
    let only = selection.only.as_ref().map(parse).transpose()?;
    let exclude = selection.exclude.as_ref().map(parse).transpose()?;
    let shard = selection.shard.as_ref().map(|s| s.parse::<Shard>()).transpose();
    let shard = shard.map_err(Diagnosis::usage)?;
    // Dealt out before anything is filtered: what a shard has depends on matrix.yaml alone.
    let shards = matrix::deal(cells, shard.map_or(1, |s| s.count));
    let meant = |cell: &Cell, of: usize| {
        only.as_ref().is_none_or(|f| f.has(cell))
            && !exclude.as_ref().is_some_and(|f| f.has(cell))
            && shard.is_none_or(|s| s.index == of)
    };
    Ok(cells.iter().zip(shards).filter(|(c, of)| meant(c, *of)).map(|(c, _)| c.clone()).collect())
}

/// Of everything in the checkout that cells are made from.
fn inputs(session: &Session) -> Result<Key, Diagnosis> {
    let root = session.workspace.root();
    let mut key = Key::of("matrix");
    for part in ["matrix.yaml", "patches", "kconfigs", "selftests", "vm-images"] {
        key = key.with_files(root, &root.join(part))?;
    }
    Ok(key.finish())
}

fn reproduce(selection: &Selection) -> String {
    let mut line = "cargo xtask matrix".to_owned();
    let duration = selection.duration_ms.map(|ms| format!("{ms}ms"));
    let flags = [
        ("only", &selection.only),
        ("exclude", &selection.exclude),
        ("shard", &selection.shard),
        ("duration", &duration),
    ];
    for (flag, value) in flags {
        if let Some(value) = value {
            let _ = write!(line, " --{flag} {}", quote(value));
        }
    }
    line
}

fn table(record: &Record, results: Vec<Option<RunResult>>, run: &RunDir) -> String {
    let shown = super::report::cells_of(record, results, run);
    let mut text = crate::report::table(&shown);
    let _ = write!(
        text,
        "\n{}\nreport: cargo xtask report {}",
        record.conclusion,
        run.path().display()
    );
    text
}
