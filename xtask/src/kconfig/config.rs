// SPDX-License-Identifier: MIT OR Apache-2.0
//! A `.config` that kconfig wrote.

use std::collections::HashMap;

use super::{Kind, Symbol, Tristate, Value};

/// The values of a final `.config`.
#[derive(Debug, Clone, Default)]
pub struct DotConfig {
    values: HashMap<Symbol, String>,
}

impl DotConfig {
    /// Reads the text; lines that are neither a value nor "is not set" are comments.
    pub fn parse(text: &str) -> Self {
        let values = text
            .lines()
            .filter_map(assignment)
            .map(|(symbol, value)| (symbol, value.to_owned()))
            .collect();
        Self { values }
    }

    /// The value as written: `n` for "is not set", `None` when the symbol is absent.
    pub fn written(&self, symbol: &Symbol) -> Option<&str> {
        self.values.get(symbol).map(String::as_str)
    }

    /// The value of a symbol of this type; absent and not set are n.
    pub fn value(&self, symbol: &Symbol, kind: Option<Kind>) -> Value {
        let Some(written) = self.written(symbol) else {
            return Value::NO;
        };
        if kind == Some(Kind::Hex)
            // kconfig takes and keeps hexadecimal numbers without 0x.
            && let Ok(number) = u64::from_str_radix(written, 16)
        {
            return Value::Hex(number);
        }
        Value::from_config(written)
    }

    /// The value of a bool or tristate; n for all else.
    pub fn tristate(&self, symbol: &Symbol) -> Tristate {
        match self.written(symbol) {
            Some("y") => Tristate::Yes,
            Some("m") => Tristate::Module,
            _ => Tristate::No,
        }
    }
}

/// What a line of a `.config` sets, as kconfig reads it: the symbol, and its value as written.
pub(super) fn assignment(line: &str) -> Option<(Symbol, &str)> {
    if let Some(rest) = line.strip_prefix("# CONFIG_") {
        let (name, rest) = rest.split_once(' ')?;
        return rest.starts_with("is not set").then(|| (Symbol::verbatim(name), "n"));
    }
    let (name, value) = line.strip_prefix("CONFIG_")?.split_once('=')?;
    Some((Symbol::verbatim(name), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_and_not_set_are_off() {
        let config = DotConfig::parse(
            "# Linux/x86\nCONFIG_A=y\n# CONFIG_B is not set\nCONFIG_S=\"a \\\" b\"\nCONFIG_N=8\n\
             CONFIG_X=0x1000\nCONFIG_M=m\nCONFIG_E=\"\"\n",
        );
        for (name, value) in [
            ("A", Value::Tristate(Tristate::Yes)),
            ("B", Value::NO),
            ("C", Value::NO),
            ("M", Value::Tristate(Tristate::Module)),
            ("S", Value::Text("a \" b".into())),
            ("E", Value::Text(String::new())),
            ("N", Value::Int(8)),
            ("X", Value::Hex(0x1000)),
        ] {
            assert_eq!(config.value(&Symbol::new(name), None), value, "{name}");
        }
        assert_eq!(config.value(&Symbol::new("N"), Some(Kind::Hex)), Value::Hex(8));
        assert_eq!(config.value(&Symbol::new("X"), Some(Kind::Hex)), Value::Hex(0x1000));
        assert_eq!(config.written(&Symbol::new("B")), Some("n"));
        assert_eq!(config.written(&Symbol::new("C")), None);
    }
}
