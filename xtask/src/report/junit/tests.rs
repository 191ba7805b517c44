// SPDX-License-Identifier: MIT OR Apache-2.0

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use super::super::tests::{matrix, sample};
use super::*;
use crate::host::package::find_program;

/// What xmllint says against a document, if it says anything. A check that cannot run must not look
/// like one that passed, so it has to be there.
fn against(document: &str) -> Result<(), String> {
    let xmllint = find_program(OsStr::new("xmllint"))
        .expect("xmllint is not installed: `cargo xtask setup` brings it (Debian: libxml2-utils)");
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/junit.xsd");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("junit.xml");
    std::fs::write(&path, document).unwrap();
    let output = Command::new(xmllint)
        .args(["--nonet", "--noout", "--schema"])
        .args([&schema, &path])
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => Ok(()),
        // 1: not well-formed, 3: not valid. All else is about the schema or xmllint itself.
        Some(1 | 3) => Err(words),
        code => panic!("xmllint ended with {code:?}: {words}"),
    }
}

#[test]
fn all_that_is_written_is_valid() {
    let mut bare = sample();
    // No words at all, and words that XML has no characters for.
    bare[1].result.reason.clear();
    bare[1].result.properties[0].detail = "\u{1b}[31mred\u{0}".into();
    bare[1].result.findings[0].excerpt = "\u{0}\u{fffe}]]>".into();
    bare[1].run = "<&\">".into();
    for shown in [sample(), matrix(), bare, Vec::new()] {
        let xml = junit(&shown).unwrap();
        if let Err(words) = against(&xml) {
            panic!("{words}\n{xml}");
        }
    }
}

#[test]
fn a_broken_document_is_refused() {
    let good = junit(&matrix()).unwrap();
    let cases = [
        ("<testsuites ", "<testsuits "),
        (" failures=\"1\"", " failures=\"one\""),
        (" failures=\"1\"", ""),
        (" time=\"1.500\"", " time=\"-1\""),
        (" classname=\"6.1-none-c\"", ""),
        ("<failure ", "<crash "),
        ("<failure message=\"it passes | here\"/>", "<failure/><error message=\"x\"/>"),
        ("<skipped message=\"no Rust before 6.12\"/>", "<skipped message=\"\"/>"),
        ("<system-out>", "<system-out>&nbsp;"),
        ("</testsuites>", ""),
        (" name=\"kernel-xtask\"", " name=\"kernel-xtask\" color=\"red\""),
    ];
    for (what, with) in cases {
        let broken = good.replacen(what, with, 1);
        assert_ne!(broken, good, "{what} is not in the document");
        assert!(against(&broken).is_err(), "{what} -> {with:?} was taken");
    }
}
