// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results for `KCIDB`, the database of kernel CI systems: schema 5.0. Pure.
//!
//! A status says how the tested code is, whatever was expected of it: a fault that fails as it must
//! has `FAIL`, and how it stands in its matrix is in `misc`. What is not known is left out.
//! `kcidb.schema.json` beside this room says what is written.

mod checkout;
mod record;
mod test;

use std::collections::BTreeMap;

pub use record::Submission;
use record::{Build, Checkout, Version};

use super::Shown;
use crate::diagnosis::Diagnosis;
use crate::store::Key;

/// The longest `log_excerpt`, in characters.
const EXCERPT: usize = 16384;

/// The name of a CI system, which all of its identifiers begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(String);

impl Origin {
    /// Takes lower-case letters, digits and `_`, as the schema does.
    pub fn new(name: &str) -> Result<Self, Diagnosis> {
        let good = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        if name.is_empty() || !name.bytes().all(good) {
            return Err(Diagnosis::usage(format!("--origin {name:?} cannot be used"))
                .next("give lower-case letters, digits and `_`"));
        }
        Ok(Self(name.to_owned()))
    }

    fn id(&self, rest: &str) -> String {
        format!("{}:{}", self.0, words(rest))
    }
}

/// All cells. Those that share a tree share a checkout, those that share a kernel a build.
pub fn kcidb(shown: &[Shown], origin: &Origin) -> Submission {
    let mut checkouts: BTreeMap<String, Checkout> = BTreeMap::new();
    let mut builds: BTreeMap<String, Build> = BTreeMap::new();
    let mut submission =
        Submission { version: Version { major: 5, minor: 0 }, ..Submission::default() };
    for one in shown {
        let checkout = checkout::checkout(one, origin);
        let build = checkout::build(one, origin, &checkout.id);
        test::tests(one, origin, &build.id, &mut submission);
        checkouts.entry(checkout.id.clone()).or_insert(checkout);
        // The cell that really built it knows how long it took.
        let known = builds.get(&build.id).is_some_and(|b| b.duration.is_some());
        if !known {
            builds.insert(build.id.clone(), build);
        }
    }
    submission.checkouts = checkouts.into_values().collect();
    submission.builds = builds.into_values().collect();
    submission
}

/// What tells this cell from any other that was ever run.
fn own_key(one: &Shown) -> Key {
    Key::of("kcidb")
        .with("run", &one.run)
        .with("cell", super::cell_name(one))
        .with("started", one.result.started.to_string())
        .finish()
}

/// Text as the schema takes it: without NUL.
fn words(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// The beginning of a log, which says what is wrong, within the schema's limit.
fn excerpt(text: &str) -> Option<String> {
    const CUT: &str = "\n[cut: the run's own files have the rest]";
    let text = words(text.trim_end());
    if text.is_empty() {
        return None;
    }
    if text.chars().count() <= EXCERPT {
        return Some(text);
    }
    let kept = text.chars().take(EXCERPT - CUT.chars().count());
    Some(kept.chain(CUT.chars()).collect())
}

fn seconds(ms: u64) -> f64 {
    std::time::Duration::from_millis(ms).as_secs_f64()
}

#[cfg(test)]
mod tests;
