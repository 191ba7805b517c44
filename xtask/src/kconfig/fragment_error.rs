// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be wrong with a line of a fragment.

use std::fmt;

use super::{Place, Symbol, Value};

/// A line of a fragment that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The fragment and the line.
    pub at: Place,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub problem: ParseProblem,
}

/// What is wrong with a line of a fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParseProblem {
    /// Neither an option, nor a comment, nor blank.
    NotAnOption,
    /// `FOO=y`.
    NoPrefix(String),
    /// `CONFIG_=y`, or a character that no symbol has.
    BadName(String),
    /// `config_foo=y` or `CONFIG_foo=y`.
    LowerCase(String),
    /// `CONFIG_FOO` and nothing after it.
    NoValue(String),
    /// White space before the option or around `=`: kconfig would not read the line.
    Space,
    /// The value is none of y, m, n, a string, a number.
    BadValue(String),
    /// A number of more than 64 bits.
    TooLarge(String),
    /// A string without its closing quote.
    Unterminated,
    /// Something follows the value.
    Trailing(String),
    /// Looks like `# CONFIG_FOO is not set`, but kconfig would take it for a comment.
    MalformedNotSet(String),
    /// `#: word` with a word that means nothing.
    UnknownDirective(String),
    /// `#: if-known:` without saying why.
    NoReason,
    /// A directive that no option follows.
    DirectiveAlone,
    /// Set before in the same fragment, to another value.
    Duplicate {
        /// The symbol set twice.
        symbol: Symbol,
        /// The value at the line of the error.
        value: Value,
        /// The value at the earlier line.
        earlier: Value,
        /// The earlier line.
        line: u32,
    },
}

impl ParseProblem {
    /// How to put it right.
    pub fn hint(&self) -> String {
        match self {
            Self::NotAnOption => {
                "write CONFIG_NAME=value, `# CONFIG_NAME is not set` or a comment".into()
            }
            Self::NoPrefix(name) => format!("write CONFIG_{name}="),
            Self::BadName(_) => "a symbol has letters, digits and underscores".into(),
            Self::LowerCase(name) => format!("write {}", name.to_ascii_uppercase()),
            Self::NoValue(name) => {
                format!("write {name}=y, or `# {name} is not set` to turn it off")
            }
            Self::Space => {
                "write CONFIG_NAME=value at the start of the line, without spaces".into()
            }
            Self::BadValue(value) => match value.to_ascii_lowercase().as_str() {
                "y" | "m" | "n" | "yes" | "module" | "no" | "true" | "false" | "on" | "off" => {
                    "write y, m or n in lower case".into()
                }
                _ => format!(
                    "a value is y, m, n, a number, 0xHEX or a string in double quotes, such as \"{}\"",
                    value.replace('"', "\\\"")
                ),
            },
            Self::TooLarge(_) => "kconfig's numbers have 64 bits".into(),
            Self::Unterminated => {
                "close it with \"; inside, write \\\" for a quote and \\\\ for a backslash".into()
            }
            Self::Trailing(text) if text.starts_with('#') => {
                "put the comment on a line of its own: kconfig takes it for part of the value"
                    .into()
            }
            Self::Trailing(_) => "one option a line, and nothing after its value".into(),
            Self::MalformedNotSet(name) => {
                format!("write exactly `# {name} is not set`, or reword the comment")
            }
            Self::UnknownDirective(_) => "the one directive is `#: if-known: why`".into(),
            Self::NoReason => {
                "say why some kernels do not know it: `#: if-known: from 5.16 on`".into()
            }
            Self::DirectiveAlone => "put the directive on the line before its option".into(),
            Self::Duplicate { .. } => "keep one of the two lines".into(),
        }
    }
}

impl fmt::Display for ParseProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnOption => f.write_str("this is not an option"),
            Self::NoPrefix(name) => write!(f, "{name} lacks the prefix CONFIG_"),
            Self::BadName(name) => write!(f, "`{name}` is not a symbol's name"),
            Self::LowerCase(name) => write!(f, "{name} is in lower case"),
            Self::NoValue(name) => write!(f, "{name} has no value"),
            Self::Space => f.write_str("there is white space before the option or around `=`"),
            Self::BadValue(value) => write!(f, "`{value}` is not a value"),
            Self::TooLarge(number) => write!(f, "{number} is too large"),
            Self::Unterminated => f.write_str("the string has no closing quote"),
            Self::Trailing(text) => write!(f, "`{text}` follows the value"),
            Self::MalformedNotSet(name) => {
                write!(f, "this only looks like `# {name} is not set`")
            }
            Self::UnknownDirective(word) => write!(f, "there is no directive `#: {word}`"),
            Self::NoReason => f.write_str("`#: if-known:` has no reason"),
            Self::DirectiveAlone => f.write_str("no option follows this directive"),
            Self::Duplicate { symbol, value, earlier, line } => {
                write!(f, "CONFIG_{symbol}={value}, but line {line} says CONFIG_{symbol}={earlier}")
            }
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.at, self.column, self.problem)?;
        write!(f, "\n  {}", self.problem.hint())
    }
}

impl std::error::Error for ParseError {}
