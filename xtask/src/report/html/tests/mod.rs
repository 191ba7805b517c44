// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page as a whole: what it says, that it is well-formed, and that no text gets out of its place.

mod many;
mod parsed;

use super::*;
use crate::matrix::{Role, Standing, StandingKind};
use crate::report::log::Part;
use crate::report::tests::sample;
use many::many;
use parsed::Parsed;

/// Text that tries to be something else.
const HOSTILE: &str =
    "<script>alert(1)</script> ]]> \"'><img src=x onerror=y> &lt; \0 \u{1b}[31m \u{202e}";

fn standing(id: &str, kind: StandingKind) -> Standing {
    Standing {
        id: id.into(),
        role: Role::Series,
        kind,
        expected: "pass".into(),
        note: format!("note on {id}"),
    }
}

/// The reports' sample, one of it with a log.
fn cells() -> Vec<PageCell> {
    let log = |n| match n {
        1 => Log::Parts(vec![Part {
            first: 6,
            lines: ["[ 1.0] before", "[ 1.1] WARNING: x", "[ 1.2] ]]> & <b>"]
                .map(Into::into)
                .into(),
        }]),
        _ => Log::Missing("no such file".into()),
    };
    sample().into_iter().enumerate().map(|(n, shown)| PageCell { shown, log: log(n) }).collect()
}

#[test]
fn the_page_has_all_that_is_known() {
    let page = html(&cells(), &History::default());
    // The style sheet is long, and a picture shows more of it than a snapshot.
    let (head, rest) = page.split_once("<style>").unwrap();
    let (_, body) = rest.split_once("</style>").unwrap();
    let lines = format!("{head}{body}").replace("><", ">\n<");
    insta::assert_snapshot!(lines);
}

#[test]
fn pages_are_well_formed_and_links_lead_somewhere() {
    let pages = [Vec::new(), cells(), many(5), many(200)];
    for cells in pages {
        let parsed = Parsed::of(&html(&cells, &history(&cells)));
        assert_eq!(parsed.errors, [""; 0]);
        assert!(parsed.ids.len() > cells.len());
        let mut ids = parsed.ids.clone();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), parsed.ids.len(), "an id is there twice");
        for href in &parsed.hrefs {
            let target = href.strip_prefix('#').unwrap_or_else(|| panic!("{href} leaves the page"));
            assert!(parsed.ids.iter().any(|id| id == target), "{href} leads nowhere");
        }
        for pair in parsed.headings.windows(2) {
            assert!(pair[1] <= pair[0] + 1, "a level is left out: {:?}", parsed.headings);
        }
    }
}

#[test]
fn every_cell_is_in_the_grid_and_has_a_section() {
    let cells = many(40);
    let parsed = Parsed::of(&html(&cells, &History::default()));
    for cell in &cells {
        let id = &cell.shown.standing.as_ref().unwrap().id;
        assert!(parsed.ids.contains(id), "{id} has no section");
        assert!(parsed.grid.contains(&format!("#{id}")), "{id} is not in the grid");
    }
    assert_eq!(parsed.grid.len(), cells.len());
    // Single runs have no id but their name.
    let parsed = Parsed::of(&html(&self::cells(), &History::default()));
    assert_eq!(parsed.grid.len(), 5);
    assert!(parsed.grid.contains("#run-4") && parsed.ids.contains(&"run-4".to_owned()));
}

#[test]
fn no_text_becomes_markup() {
    let plain = Parsed::of(&html(&cells(), &History::default()));
    let mut cells = cells();
    for cell in &mut cells {
        let hostile = || HOSTILE.to_owned();
        let result = &mut cell.shown.result;
        result.reason = hostile();
        result.details = vec![hostile()];
        result.series.name = hostile();
        result.subject = hostile();
        result.suite = hostile();
        result.reproduce = hostile();
        for step in &mut result.steps {
            step.name = hostile();
        }
        for property in &mut result.properties {
            (property.name, property.detail) = (hostile(), hostile());
        }
        for finding in &mut result.findings {
            finding.title = hostile();
        }
        if let Some(kernel) = &mut result.kernel {
            kernel.source = hostile();
        }
        cell.shown.run = hostile();
        if let Log::Parts(parts) = &mut cell.log {
            parts[0].lines = vec![hostile(); 3];
        }
    }
    let page = html(&cells, &History::default());
    let control = |c: char| c.is_control() && c != '\n' && c != '\t';
    assert_eq!(page.chars().find(|c| control(*c) || *c == '\u{202e}'), None);
    let parsed = Parsed::of(&page);
    assert_eq!(parsed.errors, [""; 0]);
    for element in ["script", "img", "iframe", "link", "object", "base", "form"] {
        assert!(!parsed.elements.contains_key(element), "{element}");
    }
    let tables = |parsed: &Parsed| parsed.elements["mark"] + parsed.elements["section"];
    assert_eq!(tables(&parsed), tables(&plain));
    assert!(
        parsed.attributes.iter().all(|name| !name.starts_with("on")),
        "{:?}",
        parsed.attributes
    );
    assert!(
        parsed
            .text
            .contains("<script>alert(1)</script> ]]> \"'><img src=x onerror=y> &lt; ^@ ^[[31m")
    );
}

#[test]
fn nothing_is_fetched() {
    let page = html(&many(40), &History::default());
    for word in ["http:", "https:", "url(", "@import", "src=", "<script", "javascript:"] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn sections_of_many_cells_are_folded_but_those_that_want_a_look() {
    for (count, kind, want) in [
        (12, StandingKind::AsExpected, 12),
        (13, StandingKind::AsExpected, 0),
        (13, StandingKind::PreExisting, 0),
        (13, StandingKind::Unexpected, 13),
        (13, StandingKind::Unknown, 13),
        (13, StandingKind::NotRun, 0),
    ] {
        let mut cells = many(count);
        for (n, cell) in cells.iter_mut().enumerate() {
            cell.shown.standing = Some(standing(&format!("c{n}"), kind));
        }
        let parsed = Parsed::of(&html(&cells, &History::default()));
        assert_eq!(parsed.open, want, "{count} {kind:?}");
        assert_eq!(parsed.elements["details"], count);
    }
}

#[test]
fn the_headline_counts_each_kind_and_says_how_it_ended() {
    use StandingKind::{AsExpected, NotRun, PreExisting, Skipped, Unexpected, Unknown};
    let cases: [(&[StandingKind], &str, &str); 7] = [
        (&[], "? INCOMPLETE", ""),
        (
            &[AsExpected, PreExisting, Skipped],
            "✓ PASS",
            "✓ 1expected ✗ 0unexpected ≈ 1pre-existing",
        ),
        (&[AsExpected, Unexpected, Unexpected], "✗ FAIL", "✓ 1expected ✗ 2unexpected"),
        (&[AsExpected, Unknown], "? INCOMPLETE", "? 1unknown ○ 0not run"),
        (&[AsExpected, NotRun], "? INCOMPLETE", "? 0unknown ○ 1not run"),
        (&[Unknown, Unexpected], "✗ FAIL", "? 1unknown"),
        (&[Skipped], "✓ PASS", "– 1skipped"),
    ];
    for (kinds, word, counts) in cases {
        let mut cells = many(kinds.len());
        for (cell, kind) in cells.iter_mut().zip(kinds) {
            cell.shown.standing = Some(standing("c", *kind));
        }
        let parsed = Parsed::of(&html(&cells, &History::default()));
        assert!(parsed.heading.starts_with(word), "{kinds:?}: {}", parsed.heading);
        let got = parsed.counts.join(" ");
        assert!(got.contains(counts), "{kinds:?}: {got}");
    }
}

#[test]
fn two_runs_of_a_matrix_keep_their_cells_apart() {
    let both: Vec<_> = many(3).into_iter().chain(many(3)).collect();
    let parsed = Parsed::of(&html(&both, &History::default()));
    assert_eq!(parsed.grid.len(), 6, "{:?}", parsed.grid);
    assert_eq!(parsed.elements["details"], 6);
}

fn history(cells: &[PageCell]) -> History {
    many::past(cells)
}

/// `XTASK_PAGES=DIR cargo test -p xtask --bins write_pages -- --ignored`, then open them in a browser.
#[test]
#[ignore = "for people: it writes pages to look at"]
fn write_pages() {
    let directory = std::env::var_os("XTASK_PAGES").map_or_else(std::env::temp_dir, Into::into);
    for count in [1, 5, 200] {
        let cells = many(count);
        let page = html(&cells, &history(&cells));
        std::fs::write(directory.join(format!("page-{count}.html")), page).unwrap();
    }
    let mut history = History::default();
    history.damaged = 2;
    let page = html(&cells(), &history);
    std::fs::write(directory.join("page-sample.html"), page).unwrap();
}
