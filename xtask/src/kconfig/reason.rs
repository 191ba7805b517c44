// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why kconfig did not give a symbol the value asked for.

use super::table::Condition;
use super::{Expr, Kind, Place, Request, Symbol, Tristate};

/// One reason why a request was dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A symbol of this type cannot have such a value.
    WrongKind(Kind),
    /// m was asked for, and the m state does not exist.
    NoModules(Symbol),
    /// A condition does not hold.
    Unmet(Unmet),
    /// A select demands more than was asked for.
    Forced {
        /// Who selects.
        by: Symbol,
        /// What it demands.
        to: Tristate,
        /// The line of the select.
        at: Place,
    },
    /// No `.config` can set it: it has no prompt.
    NotPromptable {
        /// What gives it its value.
        setters: Setters,
        /// Symbols that can be asked for now and would select it.
        instead: Vec<Symbol>,
    },
    /// Another member of its choice is y.
    OtherChosen {
        /// The choice's question.
        prompt: String,
        /// The `choice` line.
        at: Place,
        /// The member that is y.
        chosen: Symbol,
        /// The request for that member, if there is one.
        asked: Option<Place>,
    },
    /// It was to be off, and its choice has no other member that is y.
    OnlyChoice {
        /// The choice's question.
        prompt: String,
        /// The `choice` line.
        at: Place,
        /// The members that could be asked for instead.
        others: Vec<Symbol>,
    },
    /// The number is outside its range.
    OutOfRange {
        /// The smallest value.
        low: String,
        /// The greatest value.
        high: String,
        /// The line of the range.
        at: Place,
    },
    /// The Kconfig files give no reason that this tool can see.
    Unexplained,
}

/// A condition that does not hold, reduced to the part that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    /// Whose condition it is.
    pub symbol: Symbol,
    /// The part that fails, and where it is written.
    pub condition: Condition,
    /// The present values of the symbols in it.
    pub values: Vec<(Symbol, String)>,
    /// False when only the toolchain could tell whether it holds.
    pub certain: bool,
    /// What would make it hold.
    pub advice: Vec<Advice>,
}

/// What gives a symbol without a prompt its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setters {
    /// Who selects it; those that are on come first.
    pub selects: Vec<Selector>,
    /// Its defaults as written, with their lines.
    pub defaults: Vec<(String, Place)>,
}

/// A symbol that selects another, and whether it does so now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    /// Who selects.
    pub by: Symbol,
    /// Its present value.
    pub value: String,
    /// The `if` after the select, with the present values of the symbols in it.
    pub condition: Option<(Expr, Vec<(Symbol, String)>)>,
}

/// One way to make a condition hold, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advice {
    /// Ask for this value of a symbol.
    Ask(Symbol, Tristate),
    /// It is asked for too, and was dropped too.
    DroppedToo(Symbol, Place),
    /// A request wants the contrary.
    Contrary(Request),
    /// The tree defines no such symbol for this architecture.
    Undefined(Symbol),
    /// It has no prompt.
    NoPrompt {
        /// The symbol.
        symbol: Symbol,
        /// Who selects it.
        selects: Vec<Selector>,
        /// What keeps its default from being on.
        unmet: Vec<Unmet>,
    },
    /// Ask for this value, and see to unmet conditions of its own.
    Needs(Symbol, Tristate, Vec<Unmet>),
}
