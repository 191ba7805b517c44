// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding out why a request was dropped.

use super::evaluate::Values;
use super::reason::{Reason, Setters};
use super::table::{Choice, Definition, SymbolInfo};
use super::unmet::{Finder, selectors};
use super::{Kind, Request, Requests, Symbol, Tristate, Value};

/// Who is named as selecting a symbol, at most.
const NAMED: usize = 6;

/// All that bears on one request.
pub(super) struct Case<'a> {
    pub values: Values<'a>,
    pub requests: &'a Requests,
    pub request: &'a Request,
    pub info: &'a SymbolInfo,
}

impl<'a> Case<'a> {
    /// Why the request's symbol has another value than the one wanted; at least one reason.
    pub(super) fn reasons(&self) -> Vec<Reason> {
        let kind = self.info.kind.unwrap_or(Kind::Bool);
        if !self.request.value.fits(kind) {
            return vec![Reason::WrongKind(kind)];
        }
        let reasons = match &self.request.value {
            Value::Tristate(want) => self.logical(kind, *want),
            _ => self.hidden(Tristate::Module).or_else(|| self.out_of_range()),
        };
        reasons.filter(|found| !found.is_empty()).unwrap_or_else(|| vec![Reason::Unexplained])
    }

    fn logical(&self, kind: Kind, want: Tristate) -> Option<Vec<Reason>> {
        let got = self.values.config.tristate(&self.request.symbol);
        if want == Tristate::Module && !self.values.has_modules() && got > want {
            return Some(vec![Reason::NoModules(self.values.table.modules())]);
        }
        if got > want {
            return self
                .forced(want)
                .or_else(|| self.hidden(Tristate::Module))
                .or_else(|| self.only_choice());
        }
        // What is limited to m lets a bool, and without modules anything, be y.
        let exact = kind == Kind::Tristate && self.values.has_modules();
        let need = if exact { want } else { Tristate::Module };
        self.hidden(need).or_else(|| self.other_chosen())
    }

    /// Selects that demand more than `want`.
    fn forced(&self, want: Tristate) -> Option<Vec<Reason>> {
        let demands = |certain: bool| -> Vec<Reason> {
            self.info
                .selected_by
                .iter()
                .filter_map(|selection| {
                    let bounds = self.values.demand(selection);
                    let to = if certain { bounds.low } else { bounds.high };
                    (to > want).then(|| Reason::Forced {
                        by: selection.by.clone(),
                        to,
                        at: selection.at.clone(),
                    })
                })
                .collect()
        };
        [demands(true), demands(false)].into_iter().find(|found| !found.is_empty())
    }

    /// Why its prompt is not shown, or only up to less than `need`.
    fn hidden(&self, need: Tristate) -> Option<Vec<Reason>> {
        let finder = Finder::new(self.values, self.requests);
        let Some(unmet) = finder.prompt_unmet(&self.request.symbol, self.info, need) else {
            return Some(self.not_promptable(&finder, need));
        };
        (!unmet.is_empty()).then(|| unmet.into_iter().map(Reason::Unmet).collect())
    }

    fn not_promptable(&self, finder: &Finder<'_>, need: Tristate) -> Vec<Reason> {
        let wants_more = self.request.value != Value::NO;
        let mut instead: Vec<Symbol> = Vec::new();
        for selection in &self.info.selected_by {
            let applies = self.values.optional(selection.condition.as_ref()).low != Tristate::No;
            if wants_more
                && applies
                && !instead.contains(&selection.by)
                && self.can_be_asked(&selection.by)
            {
                instead.push(selection.by.clone());
            }
        }
        instead.truncate(NAMED);
        let setters = setters(&self.values, self.info);
        let mut reasons = vec![Reason::NotPromptable { setters, instead }];
        if wants_more {
            let unmet = finder.default_unmet(&self.request.symbol, self.info, need);
            reasons.extend(unmet.into_iter().map(Reason::Unmet));
        }
        reasons
    }

    fn choices(&self) -> impl Iterator<Item = &'a Choice> {
        self.values.table.choices_of(&self.request.symbol)
    }

    fn other_chosen(&self) -> Option<Vec<Reason>> {
        self.choices().find_map(|choice| {
            let chosen = choice
                .members
                .iter()
                .find(|member| self.values.config.tristate(member) == Tristate::Yes)?;
            Some(vec![Reason::OtherChosen {
                prompt: choice.prompt.clone(),
                at: choice.at.clone(),
                chosen: chosen.clone(),
                asked: self
                    .requests
                    .get(chosen)
                    .filter(|request| request.value != Value::NO)
                    .map(|request| request.at.clone()),
            }])
        })
    }

    fn only_choice(&self) -> Option<Vec<Reason>> {
        let choice = self.choices().next()?;
        let others = choice
            .members
            .iter()
            .filter(|member| **member != self.request.symbol && self.can_be_asked(member))
            .cloned()
            .collect();
        let (prompt, at) = (choice.prompt.clone(), choice.at.clone());
        Some(vec![Reason::OnlyChoice { prompt, at, others }])
    }

    fn can_be_asked(&self, symbol: &Symbol) -> bool {
        let definitions = self.values.table.get(symbol).map_or(&[][..], |info| &info.definitions);
        definitions.iter().any(|d| self.values.visibility(d).low != Tristate::No)
    }

    fn out_of_range(&self) -> Option<Vec<Reason>> {
        let wanted = match &self.request.value {
            Value::Int(number) => i128::from(*number),
            Value::Hex(number) => i128::from(*number),
            _ => return None,
        };
        let ranges = self.info.definitions.iter().flat_map(|definition: &Definition| {
            let holds = self.values.all(&definition.depends).high != Tristate::No;
            definition.ranges.iter().filter(move |_| holds)
        });
        let range = ranges
            .into_iter()
            .find(|r| self.values.optional(r.condition.as_ref()).high != Tristate::No)?;
        let low = self.values.limit(&range.low, self.info.kind);
        let high = self.values.limit(&range.high, self.info.kind);
        let outside = low.is_some_and(|low| wanted < low) || high.is_some_and(|high| wanted > high);
        outside.then(|| {
            let shown = |limit: Option<i128>, written: &super::expr::Expr| match limit {
                Some(limit) if self.info.kind == Some(Kind::Hex) => format!("{limit:#x}"),
                Some(limit) => limit.to_string(),
                None => written.to_string(),
            };
            vec![Reason::OutOfRange {
                low: shown(low, &range.low),
                high: shown(high, &range.high),
                at: range.at.clone(),
            }]
        })
    }
}

/// What gives a symbol its value where no prompt does.
fn setters(values: &Values<'_>, info: &SymbolInfo) -> Setters {
    let defaults = info
        .definitions
        .iter()
        .flat_map(|definition| &definition.defaults)
        .take(NAMED)
        .map(|default| {
            let text = match &default.condition {
                Some(condition) => format!("{} if {condition}", default.value),
                None => default.value.to_string(),
            };
            (text, default.at.clone())
        })
        .collect();
    Setters { selects: selectors(values, info, NAMED), defaults }
}
