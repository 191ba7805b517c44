// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was tested: a tree with a series, and the kernel that was made of it.

use serde_json::{Map, Value, json};

use super::record::{Build, Checkout, Status};
use super::{Origin, excerpt, own_key, seconds, words};
use crate::report::Shown;
use crate::store::Key;
use crate::verdict::{RunResult, StepResult, Verdict};

/// The only architecture there is a QEMU and a toolchain for.
const ARCHITECTURE: &str = "x86_64";

fn step<'r>(result: &'r RunResult, name: &str) -> Option<&'r StepResult> {
    result.steps.iter().find(|s| s.name == name)
}

/// The tree with its patches. A tree that could not be had is a checkout of its own, of which
/// nothing is said but that.
pub fn checkout(one: &Shown, origin: &Origin) -> Checkout {
    let (result, series) = (&one.result, &one.result.series);
    let applied = step(result, "series").filter(|s| !s.key.is_empty());
    let key = match (&result.kernel, applied) {
        (Some(kernel), Some(step)) => {
            Key::of("kcidb-checkout").with("kernel", &kernel.sha).with("tree", &step.key).finish()
        }
        _ => own_key(one),
    };
    let kernel = match &result.kernel {
        Some(kernel) => format!("linux {} ({})", kernel.version, kernel.source),
        None => "a kernel that could not be had, or was not looked for".to_owned(),
    };
    let patches = match (series.name.as_str(), applied) {
        ("none", _) => "no series".to_owned(),
        (name, None) => format!("series {name}"),
        (name, Some(_)) => {
            let all = series.applied.len() + series.not_applied.len();
            format!("series {name}, {} of {all} patches", series.applied.len())
        }
    };
    let refused = result.kernel.is_some() && applied.is_none() && result.verdict == Verdict::Fail;
    let valid = if refused { Some(false) } else { applied.map(|_| true) };
    let mut misc = Map::new();
    if let Some(kernel) = &result.kernel {
        misc.insert("version".into(), json!(kernel.version.to_string()));
        misc.insert("source".into(), json!(kernel.source));
        misc.insert("sha".into(), json!(kernel.sha));
    }
    misc.insert("series".into(), json!(series));
    Checkout {
        id: origin.id(&key.to_string()),
        origin: origin.0.clone(),
        git_commit_hash: git_commit(result),
        // Of other series only the names of the patches are known, not their hashes.
        patchset_hash: (series.name == "none" && applied.is_some()).then_some(""),
        comment: words(&format!("{kernel}, {patches}")),
        start_time: result.started.to_string(),
        log_excerpt: if refused { excerpt(&result.details.join("\n")) } else { None },
        valid,
        misc,
    }
}

/// The commit, if the tree is one of a git repository: archives have none, and that of a directory
/// is in our own object store only.
fn git_commit(result: &RunResult) -> Option<String> {
    let kernel = result.kernel.as_ref()?;
    let is_commit = kernel.sha.len() == 40
        && kernel.sha.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        && !kernel.source.starts_with("directory ");
    is_commit.then(|| kernel.sha.clone())
}

/// The kernel that was built, or should have been.
pub fn build(one: &Shown, origin: &Origin, checkout_id: &str) -> Build {
    let result = &one.result;
    let built = step(result, "build").filter(|s| !s.key.is_empty());
    let key = built.map_or_else(|| own_key(one).to_string(), |step| step.key.clone());
    let applied = step(result, "series").is_some();
    let failed = applied && built.is_none() && result.verdict == Verdict::Fail;
    let status = match built {
        Some(_) => Some(Status::Pass),
        None if failed => Some(Status::Fail),
        None if applied && result.verdict == Verdict::Infra => Some(Status::Miss),
        None => None,
    };
    let mut misc: Map<String, Value> = Map::new();
    misc.insert("config".into(), json!(result.config));
    if let Some(toolchain) = &result.toolchain {
        misc.insert("ld".into(), json!(toolchain.ld));
        misc.insert("make".into(), json!(toolchain.make));
        if let Some(rust) = &toolchain.rust {
            misc.insert("rustc".into(), json!(rust.rustc_version));
            misc.insert("bindgen".into(), json!(rust.bindgen_version));
        }
    }
    Build {
        checkout_id: checkout_id.to_owned(),
        id: origin.id(&key),
        origin: origin.0.clone(),
        duration: built.filter(|s| !s.cached).map(|s| seconds(s.ms)),
        architecture: ARCHITECTURE,
        compiler: result.toolchain.as_ref().map(|t| words(&t.cc)),
        log_excerpt: if failed { excerpt(&result.details.join("\n")) } else { None },
        status,
        misc,
    }
}
