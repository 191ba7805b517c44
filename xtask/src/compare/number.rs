// SPDX-License-Identifier: MIT OR Apache-2.0
//! The numbers of a cell that can be compared.

use crate::report::count;
use crate::verdict::{LatencyBucket, RunResult, Sample};

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Calls that went wrong: exact, and zero where all is well.
    Wrong,
    /// How often a second, in thousandths.
    Rate,
    /// Milliseconds.
    Milliseconds,
    /// Nanoseconds.
    Nanoseconds,
}

/// A number of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// Its name.
    pub name: String,
    /// What it counts.
    pub quantity: Quantity,
    /// Its value.
    pub value: u64,
    /// A difference of no more than this means nothing.
    pub floor: u64,
}

impl Number {
    /// For a person.
    pub fn text(&self) -> String {
        let value = self.value;
        match self.quantity {
            Quantity::Wrong => value.to_string(),
            Quantity::Rate if value < 10_000_000 => {
                format!("{}.{}/s", value / 1000, value % 1000 / 100)
            }
            Quantity::Rate => format!("{}/s", count(value / 1000)),
            Quantity::Milliseconds => format!("{}.{} s", value / 1000, value % 1000 / 100),
            Quantity::Nanoseconds => {
                format!("{}.{} ms", value / 1_000_000, value % 1_000_000 / 100_000)
            }
        }
    }
}

/// The smallest differences that mean anything: 1000 calls a second, one modify a second, half a
/// second of booting, a millisecond of a modify, two seconds of a step.
const CALLS_FLOOR: u64 = 1_000_000;
const MODIFIES_FLOOR: u64 = 1_000;
const BOOT_FLOOR: u64 = 500;
const LATENCY_FLOOR: u64 = 1_000_000;
const STEP_FLOOR: u64 = 2_000;

/// All numbers of a cell that are known.
pub fn numbers(result: &RunResult) -> Vec<Number> {
    let mut all = Vec::new();
    let mut add = |name: &str, quantity, floor, value: Option<u64>| {
        if let Some(value) = value {
            all.push(Number { name: name.to_owned(), quantity, value, floor });
        }
    };
    for wrong in ["missed", "doubled", "stale"] {
        add(wrong, Quantity::Wrong, 0, counter(result, wrong));
    }
    let [calls, modifies] = rates(result);
    add("calls per second", Quantity::Rate, CALLS_FLOOR, calls);
    add("modifies per second", Quantity::Rate, MODIFIES_FLOOR, modifies);
    let median = median(&result.modify_latency);
    add("modify latency (median)", Quantity::Nanoseconds, LATENCY_FLOOR, median);
    add("boot", Quantity::Milliseconds, BOOT_FLOOR, result.boot_ms);
    // What was there already took no time that says anything.
    for step in result.steps.iter().filter(|s| !s.cached) {
        let name = format!("step {}", step.name);
        add(&name, Quantity::Milliseconds, STEP_FLOOR, Some(step.ms));
    }
    all
}

fn counter(result: &RunResult, name: &str) -> Option<u64> {
    result.stress.get(name).and_then(|n| u64::try_from(*n).ok())
}

/// Calls and modifies in a thousand seconds, over the time the loops themselves measured, else over
/// the heartbeats.
fn rates(result: &RunResult) -> [Option<u64>; 2] {
    let rate = |n: u64, ms: u64| {
        let rate = u128::from(n) * 1_000_000 / u128::from(ms);
        u64::try_from(rate).ok()
    };
    if let Some(ms) = counter(result, "attached_ms").filter(|ms| *ms > 0) {
        return ["calls", "modifies"].map(|name| counter(result, name).and_then(|n| rate(n, ms)));
    }
    let (mut ms, mut calls, mut modifies) = (0, 0, 0);
    for test in result.samples.chunk_by(|one, next| one.test == next.test) {
        if let [first, .., last] = test {
            let grown = |of: fn(&Sample) -> u64| of(last).saturating_sub(of(first));
            ms += grown(|s| s.uptime_ms);
            calls += grown(|s| s.calls);
            modifies += grown(|s| s.modifies);
        }
    }
    if ms == 0 { [None, None] } else { [rate(calls, ms), rate(modifies, ms)] }
}

/// The middle of the bar that half of all calls do not exceed.
fn median(histogram: &[LatencyBucket]) -> Option<u64> {
    let mut bars: Vec<_> = histogram.iter().collect();
    bars.sort_by_key(|bar| bar.from_ns);
    let all: u64 = bars.iter().map(|bar| bar.count).sum();
    let mut below = 0;
    bars.iter()
        .find(|bar| {
            below += bar.count;
            all > 0 && below >= all.div_ceil(2)
        })
        .map(|bar| bar.from_ns + bar.to_ns.saturating_sub(bar.from_ns) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        let bars = |counts: &[u64]| -> Vec<LatencyBucket> {
            let bar = |(n, count): (u64, &u64)| LatencyBucket {
                from_ns: n * 100,
                to_ns: n * 100 + 99,
                count: *count,
            };
            (1..).zip(counts).map(bar).collect()
        };
        let cases: [(&[u64], Option<u64>); 5] = [
            (&[], None),
            (&[0, 0], None),
            (&[1], Some(149)),
            (&[1, 5, 1], Some(249)),
            (&[2, 1, 1], Some(149)),
        ];
        for (counts, want) in cases {
            assert_eq!(median(&bars(counts)), want, "{counts:?}");
        }
        let mut turned = bars(&[1, 5, 1]);
        turned.reverse();
        assert_eq!(median(&turned), Some(249));
    }

    #[test]
    fn numbers_have_units() {
        let cases = [
            (Quantity::Wrong, 12, "12"),
            (Quantity::Rate, 17_250, "17.2/s"),
            (Quantity::Rate, 4_556_800_000, "4.5 M/s"),
            (Quantity::Milliseconds, 3_063, "3.0 s"),
            (Quantity::Nanoseconds, 55_574_527, "55.5 ms"),
        ];
        for (quantity, value, want) in cases {
            let number = Number { name: String::new(), quantity, value, floor: 0 };
            assert_eq!(number.text(), want);
        }
    }
}
