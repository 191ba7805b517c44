// SPDX-License-Identifier: MIT OR Apache-2.0
//! The texts of `cargo xtask kconfig show` and `cargo xtask kconfig explain`.

use std::fmt::{self, Write as _};

use super::evaluate::Values;
use super::report_text::unmet_lines;
use super::table::{Definition, Selection, SymbolInfo};
use super::unmet::Finder;
use super::{DotConfig, Error, Requests, Symbol, SymbolTable, Tristate};

/// Selecting symbols that are listed; the rest is counted.
const LISTED: usize = 12;

/// What all fragments together ask for, in the form of a fragment, each option below the line
/// that asked for it.
pub fn show(requests: &Requests) -> String {
    let mut out = String::new();
    for request in requests {
        let _ = writeln!(out, "# {}", request.at);
        if let Some(reason) = &request.if_known {
            let _ = writeln!(out, "#: if-known: {reason}");
        }
        let _ = writeln!(out, "{}", request.value.line(&request.symbol));
    }
    out
}

/// All that a tree says about a symbol, and with a `.config` of that tree, how things stand.
///
/// # Errors
/// The tree does not define the symbol.
pub fn explain(
    symbols: &SymbolTable,
    symbol: &Symbol,
    config: Option<&DotConfig>,
) -> Result<String, Error> {
    let Some(info) = symbols.get(symbol) else {
        let nearest = symbols.nearest(symbol);
        return Err(Error::NoSuchSymbol { symbol: symbol.clone(), nearest });
    };
    let values = config.map(|config| Values { table: symbols, config });
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut out, symbols, symbol, info, values);
    Ok(out)
}

fn write(
    out: &mut String,
    symbols: &SymbolTable,
    symbol: &Symbol,
    info: &SymbolInfo,
    values: Option<Values<'_>>,
) -> fmt::Result {
    let kind = info.kind.map_or_else(|| "of no type".into(), |kind| kind.to_string());
    writeln!(out, "CONFIG_{symbol}: {kind}")?;
    if let Some(values) = values {
        let written = values.config.written(symbol);
        let absent = if written.is_none() { " (absent)" } else { "" };
        writeln!(out, "value: {}{absent}", values.shown(symbol))?;
    }
    for definition in &info.definitions {
        write_definition(out, symbols, definition, values)?;
    }
    write_selections(out, "selected by", &info.selected_by, values)?;
    write_selections(out, "implied by", &info.implied_by, values)?;
    match values {
        Some(values) => write_state(out, symbol, info, values),
        None => Ok(()),
    }
}

fn write_definition(
    out: &mut String,
    symbols: &SymbolTable,
    definition: &Definition,
    values: Option<Values<'_>>,
) -> fmt::Result {
    writeln!(out, "defined at {}", definition.at)?;
    match &definition.prompt {
        Some(prompt) => writeln!(out, "  prompt: \"{}\"", prompt.text)?,
        None => writeln!(out, "  no prompt: a .config cannot set it here")?,
    }
    let conditions = definition.depends.iter().chain(&definition.visible);
    let asked = definition.prompt.as_ref().and_then(|prompt| prompt.condition.as_ref());
    for condition in conditions.chain(asked) {
        writeln!(out, "  {} {} ({})", condition.origin.verb(), condition.expr, condition.at)?;
    }
    if let Some(choice) = definition.choice.and_then(|index| symbols.choice(index)) {
        let shown = |member: &Symbol| match values {
            Some(values) => format!("{member}={}", values.shown(member)),
            None => member.to_string(),
        };
        let members: Vec<String> = choice.members.iter().map(shown).collect();
        writeln!(out, "  choice \"{}\" ({}): {}", choice.prompt, choice.at, members.join(", "))?;
    }
    for default in &definition.defaults {
        write!(out, "  default {}", default.value)?;
        write_if(out, default.condition.as_ref())?;
        writeln!(out, " ({})", default.at)?;
    }
    for range in &definition.ranges {
        write!(out, "  range {} {}", range.low, range.high)?;
        write_if(out, range.condition.as_ref())?;
        writeln!(out, " ({})", range.at)?;
    }
    Ok(())
}

fn write_if(out: &mut String, condition: Option<&super::Expr>) -> fmt::Result {
    match condition {
        Some(condition) => write!(out, " if {condition}"),
        None => Ok(()),
    }
}

fn write_selections(
    out: &mut String,
    title: &str,
    selections: &[Selection],
    values: Option<Values<'_>>,
) -> fmt::Result {
    if selections.is_empty() {
        return Ok(());
    }
    writeln!(out, "{title}")?;
    let mut selections: Vec<&Selection> = selections.iter().collect();
    if let Some(values) = values {
        // Those that count now come first.
        selections.sort_by_key(|s| values.demand(s).high == Tristate::No);
    }
    for selection in selections.iter().take(LISTED) {
        write!(out, "  {}", selection.by)?;
        if let Some(values) = values {
            write!(out, "={}", values.shown(&selection.by))?;
        }
        write_if(out, selection.condition.as_ref())?;
        writeln!(out, " ({})", selection.at)?;
    }
    match selections.len().checked_sub(LISTED) {
        Some(more) if more > 0 => writeln!(out, "  and {more} more"),
        _ => Ok(()),
    }
}

/// Whether and why it can or cannot be turned on now.
fn write_state(
    out: &mut String,
    symbol: &Symbol,
    info: &SymbolInfo,
    values: Values<'_>,
) -> fmt::Result {
    let nothing = Requests::default();
    let finder = Finder::new(values, &nothing);
    let logical = info.kind.is_none_or(super::Kind::is_logical);
    let is_on = values.config.tristate(symbol) != Tristate::No;
    let unmet = match finder.prompt_unmet(symbol, info, Tristate::Module) {
        Some(unmet) if unmet.is_empty() => {
            return writeln!(out, "this configuration lets it be set");
        }
        Some(unmet) => {
            writeln!(out, "in this configuration it cannot be set")?;
            unmet
        }
        None => {
            let demands = |s: &&Selection| values.demand(s).high != Tristate::No;
            let on: Vec<String> =
                info.selected_by.iter().filter(demands).map(|s| s.by.to_string()).collect();
            match (on.as_slice(), is_on || !logical) {
                ([], true) => writeln!(out, "its value comes from its default")?,
                ([], false) => writeln!(out, "nothing turns it on in this configuration")?,
                (on, _) => writeln!(out, "in this configuration {} selects it", on.join(", "))?,
            }
            if on.is_empty() && logical && !is_on {
                finder.default_unmet(symbol, info, Tristate::Module)
            } else {
                Vec::new()
            }
        }
    };
    let mut text = String::new();
    for one in &unmet {
        unmet_lines(&mut text, one)?;
    }
    text.lines().try_for_each(|line| writeln!(out, "  {line}"))
}
