// SPDX-License-Identifier: MIT OR Apache-2.0
//! `selftests/suites/*.yaml`: which stress loops are run.

use std::path::Path;

use serde::Deserialize;
use wire::{Job, ModuleSpec, StressSpec, Task};

use super::Subject;
use crate::build::DirectApi;
use crate::diagnosis::{Diagnosis, on_path, on_yaml};

/// How long the guest is watched after the last test, in milliseconds.
const SETTLE_MS: u64 = 1000;

/// Time between heartbeats, in milliseconds.
const HEARTBEAT_MS: u64 = 500;

/// A suite.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// What it does, in a sentence.
    pub description: String,
    /// Its tests, in order.
    pub tests: Vec<Test>,
}

/// A stress loop.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Test {
    /// Its name, unique in the suite.
    pub name: String,
    /// Threads that call.
    pub workers: u32,
    /// Functions that are attached.
    pub targets: u32,
    /// The same for trees whose API takes one function at a time.
    pub targets_of_single_api: Option<u32>,
}

/// How the stress loops are to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loops<'a> {
    /// How long each runs, in milliseconds.
    pub duration_ms: u64,
    /// Seed of everything random in them.
    pub seed: u64,
    /// How the subject misbehaves.
    pub sabotage: Option<&'a str>,
}

impl Suite {
    /// Reads a suite by name.
    pub fn load(directory: &Path, name: &str) -> Result<Self, Diagnosis> {
        let path = directory.join(format!("{name}.yaml"));
        if name.is_empty() || name.contains('/') || !path.is_file() {
            let mut known: Vec<_> = std::fs::read_dir(directory)
                .into_iter()
                .flatten()
                .flatten()
                .filter_map(|e| Some(e.file_name().to_str()?.strip_suffix(".yaml")?.to_owned()))
                .collect();
            known.sort();
            return Err(Diagnosis::usage(format!("unknown suite {name:?}"))
                .detail(format!("known: {}", known.join(", ")))
                .next("give one of these with --suite"));
        }
        let text = std::fs::read_to_string(&path).map_err(|e| on_path("read", &path, &e))?;
        let suite: Self =
            serde_yaml::from_str(&text).map_err(|why| on_yaml(path.display(), &why))?;
        if suite.tests.is_empty() {
            return Err(Diagnosis::usage(format!("{}: it has no tests", path.display())));
        }
        Ok(suite)
    }

    /// Names of the results to expect.
    pub fn test_names(&self) -> Vec<String> {
        self.tests.iter().map(|t| t.name.clone()).collect()
    }

    /// The guest's job.
    pub fn job(&self, subject: Subject, api: DirectApi, loops: &Loops<'_>) -> Job {
        let module = |file: &str, params: String| ModuleSpec { file: file.to_owned(), params };
        let &Loops { duration_ms, seed, sabotage } = loops;
        let params = sabotage.map(|s| format!("sabotage={s}")).unwrap_or_default();
        let tasks = self
            .tests
            .iter()
            .map(|test| {
                let targets = match (api, test.targets_of_single_api) {
                    (DirectApi::Single, Some(targets)) => targets,
                    _ => test.targets,
                };
                Task::Stress(StressSpec {
                    name: test.name.clone(),
                    modules: vec![
                        module("direct_target.ko", String::new()),
                        module(subject.module(), params.clone()),
                    ],
                    duration_ms,
                    workers: test.workers,
                    targets,
                    seed,
                })
            })
            .collect();
        Job { tasks, settle_ms: SETTLE_MS, heartbeat_ms: HEARTBEAT_MS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_suites_are_sound_and_unknown_ones_are_named() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../selftests/suites");
        let suite = Suite::load(&directory, "direct").unwrap();
        let loops = Loops { duration_ms: 1000, seed: 1, sabotage: None };
        let targets = |api| match &suite.job(Subject::C, api, &loops).tasks[0] {
            Task::Stress(spec) => spec.targets,
            other => panic!("{other:?}"),
        };
        assert_eq!((targets(DirectApi::Single), targets(DirectApi::Multi)), (2, 16));
        let error = Suite::load(&directory, "nope").unwrap_err();
        assert_eq!(error.exit.code(), 2);
        assert!(error.to_string().contains("known: direct"), "{error}");
    }
}
