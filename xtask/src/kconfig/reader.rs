// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kconfig files to a symbol table.
//!
//! Source of the language: the kernel's Documentation/kbuild/kconfig-language.rst. A line that
//! means nothing here becomes a note instead of an error, so that a newer kernel's new keyword
//! does not hide the rest of its tree.

use std::sync::Arc;

use super::attribute;
use super::expr::{self, Expr};
use super::lexer::{Lexer, Statement, Token};
use super::macros::Macros;
use super::table::{Choice, Condition, Definition, Note, Origin, SymbolTable};
use super::{Error, Place, Symbol};

/// Files included in each other, and files read in all, before the tree counts as endless. A
/// kernel has some 1,500 files for an architecture, nested less than ten deep.
const NESTED: usize = 64;
const FILES: usize = 50_000;
/// Notes kept; a tree that is not understood at all need not fill memory.
const NOTES: usize = 1_000;

type Files<'a> = &'a dyn Fn(&str) -> std::io::Result<Vec<u8>>;

pub(super) struct Reader<'a> {
    files: Files<'a>,
    macros: Macros,
    pub(super) table: SymbolTable,
    blocks: Vec<Block>,
    pub(super) entry: Entry,
    /// The files being read, the innermost last.
    open: Vec<Arc<str>>,
}

/// What attributes belong to.
#[derive(Clone)]
pub(super) enum Entry {
    /// Nothing takes attributes.
    None,
    /// A comment, whose conditions concern no symbol.
    Comment,
    /// The last definition of this symbol.
    Config(Symbol),
    /// The innermost block: a menu or a choice.
    Block,
}

/// An open `if`, `menu` or `choice`.
pub(super) struct Block {
    pub(super) kind: BlockKind,
    at: Place,
    /// Conditions of its own on all that is inside.
    pub(super) conditions: Vec<Condition>,
    /// `visible if` of a menu.
    pub(super) visible: Vec<Condition>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    If,
    Menu,
    /// The index of the choice.
    Choice(usize),
}

impl<'a> Reader<'a> {
    pub(super) fn new(arch: &str, files: Files<'a>) -> Self {
        Self {
            files,
            macros: Macros::new(arch),
            table: SymbolTable::default(),
            blocks: Vec::new(),
            entry: Entry::None,
            open: Vec::new(),
        }
    }

    pub(super) fn read(mut self, top: &str) -> Result<SymbolTable, Error> {
        self.read_file(top, None)?;
        self.give_members_the_type_of_their_choice();
        Ok(self.table)
    }

    fn read_file(&mut self, path: &str, from: Option<&Place>) -> Result<(), Error> {
        let file: Arc<str> = path.trim_start_matches("./").into();
        let unread =
            |why: String| Error::KconfigUnread { file: file.to_string(), from: from.cloned(), why };
        if self.open.contains(&file) {
            return Err(unread("it sources itself".into()));
        }
        if self.open.len() >= NESTED || self.table.files >= FILES {
            return Err(unread("too many files are sourced".into()));
        }
        let bytes = (self.files)(&file).map_err(|error| unread(error.to_string()))?;
        let text = String::from_utf8_lossy(&bytes);
        self.table.files += 1;
        self.open.push(file.clone());
        let outside = self.blocks.len();
        self.entry = Entry::None;

        let mut lexer = Lexer::new(&text);
        while let Some(statement) = lexer.statement(&self.macros) {
            let at = Place { file: file.clone(), line: statement.line };
            if let Some(stray) = statement.stray {
                self.note(&at, format!("`{stray}` means nothing here"));
            }
            if let Some((assign, text)) = &statement.assign {
                if let Some(Token::Word(name)) = statement.tokens.first() {
                    self.macros.assign(name, *assign, text);
                }
            } else if is_help(&statement) {
                lexer.skip_help();
            } else if let Err(what) = self.statement(&statement.tokens, &at, outside)? {
                self.note(&at, what.to_owned());
            }
        }

        for block in self.blocks.split_off(outside.min(self.blocks.len())) {
            self.note(&block.at, "this is never closed".into());
        }
        self.entry = Entry::None;
        self.open.pop();
        Ok(())
    }

    /// Takes one statement. The inner error is why it was not understood; the outer one that a
    /// file it sources could not be read.
    fn statement(
        &mut self,
        tokens: &[Token],
        at: &Place,
        outside: usize,
    ) -> Result<Result<(), &'static str>, Error> {
        let Some((Token::Word(keyword), rest)) = tokens.split_first() else {
            return Ok(Err("not a statement"));
        };
        if keyword == "source" {
            let path = match rest {
                [Token::Quoted(path) | Token::Word(path)] => path,
                [Token::Unknown(path)] => {
                    return Err(Error::KconfigUnread {
                        file: path.clone(),
                        from: Some(at.clone()),
                        why: "the path needs a variable that only the build knows".into(),
                    });
                }
                _ => return Ok(Err("`source` takes one path")),
            };
            return self.read_file(path, Some(at)).map(Ok);
        }
        Ok(match (keyword.as_str(), rest) {
            ("mainmenu", _) => Ok(()),
            ("config" | "menuconfig", [Token::Word(name)]) => {
                self.start_config(name, at);
                Ok(())
            }
            ("comment", _) => {
                self.entry = Entry::Comment;
                Ok(())
            }
            ("if", _) => self.start_if(rest, at),
            ("menu", _) => {
                self.start_block(BlockKind::Menu, at);
                Ok(())
            }
            ("choice", _) => {
                self.start_choice(rest, at);
                Ok(())
            }
            ("endif" | "endmenu" | "endchoice", _) => self.end(keyword, outside),
            _ => attribute::take(self, keyword, rest, at),
        })
    }

    fn note(&mut self, at: &Place, what: String) {
        if self.table.notes.len() < NOTES {
            self.table.notes.push(Note { at: at.clone(), what });
        }
    }

    fn start_block(&mut self, kind: BlockKind, at: &Place) {
        self.blocks.push(Block {
            kind,
            at: at.clone(),
            conditions: Vec::new(),
            visible: Vec::new(),
        });
        self.entry = Entry::Block;
    }

    fn start_if(&mut self, tokens: &[Token], at: &Place) -> Result<(), &'static str> {
        let expr = whole(tokens);
        self.start_block(BlockKind::If, at);
        self.entry = Entry::None;
        let condition = Condition { expr: Arc::new(expr?), origin: Origin::If, at: at.clone() };
        if let Some(block) = self.blocks.last_mut() {
            block.conditions.push(condition);
        }
        Ok(())
    }

    fn start_choice(&mut self, tokens: &[Token], at: &Place) {
        let name = match tokens.first() {
            Some(Token::Word(name)) => Some(name.clone()),
            _ => None,
        };
        let choices = &mut self.table.choices;
        // A named choice may be continued elsewhere.
        let known = name
            .as_ref()
            .and_then(|name| choices.iter().position(|choice| choice.name.as_ref() == Some(name)));
        let index = known.unwrap_or_else(|| {
            choices.push(Choice {
                at: at.clone(),
                prompt: String::new(),
                conditions: self.blocks.iter().flat_map(|b| b.conditions.clone()).collect(),
                members: Vec::new(),
                optional: false,
                name,
            });
            choices.len() - 1
        });
        self.start_block(BlockKind::Choice(index), at);
    }

    fn end(&mut self, keyword: &str, outside: usize) -> Result<(), &'static str> {
        self.entry = Entry::None;
        let open = self.blocks.get(outside..).and_then(<[_]>::last).map(|block| block.kind);
        match (keyword, open) {
            ("endif", Some(BlockKind::If))
            | ("endmenu", Some(BlockKind::Menu))
            | ("endchoice", Some(BlockKind::Choice(_))) => {
                if let Some(Block { kind: BlockKind::Choice(index), conditions, .. }) =
                    self.blocks.pop()
                    && let Some(choice) = self.table.choices.get_mut(index)
                {
                    choice.conditions.extend(conditions);
                }
                Ok(())
            }
            _ => Err("this ends nothing that was opened in this file"),
        }
    }

    fn start_config(&mut self, name: &str, at: &Place) {
        let symbol = Symbol::verbatim(name);
        let choice = self.blocks.iter().rev().find_map(|block| match block.kind {
            BlockKind::Choice(index) => Some(index),
            BlockKind::If | BlockKind::Menu => None,
        });
        if let Some(choice) = choice.and_then(|index| self.table.choices.get_mut(index))
            && !choice.members.contains(&symbol)
        {
            choice.members.push(symbol.clone());
        }
        let definition = Definition {
            at: at.clone(),
            prompt: None,
            depends: self.blocks.iter().flat_map(|b| b.conditions.iter().cloned()).collect(),
            visible: self.blocks.iter().flat_map(|b| b.visible.iter().cloned()).collect(),
            defaults: Vec::new(),
            ranges: Vec::new(),
            choice,
        };
        self.table.symbols.entry(symbol.clone()).or_default().definitions.push(definition);
        self.entry = Entry::Config(symbol);
    }

    pub(super) fn block(&mut self) -> Option<&mut Block> {
        self.blocks.last_mut()
    }

    fn give_members_the_type_of_their_choice(&mut self) {
        for choice in &self.table.choices {
            let kind = choice.members.iter().find_map(|m| self.table.symbols.get(m)?.kind);
            for member in &choice.members {
                if let Some(info) = self.table.symbols.get_mut(member) {
                    info.kind = info.kind.or(kind);
                }
            }
        }
    }
}

fn is_help(statement: &Statement) -> bool {
    // Kernels before 4.20 also wrote it with dashes.
    matches!(statement.tokens.as_slice(), [Token::Word(word)] if word == "help" || word == "---help---")
}

/// An expression that takes all tokens.
pub(super) fn whole(tokens: &[Token]) -> Result<Expr, &'static str> {
    let mut rest = tokens;
    let expr = expr::parse(&mut rest)?;
    if rest.is_empty() { Ok(expr) } else { Err("something follows the expression") }
}
