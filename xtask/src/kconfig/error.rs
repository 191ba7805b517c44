// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong with a configuration, and how a user is told.

use std::fmt;

use super::report_text::names;
use super::{Conflict, ParseError, Place, Report, Symbol};
use crate::diagnosis::Diagnosis;

/// A configuration that cannot be made as asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A fragment that cannot be read.
    FragmentUnread {
        /// The fragment.
        file: String,
        /// Why.
        why: String,
    },
    /// Lines of fragments that are wrong; at least one.
    Malformed(Vec<ParseError>),
    /// Fragments that ask for different values; at least one pair.
    Disagree(Vec<Conflict>),
    /// A Kconfig file of the tree that cannot be read.
    KconfigUnread {
        /// The file, relative to the tree.
        file: String,
        /// The line that sources it.
        from: Option<Place>,
        /// Why.
        why: String,
    },
    /// Requests that the tree did not accept.
    Refused(Box<Report>),
    /// A symbol that the tree does not define.
    NoSuchSymbol {
        /// The symbol.
        symbol: Symbol,
        /// What may have been meant.
        nearest: Vec<Symbol>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FragmentUnread { file, why } => {
                write!(f, "cannot read the fragment {file}: {why}")
            }
            Self::Malformed(errors) => match errors.as_slice() {
                [only] => write!(f, "{}:{}: {}", only.at, only.column, only.problem),
                many => {
                    let lines = many.len();
                    match many.first() {
                        Some(first) if many.iter().all(|e| e.at.file == first.at.file) => {
                            write!(f, "{lines} lines of {} are wrong", first.at.file)
                        }
                        _ => write!(f, "{lines} lines of the fragments are wrong"),
                    }
                }
            },
            Self::Disagree(conflicts) => match conflicts.as_slice() {
                [only] => write!(f, "two fragments disagree about CONFIG_{}", only.first.symbol),
                many => write!(f, "the fragments disagree about {} options", many.len()),
            },
            Self::KconfigUnread { file, from, why } => {
                write!(f, "cannot read the kernel's {file}: {why}")?;
                match from {
                    Some(place) => write!(f, " (sourced at {place})"),
                    None => Ok(()),
                }
            }
            Self::Refused(report) => {
                let refused = report.misspelt.len() + report.dropped.len();
                match (report.misspelt.as_slice(), report.dropped.as_slice()) {
                    ([one], []) => {
                        write!(f, "this kernel has no CONFIG_{}", one.request.symbol)
                    }
                    ([], [one]) => write!(
                        f,
                        "CONFIG_{}={} cannot be had with this configuration",
                        one.request.symbol, one.request.value
                    ),
                    _ => write!(f, "{refused} of {} options cannot be had", report.len()),
                }
            }
            Self::NoSuchSymbol { symbol, .. } => write!(f, "this kernel has no CONFIG_{symbol}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for Diagnosis {
    /// All of these are input that cannot be used: exit code 2.
    fn from(error: Error) -> Self {
        let diagnosis = Self::usage(error.to_string());
        match error {
            Error::FragmentUnread { .. } => {
                diagnosis.next("check the fragment's path and that it is a text file")
            }
            Error::Malformed(errors) => match errors.as_slice() {
                [only] => diagnosis.next(only.problem.hint()),
                many => many.iter().fold(diagnosis, |d, e| d.detail(e.to_string())),
            },
            Error::Disagree(conflicts) => conflicts
                .iter()
                .fold(diagnosis, |d, conflict| d.detail(conflict.to_string()))
                .next("let one of the two fragments ask for it, or leave one of them out"),
            Error::KconfigUnread { .. } => {
                diagnosis.next("the tree is not whole: fetch the kernel again")
            }
            Error::Refused(report) => {
                let first = report.dropped.first().map(|dropped| dropped.request.symbol.clone());
                let diagnosis = diagnosis.detail(report.refusals());
                match first {
                    Some(symbol) => diagnosis.next(format!(
                        "`cargo xtask kconfig explain {symbol}` shows all that it depends on"
                    )),
                    None => diagnosis.next(
                        "correct the name, or put `#: if-known: why` before it if some kernels \
                         lack it",
                    ),
                }
            }
            Error::NoSuchSymbol { nearest, .. } => match nearest.as_slice() {
                [] => diagnosis.next("look for it in another version or architecture"),
                near => diagnosis.next(format!("did you mean {}?", names(near, "or"))),
            },
        }
    }
}
