// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a cell was, as a table.

use maud::{Markup, html};

use super::words;
use crate::report::Shown;
use crate::verdict::RunResult;

/// Counters that a person looks for first.
const FIRST: [&str; 6] = ["modifies", "calls", "checked", "missed", "doubled", "stale"];

/// The table.
pub fn facts(shown: &Shown) -> Markup {
    let result = &shown.result;
    html! {
        table.facts {
            tbody {
                @if let Some(standing) = &shown.standing {
                    (row("expected", &html! { (standing.expected) }))
                    @if standing.note != result.reason {
                        (row("note", &html! { (standing.note) }))
                    }
                }
                (row("reason", &html! { (result.reason) }))
                (row("kernel", &kernel(result)))
                (row("series", &series(result)))
                (row("subject, suite", &html! { (result.subject) ", " (result.suite) }))
                (row("config", &config(result)))
                (row("toolchain", &toolchain(result)))
                (row("guest", &guest(result)))
                (row("stress", &stress(result)))
                (row("run", &html! { (shown.run) ", begun " (words::minute(result.started)) }))
            }
        }
    }
}

fn row(name: &str, value: &Markup) -> Markup {
    html! { @if !value.0.is_empty() { tr { th scope="row" { (name) } td { (value) } } } }
}

fn kernel(result: &RunResult) -> Markup {
    html! {
        @if let Some(kernel) = &result.kernel {
            (kernel.version) " from " (kernel.source) br;
            code { (kernel.sha) }
            @for skipped in &kernel.skipped { br; "could not be had: " (skipped) }
        } @else { "not known: the run did not get to it" }
    }
}

fn series(result: &RunResult) -> Markup {
    let series = &result.series;
    let all = series.applied.len() + series.not_applied.len();
    html! {
        (series.name)
        @if let Some(variant) = &series.variant { ", variant for " (variant) }
        @if all > 0 {
            ", " (series.applied.len()) " of " (all) " patches applied"
            ol.patches {
                @for patch in &series.applied { li { (patch) } }
                @for patch in &series.not_applied { li.left { (patch) " (not applied)" } }
            }
        }
        @for note in series.offsets.iter().chain(&series.notes) { p { (note) } }
    }
}

fn config(result: &RunResult) -> Markup {
    let config = &result.config;
    html! {
        (words::plural(config.requested, "option")) " asked for"
        @if !config.missing.is_empty() {
            p { "known to other versions only: " (config.missing.join(", ")) }
        }
        @for known in &config.worked_around { p { "worked around: " (known) } }
    }
}

fn toolchain(result: &RunResult) -> Markup {
    html! {
        @if let Some(tools) = &result.toolchain {
            (tools.cc) br; (tools.ld) br; (tools.make) @if tools.ccache { ", with ccache" }
            @if let Some(rust) = &tools.rust {
                br; "rustc " (rust.rustc_version) ", bindgen " (rust.bindgen_version)
                ", libclang " (rust.libclang_version)
            }
        }
    }
}

fn guest(result: &RunResult) -> Markup {
    let accel = result.accel.map(|accel| accel.argument().to_owned());
    let boot = result.boot_ms.map(|ms| format!("booted in {}", words::time(ms)));
    let known: Vec<_> = [accel, boot].into_iter().flatten().collect();
    html! { (known.join(", ")) }
}

fn stress(result: &RunResult) -> Markup {
    let known = |name: &&str| Some(((*name).to_owned(), *result.stress.get(*name)?));
    let first = FIRST.iter().filter_map(known);
    let rest = result.stress.iter().filter(|(name, _)| !FIRST.contains(&name.as_str()));
    let all: Vec<_> = first.chain(rest.map(|(name, n)| (name.clone(), *n))).collect();
    html! {
        @if !all.is_empty() {
            ul.numbers {
                @for (name, n) in all { li { b { (words::grouped(n)) } " " (name) } }
            }
        }
    }
}
