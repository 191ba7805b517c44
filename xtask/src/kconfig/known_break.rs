// SPDX-License-Identifier: MIT OR Apache-2.0
//! `kconfigs/known-breaks.yaml`: trees that do not build in a configuration that they allow.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Fragment, Requests, merge};
use crate::diagnosis::{Diagnosis, on_path, on_yaml};
use crate::series::KernelRange;
use crate::tree::KernelVersion;

/// The table.
#[derive(Debug, Clone, Default)]
pub struct KnownBreaks {
    breaks: Vec<KnownBreak>,
    /// The file, for messages.
    file: String,
}

/// The tree's own break, and what is done about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBreak {
    /// Its name.
    pub id: String,
    /// Trees that have it.
    pub kernels: KernelRange,
    /// Options that must be asked for, as lines of a fragment.
    pub when: Vec<String>,
    /// What goes wrong.
    pub symptom: String,
    /// What is asked for in addition, as lines of a fragment.
    #[serde(default)]
    pub options: Vec<String>,
    /// A series under `patches/` that is applied below any other.
    #[serde(default)]
    pub series: Option<String>,
    /// Why that helps.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    breaks: Vec<KnownBreak>,
}

impl KnownBreaks {
    /// Reads the table.
    pub fn load(path: &Path) -> Result<Self, Diagnosis> {
        let text = std::fs::read_to_string(path).map_err(|e| on_path("read", path, &e))?;
        Self::parse(&path.display().to_string(), &text)
    }

    fn parse(file: &str, text: &str) -> Result<Self, Diagnosis> {
        let read: File = serde_yaml::from_str(text).map_err(|why| on_yaml(file, &why))?;
        let table = Self { breaks: read.breaks, file: file.to_owned() };
        for known in &table.breaks {
            table.fragment(&known.when)?;
            table.fragment(&known.options)?;
            let nothing_done = known.options.is_empty() && known.series.is_none();
            if known.when.is_empty() || nothing_done {
                return Err(Diagnosis::usage(format!(
                    "{file}: {}: `when` names an option, and `options` or `series` what to do",
                    known.id
                )));
            }
        }
        Ok(table)
    }

    fn fragment(&self, lines: &[String]) -> Result<Fragment, Diagnosis> {
        Fragment::parse(&self.file, &lines.join("\n"))
            .map_err(|errors| Diagnosis::from(super::Error::Malformed(errors)))
    }

    /// The requests with every work-around that a kernel needs, and which those are. One that is
    /// nothing but options that are all asked for already is not among them. The caller applies
    /// the series.
    pub fn work_around(
        &self,
        requests: &Requests,
        version: KernelVersion,
    ) -> Result<(Requests, Vec<KnownBreak>), Diagnosis> {
        let mut all = requests.clone();
        let mut applied = Vec::new();
        for known in self.breaks.iter().filter(|b| b.kernels.has(version)) {
            let asked = |fragment: &Fragment, requests: &Requests| {
                fragment.requests.iter().all(|wanted| {
                    requests.get(&wanted.symbol).is_some_and(|r| r.value == wanted.value)
                })
            };
            let options = self.fragment(&known.options)?;
            if asked(&self.fragment(&known.when)?, &all)
                && (known.series.is_some() || !asked(&options, &all))
            {
                all = all.with(&options)?;
                applied.push(known.clone());
            }
        }
        Ok((all, applied))
    }
}

impl Requests {
    /// With those of a further fragment.
    fn with(&self, more: &Fragment) -> Result<Self, Diagnosis> {
        let own = Fragment { file: more.file.clone(), requests: self.iter().cloned().collect() };
        Ok(merge(&[own, more.clone()])?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "breaks:\n- id: x\n  kernels: 7.1..\n  when: [CONFIG_RUST=y, CONFIG_LOCK=y]\n  \
                         symptom: s\n  options: [CONFIG_SYNC_FILE=y]\n  reason: r\n";

    fn requests(text: &str) -> Requests {
        merge(&[Fragment::parse("f", text).unwrap()]).unwrap()
    }

    #[test]
    fn a_break_is_worked_around_where_it_is() {
        let table = KnownBreaks::parse("t", TABLE).unwrap();
        let both = "CONFIG_RUST=y\nCONFIG_LOCK=y";
        let cases = [
            ("7.1.13", both, 1),
            ("7.2", both, 1),
            ("7.0.5", both, 0),
            ("7.1.13", "CONFIG_RUST=y", 0),
            ("7.1.13", "CONFIG_RUST=n\nCONFIG_LOCK=y", 0),
            ("7.1.13", "CONFIG_RUST=y\nCONFIG_LOCK=y\nCONFIG_SYNC_FILE=y", 0),
        ];
        for (version, text, want) in cases {
            let asked = requests(text);
            let (all, applied) = table.work_around(&asked, version.parse().unwrap()).unwrap();
            assert_eq!(applied.len(), want, "{version} {text}");
            assert_eq!(all.len(), asked.len() + want);
            assert!(want == 0 || all.wants("SYNC_FILE"));
        }
        // A user who asks for the opposite is told, not overruled.
        let against = requests("CONFIG_RUST=y\nCONFIG_LOCK=y\nCONFIG_SYNC_FILE=n");
        let error = table.work_around(&against, "7.1".parse().unwrap()).unwrap_err();
        assert!(error.to_string().contains("SYNC_FILE"), "{error}");
    }

    #[test]
    fn a_break_may_be_worked_around_with_patches() {
        let table = TABLE.replace("options: [CONFIG_SYNC_FILE=y]", "series: repair");
        let table = KnownBreaks::parse("t", &table).unwrap();
        let asked = requests("CONFIG_RUST=y\nCONFIG_LOCK=y");
        let (all, applied) = table.work_around(&asked, "7.1".parse().unwrap()).unwrap();
        assert_eq!((all.len(), applied.len()), (asked.len(), 1));
        assert_eq!(applied[0].series.as_deref(), Some("repair"));
    }

    #[test]
    fn a_table_that_says_nothing_is_refused() {
        for (from, to) in
            [("[CONFIG_SYNC_FILE=y]", "[]"), ("CONFIG_LOCK=y", "LOCK"), ("when", "if")]
        {
            let error = KnownBreaks::parse("t", &TABLE.replace(from, to)).unwrap_err();
            assert_eq!(error.exit.code(), 2, "{error}");
        }
    }

    #[test]
    fn the_shipped_table_is_sound() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kconfigs/known-breaks.yaml");
        assert!(!KnownBreaks::load(&path).unwrap().breaks.is_empty());
    }
}
