// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fragments: files of options that are asked for.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::diagnosis::{Diagnosis, on_path};

/// A value as it is written behind `CONFIG_X=`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `n`: also "is not set".
    No,
    /// `m`.
    Module,
    /// `y`.
    Yes,
    /// A number or a quoted string, as written.
    Text(String),
}

impl Value {
    /// Reads a value.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "n" => Ok(Self::No),
            "m" => Ok(Self::Module),
            "y" => Ok(Self::Yes),
            _ if text.starts_with('"') => {
                let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
                let closed = inner.is_some_and(|t| text.len() > 1 && !ends_escaped(t));
                if closed {
                    Ok(Self::Text(text.into()))
                } else {
                    Err("a string without its end quote".into())
                }
            }
            _ if is_number(text) => Ok(Self::Text(text.into())),
            _ => Err(format!("{text:?} is no value: write y, m, n, a number, or a \"string\"")),
        }
    }
}

fn ends_escaped(text: &str) -> bool {
    text.bytes().rev().take_while(|&b| b == b'\\').count() % 2 == 1
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit()),
        None => !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()),
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::No => "n",
            Self::Module => "m",
            Self::Yes => "y",
            Self::Text(text) => text,
        })
    }
}

/// One option that a fragment asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The symbol, without `CONFIG_`.
    pub symbol: String,
    /// What it should be.
    pub value: Value,
    /// The fragment.
    pub file: PathBuf,
    /// The line in it, 1-based.
    pub line: usize,
    /// Set by `#: if-known: REASON`: trees without the symbol are not asked.
    pub if_known: Option<String>,
}

impl Request {
    /// `file:line`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file.display(), self.line)
    }
}

/// A fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// Where it was read from.
    pub path: PathBuf,
    /// Its requests, in order.
    pub requests: Vec<Request>,
}

impl Fragment {
    /// Reads a fragment from a file.
    pub fn load(path: &Path) -> Result<Self, Diagnosis> {
        let text = std::fs::read_to_string(path).map_err(|e| {
            if e.kind() == std::io::ErrorKind::NotFound {
                Diagnosis::usage(format!("no such fragment: {}", path.display()))
            } else {
                on_path("read", path, &e)
            }
        })?;
        Self::parse(path, &text)
    }

    /// Reads a fragment.
    ///
    /// # Errors
    /// All malformed lines at once, each with file and line.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Diagnosis> {
        let mut requests: Vec<Request> = Vec::new();
        let mut errors = Vec::new();
        let mut if_known = None;
        for (n, line) in text.lines().enumerate() {
            let mut wrong =
                |why: String| errors.push(format!("{}:{}: {why}", path.display(), n + 1));
            match parse_line(line) {
                Ok(Line::Nothing) => {}
                Ok(Line::IfKnown(reason)) => if_known = Some(reason),
                Ok(Line::Option(symbol, value)) => {
                    let request = Request {
                        symbol,
                        value,
                        file: path.to_owned(),
                        line: n + 1,
                        if_known: if_known.take(),
                    };
                    match requests.iter().find(|r| r.symbol == request.symbol) {
                        Some(first) if first.value != request.value => wrong(format!(
                            "CONFIG_{}={} disagrees with line {}, which asks for {}",
                            request.symbol, request.value, first.line, first.value
                        )),
                        Some(_) => {}
                        None => requests.push(request),
                    }
                }
                Err(why) => wrong(why),
            }
        }
        if let Some(reason) = if_known {
            errors.push(format!("{}: nothing follows `if-known: {reason}`", path.display()));
        }
        if errors.is_empty() {
            return Ok(Self { path: path.to_owned(), requests });
        }
        let mut errors = errors.into_iter();
        let mut diagnosis = Diagnosis::usage(errors.next().unwrap_or_default());
        for error in errors {
            diagnosis = diagnosis.detail(error);
        }
        Err(diagnosis)
    }
}

enum Line {
    Nothing,
    IfKnown(String),
    Option(String, Value),
}

fn parse_line(line: &str) -> Result<Line, String> {
    let text = line.trim();
    if text.is_empty() {
        return Ok(Line::Nothing);
    }
    if let Some(directive) = text.strip_prefix("#:") {
        return match directive.trim().split_once(':') {
            Some(("if-known", reason)) if !reason.trim().is_empty() => {
                Ok(Line::IfKnown(reason.trim().to_owned()))
            }
            Some(("if-known", _)) => Err("`#: if-known:` needs a reason".into()),
            _ => Err(format!("unknown directive {text:?}: only `#: if-known: REASON` is known")),
        };
    }
    if let Some(comment) = text.strip_prefix('#') {
        let unset =
            comment.trim().strip_prefix("CONFIG_").and_then(|c| c.strip_suffix(" is not set"));
        return match unset {
            Some(symbol) => Ok(Line::Option(symbol_name(symbol)?, Value::No)),
            None => Ok(Line::Nothing),
        };
    }
    let (name, value) =
        text.split_once('=').ok_or("no `=`: write CONFIG_NAME=value, or a comment behind #")?;
    if name.ends_with(' ') || value.starts_with(' ') {
        return Err("no space is allowed around `=`".into());
    }
    let symbol =
        name.strip_prefix("CONFIG_").ok_or_else(|| format!("{name:?} lacks the prefix CONFIG_"))?;
    if !value.starts_with('"') && value.contains('#') {
        return Err("a comment needs a line of its own".into());
    }
    Ok(Line::Option(symbol_name(symbol)?, Value::parse(value)?))
}

fn symbol_name(text: &str) -> Result<String, String> {
    let valid = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    if !text.is_empty() && text.bytes().all(valid) {
        Ok(text.to_owned())
    } else {
        Err(format!("{text:?} is no symbol name"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Fragment, String> {
        Fragment::parse(Path::new("k/x.config"), text).map_err(|d| d.to_string())
    }

    #[test]
    fn values_of_every_kind() {
        let text = "# a note\n\nCONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\nCONFIG_D=n\nCONFIG_E=-12\nCONFIG_F=0xFf\nCONFIG_G=\"a # \\\" b\"\n#: if-known: new in 6.0\nCONFIG_H=y\nCONFIG_A=y\n";
        let fragment = parse(text).unwrap();
        let shown: Vec<_> = fragment
            .requests
            .iter()
            .map(|r| format!("{} {}={} {:?}", r.line, r.symbol, r.value, r.if_known))
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @r#"
        3 A=y None
        4 B=m None
        5 C=n None
        6 D=n None
        7 E=-12 None
        8 F=0xFf None
        9 G="a # \" b" None
        11 H=y Some("new in 6.0")
        "#);
    }

    #[test]
    fn all_mistakes_are_shown_at_once() {
        let text = "CONFIG_A = y\nFOO=y\nCONFIG_B=yes\nCONFIG_C=\"open\nCONFIG_D=y # why\nCONFIG_E\nCONFIG_F-G=y\n#: sometimes: x\nCONFIG_H=y\nCONFIG_H=n\n#: if-known:\n#: if-known: last\n";
        insta::assert_snapshot!(parse(text).unwrap_err());
    }

    #[test]
    fn no_input_panics() {
        let pieces =
            ["CONFIG_", "A", "=", "y", "\"", "\\", "#", ":", " ", "\n", "if-known", "0x", "é", "-"];
        let mut state = 1u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            }
            let _ = parse(&text);
        }
    }
}
