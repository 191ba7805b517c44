// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dependency expressions of the Kconfig language.

use std::fmt;
use std::sync::Arc;

use super::Symbol;
use super::lexer::{Comparison, Token};

/// Parentheses and negations deeper than this are not read; the kernel's stay below ten.
const DEPTH: usize = 64;

/// What an expression is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A symbol; where no file defines it, it stands for its own name (as numbers do).
    Symbol(Symbol),
    /// Quoted text, or one of the words y, m and n.
    Constant(Arc<str>),
    /// A macro whose text only the build's toolchain or environment could tell, as written.
    Unknown(Arc<str>),
}

/// An expression. Chains are flat, so that their length costs no depth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// `A`
    Operand(Operand),
    /// `A = B` and its kin.
    Compare(Operand, Comparison, Operand),
    /// `!A`
    Not(Box<Expr>),
    /// `A && B && …`
    All(Vec<Expr>),
    /// `A || B || …`
    Any(Vec<Expr>),
}

impl Expr {
    /// Every symbol named, in order, once each.
    pub fn symbols(&self) -> Vec<&Symbol> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect<'a>(&'a self, found: &mut Vec<&'a Symbol>) {
        let mut add = |operand: &'a Operand| {
            if let Operand::Symbol(symbol) = operand
                && !found.contains(&symbol)
            {
                found.push(symbol);
            }
        };
        match self {
            Self::Operand(operand) => add(operand),
            Self::Compare(left, _, right) => {
                add(left);
                add(right);
            }
            Self::Not(inner) => inner.collect(found),
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.collect(found);
                }
            }
        }
    }
}

/// Reads an expression from the front of `tokens` and leaves what follows it.
///
/// # Errors
/// What is wrong, in a few words.
pub(super) fn parse(tokens: &mut &[Token]) -> Result<Expr, &'static str> {
    parse_any(tokens, 0)
}

fn parse_any(tokens: &mut &[Token], depth: usize) -> Result<Expr, &'static str> {
    let mut parts = vec![parse_all(tokens, depth)?];
    while take(tokens, &Token::Or) {
        parts.push(parse_all(tokens, depth)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Any(parts) })
}

fn parse_all(tokens: &mut &[Token], depth: usize) -> Result<Expr, &'static str> {
    let mut parts = vec![parse_unary(tokens, depth)?];
    while take(tokens, &Token::And) {
        parts.push(parse_unary(tokens, depth)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::All(parts) })
}

fn parse_unary(tokens: &mut &[Token], depth: usize) -> Result<Expr, &'static str> {
    if depth > DEPTH {
        return Err("expression nested too deeply");
    }
    if take(tokens, &Token::Not) {
        return Ok(Expr::Not(Box::new(parse_unary(tokens, depth + 1)?)));
    }
    if take(tokens, &Token::Open) {
        let inner = parse_any(tokens, depth + 1)?;
        return if take(tokens, &Token::Close) { Ok(inner) } else { Err("missing `)`") };
    }
    let left = parse_operand(tokens)?;
    if let Some(Token::Compare(comparison)) = tokens.first() {
        *tokens = &tokens[1..];
        return Ok(Expr::Compare(left, *comparison, parse_operand(tokens)?));
    }
    Ok(Expr::Operand(left))
}

/// Reads a symbol or a constant from the front of `tokens`.
pub(super) fn parse_operand(tokens: &mut &[Token]) -> Result<Operand, &'static str> {
    let operand = match tokens.first() {
        Some(Token::Word(word)) if matches!(word.as_str(), "y" | "m" | "n") => {
            Operand::Constant(word.as_str().into())
        }
        Some(Token::Word(word)) => Operand::Symbol(Symbol::verbatim(word)),
        Some(Token::Quoted(text)) => Operand::Constant(text.as_str().into()),
        Some(Token::Unknown(text)) => Operand::Unknown(text.as_str().into()),
        _ => return Err("expected a symbol"),
    };
    *tokens = &tokens[1..];
    Ok(operand)
}

fn take(tokens: &mut &[Token], token: &Token) -> bool {
    let found = tokens.first() == Some(token);
    if found {
        *tokens = &tokens[1..];
    }
    found
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symbol(symbol) => symbol.fmt(f),
            Self::Constant(text) if matches!(&**text, "y" | "m" | "n") => f.write_str(text),
            Self::Constant(text) => write!(f, "\"{text}\""),
            Self::Unknown(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut fmt::Formatter<'_>, parts: &[Self], word: &str| {
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    write!(f, " {word} ")?;
                }
                if matches!(part, Self::Any(_) | Self::All(_)) {
                    write!(f, "({part})")?;
                } else {
                    part.fmt(f)?;
                }
            }
            Ok(())
        };
        match self {
            Self::Operand(operand) => operand.fmt(f),
            Self::Compare(left, comparison, right) => write!(f, "{left} {comparison} {right}"),
            Self::Not(inner) if matches!(**inner, Self::Operand(_) | Self::Not(_)) => {
                write!(f, "!{inner}")
            }
            Self::Not(inner) => write!(f, "!({inner})"),
            Self::All(parts) => joined(f, parts, "&&"),
            Self::Any(parts) => joined(f, parts, "||"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::Lexer;
    use super::super::macros::Macros;
    use super::*;

    fn read(text: &str) -> Result<String, &'static str> {
        let macros = Macros::new("x86");
        let line = format!("depends on {text}");
        let statement = Lexer::new(&line).statement(&macros).expect("a statement");
        let mut tokens = &statement.tokens[2..];
        let expr = parse(&mut tokens)?;
        if tokens.is_empty() { Ok(expr.to_string()) } else { Err("left over") }
    }

    #[test]
    fn precedence_is_that_of_the_language() {
        for (text, shown) in [
            ("A", "A"),
            ("!A && B || C", "(!A && B) || C"),
            ("A || B && C", "A || (B && C)"),
            ("(A||B)&&C", "(A || B) && C"),
            ("!(A && B)", "!(A && B)"),
            ("!A = B", "!(A = B)"),
            ("A=y && GCC_VERSION >= 90100", "A = y && GCC_VERSION >= 90100"),
            (r#""$(ARCH)" != 'i386'"#, r#""x86" != "i386""#),
            ("$(cc-option,-m (x)) || m", "$(cc-option,-m (x)) || m"),
            ("A && \\\n B", "A && B"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(shown), "{text}");
        }
    }

    #[test]
    fn broken_expressions_are_refused() {
        for text in ["A &&", "(A", "|| A", "A = ", "!", "A B"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&"(".repeat(100_000)).is_err());
        assert!(read(&"!".repeat(100_000)).is_err());
    }
}
