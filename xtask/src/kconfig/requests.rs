// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several fragments as one set of requests, and the `.config` text that asks for them.

use std::collections::{HashMap, HashSet};

use super::config::assignment;
use super::{Error, Fragment, Request, Symbol, SymbolTable, Tristate, Value};
use crate::store::Key;

/// What all fragments together ask for: each symbol once, in the order first asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requests {
    requests: Vec<Request>,
}

/// Two fragments that ask for different values of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The request that came first.
    pub first: Request,
    /// The one that differs.
    pub second: Request,
}

/// Joins fragments. The same symbol with the same value in two of them is one request, which is
/// unconditional if either is.
///
/// # Errors
/// All pairs that ask for different values.
pub fn merge(fragments: &[Fragment]) -> Result<Requests, Error> {
    let mut requests: Vec<Request> = Vec::new();
    let mut index: HashMap<Symbol, usize> = HashMap::new();
    let mut conflicts = Vec::new();
    for request in fragments.iter().flat_map(|fragment| &fragment.requests) {
        let Some(earlier) = index.get(&request.symbol).and_then(|&i| requests.get_mut(i)) else {
            index.insert(request.symbol.clone(), requests.len());
            requests.push(request.clone());
            continue;
        };
        if earlier.value != request.value {
            conflicts.push(Conflict { first: earlier.clone(), second: request.clone() });
        } else if earlier.if_known.is_some() && request.if_known.is_none() {
            *earlier = request.clone();
        }
    }
    if conflicts.is_empty() { Ok(Requests { requests }) } else { Err(Error::Disagree(conflicts)) }
}

impl Requests {
    /// The requests, in the order first asked.
    pub fn iter(&self) -> std::slice::Iter<'_, Request> {
        self.requests.iter()
    }

    /// How many symbols are asked for.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// The request for a symbol.
    pub fn get(&self, symbol: &Symbol) -> Option<&Request> {
        self.requests.iter().find(|request| request.symbol == *symbol)
    }

    /// Whether a symbol is asked to be y.
    pub fn wants(&self, symbol: &str) -> bool {
        self.get(&Symbol::new(symbol)).is_some_and(|r| r.value == Value::Tristate(Tristate::Yes))
    }

    /// What of the requests decides a configuration: not their order, nor who asks.
    pub fn key(&self) -> Key {
        let mut sorted: Vec<&Request> = self.requests.iter().collect();
        sorted.sort_by_key(|request| &request.symbol);
        sorted
            .into_iter()
            .fold(Key::of("requests"), |key, request| {
                let if_known = if request.if_known.is_some() { "?" } else { "" };
                key.with(request.symbol.name(), format!("{}{if_known}", request.value))
            })
            .finish()
    }

    /// The text that olddefconfig starts from: `base` (the result of tinyconfig) without its lines
    /// about what is asked for, then the requests.
    ///
    /// Where a request chooses a member of a choice, `base`'s own member goes too, so that kconfig
    /// has nothing to override and warn about. What the tree does not define is left out.
    pub fn over(&self, base: &str, symbols: &SymbolTable) -> String {
        let known: Vec<&Request> =
            self.requests.iter().filter(|r| symbols.get(&r.symbol).is_some()).collect();
        let mut replaced: HashSet<&Symbol> = known.iter().map(|r| &r.symbol).collect();
        for request in &known {
            if request.value == Value::Tristate(Tristate::Yes) {
                replaced.extend(symbols.choices_of(&request.symbol).flat_map(|c| &c.members));
            }
        }
        let mut text = String::with_capacity(base.len() + 64 * known.len());
        let kept = base
            .lines()
            .filter(|line| assignment(line).is_none_or(|(symbol, _)| !replaced.contains(&symbol)));
        let asked: Vec<String> = known.iter().map(|r| r.value.line(&r.symbol)).collect();
        for line in kept.chain(asked.iter().map(String::as_str)) {
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

impl<'a> IntoIterator for &'a Requests {
    type Item = &'a Request;
    type IntoIter = std::slice::Iter<'a, Request>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
