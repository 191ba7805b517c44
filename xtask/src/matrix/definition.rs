// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of `matrix.yaml` that says which cells there are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::cell::{Subject, duration_ms};
use crate::diagnosis::{Diagnosis, on_path, on_yaml};
use crate::series::{Expect, KernelRange};

/// The configuration of an entry that names none.
pub const STANDARD: &str = "standard";

/// Which cells there are.
#[derive(Debug, Clone)]
pub struct Definition {
    /// What the cells run, where an entry says nothing else.
    pub stress: Stress,
    /// The subjects, in order.
    pub subjects: Vec<SubjectEntry>,
    /// Configurations by name: fragments over the standard ones.
    pub configs: BTreeMap<String, Vec<PathBuf>>,
    /// Rows of the matrix.
    pub cells: Vec<Entry>,
}

/// What a cell runs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stress {
    /// The suite.
    pub suite: String,
    /// How long each of its tests runs.
    pub duration: Duration,
}

/// A time, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Duration(pub u64);

impl TryFrom<String> for Duration {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        duration_ms(&text).map(Self)
    }
}

/// A subject, and where it can be had.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectEntry {
    /// Which.
    pub name: Subject,
    /// The kernels that can have it; all, if nothing is said.
    #[serde(default)]
    pub kernels: KernelRange,
    /// Why the others cannot.
    #[serde(default)]
    pub otherwise: Option<String>,
}

/// A row: a series or a fault, on the kernels that it is made for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// A series, or `none`.
    #[serde(default)]
    pub series: Option<String>,
    /// Or a fault.
    #[serde(default)]
    pub fault: Option<String>,
    /// Only its first patches.
    #[serde(default)]
    pub upto: Option<usize>,
    /// Only on these kernels.
    #[serde(default)]
    pub kernels: KernelRange,
    /// Only with these subjects.
    #[serde(default)]
    pub subjects: Option<Vec<Subject>>,
    /// With this configuration.
    #[serde(default)]
    pub config: Option<String>,
    /// What the cells must report; else what `series.yaml` says.
    #[serde(default)]
    pub expect: Option<Expect>,
    /// Other stress than that of the matrix.
    #[serde(default)]
    pub stress: Option<Stress>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "kernels")]
    _kernels: IgnoredAny,
    stress: Stress,
    subjects: Vec<SubjectEntry>,
    #[serde(default)]
    configs: BTreeMap<String, Vec<PathBuf>>,
    cells: Vec<Entry>,
}

impl Definition {
    /// Reads `matrix.yaml`.
    pub fn load(path: &Path) -> Result<Self, Diagnosis> {
        let text = std::fs::read_to_string(path).map_err(|e| on_path("read", path, &e))?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Understands its text.
    pub fn parse(file: &str, text: &str) -> Result<Self, Diagnosis> {
        let read: File = serde_yaml::from_str(text).map_err(|why| on_yaml(file, &why))?;
        let wrong = |nth: usize, why: String| {
            Err(Diagnosis::usage(format!("{file}: entry {} of cells: {why}", nth + 1)))
        };
        for (nth, entry) in read.cells.iter().enumerate() {
            if entry.series.is_some() == entry.fault.is_some() {
                return wrong(nth, "it names exactly one of `series` and `fault`".into());
            }
            if entry.upto.is_some() && entry.series.as_deref().is_none_or(|s| s == "none") {
                return wrong(nth, "`upto` goes with a series".into());
            }
            if let Some(config) = &entry.config
                && config != STANDARD
                && !read.configs.contains_key(config)
            {
                return wrong(nth, format!("there is no config {config:?} under `configs`"));
            }
            for subject in entry.subjects.iter().flatten() {
                if !read.subjects.iter().any(|known| known.name == *subject) {
                    return wrong(nth, format!("{} is not among `subjects`", subject.name()));
                }
            }
        }
        for subject in &read.subjects {
            if subject.kernels != KernelRange::default() && subject.otherwise.is_none() {
                return Err(Diagnosis::usage(format!(
                    "{file}: subject {}: `otherwise` says why not all kernels have it",
                    subject.name.name()
                )));
            }
        }
        Ok(Self {
            stress: read.stress,
            subjects: read.subjects,
            configs: read.configs,
            cells: read.cells,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "kernels: []\nstress: {suite: direct, duration: 5s}\nsubjects:\n- name: c\n- name: \
                        rust\n  kernels: 6.12..\n  otherwise: why\ncells:\n- series: none\n- fault: f\n";

    #[test]
    fn mistakes_are_named() {
        let good = Definition::parse("m", GOOD).unwrap();
        assert_eq!((good.stress.duration.0, good.cells.len()), (5000, 2));
        let cases = [
            ("- fault: f", "- fault: f\n  series: x", "exactly one"),
            ("- fault: f", "- kernels: '6.1'", "exactly one"),
            ("- series: none", "- series: none\n  upto: 1", "goes with a series"),
            ("- fault: f", "- fault: f\n  config: kasan", "no config \"kasan\""),
            ("- name: c\n", "", "exactly one|not among"),
            ("  otherwise: why\n", "", "says why not"),
            ("5s", "5h", "10s, 500ms or 2m"),
            ("cells:", "cell:", "unknown field"),
            ("- fault: f", "- fault: f\n  expects: {}", "unknown field"),
        ];
        for (from, to, want) in cases {
            let text =
                GOOD.replace(from, to).replace("- fault: f\n", "- fault: f\n  subjects: [c]\n");
            let error = Definition::parse("m", &text).unwrap_err().to_string();
            assert!(want.split('|').any(|w| error.contains(w)), "{to}: {error}");
        }
    }
}
