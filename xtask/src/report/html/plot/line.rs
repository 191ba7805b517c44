// SPDX-License-Identifier: MIT OR Apache-2.0
//! A line over time.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::{BOTTOM, Plot, Tick, float, part, ticks, x, y};
use crate::report::html::words;

/// Up to this many points, each gets a dot.
const DOTS: usize = 40;

/// Draws points with `across` from 0 to 1.
pub fn line(
    title: &str,
    summary: &str,
    x_ticks: &[Tick],
    class: &str,
    points: &[(f64, u64)],
) -> Markup {
    let highest = points.iter().map(|(_, n)| *n).max().unwrap_or(0).max(1);
    // Some room above the line.
    let top = highest.saturating_add(highest / 20);
    let place = |(at, n): &(f64, u64)| (x(*at), y(part(*n, top)));
    let mut path = String::new();
    for (n, point) in points.iter().enumerate() {
        let (x, y) = place(point);
        let _ = write!(path, "{}{x} {y}", if n == 0 { "M" } else { "L" });
    }
    let ends = points.first().zip(points.last());
    let area = ends.map(|(first, last)| {
        let mut area = path.clone();
        let _ = write!(area, "L{} {BOTTOM}L{} {BOTTOM}Z", x(last.0), x(first.0));
        area
    });
    let plot = Plot { title, summary, x: x_ticks, y: &ticks(top, words::short) };
    plot.around(&html! {
        g class=(class) {
            @if let Some(area) = area {
                path.area d=(area) {}
                path.line d=(path) {}
            }
            @if points.len() <= DOTS {
                @for (x, y) in points.iter().map(place) {
                    circle cx=(x) cy=(y) r="2.5" {}
                }
            }
        }
    })
}

/// Where the `n`th of some evenly spaced points is; one alone is in the middle.
pub fn spaced(n: usize, count: usize) -> f64 {
    let wide = |n: usize| float(u64::try_from(n).unwrap_or(u64::MAX));
    if count < 2 { 0.5 } else { wide(n) / wide(count - 1) }
}
