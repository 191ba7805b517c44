// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads what the HTML page needs beside the results: consoles and past runs.

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use super::{History, Log, PageCell, Shown, cut};
use crate::verdict::RunResult;

/// Past runs that are read, the newest first. A matrix is one run.
const RUNS: usize = 50;

/// Cells with the parts of their consoles that a reader wants.
pub fn page_cells(shown: Vec<Shown>) -> Vec<PageCell> {
    shown.into_iter().map(|shown| PageCell { log: log(&shown), shown }).collect()
}

fn log(shown: &Shown) -> Log {
    let path = shown.directory.join("console.log");
    let parts =
        File::open(&path).and_then(|file| cut(&mut BufReader::new(file), &shown.result.findings));
    match parts {
        Ok(parts) => Log::Parts(parts),
        Err(e) if e.kind() == ErrorKind::NotFound => Log::Missing("no such file".into()),
        Err(e) => Log::Missing(e.to_string()),
    }
}

/// The results of the newest runs below a directory of runs. One that cannot be read is counted: a
/// run that was killed, or a full disk, must not keep anybody from reading the others.
pub fn history(runs: &Path) -> History {
    let mut history = History::default();
    let mut all = directories(runs);
    // Names begin with the time.
    all.sort_by(|a, b| b.file_name().cmp(&a.file_name()));
    for run in all.into_iter().take(RUNS) {
        let cells = directories(&run.join("cells"));
        for path in std::iter::once(run).chain(cells).map(|d| d.join("result.json")) {
            match std::fs::read(&path) {
                Ok(text) => match serde_json::from_slice::<RunResult>(&text) {
                    Ok(result) => history.add(&result),
                    Err(_) => history.damaged += 1,
                },
                // A matrix has none of its own, and a run that has just begun has none yet.
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(_) => history.damaged += 1,
            }
        }
    }
    history
}

fn directories(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).map(|entries| entries.flatten().collect());
    let entries: Vec<std::fs::DirEntry> = entries.unwrap_or_default();
    entries.into_iter().map(|e| e.path()).filter(|p| p.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;
    use crate::store::write_json;

    /// Puts a result of the sample's first cell there, begun `minutes` later.
    fn put(directory: &Path, minutes: i64) -> RunResult {
        let mut result = sample().remove(0).result;
        result.started += jiff::SignedDuration::from_mins(minutes);
        std::fs::create_dir_all(directory).unwrap();
        write_json(&directory.join("result.json"), &result).unwrap();
        result
    }

    #[test]
    fn single_runs_and_cells_of_a_matrix_are_read_and_damage_is_counted() {
        let home = tempfile::tempdir().unwrap();
        let runs = home.path().join("runs");
        put(&runs.join("20261201-000000-a"), 1);
        put(&runs.join("20261202-000000-matrix/cells/6.1-none-c"), 2);
        std::fs::create_dir_all(runs.join("20261203-000000-begun")).unwrap();
        std::fs::write(runs.join("a-file"), "").unwrap();
        let cut_off = runs.join("20261202-000000-matrix/cells/cut-off");
        std::fs::create_dir_all(&cut_off).unwrap();
        std::fs::write(cut_off.join("result.json"), "{\"schema\": 1, \"verd").unwrap();
        std::fs::create_dir_all(runs.join("20261204-000000-b/result.json")).unwrap();
        let history = history(&runs);
        assert_eq!(history.damaged, 2);
        assert_eq!(history.with(&sample()[0].result).len(), 3);
    }

    #[test]
    fn only_the_newest_runs_are_read() {
        let home = tempfile::tempdir().unwrap();
        for n in 0..60 {
            put(&home.path().join(format!("20261201-0000{n:02}-a")), 100 + n);
        }
        let of = sample().remove(0).result;
        let past = history(home.path()).with(&of);
        assert_eq!(past.len(), RUNS + 1);
        let oldest = (past[1].started - of.started).total(jiff::Unit::Minute).unwrap();
        assert!((oldest - 110.0).abs() < 0.1, "{oldest}");
        assert_eq!(history(&home.path().join("none")).with(&of).len(), 1);
    }

    #[test]
    fn a_log_is_cut_and_a_missing_one_is_said() {
        let directory = tempfile::tempdir().unwrap();
        let mut shown = sample().remove(1);
        shown.directory = directory.path().to_owned();
        assert_eq!(log(&shown), Log::Missing("no such file".into()));
        std::fs::write(directory.path().join("console.log"), "one\ntwo\n").unwrap();
        let Log::Parts(parts) = log(&shown) else { panic!("the log is there") };
        assert_eq!(parts[0].lines, ["one", "two"]);
    }
}
