// SPDX-License-Identifier: MIT OR Apache-2.0
//! Damaged input must give an error or a note, never a panic and never an endless loop.

use super::super::{DotConfig, Fragment, Symbol, SymbolTable, explain, judge, merge};
use super::fixtures;

/// A small generator with a fixed start, so that a failure comes back (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 33).expect("31 bits") % bound.max(1)
    }
}

/// Pieces that mean something, put where they do not belong.
const PIECES: &[&str] = &[
    "\n",
    "\t",
    " ",
    "\\\n",
    "\"",
    "'",
    "$(",
    ")",
    "(",
    "$",
    "&&",
    "||",
    "!",
    "=",
    ":=",
    "+=",
    "<=",
    "if ",
    "endif\n",
    "config ",
    "choice\n",
    "endchoice\n",
    "menu \"m\"\n",
    "endmenu\n",
    "help\n",
    "source \"Kconfig\"\n",
    "depends on ",
    "select ",
    "default ",
    "range 1 2\n",
    "CONFIG_",
    "=y",
    "# CONFIG_",
    " is not set",
    "#: if-known: x\n",
    "0x",
    "-",
    "\u{e4}",
    "\0",
    "\r\n",
    "$(shell,",
    "99999999999999999999999999999999999999999",
    "$(1)",
    ",",
];

fn damage(random: &mut Random, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(12) {
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes.truncate(bytes.len() - random.below(40).min(bytes.len())),
            1 if !bytes.is_empty() => bytes[at] = u8::try_from(random.below(256)).expect("a byte"),
            2 if !bytes.is_empty() => drop(bytes.remove(at)),
            3 => {
                let end = (at + random.below(200)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, copy);
            }
            _ => {
                let piece = PIECES[random.below(PIECES.len())].bytes();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

fn noise(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..random.below(60) {
        if random.below(3) == 0 {
            bytes.push(u8::try_from(random.below(256)).expect("a byte"));
        } else {
            bytes.extend(PIECES[random.below(PIECES.len())].bytes());
        }
    }
    bytes
}

fn read(name: &str) -> String {
    std::fs::read_to_string(fixtures().join(name)).expect("a fixture")
}

#[test]
fn damaged_kconfig_files_never_panic() {
    let mut random = Random(0x5eed);
    let originals = ["tree/Kconfig", "tree/arch/x86/Kconfig", "tree/lib/Kconfig.debug"].map(read);
    let fragment = Fragment::parse("f", &read("cases/chain.fragment")).expect("good");
    let requests = merge(&[fragment]).expect("one");
    let config = read("cases/chain.config");
    let parsed = DotConfig::parse(&config);
    for round in 0..600 {
        let files: Vec<Vec<u8>> = originals
            .iter()
            .map(|text| if round % 5 == 0 { noise(&mut random) } else { damage(&mut random, text) })
            .collect();
        let table = SymbolTable::read_with("x86", &|path| {
            Ok(match path {
                "Kconfig" => files[0].clone(),
                "arch/x86/Kconfig" => files[1].clone(),
                "lib/Kconfig.debug" => files[2].clone(),
                _ => return Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
            })
        });
        let Ok(table) = table else { continue };
        let report = judge(&requests, &table, &config);
        assert_eq!(report.len(), requests.len());
        let _ = report.to_string();
        let _ = requests.over(&config, &table);
        for (symbol, _) in table.iter() {
            assert!(explain(&table, symbol, Some(&parsed)).is_ok());
        }
    }
}

#[test]
fn damaged_fragments_and_configurations_never_panic() {
    let mut random = Random(0xf00d);
    let table = super::fixture_tree();
    let original = read("cases/misspelt.fragment") + &read("cases/kinds.fragment");
    for round in 0..3_000 {
        let bytes =
            if round % 3 == 0 { noise(&mut random) } else { damage(&mut random, &original) };
        let text = String::from_utf8_lossy(&bytes);
        match Fragment::parse("f", &text) {
            Ok(fragment) => {
                let requests = merge(&[fragment]).expect("one fragment cannot disagree");
                let report = judge(&requests, &table, &text);
                assert_eq!(report.len(), requests.len());
                let _ = report.to_string();
            }
            Err(errors) => {
                assert!(!errors.is_empty());
                for error in errors {
                    assert!(error.column >= 1);
                    let _ = error.to_string();
                }
            }
        }
    }
    assert!(table.nearest(&Symbol::new("\u{e4}\u{e4}\u{e4}\u{e4}")).is_empty());
}
