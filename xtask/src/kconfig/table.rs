// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a kernel tree's Kconfig files say about each symbol.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::expr::Expr;
use super::nearest;
use super::reader::Reader;
use super::{Error, Kind, Place, Symbol};

/// Every symbol that the Kconfig files of one tree name, for one architecture.
#[derive(Debug, Clone, Default)]
pub struct SymbolTable {
    pub(super) symbols: BTreeMap<Symbol, SymbolInfo>,
    pub(super) choices: Vec<Choice>,
    pub(super) modules: Option<Symbol>,
    pub(super) notes: Vec<Note>,
    pub(super) files: usize,
}

/// A line of a Kconfig file that was not understood, and is left out of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The line.
    pub at: Place,
    /// Why it was left out.
    pub what: String,
}

/// What is known of a symbol. One that is only selected or asked about has no definitions.
#[derive(Debug, Clone, Default)]
pub struct SymbolInfo {
    /// The type; the first definition that gives one decides.
    pub kind: Option<Kind>,
    /// Each `config` entry, in the order they are read.
    pub definitions: Vec<Definition>,
    /// Who selects it.
    pub selected_by: Vec<Selection>,
    /// Who implies it.
    pub implied_by: Vec<Selection>,
}

/// One `config` or `menuconfig` entry.
#[derive(Debug, Clone)]
pub struct Definition {
    /// The `config` line.
    pub at: Place,
    /// The question; without one, no `.config` can set the symbol here.
    pub prompt: Option<Prompt>,
    /// What it depends on: its own `depends on` and those of all that encloses it, joined by `&&`.
    pub depends: Vec<Condition>,
    /// What the enclosing menus make its prompt depend on (`visible if`).
    pub visible: Vec<Condition>,
    /// Default values; the first whose condition holds counts.
    pub defaults: Vec<DefaultValue>,
    /// Ranges of numbers; the first whose condition holds counts.
    pub ranges: Vec<Range>,
    /// The choice that it is a member of, as an index for [`SymbolTable::choice`].
    pub choice: Option<usize>,
}

impl Definition {
    /// All that must hold for the prompt to be shown, or `None` without a prompt.
    pub fn prompt_conditions(&self) -> Option<impl Iterator<Item = &Condition>> {
        let prompt = self.prompt.as_ref()?;
        Some(self.depends.iter().chain(&self.visible).chain(prompt.condition.as_ref()))
    }
}

/// A symbol's question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Its text.
    pub text: String,
    /// The `if` after it.
    pub condition: Option<Condition>,
}

/// One condition, and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// What must hold.
    pub expr: Arc<Expr>,
    /// What makes it a condition.
    pub origin: Origin,
    /// Where.
    pub at: Place,
}

/// What makes an expression a condition of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The symbol's own `depends on`.
    DependsOn,
    /// An enclosing `if`.
    If,
    /// `depends on` of an enclosing menu.
    Menu,
    /// `depends on`, or the prompt's `if`, of the choice it is in.
    Choice,
    /// The `if` after its prompt.
    Prompt,
    /// `visible if` of an enclosing menu.
    Visible,
    /// The value of its default, or the `if` after it.
    Default,
}

impl Origin {
    /// Reads as in "TMPFS depends on SHMEM".
    pub fn verb(self) -> &'static str {
        match self {
            Self::DependsOn => "depends on",
            Self::If => "is inside `if`",
            Self::Menu => "is in a menu that depends on",
            Self::Choice => "is in a choice that depends on",
            Self::Prompt => "is asked about only if",
            Self::Visible => "is in a menu that is visible only if",
            Self::Default => "is on by default only if",
        }
    }
}

/// A default value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultValue {
    /// The value: an expression for bool and tristate, an operand else.
    pub value: Expr,
    /// The `if` after it.
    pub condition: Option<Expr>,
    /// Where.
    pub at: Place,
}

/// A range of an int or hex symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// The smallest value.
    pub low: Expr,
    /// The greatest value.
    pub high: Expr,
    /// The `if` after it.
    pub condition: Option<Expr>,
    /// Where.
    pub at: Place,
}

/// A `select` or `imply`, kept with the symbol it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Who selects.
    pub by: Symbol,
    /// The index of the selecting entry among that symbol's definitions.
    pub definition: usize,
    /// The `if` after it.
    pub condition: Option<Expr>,
    /// Where.
    pub at: Place,
}

/// A choice: while it can be seen, exactly one of its members is y.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The `choice` line.
    pub at: Place,
    /// Its question; empty when it has none.
    pub prompt: String,
    /// Its own and the enclosing conditions.
    pub conditions: Vec<Condition>,
    /// The members, in the order of the file.
    pub members: Vec<Symbol>,
    /// Whether none of them may be y.
    pub optional: bool,
    pub(super) name: Option<String>,
}

impl SymbolTable {
    /// Reads the Kconfig files of a kernel tree, from its top `Kconfig` down.
    ///
    /// `arch` is make's `ARCH`, such as `x86_64` or `x86`: it decides which directory under
    /// `arch/` is read.
    ///
    /// # Errors
    /// A file that cannot be read, or that sources itself. A line that is not understood is no
    /// error; see [`Self::notes`].
    pub fn read(tree: &Path, arch: &str) -> Result<Self, Error> {
        Self::read_with(arch, &|file| std::fs::read(tree.join(file)))
    }

    /// Like [`Self::read`], with the files' bytes from a function of the path in the tree.
    pub fn read_with(
        arch: &str,
        files: &dyn Fn(&str) -> std::io::Result<Vec<u8>>,
    ) -> Result<Self, Error> {
        Reader::new(arch, files).read("Kconfig")
    }

    /// What the tree says of a symbol that it defines.
    pub fn get(&self, symbol: &Symbol) -> Option<&SymbolInfo> {
        self.symbols.get(symbol).filter(|info| !info.definitions.is_empty())
    }

    /// All symbols that the tree defines, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&Symbol, &SymbolInfo)> {
        self.symbols.iter().filter(|(_, info)| !info.definitions.is_empty())
    }

    /// How many symbols the tree defines.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether the tree defines no symbol.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many files were read.
    pub fn files(&self) -> usize {
        self.files
    }

    /// A choice by its index in a [`Definition`].
    pub fn choice(&self, index: usize) -> Option<&Choice> {
        self.choices.get(index)
    }

    /// The choices that a symbol is a member of.
    pub fn choices_of(&self, symbol: &Symbol) -> impl Iterator<Item = &Choice> {
        let definitions = self.get(symbol).map_or(&[][..], |info| &info.definitions);
        definitions.iter().filter_map(|d| d.choice).filter_map(|index| self.choices.get(index))
    }

    /// The symbol that turns on the m state.
    pub fn modules(&self) -> Symbol {
        self.modules.clone().unwrap_or_else(|| Symbol::verbatim("MODULES"))
    }

    /// The lines that were not understood.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Symbols of the tree that are spelt much like `symbol`, the nearest first.
    pub fn nearest(&self, symbol: &Symbol) -> Vec<Symbol> {
        nearest::nearest(symbol.name(), self.iter().map(|(known, _)| known))
    }
}
