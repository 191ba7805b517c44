// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports and conflicts for a person to read.

use std::fmt::{self, Write as _};

use super::reason::{Advice, Reason, Selector, Setters, Unmet};
use super::{Conflict, Dropped, Misspelt, Report, Symbol, Tristate, Value};

/// Notes that are shown; the rest is counted.
const NOTES: usize = 3;

/// Names with `CONFIG_`, joined as in a sentence.
pub(super) fn names(symbols: &[Symbol], word: &str) -> String {
    let mut text = String::new();
    for (index, symbol) in symbols.iter().enumerate() {
        if index > 0 {
            text.push_str(if index + 1 == symbols.len() { " " } else { ", " });
        }
        if index > 0 && index + 1 == symbols.len() {
            let _ = write!(text, "{word} ");
        }
        let _ = write!(text, "CONFIG_{symbol}");
    }
    text
}

fn asking(symbol: &Symbol, value: Tristate) -> String {
    format!("`{}`", Value::Tristate(value).line(symbol))
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second } = self;
        writeln!(f, "CONFIG_{}", first.symbol)?;
        writeln!(f, "  {}: {}", first.at, first.value)?;
        write!(f, "  {}: {}", second.at, second.value)
    }
}

impl fmt::Display for Misspelt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbol = &self.request.symbol;
        writeln!(f, "CONFIG_{symbol}: no such symbol (asked for at {})", self.request.at)?;
        match self.nearest.as_slice() {
            [] => write!(f, "  nothing in this tree is spelt like it"),
            near => write!(f, "  did you mean {}?", names(near, "or")),
        }
    }
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { request, got, defined, reasons } = self;
        writeln!(f, "CONFIG_{}: wanted {}, got {got}", request.symbol, request.value)?;
        write!(f, "  asked for at {}, defined at {defined}", request.at)?;
        for reason in reasons {
            let mut text = String::new();
            reason_lines(&mut text, reason, &request.symbol, &request.value)?;
            for line in text.lines() {
                write!(f, "\n  {line}")?;
            }
        }
        Ok(())
    }
}

fn reason_lines(out: &mut String, reason: &Reason, symbol: &Symbol, want: &Value) -> fmt::Result {
    match reason {
        Reason::WrongKind(kind) => {
            writeln!(out, "it is of type {kind}: {}", wrong_kind(*kind, want))
        }
        Reason::NoModules(modules) => writeln!(
            out,
            "{modules}=n: without modules, m becomes y\nask for {}",
            asking(modules, Tristate::Yes)
        ),
        Reason::Unmet(unmet) => unmet_lines(out, unmet),
        Reason::Forced { by, to, at } => writeln!(out, "forced to {to}: {by} selects it ({at})"),
        Reason::NotPromptable { setters, instead } => {
            setters_lines(out, symbol, setters)?;
            match instead.as_slice() {
                [] => Ok(()),
                instead => writeln!(out, "ask for {} instead", names(instead, "or")),
            }
        }
        Reason::OtherChosen { prompt, at, chosen, asked } => {
            write!(out, "choice \"{prompt}\" ({at}): {chosen} was chosen")?;
            match asked {
                Some(place) => writeln!(out, ", asked for at {place}"),
                None => writeln!(out),
            }
        }
        Reason::OnlyChoice { prompt, at, others } => {
            writeln!(out, "choice \"{prompt}\" ({at}): one of its members is always y")?;
            match others.as_slice() {
                [] => writeln!(out, "no other member can be chosen"),
                others => writeln!(out, "ask for {} instead", names(others, "or")),
            }
        }
        Reason::OutOfRange { low, high, at } => {
            writeln!(out, "outside its range, {low} to {high} ({at})")
        }
        Reason::Unexplained => {
            writeln!(out, "the Kconfig files give no reason that this tool can see")
        }
    }
}

fn wrong_kind(kind: super::Kind, want: &Value) -> String {
    use super::Kind;
    match (kind, want) {
        (Kind::Bool, Value::Tristate(Tristate::Module)) => {
            "it cannot be a module, ask for y".to_owned()
        }
        (Kind::Bool, _) => "ask for y or n".to_owned(),
        (Kind::Tristate, _) => "ask for y, m or n".to_owned(),
        (Kind::String, _) => "ask for a text in double quotes".to_owned(),
        (Kind::Int, _) => "ask for a decimal number".to_owned(),
        (Kind::Hex, Value::Int(_)) => "write the number as 0xHEX".to_owned(),
        (Kind::Hex, _) => "ask for a number as 0xHEX".to_owned(),
    }
}

fn setters_lines(out: &mut String, symbol: &Symbol, setters: &Setters) -> fmt::Result {
    writeln!(out, "{symbol} has no prompt, so a .config cannot set it")?;
    for (value, at) in &setters.defaults {
        writeln!(out, "its default: {value} ({at})")?;
    }
    if !setters.selects.is_empty() {
        writeln!(out, "selected by {}", selectors(&setters.selects))?;
    }
    if setters.defaults.is_empty() && setters.selects.is_empty() {
        writeln!(out, "nothing selects it in this tree")?;
    }
    Ok(())
}

fn selectors(selects: &[Selector]) -> String {
    let list: Vec<String> = selects.iter().map(ToString::to_string).collect();
    list.join("; ")
}

fn pairs(values: &[(Symbol, String)]) -> String {
    let list: Vec<String> = values.iter().map(|(s, v)| format!("{s}={v}")).collect();
    list.join(", ")
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.by, self.value)?;
        match &self.condition {
            Some((condition, values)) => write!(f, " if {condition} ({})", pairs(values)),
            None => Ok(()),
        }
    }
}

/// One unmet condition and what would help.
pub(super) fn unmet_lines(out: &mut String, unmet: &Unmet) -> fmt::Result {
    let Unmet { symbol, condition, values, certain, advice } = unmet;
    match (certain, values.is_empty()) {
        (true, false) => write!(out, "unmet: {}: ", pairs(values))?,
        (true, true) => write!(out, "unmet: ")?,
        (false, _) => write!(out, "perhaps unmet, as only the toolchain can tell: ")?,
    }
    writeln!(out, "{symbol} {} {} ({})", condition.origin.verb(), condition.expr, condition.at)?;
    for one in advice {
        advice_lines(out, one)?;
    }
    Ok(())
}

fn advice_lines(out: &mut String, advice: &Advice) -> fmt::Result {
    match advice {
        Advice::Ask(symbol, value) => writeln!(out, "  ask for {}", asking(symbol, *value)),
        Advice::DroppedToo(symbol, at) => {
            writeln!(out, "  {symbol} is asked for at {at} and was dropped too: see there")
        }
        Advice::Contrary(request) => {
            writeln!(out, "  {} asks for {}={}", request.at, request.symbol, request.value)
        }
        Advice::Undefined(symbol) => {
            writeln!(out, "  this tree does not define {symbol} for this architecture")
        }
        Advice::NoPrompt { symbol, selects, unmet } => {
            write!(out, "  {symbol} has no prompt")?;
            match (selects.as_slice(), unmet.as_slice()) {
                ([], []) => writeln!(out, " and nothing selects it")?,
                ([], _) => writeln!(out)?,
                (selects, _) => writeln!(out, "; selected by {}", selectors(selects))?,
            }
            nested(out, unmet)
        }
        Advice::Needs(symbol, value, unmet) => {
            writeln!(out, "  ask for {}, which needs more", asking(symbol, *value))?;
            nested(out, unmet)
        }
    }
}

fn nested(out: &mut String, unmet: &[Unmet]) -> fmt::Result {
    let mut text = String::new();
    for one in unmet {
        unmet_lines(&mut text, one)?;
    }
    text.lines().try_for_each(|line| writeln!(out, "    {line}"))
}

impl Report {
    /// All that was refused, a block for each request.
    pub fn refusals(&self) -> String {
        let blocks = self.misspelt.iter().map(ToString::to_string);
        let mut blocks: Vec<String> =
            blocks.chain(self.dropped.iter().map(ToString::to_string)).collect();
        if !self.misspelt.is_empty() && !self.notes.is_empty() {
            // A symbol may hide behind a line that was not understood.
            let mut text =
                String::from("lines of the tree's Kconfig files that were not understood");
            for note in self.notes.iter().take(NOTES) {
                let _ = write!(text, "\n  {}: {}", note.at, note.what);
            }
            if let Some(more) = self.notes.len().checked_sub(NOTES + 1) {
                let _ = write!(text, "\n  and {} more", more + 1);
            }
            blocks.push(text);
        }
        blocks.join("\n")
    }
}

impl fmt::Display for Report {
    /// The text of `cargo xtask kconfig check`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {} options have the value asked for", self.kept.len(), self.len())?;
        for request in &self.not_in_version {
            writeln!(
                f,
                "CONFIG_{}: not in this version (asked for at {}, if known: {})",
                request.symbol,
                request.at,
                request.if_known.as_deref().unwrap_or_default()
            )?;
        }
        let refusals = self.refusals();
        if refusals.is_empty() { Ok(()) } else { writeln!(f, "{refusals}") }
    }
}
