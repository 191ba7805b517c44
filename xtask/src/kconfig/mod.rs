// SPDX-License-Identifier: MIT OR Apache-2.0
//! Configuration fragments, and whether a kernel's configuration is what they ask for.
//!
//! Everything here works on text that is given to it. The language is that of the kernel's
//! `Documentation/kbuild/kconfig-language.rst`.

mod expr;
mod fragment;
mod judge;
mod requests;
mod symbols;

pub use expr::Expr;
pub use fragment::{Fragment, Request, Value};
pub use judge::{Report, explain, judge};
pub use requests::{Requests, merge};
pub use symbols::{Symbol, SymbolTable};
