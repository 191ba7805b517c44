// SPDX-License-Identifier: MIT OR Apache-2.0
//! A fragment: a file of requests for a `.config`.
//!
//! The lines are those of a `.config`, and one directive:
//!
//! ```text
//! #: if-known: from 5.16 on
//! CONFIG_SAMPLE_FTRACE_DIRECT_MULTI=m
//! ```
//!
//! asks for the next option only where the tree knows the symbol.

use std::path::Path;
use std::sync::Arc;

use super::fragment_error::{ParseError, ParseProblem as Problem};
use super::{Error, Place, Symbol, Tristate, Value};

/// One option asked for by a fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What is to be set.
    pub symbol: Symbol,
    /// To what.
    pub value: Value,
    /// The fragment and line that ask.
    pub at: Place,
    /// Why some kernels may lack the symbol; without it, an unknown symbol is an error.
    pub if_known: Option<String>,
}

impl Request {
    /// Whether a final value is what was asked for: numbers by value, the rest literally.
    pub fn is_met_by(&self, got: &Value) -> bool {
        self.value == *got
    }
}

/// A parsed fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// The path as the caller named it.
    pub file: Arc<str>,
    /// In the order of the file; a repeated line appears once.
    pub requests: Vec<Request>,
}

impl Fragment {
    /// Reads and parses a file.
    ///
    /// # Errors
    /// The file cannot be read, or its lines are wrong (all of them are named).
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = path.display().to_string();
        let unread = |why: String| Error::FragmentUnread { file: file.clone(), why };
        let bytes = std::fs::read(path).map_err(|e| unread(e.to_string()))?;
        let text = String::from_utf8(bytes)
            .map_err(|e| unread(format!("byte {} is not UTF-8", e.utf8_error().valid_up_to())))?;
        Self::parse(&file, &text).map_err(Error::Malformed)
    }

    /// Parses a fragment's text; `file` is named in requests and errors.
    ///
    /// # Errors
    /// Every line that is wrong, in the order of the file.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<ParseError>> {
        let mut fragment = Self { file: file.into(), requests: Vec::new() };
        let mut errors = Vec::new();
        let mut pending: Option<(u32, String)> = None;
        for (number, line) in (1u32..).zip(text.lines()) {
            let at = Place { file: fragment.file.clone(), line: number };
            match parse_line(line) {
                Ok(Line::Nothing) => {}
                Ok(Line::IfKnown(reason)) => {
                    if let Some((line, _)) = pending.replace((number, reason)) {
                        errors.push(alone(&fragment.file, line));
                    }
                }
                Ok(Line::Option(symbol, value)) => {
                    let if_known = pending.take().map(|(_, reason)| reason);
                    let request = Request { symbol, value, at, if_known };
                    if let Err(problem) = fragment.add(request) {
                        let at = Place { file: fragment.file.clone(), line: number };
                        errors.push(ParseError { at, column: 1, problem });
                    }
                }
                Err((offset, problem)) => {
                    // The option that the directive was for is this broken line.
                    pending = None;
                    let column = line.get(..offset).map_or(1, |before| before.chars().count() + 1);
                    errors.push(ParseError { at, column, problem });
                }
            }
        }
        if let Some((line, _)) = pending {
            errors.push(alone(&fragment.file, line));
        }
        errors.sort_by_key(|error| error.at.line);
        if errors.is_empty() { Ok(fragment) } else { Err(errors) }
    }

    fn add(&mut self, request: Request) -> Result<(), Problem> {
        match self.requests.iter_mut().find(|earlier| earlier.symbol == request.symbol) {
            None => self.requests.push(request),
            Some(earlier) if earlier.value == request.value => {
                // Asked for once without a condition is asked for.
                if request.if_known.is_none() {
                    earlier.if_known = None;
                }
            }
            Some(earlier) => {
                return Err(Problem::Duplicate {
                    symbol: request.symbol,
                    value: request.value,
                    earlier: earlier.value.clone(),
                    line: earlier.at.line,
                });
            }
        }
        Ok(())
    }
}

fn alone(file: &Arc<str>, line: u32) -> ParseError {
    ParseError {
        at: Place { file: file.clone(), line },
        column: 1,
        problem: Problem::DirectiveAlone,
    }
}

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Nothing,
    IfKnown(String),
    Option(Symbol, Value),
}

/// A byte offset into the line, and what is wrong there.
pub(super) type LineError = (usize, Problem);

fn parse_line(line: &str) -> Result<Line, LineError> {
    if line.trim().is_empty() {
        return Ok(Line::Nothing);
    }
    if let Some(directive) = line.strip_prefix("#:") {
        return parse_directive(directive);
    }
    if let Some(comment) = line.strip_prefix('#') {
        return parse_comment(line, comment);
    }
    let start = line.len() - line.trim_start().len();
    let body = &line[start..];
    if body.starts_with('#') {
        return Ok(Line::Nothing);
    }
    let Some(equals) = body.find('=') else {
        let word = body.trim_end();
        return Err(match word.strip_prefix("CONFIG_") {
            Some(name) if is_name(name) => (start + word.len(), Problem::NoValue(word.into())),
            _ => (start, Problem::NotAnOption),
        });
    };
    let written = &body[..equals];
    let symbol = parse_name(written.trim_end()).map_err(|problem| (start, problem))?;
    if start > 0 {
        return Err((0, Problem::Space));
    }
    if written.ends_with(char::is_whitespace) {
        return Err((written.trim_end().len(), Problem::Space));
    }
    let value_at = equals + 1;
    let text = &line[value_at..];
    if text.starts_with(char::is_whitespace) && !text.trim().is_empty() {
        return Err((value_at, Problem::Space));
    }
    let value = parse_value(written, text).map_err(|(at, problem)| (value_at + at, problem))?;
    Ok(Line::Option(symbol, value))
}

fn parse_directive(directive: &str) -> Result<Line, LineError> {
    let (word, reason) = directive.split_once(':').unwrap_or((directive, ""));
    match (word.trim(), reason.trim()) {
        ("if-known", "") => Err((0, Problem::NoReason)),
        ("if-known", reason) => Ok(Line::IfKnown(reason.into())),
        (word, _) => Err((0, Problem::UnknownDirective(word.into()))),
    }
}

/// A comment, unless it is the one comment that kconfig reads.
fn parse_comment(line: &str, comment: &str) -> Result<Line, LineError> {
    let mut words = comment.split_whitespace();
    let Some(name) = words.next().filter(|word| word.starts_with("CONFIG_")) else {
        return Ok(Line::Nothing);
    };
    if !words.eq(["is", "not", "set"]) {
        return Ok(Line::Nothing);
    }
    if line.trim_end() != format!("# {name} is not set") {
        return Err((0, Problem::MalformedNotSet(name.into())));
    }
    let symbol = parse_name(name).map_err(|problem| (2, problem))?;
    Ok(Line::Option(symbol, Value::NO))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn parse_name(written: &str) -> Result<Symbol, Problem> {
    let Some(name) = written.strip_prefix("CONFIG_") else {
        return Err(match written.get(..7) {
            Some(prefix) if prefix.eq_ignore_ascii_case("CONFIG_") && is_name(written) => {
                Problem::LowerCase(written.into())
            }
            _ if is_name(written) => Problem::NoPrefix(written.into()),
            _ => Problem::NotAnOption,
        });
    };
    if !is_name(name) {
        return Err(Problem::BadName(written.into()));
    }
    // Kernels have symbols with some lower-case letters (SCx200), but none in lower case throughout.
    if name.bytes().any(|b| b.is_ascii_lowercase()) && !name.bytes().any(|b| b.is_ascii_uppercase())
    {
        return Err(Problem::LowerCase(written.into()));
    }
    Ok(Symbol::verbatim(name))
}

pub(super) fn parse_value(name: &str, text: &str) -> Result<Value, LineError> {
    if let Some(quoted) = text.strip_prefix('"') {
        return parse_string(quoted).map_err(|(at, problem)| (at + 1, problem));
    }
    let word = text.split(char::is_whitespace).next().unwrap_or_default();
    if word.is_empty() {
        return Err((0, Problem::NoValue(name.into())));
    }
    let rest = text[word.len()..].trim();
    if !rest.is_empty() {
        let at = word.len() + (text.len() - word.len() - text[word.len()..].trim_start().len());
        return Err((at, Problem::Trailing(rest.into())));
    }
    if word.len() < text.len() {
        return Err((word.len(), Problem::Space));
    }
    parse_word(word).map_err(|problem| (0, problem))
}

/// A value without quotes.
fn parse_word(word: &str) -> Result<Value, Problem> {
    match word {
        "y" => return Ok(Value::Tristate(Tristate::Yes)),
        "m" => return Ok(Value::Tristate(Tristate::Module)),
        "n" => return Ok(Value::NO),
        _ => {}
    }
    if let Some(digits) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return u64::from_str_radix(digits, 16)
                .map(Value::Hex)
                .map_err(|_| Problem::TooLarge(word.into()));
        }
        return Err(Problem::BadValue(word.into()));
    }
    let digits = word.strip_prefix('-').unwrap_or(word);
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        return word.parse().map(Value::Int).map_err(|_| Problem::TooLarge(word.into()));
    }
    Err(Problem::BadValue(word.into()))
}

/// The rest of a string after its opening quote; kconfig's one escape is a backslash before any
/// character, which stands for that character.
fn parse_string(text: &str) -> Result<Value, LineError> {
    let mut content = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, escaped)) => content.push(escaped),
                None => break,
            },
            '"' => {
                let rest = &text[at + 1..];
                if rest.trim().is_empty() {
                    return Ok(Value::Text(content));
                }
                let offset = at + 1 + (rest.len() - rest.trim_start().len());
                return Err((offset, Problem::Trailing(rest.trim().into())));
            }
            _ => content.push(c),
        }
    }
    Err((text.len(), Problem::Unterminated))
}
