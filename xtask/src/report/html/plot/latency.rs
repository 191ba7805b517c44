// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long calls of modify took: a histogram over a logarithmic axis.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::{BOTTOM, Plot, Tick, across, down, float, part, ticks};
use crate::report::html::words;
use crate::verdict::LatencyBucket;

/// The plot; nothing without a modify.
pub fn latency(buckets: &[LatencyBucket]) -> Markup {
    let mut bars: BTreeMap<u32, u64> = BTreeMap::new();
    for bucket in buckets.iter().filter(|b| b.count > 0) {
        let bar = bars.entry(bar_of(bucket.from_ns)).or_default();
        *bar = bar.saturating_add(bucket.count);
    }
    let (Some((first, _)), Some((last, _))) = (bars.first_key_value(), bars.last_key_value())
    else {
        return html! {};
    };
    let (from, to) = (begin_of(*first), begin_of(*last + 1));
    let (low, high) = (float(from).ln(), float(to).ln());
    let place = |ns: u64| (float(ns).ln() - low) / (high - low);
    let highest = bars.values().copied().max().unwrap_or(1);
    let x: Vec<_> = marks(from, to)
        .into_iter()
        .map(|ns| Tick { at: place(ns), label: words::latency(ns) })
        .collect();
    let summary = summary(buckets);
    let plot = Plot {
        title: "How long modify took",
        summary: &summary,
        x: &x,
        y: &ticks(highest, words::short),
    };
    plot.around(&html! {
        g.latency {
            @for (bar, count) in &bars {
                @let left = across(place(begin_of(*bar)));
                @let right = across(place(begin_of(*bar + 1)));
                // One slow call among thousands is what somebody looks for.
                @let top = down(part(*count, highest)).min(BOTTOM - 2.0);
                rect x=(format!("{left:.1}")) y=(format!("{top:.1}"))
                    width=(format!("{:.1}", (right - left - 1.0).max(1.0)))
                    height=(format!("{:.1}", BOTTOM - top)) {}
            }
        }
    })
}

fn summary(buckets: &[LatencyBucket]) -> String {
    let all: u128 = buckets.iter().map(|b| u128::from(b.count)).sum();
    let mut sorted: Vec<_> = buckets.iter().filter(|b| b.count > 0).collect();
    sorted.sort_by_key(|b| b.from_ns);
    let within = |percent: u128| {
        let mut seen = 0;
        let reached = sorted.iter().find(|b| {
            seen += u128::from(b.count);
            seen * 100 >= all * percent
        });
        words::latency(reached.map_or(0, |b| b.to_ns))
    };
    format!(
        "{all} modifies: half within {}, 99 % within {}, all within {}",
        within(50),
        within(99),
        within(100)
    )
}

/// Which bar a time belongs to: four to each doubling.
fn bar_of(ns: u64) -> u32 {
    let ns = ns.max(4);
    let doubling = ns.ilog2();
    let quarter = (ns >> (doubling - 2)) & 3;
    doubling * 4 + u32::try_from(quarter).unwrap_or(0)
}

/// The shortest time of a bar.
fn begin_of(bar: u32) -> u64 {
    (4 + u64::from(bar % 4)).checked_shl(bar / 4 - 2).unwrap_or(u64::MAX)
}

/// Times that get a label: powers of ten, or numbers between them where there is but one. On a line
/// of this length, more than six would run into each other.
fn marks(from: u64, to: u64) -> Vec<u64> {
    let powers = (0..19).map(|n| 10u64.pow(n));
    let within = |factors: &[u64]| -> Vec<u64> {
        powers
            .clone()
            .flat_map(|power| factors.iter().map(move |f| power.saturating_mul(*f)))
            .filter(|ns| (from..=to).contains(ns))
            .collect()
    };
    let few = |marks: Vec<u64>| (2..=6).contains(&marks.len()).then_some(marks);
    let ladder: [&[u64]; 3] = [&[1], &[1, 2, 5], &[1, 2, 3, 4, 5, 6, 7, 8, 9]];
    let found = ladder.into_iter().find_map(|factors| few(within(factors)));
    found.unwrap_or_else(|| {
        let powers = within(&[1]);
        if powers.len() > 6 { powers.into_iter().step_by(3).collect() } else { vec![from, to] }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_is_within_its_bar() {
        for ns in [4, 5, 7, 8, 9, 10, 15, 16, 1000, 123_456_789, u64::MAX / 2] {
            let bar = bar_of(ns);
            let (from, to) = (begin_of(bar), begin_of(bar + 1));
            assert!((from..to).contains(&ns), "{ns}: bar {bar}, {from} to {to}");
        }
        assert_eq!(bar_of(0), bar_of(4));
    }

    #[test]
    fn labels_are_few_and_within() {
        for (from, to) in [(4, 5), (1000, 1500), (900, 9000), (80, 2_000_000), (4, u64::MAX)] {
            let marks = marks(from, to);
            assert!((2..=7).contains(&marks.len()), "{from} to {to}: {marks:?}");
            assert!(marks.iter().all(|m| (from..=to).contains(m)), "{marks:?}");
        }
    }

    #[test]
    fn the_words_tell_of_the_slowest() {
        let bucket = |from_ns, to_ns, count| LatencyBucket { from_ns, to_ns, count };
        let buckets = [bucket(1000, 1063, 98), bucket(5000, 5119, 1), bucket(900_000, 999_999, 1)];
        assert_eq!(
            summary(&buckets),
            "100 modifies: half within 1.1 µs, 99 % within 5.2 µs, all within 1 ms"
        );
        assert_eq!(latency(&[]).into_string(), "");
        assert_eq!(latency(&[bucket(1, 2, 0)]).into_string(), "");
    }
}
