// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernel configuration: fragments of requests, what a tree's Kconfig files allow, and whether the
//! final `.config` has what was asked for.
//!
//! ```text
//! Fragment::read ─▶ merge ─▶ Requests ─▶ over(tinyconfig's .config) ─▶ make olddefconfig
//!                                │                                            │
//! SymbolTable::read(tree) ───────┴──────────────▶ judge ◀─────────────────────┘
//! ```
//!
//! Nothing here runs a program, and nothing but [`Fragment::read`] and [`SymbolTable::read`] reads
//! a file. kconfig itself stays the judge of what a configuration becomes; this room explains the
//! difference between that and what was asked for.

mod attribute;
mod config;
mod error;
mod evaluate;
mod explain;
mod expr;
mod fragment;
mod fragment_error;
mod judge;
mod known_break;
mod lexer;
mod macros;
mod nearest;
mod plan;
mod reader;
mod reason;
mod report_text;
mod requests;
mod table;
#[cfg(test)]
mod tests;
mod unmet;
mod value;
mod why;

pub use config::DotConfig;
pub use error::Error;
pub use evaluate::{Bounds, Values};
pub use explain::{explain, show};
pub use expr::{Expr, Operand};
pub use fragment::{Fragment, Request};
pub use fragment_error::{ParseError, ParseProblem};
pub use judge::{Dropped, Misspelt, Report, judge};
pub use known_break::{KnownBreak, KnownBreaks};
pub use lexer::Comparison;
pub use plan::{STEPS, Step};
pub use reason::{Advice, Reason, Selector, Setters, Unmet};
pub use requests::{Conflict, Requests, merge};
pub use table::{
    Choice, Condition, DefaultValue, Definition, Note, Origin, Prompt, Range, Selection,
    SymbolInfo, SymbolTable,
};
pub use value::{Kind, Place, Symbol, Tristate, Value};
