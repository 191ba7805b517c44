// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reducing a condition that does not hold to the parts that fail, and what would help.

use std::cell::RefCell;
use std::sync::Arc;

use super::evaluate::Values;
use super::expr::{Expr, Operand};
use super::reason::{Advice, Selector, Unmet};
use super::table::{Condition, Definition, Origin, SymbolInfo};
use super::{Kind, Requests, Symbol, Tristate, Value};

/// How far a chain of unmet dependencies is followed.
const DEPTH: usize = 4;
/// How many selecting symbols are named.
const NAMED: usize = 4;

/// Looks for unmet parts. Each symbol is advised on once, which also ends circular dependencies.
pub(super) struct Finder<'a> {
    values: Values<'a>,
    requests: &'a Requests,
    advised: RefCell<Vec<Symbol>>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(values: Values<'a>, requests: &'a Requests) -> Self {
        Self { values, requests, advised: RefCell::new(Vec::new()) }
    }

    /// What keeps the nearest of a symbol's prompts from letting it be `need`: empty when one
    /// does, `None` when it has no prompt at all.
    pub(super) fn prompt_unmet(
        &self,
        symbol: &Symbol,
        info: &SymbolInfo,
        need: Tristate,
    ) -> Option<Vec<Unmet>> {
        self.advised.borrow_mut().push(symbol.clone());
        self.nearest(symbol, prompts(info), need, 0)
    }

    /// What keeps the nearest of a symbol's defaults from being `need`; nothing when it has none.
    pub(super) fn default_unmet(
        &self,
        symbol: &Symbol,
        info: &SymbolInfo,
        need: Tristate,
    ) -> Vec<Unmet> {
        self.nearest(symbol, defaults(info), need, 0).unwrap_or_default()
    }

    /// The unmet parts of the one of several lists of conditions that is nearest to being met.
    fn nearest(
        &self,
        symbol: &Symbol,
        lists: Vec<Vec<Condition>>,
        need: Tristate,
        depth: usize,
    ) -> Option<Vec<Unmet>> {
        let mut best = lists
            .into_iter()
            .map(|conditions| self.failing(&conditions, need))
            .min_by_key(|parts| (parts.iter().any(|(_, certain)| *certain), parts.len()))?;
        // What is certain explains alone; what is uncertain counts only when nothing else does.
        if best.iter().any(|(_, certain)| *certain) {
            best.retain(|(_, certain)| *certain);
        }
        if depth > 0 {
            // Further down a chain, what was named before need not be said again.
            let advised = self.advised.borrow();
            best.retain(|(condition, _)| {
                !matches!(&*condition.expr, Expr::Operand(Operand::Symbol(symbol))
                    if advised.contains(symbol))
            });
        }
        let unmet = best.into_iter().map(|(condition, certain)| Unmet {
            symbol: symbol.clone(),
            values: self.values_in(&condition.expr),
            advice: self.advice(&condition.expr, need, depth),
            condition,
            certain,
        });
        Some(unmet.collect())
    }

    /// The parts of some conditions that keep them below `need`, and whether for certain.
    fn failing(&self, conditions: &[Condition], need: Tristate) -> Vec<(Condition, bool)> {
        let mut parts: Vec<(Condition, bool)> = Vec::new();
        for condition in conditions {
            let reduced = match self.reduce(&condition.expr, need) {
                None => continue,
                Some(Expr::All(conjuncts)) => conjuncts,
                Some(other) => vec![other],
            };
            for expr in reduced {
                if parts.iter().any(|(known, _)| *known.expr == expr) {
                    continue;
                }
                let certain = self.values.bounds(&expr).high < need;
                let part = Condition {
                    expr: Arc::new(expr),
                    origin: condition.origin,
                    at: condition.at.clone(),
                };
                parts.push((part, certain));
            }
        }
        // Of one question's conditions, those of the symbol itself say most.
        parts.sort_by_key(|(condition, _)| {
            !matches!(condition.origin, Origin::DependsOn | Origin::Prompt)
        });
        parts
    }

    /// `expr` without what holds already; `None` when all of it does.
    fn reduce(&self, expr: &Expr, need: Tristate) -> Option<Expr> {
        if self.values.bounds(expr).low >= need {
            return None;
        }
        let parts = match expr {
            Expr::All(parts) | Expr::Any(parts) => parts,
            other => return Some(other.clone()),
        };
        let is_all = matches!(expr, Expr::All(_));
        let mut reduced: Vec<Expr> = Vec::new();
        let mut add = |part: Expr| {
            if !reduced.contains(&part) {
                reduced.push(part);
            }
        };
        for part in parts.iter().filter_map(|part| self.reduce(part, need)) {
            match part {
                Expr::All(inner) if is_all => inner.into_iter().for_each(&mut add),
                Expr::Any(inner) if !is_all => inner.into_iter().for_each(&mut add),
                other => add(other),
            }
        }
        match reduced.len() {
            1 => reduced.pop(),
            _ if is_all => Some(Expr::All(reduced)),
            _ => Some(Expr::Any(reduced)),
        }
    }

    fn values_in(&self, expr: &Expr) -> Vec<(Symbol, String)> {
        if is_module_state(expr) {
            let modules = self.values.table.modules();
            let value = self.values.shown(&modules);
            return vec![(modules, value)];
        }
        values_in(&self.values, expr)
    }

    fn advice(&self, expr: &Expr, need: Tristate, depth: usize) -> Vec<Advice> {
        if is_module_state(expr) {
            return self.advise(&self.values.table.modules(), need, depth).into_iter().collect();
        }
        match expr {
            Expr::Operand(Operand::Symbol(symbol)) => {
                self.advise(symbol, need, depth).into_iter().collect()
            }
            Expr::Not(inner) => match &**inner {
                Expr::Operand(Operand::Symbol(symbol)) => vec![self.turn_off(symbol)],
                _ => Vec::new(),
            },
            Expr::Any(alternatives) => alternatives
                .iter()
                .flat_map(|alternative| self.advice(alternative, need, depth))
                // Of several ways out, those that take one line are worth naming.
                .filter(|advice| {
                    matches!(advice, Advice::Ask(..) | Advice::Contrary(_) | Advice::DroppedToo(..))
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    fn turn_off(&self, symbol: &Symbol) -> Advice {
        match self.requests.get(symbol) {
            Some(request) if request.value == Value::NO => {
                Advice::DroppedToo(symbol.clone(), request.at.clone())
            }
            Some(request) => Advice::Contrary(request.clone()),
            None => Advice::Ask(symbol.clone(), Tristate::No),
        }
    }

    /// How `symbol` could become `need`; nothing when it was advised on before.
    fn advise(&self, symbol: &Symbol, need: Tristate, depth: usize) -> Option<Advice> {
        if depth >= DEPTH || self.advised.borrow().contains(symbol) {
            return None;
        }
        self.advised.borrow_mut().push(symbol.clone());
        let Some(info) = self.values.table.get(symbol) else {
            return Some(Advice::Undefined(symbol.clone()));
        };
        if let Some(request) = self.requests.get(symbol) {
            return Some(match request.value {
                Value::Tristate(asked) if asked >= need => {
                    Advice::DroppedToo(symbol.clone(), request.at.clone())
                }
                _ => Advice::Contrary(request.clone()),
            });
        }
        // A bool is never m, and without modules nothing is.
        let exact = info.kind == Some(Kind::Tristate) && self.values.has_modules();
        let value = if exact { need } else { Tristate::Yes };
        Some(match self.nearest(symbol, prompts(info), need, depth + 1) {
            None => Advice::NoPrompt {
                symbol: symbol.clone(),
                selects: selectors(&self.values, info, NAMED),
                unmet: self.nearest(symbol, defaults(info), need, depth + 1).unwrap_or_default(),
            },
            Some(unmet) if unmet.is_empty() => Advice::Ask(symbol.clone(), value),
            Some(unmet) => Advice::Needs(symbol.clone(), value, unmet),
        })
    }
}

/// The conditions of each prompt.
fn prompts(info: &SymbolInfo) -> Vec<Vec<Condition>> {
    let conditions = |definition: &Definition| {
        definition.prompt_conditions().map(|conditions| conditions.cloned().collect())
    };
    info.definitions.iter().filter_map(conditions).collect()
}

/// The conditions on which each default makes the symbol y or m.
fn defaults(info: &SymbolInfo) -> Vec<Vec<Condition>> {
    let mut lists = Vec::new();
    for definition in &info.definitions {
        for default in &definition.defaults {
            let mut conditions = definition.depends.clone();
            let value = info.kind.is_none_or(Kind::is_logical).then_some(&default.value);
            conditions.extend(value.into_iter().chain(&default.condition).map(|expr| Condition {
                expr: Arc::new(expr.clone()),
                origin: Origin::Default,
                at: default.at.clone(),
            }));
            lists.push(conditions);
        }
    }
    lists
}

/// Who selects a symbol, those that are on first, at most `count`.
pub(super) fn selectors(values: &Values<'_>, info: &SymbolInfo, count: usize) -> Vec<Selector> {
    let mut selects: Vec<Selector> = info
        .selected_by
        .iter()
        .map(|selection| Selector {
            by: selection.by.clone(),
            value: values.shown(&selection.by),
            condition: selection
                .condition
                .as_ref()
                .map(|condition| (condition.clone(), values_in(values, condition))),
        })
        .collect();
    selects.sort_by_key(|selector| selector.value == "n");
    selects.dedup();
    selects.truncate(count);
    selects
}

/// The symbols of an expression with their present values.
fn values_in(values: &Values<'_>, expr: &Expr) -> Vec<(Symbol, String)> {
    expr.symbols()
        .into_iter()
        // Numbers are symbols that no file defines.
        .filter(|symbol| symbol.name().parse::<i128>().is_err())
        .map(|symbol| (symbol.clone(), values.shown(symbol)))
        .collect()
}

/// `depends on m`, which holds only where modules are.
fn is_module_state(expr: &Expr) -> bool {
    matches!(expr, Expr::Operand(Operand::Constant(text)) if &**text == "m")
}
