// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask kernel list`.

use std::fmt::Write as _;

use serde::Serialize;

use crate::cli::Session;
use crate::diagnosis::Diagnosis;
use crate::tree::{self, KernelVersion, Matrix, Release, Source};

/// A kernel of `matrix.yaml`, and what of it is in the store.
#[derive(Serialize)]
struct Row {
    name: KernelVersion,
    pin: Option<Release>,
    /// Whether the pinned release itself is in the store; `None` without a pin.
    pin_in_store: Option<bool>,
    have: Option<KernelVersion>,
}

#[derive(Serialize)]
struct Listing {
    kernels: Vec<Row>,
    store: Vec<Source>,
}

pub fn run(session: &Session, matrix: &Matrix) -> Result<(), Diagnosis> {
    let (host, store) = (&session.host, &session.store);
    let mut kernels = Vec::new();
    for listed in &matrix.kernels {
        let spec = listed.spec().map_err(Diagnosis::usage)?;
        let pin = listed.pin().map_err(Diagnosis::usage)?.cloned();
        let have = tree::resolve(host, store, &spec, false)?.map(|source| source.version);
        let is_pin = |pin: &Release| have.is_some_and(|have| have.cmp(&pin.upstream()).is_eq());
        let pin_in_store = pin.as_ref().map(is_pin);
        kernels.push(Row { name: listed.name, pin, pin_in_store, have });
    }
    let listing = Listing { kernels, store: tree::known(store) };
    session.print(&text(&listing), &listing)
}

fn text(listing: &Listing) -> String {
    let mut text = String::from("in matrix.yaml:\n");
    let pins: Vec<_> = listing
        .kernels
        .iter()
        .map(|row| row.pin.as_ref().map_or_else(|| "no pin".to_owned(), |p| format!("pin {p}")))
        .collect();
    let width = pins.iter().map(String::len).max().unwrap_or_default();
    for (row, pin) in listing.kernels.iter().zip(&pins) {
        let have = match (row.have, row.pin_in_store) {
            (None, _) => "not fetched".to_owned(),
            (Some(have), Some(false)) => format!("not fetched; have {have}"),
            (Some(have), _) => format!("have {have}"),
        };
        let _ = writeln!(text, "  {:<8} {pin:<width$}  {have}", row.name.to_string());
    }
    text.push_str("in the store:\n");
    for source in &listing.store {
        let _ = writeln!(text, "  {:<20} {}", source.id, source.origin);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_and_what_is_there_of_them() {
        let row = |name: &str, pin: Option<&str>, in_store, have: Option<&str>| Row {
            name: name.parse().unwrap(),
            pin: pin.map(|p| p.parse().unwrap()),
            pin_in_store: in_store,
            have: have.map(|h| h.parse().unwrap()),
        };
        let kernels = vec![
            row("5.10", Some("5.10.262-1"), Some(true), Some("5.10.262")),
            row("6.1", Some("6.1.192-3"), Some(false), Some("6.1.187")),
            row("6.12", Some("6.12.107-1~deb12u1"), Some(false), None),
            row("6.18", None, None, Some("6.18.15")),
        ];
        insta::assert_snapshot!(text(&Listing { kernels, store: Vec::new() }), @r"
        in matrix.yaml:
          5.10     pin 5.10.262-1          have 5.10.262
          6.1      pin 6.1.192-3           not fetched; have 6.1.187
          6.12     pin 6.12.107-1~deb12u1  not fetched
          6.18     no pin                  have 6.18.15
        in the store:
        ");
    }
}
