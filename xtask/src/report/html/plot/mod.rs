// SPDX-License-Identifier: MIT OR Apache-2.0
//! Small plots as inline SVG, each with its numbers in words beside it. They get their colours from
//! the style sheet.

mod latency;
mod line;
mod rate;
mod runs;

pub use latency::latency;
pub use rate::rates;
pub use runs::runs;

use maud::{Markup, html};

/// A plot's width. Two or three stand beside each other; on a telephone it is one.
const WIDTH: f64 = 360.0;

/// Its height.
const HEIGHT: f64 = 150.0;

const LEFT: f64 = 48.0;
const RIGHT: f64 = WIDTH - 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = HEIGHT - 22.0;

/// A mark on an axis: where, from 0 to 1, and what it says.
#[derive(Debug, Clone, PartialEq)]
struct Tick {
    at: f64,
    label: String,
}

/// The frame around a drawing.
struct Plot<'a> {
    /// What it shows.
    title: &'a str,
    /// The numbers, in words.
    summary: &'a str,
    x: &'a [Tick],
    y: &'a [Tick],
}

impl Plot<'_> {
    fn around(&self, drawing: &Markup) -> Markup {
        html! {
            figure {
                figcaption { b { (self.title) } br; (self.summary) }
                svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) width=(WIDTH) height=(HEIGHT) role="img" {
                    title { (self.title) }
                    desc { (self.summary) }
                    @for tick in self.y {
                        line.grid x1=(LEFT) x2=(RIGHT) y1=(y(tick.at)) y2=(y(tick.at)) {}
                        text x=(LEFT - 6.0) y=(format!("{:.1}", down(tick.at) + 4.0)) text-anchor="end" {
                            (tick.label)
                        }
                    }
                    (drawing)
                    @for tick in self.x {
                        text x=(x(tick.at)) y=(HEIGHT - 6.0) text-anchor=(anchor(tick.at)) {
                            (tick.label)
                        }
                    }
                }
            }
        }
    }
}

/// At the ends of an axis, a label that is centred would be cut.
fn anchor(at: f64) -> &'static str {
    match at {
        0.0..0.06 => "start",
        0.94.. => "end",
        _ => "middle",
    }
}

fn across(at: f64) -> f64 {
    LEFT + at * (RIGHT - LEFT)
}

fn down(at: f64) -> f64 {
    BOTTOM - at * (BOTTOM - TOP)
}

fn x(at: f64) -> String {
    format!("{:.1}", across(at))
}

fn y(at: f64) -> String {
    format!("{:.1}", down(at))
}

/// For drawing only: a pixel is far more than what gets lost.
#[expect(clippy::cast_precision_loss, reason = "a plot has some hundred pixels")]
fn float(n: u64) -> f64 {
    n as f64
}

/// Which part of a whole.
fn part(n: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { float(n) / float(whole) }
}

/// Round numbers from 0 up to a highest value, five at most.
fn round_numbers(highest: u64) -> Vec<u64> {
    let mut step: u64 = 1;
    for factor in [2, 5, 10].into_iter().cycle() {
        if highest / step <= 4 {
            break;
        }
        // 1, 2, 5, 10, 20, 50, …
        step = match factor {
            2 => step * 2,
            5 => step / 2 * 5,
            _ => step / 5 * 10,
        };
    }
    (0..=highest / step).map(|n| n * step).collect()
}

/// Ticks at round numbers.
fn ticks(highest: u64, label: impl Fn(u64) -> String) -> Vec<Tick> {
    let tick = |n| Tick { at: part(n, highest), label: label(n) };
    round_numbers(highest).into_iter().map(tick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let cases: [(u64, &[u64]); 7] = [
            (0, &[0]),
            (1, &[0, 1]),
            (4, &[0, 1, 2, 3, 4]),
            (9, &[0, 2, 4, 6, 8]),
            (24, &[0, 5, 10, 15, 20]),
            (99, &[0, 20, 40, 60, 80]),
            (6_100_000, &[0, 2_000_000, 4_000_000, 6_000_000]),
        ];
        for (highest, want) in cases {
            assert_eq!(round_numbers(highest), want);
        }
        assert!(round_numbers(u64::MAX).len() <= 5);
    }
}
