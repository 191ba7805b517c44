// SPDX-License-Identifier: MIT OR Apache-2.0
//! Calls, and missed calls, per second over a test.

use maud::{Markup, html};

use super::line::line;
use super::{float, ticks};
use crate::report::html::words;
use crate::verdict::Sample;

/// Points of a plot, at most: more than a pixel or two each cannot be seen.
const POINTS: usize = 150;

/// What happened per second in the time between two samples.
#[derive(Debug, PartialEq)]
struct Rate {
    /// In the middle of it, since the test's first sample.
    at_ms: u64,
    calls: u64,
    missed: u64,
}

/// Plots of each test.
pub fn rates(samples: &[Sample]) -> Markup {
    html! { @for test in tests(samples) { (one(test)) } }
}

/// Samples of a test each. Counts begin anew with a test, also with one of the same name.
fn tests(samples: &[Sample]) -> Vec<&[Sample]> {
    samples
        .chunk_by(|a, b| a.test == b.test && a.calls <= b.calls && a.uptime_ms <= b.uptime_ms)
        .collect()
}

fn between(test: &[Sample]) -> Vec<Rate> {
    let Some(begin) = test.first().map(|s| s.uptime_ms) else { return Vec::new() };
    let stride = test.len().div_ceil(POINTS).max(1);
    let mut kept: Vec<&Sample> = test.iter().step_by(stride).collect();
    // The end of a test tells whether it came to a stop.
    if let Some(last) = test.last().filter(|last| kept.last() != Some(last)) {
        kept.push(last);
    }
    let rate = |pair: &[&Sample]| {
        let [a, b] = pair else { return None };
        let ms = b.uptime_ms.checked_sub(a.uptime_ms).filter(|ms| *ms > 0)?;
        let per_second = |from: u64, to: u64| {
            let n = u128::from(to.saturating_sub(from)) * 1000 / u128::from(ms);
            u64::try_from(n).unwrap_or(u64::MAX)
        };
        Some(Rate {
            at_ms: a.uptime_ms - begin + ms / 2,
            calls: per_second(a.calls, b.calls),
            missed: per_second(a.missed, b.missed),
        })
    };
    kept.windows(2).filter_map(rate).collect()
}

fn one(test: &[Sample]) -> Markup {
    let rates = between(test);
    let (Some(first), Some(last)) = (test.first(), test.last()) else { return html! {} };
    let name = &first.test;
    if rates.is_empty() {
        return html! { p { "Test " (name) " had too few samples for a plot." } };
    }
    let length = last.uptime_ms - first.uptime_ms;
    let seconds = |ms: u64| format!("{} s", std::time::Duration::from_millis(ms).as_secs_f64());
    let x_ticks = ticks(length, seconds);
    let across = |rate: &Rate| float(rate.at_ms) / float(length);
    let calls: Vec<_> = rates.iter().map(|r| (across(r), r.calls)).collect();
    let missed: Vec<_> = rates.iter().map(|r| (across(r), r.missed)).collect();
    let range = |all: &[(f64, u64)]| {
        let least = all.iter().map(|p| p.1).min().unwrap_or(0);
        let most = all.iter().map(|p| p.1).max().unwrap_or(0);
        (words::short(least), words::short(most))
    };
    let (least, most) = range(&calls);
    let done = last.modifies.saturating_sub(first.modifies);
    let summary =
        format!("{least} to {most} a second, over {} with {done} modifies", words::time(length));
    html! {
        (line(&format!("Calls per second, {name}"), &summary, &x_ticks, "calls", &calls))
        @let all = last.missed;
        @if all == 0 {
            p.note { "Test " (name) ": no call was missed at any sample." }
        } @else {
            @let (least, most) = range(&missed);
            @let summary = format!("{least} to {most} a second, {} in all", words::short(all));
            (line(&format!("Missed per second, {name}"), &summary, &x_ticks, "missed", &missed))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(test: &str, uptime_ms: u64, calls: u64, missed: u64) -> Sample {
        Sample { test: test.into(), uptime_ms, calls, missed, modifies: 0 }
    }

    #[test]
    fn counts_begin_anew_with_each_test() {
        let samples = [
            sample("a", 1000, 500, 0),
            sample("a", 2000, 1500, 10),
            sample("b", 3000, 100, 0),
            sample("b", 3500, 1100, 0),
            sample("b", 4000, 5, 0),
        ];
        let lengths: Vec<_> = tests(&samples).iter().map(|t| t.len()).collect();
        assert_eq!(lengths, [2, 2, 1]);
        let rate = |at_ms, calls, missed| Rate { at_ms, calls, missed };
        assert_eq!(between(&samples[..2]), [rate(500, 1000, 10)]);
        assert_eq!(between(&samples[2..4]), [rate(250, 2000, 0)]);
        assert_eq!(between(&samples[4..]), []);
    }

    #[test]
    fn many_samples_become_few_points_and_none_at_one_moment_count() {
        let many: Vec<_> = (0..1000).map(|n| sample("a", n * 100, n * 50, 0)).collect();
        let rates = between(&many);
        assert!(rates.len() <= POINTS + 1, "{}", rates.len());
        assert!(rates.iter().all(|r| r.calls == 500), "{rates:?}");
        assert_eq!(between(&[sample("a", 5, 1, 0), sample("a", 5, 9, 0)]), []);
    }
}
