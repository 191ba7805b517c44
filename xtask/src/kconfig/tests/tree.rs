// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fixture tree as a symbol table, and trees that are not whole.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;

use super::super::{DotConfig, Error, Fragment, Symbol, SymbolTable, explain, merge, show};
use super::{fixture_tree, fixtures};
use crate::diagnosis::{Diagnosis, ExitKind};

/// A tree of one or more files held in memory.
fn tree(files: &[(&str, &str)]) -> Result<SymbolTable, Error> {
    let files: HashMap<&str, &str> = files.iter().copied().collect();
    SymbolTable::read_with("x86", &|path| {
        files
            .get(path)
            .map(|text| text.as_bytes().to_vec())
            .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    })
}

fn explained(symbol: &str) -> String {
    let config = std::fs::read_to_string(fixtures().join("cases/chain.config")).expect("a record");
    explain(&fixture_tree(), &Symbol::new(symbol), Some(&DotConfig::parse(&config)))
        .expect("a known symbol")
}

#[test]
fn the_fixture_is_understood_to_the_last_line() {
    let table = fixture_tree();
    assert_eq!(table.notes(), []);
    assert_eq!(table.files(), 3);
    assert_eq!(table.modules(), Symbol::new("MODULES"));
    let names: Vec<&str> = table.iter().map(|(symbol, _)| symbol.name()).collect();
    insta::assert_snapshot!(names.join(" "));
    assert!(table.get(&Symbol::new("NOT_A_SYMBOL")).is_none(), "help text is no statement");
    assert!(table.get(&Symbol::new("ARCH_NO_PREEMPT")).is_none(), "named is not defined");
}

#[test]
fn symbols_are_explained() {
    for symbol in [
        "SAMPLE_DIRECT",
        "NR_CPUS",
        "PREEMPT",
        "DEBUG_INFO",
        "CRC16",
        "WONDERS",
        "CC_HAS_WONDERS",
        "MMU",
    ] {
        insta::assert_snapshot!(format!("explain-{symbol}"), explained(symbol));
    }
}

#[test]
fn a_symbol_is_explained_without_a_configuration() {
    let text = explain(&fixture_tree(), &Symbol::new("CONFIG_TMPFS"), None).expect("known");
    insta::assert_snapshot!(text);
}

#[test]
fn an_unknown_symbol_is_not_explained() {
    let error = explain(&fixture_tree(), &Symbol::new("SHMEN"), None).expect_err("unknown");
    let diagnosis = Diagnosis::from(error);
    assert_eq!(diagnosis.exit, ExitKind::Usage);
    insta::assert_snapshot!(diagnosis.to_string(), @r"
    this kernel has no CONFIG_SHMEN
      next: did you mean CONFIG_SHMEM?
    ");
}

#[test]
fn merged_fragments_are_shown_with_who_asked() {
    let parse = |file, text| Fragment::parse(file, text).expect("a good fragment");
    let fragments = [
        parse("a.config", "CONFIG_A=y\n#: if-known: later\nCONFIG_B=m\n"),
        parse("b.config", "# CONFIG_C is not set\nCONFIG_A=y\nCONFIG_S=\"x\"\n"),
    ];
    insta::assert_snapshot!(show(&merge(&fragments).expect("no conflict")), @r#"
    # a.config:1
    CONFIG_A=y
    # a.config:3
    #: if-known: later
    CONFIG_B=m
    # b.config:1
    # CONFIG_C is not set
    # b.config:3
    CONFIG_S="x"
    "#);
}

#[test]
fn the_start_replaces_lines_and_choices_and_is_stable() {
    let fragment = "CONFIG_PREEMPT=y\nCONFIG_DEFAULT_HOSTNAME=\"h\"\nCONFIG_GONE=y\n\
                    # CONFIG_SMP is not set\n";
    let requests = merge(&[Fragment::parse("f", fragment).expect("good")]).expect("one");
    let base = "# Linux\nCONFIG_SMP=y\nCONFIG_PREEMPT_NONE=y\n# CONFIG_PREEMPT is not set\n\
                CONFIG_SMP_OTHER=y\nCONFIG_DEFAULT_HOSTNAME=\"(none)\"\n";
    let text = requests.over(base, &fixture_tree());
    insta::assert_snapshot!(text, @r#"
    # Linux
    CONFIG_SMP_OTHER=y
    CONFIG_PREEMPT=y
    CONFIG_DEFAULT_HOSTNAME="h"
    # CONFIG_SMP is not set
    "#);
    assert_eq!(text, requests.over(&text, &fixture_tree()), "merging twice changes nothing");
}

#[test]
fn what_is_not_understood_is_noted_and_the_rest_is_read() {
    let table = tree(&[(
        "Kconfig",
        "wonder FOO\nconfig A\n\tbool \"a\"\n\tdepends on\n\tdepends on (B\n\tshiny\nendif\n\
         config B\n\tbool ~\nmenu \"open\"\nconfig C\n\tint \"c\"\n\trange 1\n",
    )])
    .expect("readable");
    let notes: Vec<String> =
        table.notes().iter().map(|note| format!("{}: {}", note.at, note.what)).collect();
    insta::assert_snapshot!(notes.join("\n"));
    assert_eq!(table.len(), 3);
}

#[test]
fn a_tree_that_is_not_whole_is_an_error() {
    let cases: [(&str, &[(&str, &str)]); 5] = [
        ("no top file", &[]),
        ("missing", &[("Kconfig", "\nsource \"init/Kconfig\"\n")]),
        ("itself", &[("Kconfig", "source \"./Kconfig\"\n")]),
        ("in a ring", &[("Kconfig", "source \"a\"\n"), ("a", "\n\nsource \"Kconfig\"\n")]),
        ("environment", &[("Kconfig", "source \"$(HOME)/Kconfig\"\n")]),
    ];
    let mut text = String::new();
    for (name, files) in cases {
        let diagnosis = Diagnosis::from(tree(files).expect_err(name));
        assert_eq!(diagnosis.exit.code(), 2);
        writeln!(text, "{name}: {diagnosis}").expect("a String takes all");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn newer_language_is_read() {
    let table = tree(&[(
        "Kconfig",
        "config A\n\tbool \"a\"\n\tdepends on B if C\nconfig B\n\tbool\n\ttransitional\n\
         config C\n\tbool \"c\"\n\t---help---\n\t  text\nconfig D\n\toption env=\"X\"\n\tstring\n",
    )])
    .expect("readable");
    assert_eq!(table.notes(), []);
    let text = explain(&table, &Symbol::new("A"), None).expect("known");
    assert!(text.contains("depends on B || !C"), "{text}");
}
