// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask report`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Format, Session, to_stdout};
use crate::diagnosis::{Diagnosis, ExitKind, on_path};
use crate::matrix::{self, Record};
use crate::report::{self, Shown};
use crate::store::{RunDir, write_atomic};
use crate::verdict::RunResult;

/// Show results.
#[derive(Debug, Args)]
pub struct Report {
    /// Run directories, names of runs, or `last`
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<String>,
    /// Name of this CI system in KCIDB: lower-case letters, digits and `_`  [default: xtask]
    #[arg(long, value_name = "NAME")]
    origin: Option<String>,
    /// Write to a file, not to standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Report {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        if self.origin.is_some() && session.format != Format::Kcidb {
            return Err(Diagnosis::usage("--origin goes with --format kcidb"));
        }
        let origin = report::Origin::new(self.origin.as_deref().unwrap_or("xtask"))?;
        let mut shown: Vec<Shown> = Vec::new();
        for name in &self.runs {
            let run = session.store.find_run(name)?;
            if let Some(mut record) = Record::load(&run)? {
                let results = record.results(&run);
                record.judge(&results);
                shown.extend(cells_of(&record, results, &run));
                continue;
            }
            let path = run.file("result.json");
            let text = std::fs::read(&path).map_err(|e| {
                Diagnosis::new(ExitKind::Incomplete, format!("{}: {e}", path.display()))
            })?;
            let result: RunResult = serde_json::from_slice(&text).map_err(|e| {
                Diagnosis::new(ExitKind::Incomplete, format!("{}: {e}", path.display()))
            })?;
            let name = run.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
            let directory = run.path().to_owned();
            shown.push(Shown { run: name, directory, result, standing: None });
        }
        let document = match session.format {
            Format::Text | Format::Github | Format::Gitlab => match shown.as_slice() {
                [only] => report::summary(&only.result, &only.directory),
                _ => report::table(&shown),
            },
            Format::Json => match shown.as_slice() {
                [only] => session.document("", &only.result)?,
                all => session.document("", &all.iter().map(|s| &s.result).collect::<Vec<_>>())?,
            },
            Format::Md => report::markdown(&shown),
            Format::Junit => report::junit(&shown)?,
            Format::Kcidb => session.document("", &report::kcidb(&shown, &origin))?,
            Format::Ktap => report::ktap(&shown),
            Format::Html => {
                let history = report::history(&session.store.root().join("runs"));
                report::html(&report::page_cells(shown), &history)
            }
        };
        self.deliver(session, &document)?;
        Ok(ExitKind::Pass)
    }

    /// Writes to where the user wants it.
    fn deliver(&self, session: &Session, document: &str) -> Result<(), Diagnosis> {
        let document = document.trim_end();
        let Some(path) = &self.output else {
            to_stdout(document);
            return Ok(());
        };
        let path = place(path)?;
        if session.dry_run {
            session.host.progress.note(&format!("would write {}", path.display()));
            return Ok(());
        }
        write_atomic(&path, format!("{document}\n").as_bytes())
    }
}

/// Where to write. Writing in one step puts a new file there: that must not hit a device, and not the
/// link that leads to a file.
fn place(path: &Path) -> Result<PathBuf, Diagnosis> {
    let refuse = |why: &str| {
        Err(Diagnosis::usage(format!("cannot write to {}: {why}", path.display()))
            .next("name a file in a directory that is there"))
    };
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !parent.is_dir() {
        return refuse("there is no such directory");
    }
    match std::fs::metadata(path) {
        Ok(data) if data.is_file() => {
            std::fs::canonicalize(path).map_err(|e| on_path("use", path, &e))
        }
        Ok(_) => refuse("it is no file"),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => match path.file_name() {
            Some(name) => Ok(parent.join(name)),
            None => refuse("it names no file"),
        },
        Err(e) => Err(on_path("use", path, &e)),
    }
}

/// The cells of a matrix that was judged by these results, as reports show them: each that was
/// planned, with or without a result.
pub fn cells_of(record: &Record, results: Vec<Option<RunResult>>, run: &RunDir) -> Vec<Shown> {
    record
        .cells
        .iter()
        .zip(results)
        .map(|(known, result)| Shown {
            run: known.cell.id.clone(),
            directory: matrix::directory(run, &known.cell),
            result: result.unwrap_or_else(|| matrix::not_run(&known.cell)),
            standing: Some(known.standing.clone()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_are_written_to() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("old"), "").unwrap();
        std::os::unix::fs::symlink(at("old"), at("link")).unwrap();
        assert_eq!(place(&at("new")).unwrap(), at("new"));
        assert_eq!(place(&at("old")).unwrap(), at("old").canonicalize().unwrap());
        assert_eq!(place(&at("link")).unwrap(), at("old").canonicalize().unwrap());
        assert_eq!(place(Path::new("new.html")).unwrap(), Path::new("./new.html"));
        for bad in [at("missing/new"), at("."), at(".."), "/dev/null".into(), "".into()] {
            let error = place(&bad).unwrap_err();
            assert_eq!(error.exit, ExitKind::Usage, "{}: {error}", bad.display());
        }
    }
}
