// SPDX-License-Identifier: MIT OR Apache-2.0
//! Symbols, their values, and where something was written.

use std::fmt;
use std::sync::Arc;

use super::fragment::parse_value;

/// A Kconfig symbol's name, without the `CONFIG_` that `.config` puts before it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(Arc<str>);

impl Symbol {
    /// The symbol of this name; a leading `CONFIG_` is taken off, as people paste both forms.
    pub fn new(name: &str) -> Self {
        Self(name.strip_prefix("CONFIG_").unwrap_or(name).into())
    }

    /// The symbol of exactly this name, as Kconfig files write it.
    pub(super) fn verbatim(name: &str) -> Self {
        Self(name.into())
    }

    /// The name, without `CONFIG_`.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The three states of a bool or tristate symbol, in the order of the language: n < m < y.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tristate {
    /// Off. Not set and absent are the same.
    No,
    /// A module.
    Module,
    /// Built in.
    Yes,
}

impl fmt::Display for Tristate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::No => "n",
            Self::Module => "m",
            Self::Yes => "y",
        })
    }
}

impl std::ops::Not for Tristate {
    type Output = Self;

    /// 2 minus the value, as the language defines it: `!m` is `m`.
    fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Module => Self::Module,
            Self::Yes => Self::No,
        }
    }
}

/// A symbol's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// y or n.
    Bool,
    /// y, m or n.
    Tristate,
    /// Text.
    String,
    /// A decimal number.
    Int,
    /// A hexadecimal number.
    Hex,
}

impl Kind {
    /// Whether values are y, m and n.
    pub fn is_logical(self) -> bool {
        matches!(self, Self::Bool | Self::Tristate)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::Tristate => "tristate",
            Self::String => "string",
            Self::Int => "int",
            Self::Hex => "hex",
        })
    }
}

/// What a symbol is set to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// y, m or n.
    Tristate(Tristate),
    /// Text, with quotes and escapes taken off.
    Text(String),
    /// A decimal number.
    Int(i64),
    /// A hexadecimal number.
    Hex(u64),
}

impl Value {
    /// Off.
    pub const NO: Self = Self::Tristate(Tristate::No);

    /// Whether a symbol of `kind` can have this value.
    pub fn fits(&self, kind: Kind) -> bool {
        match (self, kind) {
            (Self::Tristate(value), Kind::Bool) => *value != Tristate::Module,
            (Self::Tristate(_), Kind::Tristate)
            | (Self::Text(_), Kind::String)
            | (Self::Int(_), Kind::Int)
            | (Self::Hex(_), Kind::Hex) => true,
            _ => false,
        }
    }

    /// A value as a `.config` has it after `=`; what is neither a state nor a number is text.
    pub fn from_config(written: &str) -> Self {
        parse_value("", written).unwrap_or_else(|_| Self::Text(written.to_owned()))
    }

    /// The line of a `.config` that sets `symbol` to this value.
    pub fn line(&self, symbol: &Symbol) -> String {
        match self {
            Self::Tristate(Tristate::No) => format!("# CONFIG_{symbol} is not set"),
            other => format!("CONFIG_{symbol}={other}"),
        }
    }
}

impl fmt::Display for Value {
    /// As written after `CONFIG_X=`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tristate(value) => value.fmt(f),
            Self::Text(text) => {
                f.write_str("\"")?;
                for c in text.chars() {
                    if matches!(c, '"' | '\\') {
                        f.write_str("\\")?;
                    }
                    write!(f, "{c}")?;
                }
                f.write_str("\"")
            }
            Self::Int(number) => number.fmt(f),
            Self::Hex(number) => write!(f, "{number:#x}"),
        }
    }
}

/// A line of a fragment or of a Kconfig file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file: as the caller named it, or relative to the kernel tree.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_kconfig_reads_them() {
        let symbol = Symbol::new("CONFIG_X");
        for (value, line) in [
            (Value::Tristate(Tristate::Yes), "CONFIG_X=y"),
            (Value::NO, "# CONFIG_X is not set"),
            (Value::Text(r#"a "b" \c"#.into()), r#"CONFIG_X="a \"b\" \\c""#),
            (Value::Int(-3), "CONFIG_X=-3"),
            (Value::Hex(0xff), "CONFIG_X=0xff"),
        ] {
            assert_eq!(value.line(&symbol), line);
        }
    }

    #[test]
    fn a_module_is_not_a_bool() {
        assert!(!Value::Tristate(Tristate::Module).fits(Kind::Bool));
        assert!(Value::Tristate(Tristate::Module).fits(Kind::Tristate));
        assert!(!Value::Text("y".into()).fits(Kind::Bool));
        assert!(!Value::Int(1).fits(Kind::Hex));
        assert!(!Value::NO.fits(Kind::String));
    }
}
