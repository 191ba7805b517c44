// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dependency expressions, see "Menu dependencies" in `kconfig-language.rst`.

use std::fmt;

/// A dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// A symbol, or a constant that is written like one (`y`, `m`, `n`).
    Symbol(String),
    /// A quoted constant.
    Constant(String),
    /// `a = b` and its kin.
    Compare(Box<Expr>, &'static str, Box<Expr>),
    /// `!a`.
    Not(Box<Expr>),
    /// `a && b && …`.
    And(Vec<Expr>),
    /// `a || b || …`.
    Or(Vec<Expr>),
    /// Something that only make or a shell can tell, such as `$(cc-option,-m)`.
    Unknown(String),
}

/// `n`, `m`, `y` as numbers, as in the language's own rules.
pub type Tristate = u8;

/// The value of `y`.
pub const YES: Tristate = 2;

impl Expr {
    /// Reads an expression; `None` if it is malformed.
    pub fn parse(text: &str) -> Option<Self> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, at: 0 };
        let expr = parser.or()?;
        (parser.at == tokens.len()).then_some(expr)
    }

    /// Its value, given those of the symbols. What nobody knows counts as `y`, so that it is never
    /// named as unmet.
    pub fn value(&self, symbols: &dyn Fn(&str) -> String) -> Tristate {
        match self {
            Self::Symbol(name) => tristate(&text_of(name, symbols)),
            Self::Constant(text) => tristate(text),
            Self::Unknown(_) => YES,
            Self::Not(inner) => YES - inner.value(symbols),
            Self::And(all) => all.iter().map(|e| e.value(symbols)).min().unwrap_or(YES),
            Self::Or(any) => any.iter().map(|e| e.value(symbols)).max().unwrap_or(YES),
            Self::Compare(a, how, b) => {
                let (Some(a), Some(b)) = (a.text(symbols), b.text(symbols)) else { return YES };
                let order = match (number(&a), number(&b)) {
                    (Some(a), Some(b)) => a.cmp(&b),
                    _ => a.cmp(&b),
                };
                let holds = match *how {
                    "=" => order.is_eq(),
                    "!=" => order.is_ne(),
                    "<" => order.is_lt(),
                    "<=" => order.is_le(),
                    ">" => order.is_gt(),
                    _ => order.is_ge(),
                };
                if holds { YES } else { 0 }
            }
        }
    }

    fn text(&self, symbols: &dyn Fn(&str) -> String) -> Option<String> {
        match self {
            Self::Symbol(name) => Some(text_of(name, symbols)),
            Self::Constant(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// The smallest parts that keep it below `wanted`.
    pub fn unmet(&self, wanted: Tristate, symbols: &dyn Fn(&str) -> String) -> Vec<&Self> {
        if self.value(symbols) >= wanted {
            return Vec::new();
        }
        match self {
            Self::And(all) => all.iter().flat_map(|e| e.unmet(wanted, symbols)).collect(),
            _ => vec![self],
        }
    }

    /// All symbols in it.
    pub fn symbols(&self) -> Vec<&str> {
        match self {
            Self::Symbol(name) if !matches!(name.as_str(), "y" | "m" | "n") => vec![name],
            Self::Symbol(_) | Self::Constant(_) | Self::Unknown(_) => Vec::new(),
            Self::Not(inner) => inner.symbols(),
            Self::And(all) | Self::Or(all) => all.iter().flat_map(Self::symbols).collect(),
            Self::Compare(a, _, b) => [a.symbols(), b.symbols()].concat(),
        }
    }
}

fn text_of(name: &str, symbols: &dyn Fn(&str) -> String) -> String {
    match name {
        "y" | "m" | "n" => name.to_owned(),
        _ if number(name).is_some() => name.to_owned(),
        _ => symbols(name),
    }
}

fn tristate(text: &str) -> Tristate {
    match text {
        "y" => YES,
        "m" => 1,
        _ => 0,
    }
}

fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |f: &mut fmt::Formatter<'_>, all: &[Self], by: &str| {
            for (n, expr) in all.iter().enumerate() {
                if n > 0 {
                    f.write_str(by)?;
                }
                match expr {
                    Self::Or(_) | Self::And(_) => write!(f, "({expr})")?,
                    _ => write!(f, "{expr}")?,
                }
            }
            Ok(())
        };
        match self {
            Self::Symbol(name) => f.write_str(name),
            Self::Constant(text) => write!(f, "{text:?}"),
            Self::Unknown(text) => f.write_str(text),
            Self::Compare(a, how, b) => write!(f, "{a}{how}{b}"),
            Self::Not(inner) => match **inner {
                Self::Symbol(_) => write!(f, "!{inner}"),
                _ => write!(f, "!({inner})"),
            },
            Self::And(all) => join(f, all, " && "),
            Self::Or(any) => join(f, any, " || "),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Quoted(String),
    Macro(String),
    Op(&'static str),
}

const OPS: [&str; 11] = ["&&", "||", "!=", "<=", ">=", "=", "<", ">", "!", "(", ")"];

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() && !rest.starts_with('#') {
        if let Some(quote @ ('"' | '\'')) = rest.chars().next() {
            let (inner, after) = rest[1..].split_once(quote)?;
            let token = if inner.contains("$(") {
                Token::Macro(inner.into())
            } else {
                Token::Quoted(inner.into())
            };
            tokens.push(token);
            rest = after;
        } else if rest.starts_with("$(") {
            let end = macro_end(rest)?;
            tokens.push(Token::Macro(rest[..end].into()));
            rest = &rest[end..];
        } else if let Some(op) = OPS.iter().find(|op| rest.starts_with(**op)) {
            tokens.push(Token::Op(op));
            rest = &rest[op.len()..];
        } else {
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || "_-./".contains(c)))
                .unwrap_or(rest.len());
            if end == 0 {
                return None;
            }
            tokens.push(Token::Word(rest[..end].into()));
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    Some(tokens)
}

/// Where a `$(…)` at the start of `text` ends.
pub(super) fn macro_end(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl Parser<'_> {
    fn op(&mut self, wanted: &[&str]) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Op(op)) if wanted.contains(op) => {
                self.at += 1;
                Some(op)
            }
            _ => None,
        }
    }

    fn or(&mut self) -> Option<Expr> {
        let mut any = vec![self.and()?];
        while self.op(&["||"]).is_some() {
            any.push(self.and()?);
        }
        Some(if any.len() == 1 { any.remove(0) } else { Expr::Or(any) })
    }

    fn and(&mut self) -> Option<Expr> {
        let mut all = vec![self.not()?];
        while self.op(&["&&"]).is_some() {
            all.push(self.not()?);
        }
        Some(if all.len() == 1 { all.remove(0) } else { Expr::And(all) })
    }

    fn not(&mut self) -> Option<Expr> {
        if self.op(&["!"]).is_some() {
            return Some(Expr::Not(Box::new(self.not()?)));
        }
        if self.op(&["("]).is_some() {
            let inner = self.or()?;
            self.op(&[")"])?;
            return Some(inner);
        }
        let left = self.atom()?;
        match self.op(&["=", "!=", "<", "<=", ">", ">="]) {
            Some(how) => Some(Expr::Compare(Box::new(left), how, Box::new(self.atom()?))),
            None => Some(left),
        }
    }

    fn atom(&mut self) -> Option<Expr> {
        let token = self.tokens.get(self.at)?.clone();
        self.at += 1;
        match token {
            Token::Word(name) => Some(Expr::Symbol(name)),
            Token::Quoted(text) => Some(Expr::Constant(text)),
            Token::Macro(text) => Some(Expr::Unknown(text)),
            Token::Op(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(name: &str) -> String {
        match name {
            "YES" => "y",
            "MOD" => "m",
            "NUM" => "12",
            "STR" => "text",
            _ => "n",
        }
        .to_owned()
    }

    #[test]
    fn values_follow_the_language() {
        let cases = [
            ("YES", 2),
            ("MOD", 1),
            ("GONE", 0),
            ("!YES", 0),
            ("!MOD", 1),
            ("YES && MOD", 1),
            ("NO || MOD", 1),
            ("YES && (NO || !NO)", 2),
            ("NUM = 12", 2),
            ("NUM >= 100", 0),
            ("NUM < 0x10", 2),
            ("STR = \"text\"", 2),
            ("STR != \"text\"", 0),
            ("MOD=m", 2),
            ("YES || MOD && NO", 2),
            ("$(cc-option,-mfoo(x)) && YES", 2),
            ("y && m", 1),
        ];
        for (text, want) in cases {
            let expr = Expr::parse(text).unwrap();
            assert_eq!(expr.value(&symbols), want, "{text} as {expr}");
        }
        for text in ["", "&&", "A &&", "(A", "A B", "A = ", "!"] {
            assert_eq!(Expr::parse(text), None, "{text}");
        }
    }

    #[test]
    fn only_the_unmet_parts_are_named() {
        let expr = Expr::parse("YES && MOD && (NO || GONE) && !YES").unwrap();
        let unmet = |wanted| {
            expr.unmet(wanted, &symbols).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(unmet(1), ["NO || GONE", "!YES"]);
        assert_eq!(unmet(2), ["MOD", "NO || GONE", "!YES"]);
    }
}
