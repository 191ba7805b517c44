// SPDX-License-Identifier: MIT OR Apache-2.0
//! The attributes of a Kconfig entry: the lines below `config`, `choice` and `menu`.

use std::sync::Arc;

use super::expr::{self, Expr};
use super::lexer::Token;
use super::reader::{BlockKind, Entry, Reader, whole};
use super::table::{
    Condition, DefaultValue, Definition, Origin, Prompt, Range, Selection, SymbolInfo,
};
use super::{Kind, Place, Symbol};

/// Takes the attribute `keyword` with its arguments for the reader's current entry.
///
/// # Errors
/// Why it was not understood.
pub(super) fn take(
    reader: &mut Reader<'_>,
    keyword: &str,
    arguments: &[Token],
    at: &Place,
) -> Result<(), &'static str> {
    match reader.entry.clone() {
        Entry::None => Err("an unknown statement, or an attribute of nothing"),
        Entry::Comment if keyword == "depends" => Ok(()),
        Entry::Comment => Err("an unknown attribute of a comment"),
        Entry::Block => of_block(reader, keyword, arguments, at),
        Entry::Config(symbol) => of_config(reader, &symbol, keyword, arguments, at),
    }
}

fn of_block(
    reader: &mut Reader<'_>,
    keyword: &str,
    arguments: &[Token],
    at: &Place,
) -> Result<(), &'static str> {
    let Some(block) = reader.block() else {
        return Err("an attribute of nothing");
    };
    let kind = block.kind;
    let origin = if kind == BlockKind::Menu { Origin::Menu } else { Origin::Choice };
    let condition = |expr: Expr, origin| Condition { expr: Arc::new(expr), origin, at: at.clone() };
    match (keyword, kind) {
        ("depends", _) => block.conditions.push(condition(depends(arguments)?, origin)),
        ("visible", BlockKind::Menu) => {
            if let Some(expr) = trailing_if(arguments)? {
                block.visible.push(condition(expr, Origin::Visible));
            }
        }
        ("prompt" | "bool" | "tristate", BlockKind::Choice(index)) => {
            let Some((text, rest)) = quoted(arguments) else {
                return Ok(());
            };
            if let Some(expr) = trailing_if(rest)? {
                block.conditions.push(condition(expr, origin));
            }
            if let Some(choice) = reader.table.choices.get_mut(index) {
                choice.prompt = text;
            }
        }
        ("optional", BlockKind::Choice(index)) => {
            if let Some(choice) = reader.table.choices.get_mut(index) {
                choice.optional = true;
            }
        }
        ("default" | "def_bool" | "def_tristate", BlockKind::Choice(_)) => {}
        _ => return Err("an unknown attribute of a menu or choice"),
    }
    Ok(())
}

fn of_config(
    reader: &mut Reader<'_>,
    symbol: &Symbol,
    keyword: &str,
    arguments: &[Token],
    at: &Place,
) -> Result<(), &'static str> {
    if let "select" | "imply" = keyword {
        return selection(reader, symbol, keyword == "select", arguments, at);
    }
    if is_modules(keyword, arguments) {
        reader.table.modules = Some(symbol.clone());
        return Ok(());
    }
    let Some(info) = reader.table.symbols.get_mut(symbol) else {
        return Err("an attribute of nothing");
    };
    if let Some(kind) = typed(keyword) {
        info.kind.get_or_insert(kind);
    }
    let SymbolInfo { definitions, .. } = info;
    let Some(definition) = definitions.last_mut() else {
        return Err("an attribute of nothing");
    };
    match keyword {
        "bool" | "tristate" | "string" | "int" | "hex" if arguments.is_empty() => Ok(()),
        "bool" | "tristate" | "string" | "int" | "hex" | "prompt" => {
            prompt(definition, arguments, at)
        }
        "def_bool" | "def_tristate" | "default" => {
            let (value, condition) = with_if(arguments)?;
            definition.defaults.push(DefaultValue { value, condition, at: at.clone() });
            Ok(())
        }
        "depends" => {
            let expr = Arc::new(depends(arguments)?);
            definition.depends.push(Condition { expr, origin: Origin::DependsOn, at: at.clone() });
            Ok(())
        }
        "range" => {
            let mut rest = arguments;
            let low = Expr::Operand(expr::parse_operand(&mut rest)?);
            let high = Expr::Operand(expr::parse_operand(&mut rest)?);
            let condition = trailing_if(rest)?;
            definition.ranges.push(Range { low, high, condition, at: at.clone() });
            Ok(())
        }
        // Before 6.1 or so: `option env=…` and `option allnoconfig_y` change no dependency. From
        // 6.18 on, `transitional` marks a symbol that is read from old files and never written.
        "option" | "transitional" => Ok(()),
        _ => Err("an unknown attribute"),
    }
}

fn is_modules(keyword: &str, arguments: &[Token]) -> bool {
    let word = |token: &Token| matches!(token, Token::Word(word) if word == "modules");
    match keyword {
        "modules" => arguments.is_empty(),
        "option" => arguments.first().is_some_and(word),
        _ => false,
    }
}

fn typed(keyword: &str) -> Option<Kind> {
    match keyword {
        "bool" | "def_bool" => Some(Kind::Bool),
        "tristate" | "def_tristate" => Some(Kind::Tristate),
        "string" => Some(Kind::String),
        "int" => Some(Kind::Int),
        "hex" => Some(Kind::Hex),
        _ => None,
    }
}

fn prompt(
    definition: &mut Definition,
    arguments: &[Token],
    at: &Place,
) -> Result<(), &'static str> {
    let Some((text, rest)) = quoted(arguments) else {
        return Err("a prompt without text");
    };
    let condition = trailing_if(rest)?.map(|expr| Condition {
        expr: Arc::new(expr),
        origin: Origin::Prompt,
        at: at.clone(),
    });
    definition.prompt = Some(Prompt { text, condition });
    Ok(())
}

fn selection(
    reader: &mut Reader<'_>,
    by: &Symbol,
    is_select: bool,
    arguments: &[Token],
    at: &Place,
) -> Result<(), &'static str> {
    let Some((Token::Word(target), rest)) = arguments.split_first() else {
        return Err("a select without a symbol");
    };
    let condition = trailing_if(rest)?;
    let symbols = &mut reader.table.symbols;
    let definition = symbols.get(by).map_or(0, |info| info.definitions.len().saturating_sub(1));
    let selection = Selection { by: by.clone(), definition, condition, at: at.clone() };
    let target = symbols.entry(Symbol::verbatim(target)).or_default();
    if is_select {
        target.selected_by.push(selection);
    } else {
        target.implied_by.push(selection);
    }
    Ok(())
}

/// `on A`, or from 7.0 on `on A if B`, which asks for A only while B holds.
fn depends(arguments: &[Token]) -> Result<Expr, &'static str> {
    let Some((Token::Word(on), rest)) = arguments.split_first() else {
        return Err("`depends` without `on`");
    };
    if on != "on" {
        return Err("`depends` without `on`");
    }
    let (expr, condition) = with_if(rest)?;
    Ok(match condition {
        None => expr,
        Some(condition) => Expr::Any(vec![expr, Expr::Not(Box::new(condition))]),
    })
}

/// A prompt's text: quoted, or with a macro in it.
fn quoted(arguments: &[Token]) -> Option<(String, &[Token])> {
    match arguments.split_first() {
        Some((Token::Quoted(text) | Token::Unknown(text), rest)) => Some((text.clone(), rest)),
        _ => None,
    }
}

fn with_if(arguments: &[Token]) -> Result<(Expr, Option<Expr>), &'static str> {
    let mut rest = arguments;
    let expr = expr::parse(&mut rest)?;
    Ok((expr, trailing_if(rest)?))
}

fn trailing_if(tokens: &[Token]) -> Result<Option<Expr>, &'static str> {
    match tokens.split_first() {
        None => Ok(None),
        Some((Token::Word(word), rest)) if word == "if" => whole(rest).map(Some),
        Some(_) => Err("something other than `if` follows"),
    }
}
