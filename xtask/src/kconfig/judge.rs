// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of each request.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::expr::YES;
use super::requests::symbol_of;
use super::{Request, Requests, Symbol, SymbolTable, Value};
use crate::diagnosis::Diagnosis;

/// What became of a list of requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many were kept.
    pub kept: usize,
    /// Symbols that this version does not have, and that were asked for only where they are known.
    pub not_in_version: Vec<String>,
    /// Everything that did not stick.
    pub broken: Vec<Broken>,
}

/// A request that did not stick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The symbol.
    pub symbol: String,
    /// What was asked for.
    pub wanted: Value,
    /// What the final configuration has; `None` if the tree has no such symbol.
    pub got: Option<Value>,
    /// Which fragment asked, `file:line`.
    pub place: String,
    /// Why, in words.
    pub why: Vec<String>,
}

impl Report {
    /// An error if anything did not stick.
    pub fn check(&self) -> Result<(), Diagnosis> {
        if self.broken.is_empty() {
            return Ok(());
        }
        let n = self.broken.len();
        let plural = if n == 1 { "" } else { "s" };
        let mut diagnosis =
            Diagnosis::usage(format!("{n} configuration option{plural} did not stick"));
        for broken in &self.broken {
            let mut text = match &broken.got {
                Some(got) => format!(
                    "{}: CONFIG_{}: wanted {}, got {got}",
                    broken.place, broken.symbol, broken.wanted
                ),
                None => format!(
                    "{}: CONFIG_{}: this version has no such symbol",
                    broken.place, broken.symbol
                ),
            };
            for why in &broken.why {
                let _ = write!(text, "\n  {why}");
            }
            diagnosis = diagnosis.detail(text);
        }
        Err(diagnosis.next(
            "change the fragment, or put `#: if-known: REASON` above an option that only some \
             versions have",
        ))
    }
}

/// Looks at each request in the final `.config`.
pub fn judge(requests: &Requests, symbols: &SymbolTable, config: &str) -> Report {
    let values = values(config);
    let mut report = Report::default();
    for request in requests.iter() {
        let got = values.get(request.symbol.as_str()).cloned().unwrap_or(Value::No);
        let symbol = symbols.get(&request.symbol);
        // A symbol that the table does not know but the configuration has is known after all.
        if symbol.is_none() && got == Value::No {
            if request.if_known.is_some() {
                report.not_in_version.push(request.symbol.clone());
                continue;
            }
            let near = symbols.like(&request.symbol);
            let why = if near.is_empty() {
                Vec::new()
            } else {
                vec![format!("there is: {}", near.join(", "))]
            };
            report.broken.push(broken(request, None, why));
        } else if same(&got, &request.value) {
            report.kept += 1;
        } else {
            let why = symbol.map_or_else(Vec::new, |s| reasons(request, s, symbols, &values));
            report.broken.push(broken(request, Some(got), why));
        }
    }
    report
}

fn broken(request: &Request, got: Option<Value>, why: Vec<String>) -> Broken {
    Broken {
        symbol: request.symbol.clone(),
        wanted: request.value.clone(),
        got,
        place: request.place(),
        why,
    }
}

fn same(a: &Value, b: &Value) -> bool {
    let number = |v: &Value| match v {
        Value::Text(t) => match t.to_lowercase().strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16).ok(),
            None => t.parse().ok(),
        },
        _ => None,
    };
    a == b || number(a).zip(number(b)).is_some_and(|(a, b)| a == b)
}

fn values(config: &str) -> HashMap<&str, Value> {
    config
        .lines()
        .filter_map(|line| {
            let symbol = symbol_of(line)?;
            let value = match line.split_once('=') {
                Some((_, value)) if !line.starts_with('#') => Value::parse(value).ok()?,
                _ => Value::No,
            };
            Some((symbol, value))
        })
        .collect()
}

/// A symbol's value as text for expressions: strings without their quotes.
fn text_value(values: &HashMap<&str, Value>, name: &str) -> String {
    match values.get(name) {
        Some(Value::Text(text)) => text.trim_matches('"').to_owned(),
        Some(value) => value.to_string(),
        None => "n".to_owned(),
    }
}

fn reasons(
    request: &Request,
    symbol: &Symbol,
    symbols: &SymbolTable,
    values: &HashMap<&str, Value>,
) -> Vec<String> {
    let lookup = |name: &str| text_value(values, name);
    let mut why = Vec::new();
    if request.value == Value::No {
        let selecting: Vec<_> =
            symbol.selected_by.iter().filter(|s| lookup(s) != "n").map(String::as_str).collect();
        if !selecting.is_empty() {
            why.push(format!("it is selected by {}", selecting.join(", ")));
        }
    } else {
        let wanted = if request.value == Value::Module { 1 } else { YES };
        // The definition that lacks least is the one that was meant.
        let unmet = symbol.depends.iter().map(|d| d.unmet(wanted, &lookup)).min_by_key(Vec::len);
        for expr in unmet.unwrap_or_default() {
            let mut names = expr.symbols();
            names.dedup();
            let now: Vec<_> = names.iter().map(|n| format!("{n}={}", lookup(n))).collect();
            why.push(format!("unmet dependency: {expr} (now {})", now.join(", ")));
        }
        if let Some(choice) = symbol.choice {
            let chosen = symbols.members(choice).find(|m| lookup(m) == "y");
            if let Some(other) = chosen.filter(|m| *m != request.symbol) {
                why.push(format!("it is one of a choice, and {other} is chosen"));
            }
        }
        if request.value == Value::Module && symbol.kind == "bool" {
            why.push("it is a bool: it cannot be a module".into());
        }
    }
    if symbol.prompt.is_none() && why.is_empty() {
        let by = match symbol.selected_by.as_slice() {
            [] => "it follows from other symbols".to_owned(),
            some => format!("it is set by {}", some[..some.len().min(8)].join(", ")),
        };
        why.push(format!("it has no prompt, so it cannot be asked for: {by}"));
    }
    if why.is_empty() && matches!(symbol.kind.as_str(), "int" | "hex") {
        why.push(format!("kconfig did not take it: it is out of the {}'s range", symbol.kind));
    }
    if why.is_empty() {
        why.push("its dependencies are met; see its Kconfig entry".into());
    }
    why.push(format!("defined at {}", symbol.defined.join(", ")));
    why
}

/// Everything about one symbol, for `cargo xtask kconfig explain`.
pub fn explain(name: &str, symbols: &SymbolTable, config: &str) -> Result<String, Diagnosis> {
    let name = name.strip_prefix("CONFIG_").unwrap_or(name);
    let symbol = symbols.get(name).ok_or_else(|| {
        let near = symbols.like(name);
        let diagnosis = Diagnosis::usage(format!("this version has no symbol {name}"));
        if near.is_empty() {
            diagnosis
        } else {
            diagnosis.detail(format!("there is: {}", near.join(", ")))
        }
    })?;
    let values = values(config);
    let lookup = |name: &str| text_value(&values, name);
    let mut text = format!("{name}={} ({})\n", lookup(name), symbol.kind);
    let prompt = symbol.prompt.as_deref().unwrap_or("none: it follows from other symbols");
    let _ = writeln!(text, "prompt:      {prompt}");
    let _ = writeln!(text, "defined at:  {}", symbol.defined.join(", "));
    for depends in &symbol.depends {
        let _ = writeln!(text, "depends on:  {depends}");
        for expr in depends.unmet(YES, &lookup) {
            let now: Vec<_> = expr.symbols().iter().map(|n| format!("{n}={}", lookup(n))).collect();
            let _ = writeln!(text, "  unmet:     {expr} (now {})", now.join(", "));
        }
    }
    if !symbol.selected_by.is_empty() {
        let by: Vec<_> = symbol.selected_by.iter().map(|s| format!("{s}={}", lookup(s))).collect();
        let _ = writeln!(text, "selected by: {}", by.join(", "));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::symbols::tests::table;
    use super::super::{Fragment, merge};
    use super::*;
    use std::path::Path;

    #[test]
    fn every_way_to_break_is_explained() {
        let text = "CONFIG_TMPFS=y\nCONFIG_LOCKDEP=y\nCONFIG_FULL=y\nCONFIG_TMPSF=y\n# CONFIG_MEMFD is not set\nCONFIG_NUM=99\nCONFIG_DRV=m\nCONFIG_SHMEM=m\nCONFIG_PROVE=y\n#: if-known: later\nCONFIG_LATER=y\nCONFIG_MMU=y\n";
        let fragment = Fragment::parse(Path::new("k/a.config"), text).unwrap();
        let config = "CONFIG_MMU=y\nCONFIG_NONE=y\n# CONFIG_SHMEM is not set\nCONFIG_BLOCK=y\nCONFIG_MEMFD=y\nCONFIG_TMPFS=n\nCONFIG_DEBUG=y\nCONFIG_NUM=8\nCONFIG_PROVE=y\nCONFIG_STACK=y\n";
        let report = judge(&merge(&[fragment]).unwrap(), &table(), config);
        assert_eq!(report.kept, 2);
        assert_eq!(report.not_in_version, ["LATER"]);
        insta::assert_snapshot!(report.check().unwrap_err());
    }

    #[test]
    fn numbers_compare_as_numbers() {
        assert!(same(&Value::Text("0x10".into()), &Value::Text("16".into())));
        assert!(!same(&Value::Text("\"16\"".into()), &Value::Text("16".into())));
    }

    #[test]
    fn a_symbol_is_explained() {
        let text = explain("CONFIG_TMPFS", &table(), "CONFIG_MMU=y\n").unwrap();
        insta::assert_snapshot!(text);
        assert!(explain("TMPSF", &table(), "").unwrap_err().to_string().contains("TMPFS"));
    }
}
