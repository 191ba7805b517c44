// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of each request in the final `.config`.

use super::evaluate::Values;
use super::reason::Reason;
use super::table::Note;
use super::why::Case;
use super::{DotConfig, Error, Place, Request, Requests, Symbol, SymbolTable, Value};

/// What became of each request; every request is in exactly one of the four lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Has the value asked for.
    pub kept: Vec<Request>,
    /// This tree has no such symbol, and the request allows for that.
    pub not_in_version: Vec<Request>,
    /// This tree has no such symbol: probably misspelt.
    pub misspelt: Vec<Misspelt>,
    /// The symbol exists and has another value.
    pub dropped: Vec<Dropped>,
    /// Lines of the tree's Kconfig files that were not understood. They may be why a symbol seems
    /// not to exist.
    pub notes: Vec<Note>,
}

/// A request for a symbol that the tree does not define.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misspelt {
    /// The request.
    pub request: Request,
    /// What may have been meant, the nearest first.
    pub nearest: Vec<Symbol>,
}

/// A request that the final configuration does not meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// The request.
    pub request: Request,
    /// The value in the final configuration.
    pub got: Value,
    /// Where the symbol is defined.
    pub defined: Place,
    /// Why; at least one reason.
    pub reasons: Vec<Reason>,
}

/// Compares a final `.config` with what was asked for.
///
/// A symbol that is absent, not set or n is off in each of these forms.
pub fn judge(requests: &Requests, symbols: &SymbolTable, final_config: &str) -> Report {
    let config = DotConfig::parse(final_config);
    let values = Values { table: symbols, config: &config };
    let mut report = Report { notes: symbols.notes().to_vec(), ..Report::default() };
    for request in requests {
        let Some((info, first)) =
            symbols.get(&request.symbol).and_then(|info| Some((info, info.definitions.first()?)))
        else {
            if request.if_known.is_some() {
                report.not_in_version.push(request.clone());
            } else {
                let nearest = symbols.nearest(&request.symbol);
                report.misspelt.push(Misspelt { request: request.clone(), nearest });
            }
            continue;
        };
        let got = config.value(&request.symbol, info.kind);
        if got == request.value {
            report.kept.push(request.clone());
            continue;
        }
        let reasons = Case { values, requests, request, info }.reasons();
        let defined = first.at.clone();
        report.dropped.push(Dropped { request: request.clone(), got, defined, reasons });
    }
    report
}

impl Report {
    /// Whether every request was kept, or allowed to be missing in this version.
    pub fn is_clean(&self) -> bool {
        self.misspelt.is_empty() && self.dropped.is_empty()
    }

    /// How many requests were judged.
    pub fn len(&self) -> usize {
        self.kept.len() + self.not_in_version.len() + self.misspelt.len() + self.dropped.len()
    }

    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// # Errors
    /// Any request that was dropped, or is for a symbol that should exist and does not.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_clean() { Ok(()) } else { Err(Error::Refused(Box::new(self.clone()))) }
    }
}
