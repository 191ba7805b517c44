// SPDX-License-Identifier: MIT OR Apache-2.0
//! Expressions evaluated with the values of a finished `.config`.
//!
//! Source of the rules: the kernel's Documentation/kbuild/kconfig-language.rst. What a macro of
//! the toolchain decides is unknown here, so that a result is a lower and an upper bound.

use super::expr::{Expr, Operand};
use super::lexer::Comparison;
use super::table::{Condition, Definition, Selection};
use super::{DotConfig, Kind, Symbol, SymbolTable, Tristate};

/// What an expression is at least and at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// At least this.
    pub low: Tristate,
    /// At most this.
    pub high: Tristate,
}

impl Bounds {
    const UNKNOWN: Self = Self { low: Tristate::No, high: Tristate::Yes };

    fn exactly(value: Tristate) -> Self {
        Self { low: value, high: value }
    }

    fn truth(value: bool) -> Self {
        Self::exactly(if value { Tristate::Yes } else { Tristate::No })
    }

    /// Both: the smaller.
    pub fn and(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    /// Either: the greater.
    pub fn or(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.max(other.high) }
    }
}

/// A symbol table and a `.config` made with it.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    /// The types.
    pub table: &'a SymbolTable,
    /// The values.
    pub config: &'a DotConfig,
}

impl Values<'_> {
    /// Whether the m state exists.
    pub fn has_modules(&self) -> bool {
        self.config.tristate(&self.table.modules()) != Tristate::No
    }

    /// A symbol's value as a person reads it: `n` where it is off or absent.
    pub fn shown(&self, symbol: &Symbol) -> String {
        match self.config.written(symbol) {
            Some(written) => written.to_owned(),
            None => match self.table.get(symbol).and_then(|info| info.kind) {
                Some(kind) if !kind.is_logical() => "\"\"".into(),
                _ => "n".into(),
            },
        }
    }

    /// The value of an expression.
    pub fn bounds(&self, expr: &Expr) -> Bounds {
        match expr {
            Expr::Operand(operand) => self.operand(operand),
            Expr::Compare(left, comparison, right) => self.compare(left, *comparison, right),
            Expr::Not(inner) => {
                let inner = self.bounds(inner);
                Bounds { low: !inner.high, high: !inner.low }
            }
            Expr::All(parts) => {
                parts.iter().fold(Bounds::truth(true), |all, part| all.and(self.bounds(part)))
            }
            Expr::Any(parts) => {
                parts.iter().fold(Bounds::truth(false), |any, part| any.or(self.bounds(part)))
            }
        }
    }

    /// All of some conditions; y when there are none.
    pub fn all<'c>(&self, conditions: impl IntoIterator<Item = &'c Condition>) -> Bounds {
        conditions
            .into_iter()
            .fold(Bounds::truth(true), |all, condition| all.and(self.bounds(&condition.expr)))
    }

    /// An `if` that may be left out.
    pub fn optional(&self, condition: Option<&Expr>) -> Bounds {
        condition.map_or(Bounds::truth(true), |expr| self.bounds(expr))
    }

    /// How far a prompt lets its symbol be set; n without a prompt.
    pub fn visibility(&self, definition: &Definition) -> Bounds {
        definition.prompt_conditions().map_or(Bounds::truth(false), |all| self.all(all))
    }

    /// What a select or imply demands of its target.
    pub fn demand(&self, selection: &Selection) -> Bounds {
        let definition = self
            .table
            .get(&selection.by)
            .and_then(|info| info.definitions.get(selection.definition));
        let enclosing =
            definition.map_or(Bounds::truth(true), |definition| self.all(&definition.depends));
        Bounds::exactly(self.config.tristate(&selection.by))
            .and(self.optional(selection.condition.as_ref()))
            .and(enclosing)
    }

    fn operand(&self, operand: &Operand) -> Bounds {
        match operand {
            Operand::Unknown(_) => Bounds::UNKNOWN,
            Operand::Constant(text) => Bounds::exactly(match &**text {
                "y" => Tristate::Yes,
                "m" if self.has_modules() => Tristate::Module,
                _ => Tristate::No,
            }),
            Operand::Symbol(symbol) => Bounds::exactly(match self.kind(symbol) {
                Some(kind) if kind.is_logical() => self.config.tristate(symbol),
                _ => Tristate::No,
            }),
        }
    }

    /// The number that bounds a range of a symbol of this type; `None` when it is none.
    pub fn limit(&self, bound: &Expr, kind: Option<Kind>) -> Option<i128> {
        let Expr::Operand(operand) = bound else {
            return None;
        };
        self.text(operand).and_then(|(text, _)| number(&text, kind))
    }

    fn kind(&self, symbol: &Symbol) -> Option<Kind> {
        self.table.get(symbol).and_then(|info| info.kind)
    }

    fn compare(&self, left: &Operand, comparison: Comparison, right: &Operand) -> Bounds {
        let (Some((left, left_kind)), Some((right, right_kind))) =
            (self.text(left), self.text(right))
        else {
            return Bounds::UNKNOWN;
        };
        let order = match (number(&left, left_kind), number(&right, right_kind)) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => left.cmp(&right),
        };
        Bounds::truth(match comparison {
            Comparison::Equal => order.is_eq(),
            Comparison::Unequal => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterEqual => order.is_ge(),
        })
    }

    /// An operand's text and type for a comparison. A symbol that no file defines is its own name.
    fn text(&self, operand: &Operand) -> Option<(String, Option<Kind>)> {
        match operand {
            Operand::Unknown(_) => None,
            Operand::Constant(text) => {
                let kind = matches!(&**text, "y" | "m" | "n").then_some(Kind::Tristate);
                Some((text.to_string(), kind))
            }
            Operand::Symbol(symbol) => {
                let Some(info) = self.table.get(symbol) else {
                    return Some((symbol.name().to_owned(), None));
                };
                let text = match info.kind {
                    Some(kind) if kind.is_logical() => self.config.tristate(symbol).to_string(),
                    _ => match self.config.value(symbol, info.kind) {
                        super::Value::Text(text) => text,
                        _ => self.config.written(symbol).unwrap_or_default().to_owned(),
                    },
                };
                Some((text, info.kind))
            }
        }
    }
}

/// The number that a comparison takes a text for, by the type of its operand.
fn number(text: &str, kind: Option<Kind>) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let magnitude: i128 = match kind {
        Some(Kind::Bool | Kind::Tristate) => {
            return Some(match text {
                "n" => 0,
                "m" => 1,
                "y" => 2,
                _ => -1,
            });
        }
        Some(Kind::Int) => digits.parse().ok()?,
        Some(Kind::Hex) => i128::from_str_radix(hexadecimal.unwrap_or(digits), 16).ok()?,
        // C's rules for text whose type says nothing.
        Some(Kind::String) | None => match (hexadecimal, digits.strip_prefix('0')) {
            (Some(digits), _) => i128::from_str_radix(digits, 16).ok()?,
            (None, Some(octal)) if !octal.is_empty() => i128::from_str_radix(octal, 8).ok()?,
            _ => digits.parse().ok()?,
        },
    };
    if negative { i128::checked_neg(magnitude) } else { Some(magnitude) }
}
