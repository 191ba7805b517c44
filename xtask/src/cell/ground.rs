// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tree and the requests that a cell starts from, with the tree's own breaks worked around.

use super::Workspace;
use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::kconfig::{KnownBreak, Requests};
use crate::series::{self, Kind, Series};
use crate::store::Store;
use crate::tree::Source;

/// What a cell starts from.
#[derive(Debug)]
pub struct Ground {
    /// The tree; with the patches of work-arounds it is another commit of the same source.
    pub source: Source,
    /// What the configuration must have.
    pub requests: Requests,
    /// The breaks that were worked around.
    pub breaks: Vec<KnownBreak>,
}

/// Works around the known breaks that a tree has with these requests. Patches go on below any
/// series, so that a series is tested on a tree that builds.
pub fn ground(
    host: &Host,
    store: &Store,
    workspace: &Workspace,
    requests: &Requests,
    source: &Source,
) -> Result<Ground, Diagnosis> {
    let (requests, breaks) = workspace.known_breaks()?.work_around(requests, source.version)?;
    let mut source = source.clone();
    for name in breaks.iter().filter_map(|known| known.series.as_deref()) {
        let repair = Series::load(&workspace.patches(), name, Kind::Series)?;
        let variant = repair.variant_of(host, store, &source)?;
        let applied = series::apply(host, store, &source, Some(variant), None).map_err(|why| {
            // The series under test is not to blame, and neither is the kernel: the table is.
            let words = format!("the work-around {name} does not go onto linux {}", source.version);
            Diagnosis::infra(words).detail(why.what).next("correct kconfigs/known-breaks.yaml")
        })?;
        source.commit = applied.commit;
        source.tree = applied.tree;
    }
    Ok(Ground { source, requests, breaks })
}

/// A known break, in a line.
pub fn worked_around(known: &KnownBreak) -> String {
    let options = known.options.iter().map(|option| format!("{option} asked for"));
    let series = known.series.iter().map(|name| format!("patches {name} applied"));
    let done: Vec<_> = options.chain(series).collect();
    format!("{}: {}; without: {}", known.id, done.join(", "), known.symptom)
}
