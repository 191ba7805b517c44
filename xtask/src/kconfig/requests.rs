// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several fragments as one list of requests.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Fragment, Request, SymbolTable, Value};
use crate::diagnosis::Diagnosis;
use crate::store::Key;

/// What all fragments together ask for, by symbol.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requests {
    requests: BTreeMap<String, Request>,
}

/// Merges fragments.
///
/// # Errors
/// Two fragments that ask for different values of one symbol, with both places.
pub fn merge(fragments: &[Fragment]) -> Result<Requests, Diagnosis> {
    let mut merged = Requests::default();
    for request in fragments.iter().flat_map(|f| &f.requests) {
        match merged.requests.get(&request.symbol) {
            Some(first) if first.value != request.value => {
                return Err(Diagnosis::usage(format!(
                    "two fragments disagree about CONFIG_{}",
                    request.symbol
                ))
                .detail(format!("{}: CONFIG_{}={}", first.place(), first.symbol, first.value))
                .detail(format!("{}: CONFIG_{}={}", request.place(), request.symbol, request.value))
                .next("remove one of the two, or do not use both fragments together"));
            }
            Some(_) => {}
            None => {
                merged.requests.insert(request.symbol.clone(), request.clone());
            }
        }
    }
    Ok(merged)
}

impl Requests {
    /// All of them, sorted by symbol.
    pub fn iter(&self) -> impl Iterator<Item = &Request> {
        self.requests.values()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether a symbol is asked to be `y`.
    pub fn wants(&self, symbol: &str) -> bool {
        self.requests.get(symbol).is_some_and(|r| r.value == Value::Yes)
    }

    /// What of them decides a configuration.
    pub fn key(&self) -> Key {
        self.iter()
            .fold(Key::of("requests"), |key, r| {
                let only_if_known = if r.if_known.is_some() { "?" } else { "" };
                key.with(&r.symbol, format!("{}{only_if_known}", r.value))
            })
            .finish()
    }

    /// A configuration with the requests over it. Lines of symbols that are asked for are replaced,
    /// so that kconfig has nothing to warn of. A choice is asked by its chosen member alone: the
    /// others are dropped from `base`, as two chosen members would be a contradiction.
    pub fn over(&self, base: &str, symbols: &SymbolTable) -> String {
        let asked_choices: Vec<usize> = self
            .iter()
            .filter(|r| r.value == Value::Yes)
            .filter_map(|r| symbols.get(&r.symbol)?.choice)
            .collect();
        let mut text = String::new();
        for line in base.lines() {
            let symbol = symbol_of(line);
            let replaced = symbol.is_some_and(|s| {
                self.requests.contains_key(s)
                    || symbols
                        .get(s)
                        .and_then(|s| s.choice)
                        .is_some_and(|choice| asked_choices.contains(&choice))
            });
            if !replaced {
                text.push_str(line);
                text.push('\n');
            }
        }
        for request in self.iter() {
            if request.if_known.is_some() && symbols.get(&request.symbol).is_none() {
                continue;
            }
            let _ = match &request.value {
                Value::No => writeln!(text, "# CONFIG_{} is not set", request.symbol),
                value => writeln!(text, "CONFIG_{}={value}", request.symbol),
            };
        }
        text
    }
}

/// The symbol that a line of a `.config` is about.
pub(super) fn symbol_of(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("# CONFIG_").or(line.strip_prefix("CONFIG_"))?;
    rest.split(['=', ' ']).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn fragment(name: &str, text: &str) -> Fragment {
        Fragment::parse(Path::new(name), text).unwrap()
    }

    #[test]
    fn agreeing_fragments_merge_and_others_are_named() {
        let a = fragment("a.config", "CONFIG_X=y\nCONFIG_Z=y\n");
        let same = fragment("b.config", "CONFIG_Y=n\n\nCONFIG_X=y\n");
        assert_eq!(merge(&[a.clone(), same]).unwrap().len(), 3);
        let other = fragment("b.config", "CONFIG_Y=n\n\nCONFIG_X=m\n");
        insta::assert_snapshot!(merge(&[a, other]).unwrap_err(), @r"
        two fragments disagree about CONFIG_X
          a.config:1: CONFIG_X=y
          b.config:3: CONFIG_X=m
          next: remove one of the two, or do not use both fragments together
        ");
    }

    #[test]
    fn the_base_gives_way() {
        let requests = merge(&[fragment(
            "a",
            "CONFIG_A=y\n# CONFIG_B is not set\n#: if-known: x\nCONFIG_NEW=y\n",
        )])
        .unwrap();
        let base = "# CONFIG_A is not set\nCONFIG_B=y\nCONFIG_C=y\nCONFIG_AB=y\n";
        assert_eq!(
            requests.over(base, &SymbolTable::default()),
            "CONFIG_C=y\nCONFIG_AB=y\nCONFIG_A=y\n# CONFIG_B is not set\n"
        );
    }
}
