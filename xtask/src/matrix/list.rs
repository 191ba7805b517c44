// SPDX-License-Identifier: MIT OR Apache-2.0
//! The plan for other programs and for people: as text, and as the jobs of CI systems. Pure.

use std::fmt::Write as _;

use serde::Serialize;

use super::{Cell, deal};

/// Jobs that one matrix of GitHub Actions may have ("Usage limits" of its documentation).
pub const GITHUB_LIMIT: usize = 256;

/// A job of a CI system: one shard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Job {
    /// For people: the kernels that it has.
    pub name: String,
    /// For `--shard`.
    pub shard: String,
    /// Its cells that are run.
    pub cells: Vec<String>,
    /// Its cells that are skipped.
    pub skipped: Vec<String>,
}

/// One job a shard; `count` shards, or as many as there are kernels × configurations.
pub fn jobs(cells: &[Cell], count: Option<usize>) -> Vec<Job> {
    let count = count.unwrap_or_else(|| {
        let mut groups: Vec<_> =
            cells.iter().map(|c| (c.kernel, &c.config, &c.fragments)).collect();
        groups.sort_by_key(|(kernel, config, _)| (*kernel, (*config).clone()));
        groups.dedup();
        groups.len()
    });
    let count = count.clamp(1, GITHUB_LIMIT);
    let shards = deal(cells, count);
    (1..=count)
        .filter_map(|index| {
            let own: Vec<&Cell> =
                cells.iter().zip(&shards).filter(|(_, s)| **s == index).map(|(c, _)| c).collect();
            let mut kernels: Vec<String> = own.iter().map(|c| c.kernel.to_string()).collect();
            kernels.dedup();
            let ids = |skipped: bool| {
                let of = own.iter().filter(|c| c.skip.is_some() == skipped);
                of.map(|c| c.id.clone()).collect::<Vec<_>>()
            };
            (!own.is_empty()).then(|| Job {
                name: kernels.join(", "),
                shard: format!("{index}/{count}"),
                cells: ids(false),
                skipped: ids(true),
            })
        })
        .collect()
}

/// For `strategy.matrix` of a GitHub workflow, through `fromJSON`.
pub fn github(jobs: &[Job]) -> String {
    serde_json::json!({ "include": jobs.iter().map(|job| {
        serde_json::json!({"name": job.name, "shard": job.shard, "cells": job.cells.len()})
    }).collect::<Vec<_>>() })
    .to_string()
}

/// A child pipeline for GitLab. Its jobs extend `.xtask-matrix`, which a file of the project
/// defines and the trigger includes as well.
pub fn gitlab(jobs: &[Job]) -> String {
    let mut text = String::from("# Made by: cargo xtask matrix --list --format gitlab\n");
    for job in jobs {
        let _ = write!(
            text,
            "\n\"linux {} ({})\":\n  extends: .xtask-matrix\n  variables:\n    XTASK_SHARD: \"{}\"\n",
            job.name, job.shard, job.shard
        );
    }
    text
}

/// For people.
pub fn text(cells: &[Cell], notes: &[String]) -> String {
    let width = cells.iter().map(|c| c.id.len()).max().unwrap_or_default();
    let mut text = String::new();
    for cell in cells {
        let what = match &cell.skip {
            Some(why) => format!("skip: {why}"),
            None => cell.expect.in_words(),
        };
        let _ = writeln!(text, "{:<width$}  {what}", cell.id);
    }
    let skipped = cells.iter().filter(|c| c.skip.is_some()).count();
    let _ = writeln!(text, "{} cells to run, {skipped} to skip", cells.len() - skipped);
    for note in notes {
        let _ = writeln!(text, "{note}");
    }
    text
}
