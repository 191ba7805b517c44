// SPDX-License-Identifier: MIT OR Apache-2.0
//! Room on the disk: asked for before a matrix begins, and kept while it runs.

use std::path::Path;

use super::Chain;
use crate::diagnosis::{Diagnosis, on_path};

/// What a kernel takes that has not been built yet, in MiB, measured: a work tree of 1.8 GiB, a
/// build directory of 1.2 GiB, its archive and objects. Levels share all of that but the artefact.
const KERNEL_MIB: u64 = 3600;
/// What an artefact takes.
const LEVEL_MIB: u64 = 130;
/// What a cell's run directory takes.
const CELL_MIB: u64 = 10;

/// Free space of the file system that has `path`, in MiB.
pub fn free_mib(path: &Path) -> Result<u64, Diagnosis> {
    // The directory itself may be made later.
    let there = path.ancestors().find(|p| p.exists()).unwrap_or(Path::new("/"));
    let stat = rustix::fs::statvfs(there)
        .map_err(|e| on_path("ask for free space of", there, &e.into()))?;
    Ok((stat.f_bavail * stat.f_frsize) >> 20)
}

/// About what chains add to the caches, in MiB; `built` tells which have a build directory.
pub fn needed_mib(chains: &[Chain], built: impl Fn(&Chain) -> bool) -> u64 {
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    chains
        .iter()
        .map(|chain| {
            let cells: usize = chain.builds.iter().map(|b| b.cells.len()).sum();
            let kernel = if built(chain) { 0 } else { KERNEL_MIB };
            kernel + count(chain.builds.len()) * LEVEL_MIB + count(cells) * CELL_MIB
        })
        .sum()
}

/// Fails if there is too little.
pub fn check(path: &Path, needed_mib: u64, keep_mib: u64) -> Result<(), Diagnosis> {
    let free = free_mib(path)?;
    if free >= needed_mib + keep_mib {
        return Ok(());
    }
    Err(Diagnosis::infra(format!(
        "not enough disk space in {}: {} GiB are free, the matrix takes about {} GiB, and {} GiB are kept free",
        path.display(),
        free >> 10,
        needed_mib.div_ceil(1024),
        keep_mib.div_ceil(1024),
    ))
    .next("make room with `cargo xtask clean`, choose fewer cells with --only, put the caches elsewhere with XTASK_HOME, or lower --keep-free"))
}

/// Fails if less than what is to be kept is free: nothing more is begun then.
pub fn keep(path: &Path, keep_mib: u64) -> Result<(), Diagnosis> {
    if free_mib(path)? >= keep_mib {
        return Ok(());
    }
    Err(Diagnosis::infra(format!("less than {keep_mib} MiB are free in {}", path.display()))
        .next("make room with `cargo xtask clean`, then `cargo xtask matrix --resume`"))
}
