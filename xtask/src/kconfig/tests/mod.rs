// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of the room as a whole.

mod evaluate;
mod fragments;
mod fuzz;
mod recorded;
mod tree;

use std::path::{Path, PathBuf};

use super::SymbolTable;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kconfig/fixtures")
}

fn fixture_tree() -> SymbolTable {
    SymbolTable::read(&fixtures().join("tree"), "x86").expect("the fixture is whole")
}
