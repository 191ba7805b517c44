// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is built and run in which order, and how cells are dealt out to shards. Pure.

use std::path::PathBuf;
use std::str::FromStr;

use super::{Cell, Patches};
use crate::cell::Subject;
use crate::tree::KernelVersion;

/// Seconds that the first build of a kernel takes on a small machine: only the order of chains and
/// the size of shards depend on it.
const FIRST_BUILD: u64 = 300;
/// … in addition with Rust.
const RUST: u64 = 200;
/// Seconds that another patch level takes.
const NEXT_LEVEL: u64 = 75;
/// Seconds that a guest takes beside its tests.
const GUEST: u64 = 10;

/// One patch level, built once for all of its cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// What is applied.
    pub patches: Patches,
    /// Its cells, by their place in the plan.
    pub cells: Vec<usize>,
}

/// The builds of one kernel × configuration. They share a work tree and a build directory, so one
/// comes after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The kernel.
    pub kernel: KernelVersion,
    /// The configuration.
    pub config: String,
    /// In order: the tree as it is first, then series, then faults.
    pub builds: Vec<Build>,
    /// About how long it takes, in seconds.
    pub seconds: u64,
}

/// What makes a chain of cells: fragments belong to it, since they decide what is built.
fn chain_of(cell: &Cell) -> (KernelVersion, &str, &[PathBuf]) {
    (cell.kernel, &cell.config, &cell.fragments)
}

/// The chains of the cells that are to be run, the longest first.
pub fn chains(cells: &[Cell]) -> Vec<Chain> {
    let mut chains: Vec<(usize, Chain)> = Vec::new();
    for (at, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.skip.is_none()) {
        let known = chains.iter_mut().find(|(first, _)| chain_of(&cells[*first]) == chain_of(cell));
        let chain = if let Some((_, chain)) = known {
            chain
        } else {
            let (kernel, config) = (cell.kernel, cell.config.clone());
            chains.push((at, Chain { kernel, config, builds: Vec::new(), seconds: 0 }));
            let Some((_, chain)) = chains.last_mut() else { continue };
            chain
        };
        match chain.builds.iter_mut().find(|build| build.patches == cell.patches) {
            Some(build) => build.cells.push(at),
            None => chain.builds.push(Build { patches: cell.patches.clone(), cells: vec![at] }),
        }
    }
    let mut chains: Vec<Chain> = chains.into_iter().map(|(_, chain)| chain).collect();
    for chain in &mut chains {
        chain.builds.sort_by(|a, b| a.patches.cmp(&b.patches));
        chain.seconds = seconds(chain, cells);
    }
    // Sorting keeps the plan's order of chains that take equally long.
    chains.sort_by_key(|chain| std::cmp::Reverse(chain.seconds));
    chains
}

fn seconds(chain: &Chain, cells: &[Cell]) -> u64 {
    let members = || chain.builds.iter().flat_map(|build| &build.cells).map(|&at| &cells[at]);
    let rust = members().any(|cell| cell.fragments.iter().any(|f| f.ends_with("rust.config")))
        || members().any(|cell| cell.subject == Subject::Rust);
    let levels = u64::try_from(chain.builds.len().saturating_sub(1)).unwrap_or(0);
    let guests: u64 = members().map(|cell| GUEST + cell.duration_ms / 1000).sum();
    FIRST_BUILD + if rust { RUST } else { 0 } + levels * NEXT_LEVEL + guests
}

/// `--shard I/N`: the I-th of N parts, from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which.
    pub index: usize,
    /// Of how many.
    pub count: usize,
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((index, count)) if 1 <= index && index <= count && count <= 1000 => {
                Ok(Self { index, count })
            }
            _ => Err("write I/N, such as 2/5: I from 1 to N, N at most 1000".to_owned()),
        }
    }
}

/// Deals cells out to `count` shards; the answer has the shard of each cell, from 1 on.
///
/// It depends on the plan alone, so every machine that has the same `matrix.yaml` comes to the same.
/// Cells of a kernel × configuration stay together, since each kernel would be built once more in
/// any other shard; skipped cells go with them.
pub fn deal(cells: &[Cell], count: usize) -> Vec<usize> {
    let mut groups: Vec<(Vec<usize>, u64)> = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        let same =
            |members: &[usize]| members.iter().any(|&m| chain_of(&cells[m]) == chain_of(cell));
        match groups.iter_mut().find(|(members, _)| same(members)) {
            Some((members, _)) => members.push(at),
            None => groups.push((vec![at], 0)),
        }
    }
    for (members, cost) in &mut groups {
        let own: Vec<Cell> = members.iter().map(|&at| cells[at].clone()).collect();
        *cost = chains(&own).iter().map(|chain| chain.seconds).sum();
    }
    groups.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
    let mut load = vec![0; count];
    let mut shard_of = vec![0; cells.len()];
    for (members, cost) in groups {
        let least = (0..count).min_by_key(|&shard| load[shard]).unwrap_or(0);
        load[least] += cost.max(1);
        for at in members {
            shard_of[at] = least + 1;
        }
    }
    shard_of
}
