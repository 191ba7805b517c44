// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a run went over its time, for plots: no verdict rests on it. Pure.

use std::collections::BTreeMap;

use wire::{Heartbeat, TestResult};

use super::result::{LatencyBucket, Sample};

/// The word of a test's counters that holds its histogram, as `FROM-TO:COUNT,…` in nanoseconds.
const BUCKETS: &str = "modify_ns_buckets";

/// What the heartbeats of running tests tell.
pub fn samples(heartbeats: &[Heartbeat]) -> Vec<Sample> {
    let sample = |beat: &Heartbeat| {
        Some(Sample {
            test: beat.task.clone()?,
            uptime_ms: beat.uptime_ms,
            calls: beat.calls,
            missed: beat.missed,
            modifies: beat.modifies,
        })
    };
    heartbeats.iter().filter_map(sample).collect()
}

/// The histogram of all tests together. What is not of its form is left out.
pub fn modify_latency(results: &[TestResult]) -> Vec<LatencyBucket> {
    let mut all: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    let words = results.iter().filter_map(|r| r.counters.words.get(BUCKETS));
    for bucket in words.flat_map(|word| word.split(',')) {
        if let Some((range, count)) = parse(bucket) {
            *all.entry(range).or_default() += count;
        }
    }
    all.into_iter()
        .map(|((from_ns, to_ns), count)| LatencyBucket { from_ns, to_ns, count })
        .collect()
}

fn parse(bucket: &str) -> Option<((u64, u64), u64)> {
    let (range, count) = bucket.split_once(':')?;
    let (from, to) = range.split_once('-')?;
    Some(((from.parse().ok()?, to.parse().ok()?), count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{Counters, Outcome};

    #[test]
    fn histograms_of_several_tests_are_one() {
        let test = |word: &str| TestResult {
            name: "t".into(),
            outcome: Outcome::Completed,
            counters: Counters {
                words: [(BUCKETS.to_owned(), word.to_owned())].into(),
                ..Counters::default()
            },
        };
        let bucket = |from_ns, to_ns, count| LatencyBucket { from_ns, to_ns, count };
        let got = modify_latency(&[test("64-67:2,8-8:1"), test("64-67:3"), test("none")]);
        assert_eq!(got, [bucket(8, 8, 1), bucket(64, 67, 5)]);
        assert_eq!(modify_latency(&[test("64-:2"), test("x"), test("")]), []);
    }

    #[test]
    fn only_running_tests_give_samples() {
        let beat = |task: Option<&str>| Heartbeat {
            uptime_ms: 9,
            task: task.map(str::to_owned),
            modifies: 1,
            calls: 2,
            missed: 3,
        };
        let got = samples(&[beat(None), beat(Some("t"))]);
        assert_eq!((got.len(), got[0].missed, got[0].test.as_str()), (1, 3, "t"));
    }
}
