// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--only EXPR` and `--exclude EXPR`: which cells of a plan are meant. Pure.
//!
//! ```text
//! EXPR := TERM { '|' TERM }
//! TERM := FACTOR { '&' FACTOR }
//! FACTOR := '!' FACTOR | '(' EXPR ')' | KEY '=' VALUE | KEY '!=' VALUE | NAME
//! ```
//!
//! KEY is one of kernel, series, subject, config, role, suite. The VALUE of `kernel` is a range
//! (`6.1..`); any other, and a NAME, which is that of a cell, may have `*` in it.

use std::str::FromStr;

use super::{Cell, Role};
use crate::series::KernelRange;

/// An expression over cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// One of them holds.
    Any(Vec<Filter>),
    /// All of them hold.
    All(Vec<Filter>),
    /// It does not hold.
    Not(Box<Filter>),
    /// The kernel is in a range.
    Kernel(KernelRange),
    /// What a key names fits a pattern.
    Fits(Key, String),
}

/// What of a cell is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Its name.
    Id,
    /// The series, the fault, or `none`; with the level it is `NAME-uptoN`.
    Series,
    /// `c`, `rust`
    Subject,
    /// The configuration.
    Config,
    /// `baseline`, `series`, `fault`
    Role,
    /// The suite.
    Suite,
}

/// An expression, with the text that it was written as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    /// As it was written.
    pub text: String,
    filter: Filter,
}

impl Selector {
    /// Whether a cell is meant.
    pub fn has(&self, cell: &Cell) -> bool {
        self.filter.has(cell)
    }
}

impl FromStr for Selector {
    type Err = NotAFilter;

    fn from_str(text: &str) -> Result<Self, NotAFilter> {
        Ok(Self { text: text.to_owned(), filter: text.parse()? })
    }
}

/// The text is no expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{why}, at column {column}; write for example 'kernel=6.1.. & !role=fault' or '6.1-*', with keys \
     kernel, series, subject, config, role, suite"
)]
pub struct NotAFilter {
    why: String,
    column: usize,
}

impl Filter {
    /// Whether a cell is meant.
    pub fn has(&self, cell: &Cell) -> bool {
        match self {
            Self::Any(all) => all.iter().any(|f| f.has(cell)),
            Self::All(all) => all.iter().all(|f| f.has(cell)),
            Self::Not(filter) => !filter.has(cell),
            Self::Kernel(range) => range.has(cell.kernel),
            Self::Fits(key, pattern) => match key {
                Key::Id => fits(pattern, &cell.id),
                Key::Subject => fits(pattern, cell.subject.name()),
                Key::Config => fits(pattern, &cell.config),
                Key::Suite => fits(pattern, &cell.suite),
                Key::Role => fits(pattern, role_name(cell.role)),
                Key::Series => {
                    fits(pattern, cell.patches.name()) || fits(pattern, &cell.patches.label())
                }
            },
        }
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Baseline => "baseline",
        Role::Series => "series",
        Role::Fault => "fault",
    }
}

/// Whether a text fits a pattern in which `*` stands for anything.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, rest)) => text.strip_prefix(head).is_some_and(|tail| {
            (0..=tail.len()).any(|at| tail.is_char_boundary(at) && fits(rest, &tail[at..]))
        }),
    }
}

impl FromStr for Filter {
    type Err = NotAFilter;

    fn from_str(text: &str) -> Result<Self, NotAFilter> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let filter = parser.any()?;
        parser.spaces();
        if parser.at < text.len() {
            Err(parser.error("this does not belong here"))
        } else {
            Ok(filter)
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

/// Parentheses and negations that may stand in one another.
const DEEPEST: usize = 50;

impl<'a> Parser<'a> {
    fn error(&self, why: &str) -> NotAFilter {
        NotAFilter { why: why.to_owned(), column: self.text[..self.at].chars().count() + 1 }
    }

    fn spaces(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, token: char) -> bool {
        self.spaces();
        let found = self.text[self.at..].starts_with(token);
        self.at += if found { token.len_utf8() } else { 0 };
        found
    }

    fn any(&mut self) -> Result<Filter, NotAFilter> {
        let mut all = vec![self.all()?];
        while self.eat('|') {
            all.push(self.all()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Filter::Any(all) })
    }

    fn all(&mut self) -> Result<Filter, NotAFilter> {
        let mut all = vec![self.factor()?];
        while self.eat('&') {
            all.push(self.factor()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Filter::All(all) })
    }

    fn factor(&mut self) -> Result<Filter, NotAFilter> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("too many in one another"));
        }
        let filter = if self.eat('!') {
            Filter::Not(Box::new(self.factor()?))
        } else if self.eat('(') {
            let inner = self.any()?;
            if !self.eat(')') {
                return Err(self.error("a parenthesis is not closed"));
            }
            inner
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(filter)
    }

    fn word(&mut self) -> &'a str {
        self.spaces();
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| c.is_whitespace() || "!=&|()".contains(c));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn comparison(&mut self) -> Result<Filter, NotAFilter> {
        self.spaces();
        let start = self.at;
        let word = self.word();
        if word.is_empty() {
            return Err(self.error("a key or the name of a cell is missing"));
        }
        let negated = self.eat('!');
        if !self.eat('=') {
            if negated {
                return Err(self.error("`=` is missing"));
            }
            return Ok(Filter::Fits(Key::Id, word.to_owned()));
        }
        let value = self.word();
        if value.is_empty() {
            return Err(self.error("a value is missing"));
        }
        let filter = match word {
            "kernel" => {
                let range =
                    value.parse::<KernelRange>().map_err(|why| self.error(&why.to_string()))?;
                Filter::Kernel(range)
            }
            "series" | "fault" => Filter::Fits(Key::Series, value.to_owned()),
            "subject" => Filter::Fits(Key::Subject, value.to_owned()),
            "config" => Filter::Fits(Key::Config, value.to_owned()),
            "role" => Filter::Fits(Key::Role, value.to_owned()),
            "suite" => Filter::Fits(Key::Suite, value.to_owned()),
            unknown => {
                self.at = start;
                return Err(self.error(&format!("there is no key {unknown:?}")));
            }
        };
        Ok(if negated { Filter::Not(Box::new(filter)) } else { filter })
    }
}
