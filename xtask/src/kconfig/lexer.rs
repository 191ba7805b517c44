// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kconfig text to statements of tokens.
//!
//! A statement is a line; a backslash at its end continues it. Comments run from an unquoted `#`
//! to the end of the line. Help text is no statement: the parser skips it by its indentation.

use std::fmt;

use super::macros::Macros;

/// A comparison of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Quoted(String),
    /// A word or string with a macro that cannot be expanded here, as written.
    Unknown(String),
    Compare(Comparison),
    And,
    Or,
    Not,
    Open,
    Close,
}

/// A variable's definition, `name = text`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assign {
    /// `=`
    Recursive,
    /// `:=`
    Simple,
    /// `+=`
    Append,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// The line that it starts on, from 1.
    pub line: u32,
    pub tokens: Vec<Token>,
    /// For `name = text`: how, and the text as written; the name is the one token.
    pub assign: Option<(Assign, String)>,
    /// Characters that mean nothing here.
    pub stray: Option<char>,
}

pub(super) struct Lexer<'a> {
    rest: &'a str,
    line: u32,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1 }
    }

    /// The next statement that has any token; `None` at the end of the text.
    pub(super) fn statement(&mut self, macros: &Macros) -> Option<Statement> {
        let mut statement =
            Statement { line: self.line, tokens: Vec::new(), assign: None, stray: None };
        loop {
            let Some(c) = self.rest.chars().next() else {
                return (!statement.tokens.is_empty()).then_some(statement);
            };
            if statement.tokens.is_empty() {
                statement.line = self.line;
            }
            match c {
                '\n' => {
                    self.advance(1);
                    if !statement.tokens.is_empty() {
                        return Some(statement);
                    }
                }
                '#' => drop(self.take_line()),
                '\\' if self.rest.starts_with("\\\n") => self.advance(2),
                '\\' if self.rest.starts_with("\\\r\n") => self.advance(3),
                ' ' | '\t' | '\r' => self.advance(1),
                '"' | '\'' => statement.tokens.push(self.take_quoted(c, macros)),
                c if is_word(c) || c == '$' => statement.tokens.extend(self.take_word(macros)),
                _ => {
                    if let Some((assign, length)) = self.assignment(&statement.tokens) {
                        self.advance(length);
                        let text = self.take_line().trim_start_matches([' ', '\t']);
                        statement.assign = Some((assign, text.trim_end_matches('\r').into()));
                    } else if let Some((token, length)) = operator(self.rest) {
                        statement.tokens.push(token);
                        self.advance(length);
                    } else {
                        statement.stray.get_or_insert(c);
                        self.advance(c.len_utf8());
                    }
                }
            }
        }
    }

    /// Skips a help text: up to the first line that is indented less than its first one.
    pub(super) fn skip_help(&mut self) {
        let mut first = 0;
        while !self.rest.is_empty() {
            let line = self.rest.split('\n').next().unwrap_or_default();
            let text = line.trim_start_matches([' ', '\t']);
            if !text.trim_end().is_empty() {
                let indent = indentation(&line[..line.len() - text.len()]);
                if indent == 0 || indent < first {
                    return;
                }
                if first == 0 {
                    first = indent;
                }
            }
            self.advance((line.len() + 1).min(self.rest.len()));
        }
    }

    /// Moves on by bytes, counting lines.
    fn advance(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        let lines = passed.bytes().filter(|&b| b == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.rest = rest;
    }

    /// The rest of the line, without its end, which stays.
    fn take_line(&mut self) -> &'a str {
        let line = self.rest.split('\n').next().unwrap_or_default();
        self.rest = &self.rest[line.len()..];
        line
    }

    /// An assignment operator after a statement's first and only word.
    fn assignment(&self, tokens: &[Token]) -> Option<(Assign, usize)> {
        if !matches!(tokens, [Token::Word(_)]) {
            return None;
        }
        [(":=", Assign::Simple), ("+=", Assign::Append), ("=", Assign::Recursive)]
            .into_iter()
            .find(|(sign, _)| self.rest.starts_with(sign))
            .map(|(sign, assign)| (assign, sign.len()))
    }

    /// A word with its macros expanded; nothing when it expands to nothing.
    fn take_word(&mut self, macros: &Macros) -> Option<Token> {
        let start = self.rest;
        let mut text = String::new();
        let mut known = true;
        while let Some(c) = self.rest.chars().next() {
            if is_word(c) {
                text.push(c);
                self.advance(1);
            } else if c == '$' {
                known &= self.expand(macros, &mut text);
            } else {
                break;
            }
        }
        if !known {
            let written = &start[..start.len() - self.rest.len()];
            return Some(Token::Unknown(written.into()));
        }
        (!text.is_empty()).then_some(Token::Word(text))
    }

    fn take_quoted(&mut self, quote: char, macros: &Macros) -> Token {
        let start = self.rest;
        let mut text = String::new();
        let mut known = true;
        self.advance(1);
        while let Some(c) = self.rest.chars().next() {
            match c {
                // The language has no strings of several lines: the line's end ends it.
                '\n' => break,
                '$' => known &= self.expand(macros, &mut text),
                '\\' => {
                    self.advance(1);
                    if let Some(escaped) = self.rest.chars().next().filter(|&c| c != '\n') {
                        text.push(escaped);
                        self.advance(escaped.len_utf8());
                    }
                }
                c => {
                    self.advance(c.len_utf8());
                    if c == quote {
                        break;
                    }
                    text.push(c);
                }
            }
        }
        if known {
            Token::Quoted(text)
        } else {
            Token::Unknown(start[..start.len() - self.rest.len()].into())
        }
    }

    /// Expands the reference at the front, which starts with `$`; false when its text is unknown.
    fn expand(&mut self, macros: &Macros, text: &mut String) -> bool {
        let line = self.rest.split('\n').next().unwrap_or_default();
        let (expansion, length) = macros.expand_reference(line);
        self.rest = &self.rest[length..];
        match expansion {
            Some(expansion) => {
                text.push_str(&expansion);
                true
            }
            None => false,
        }
    }
}

fn operator(text: &str) -> Option<(Token, usize)> {
    const OPERATORS: [(&str, Token); 11] = [
        ("&&", Token::And),
        ("||", Token::Or),
        ("!=", Token::Compare(Comparison::Unequal)),
        ("<=", Token::Compare(Comparison::LessEqual)),
        (">=", Token::Compare(Comparison::GreaterEqual)),
        ("=", Token::Compare(Comparison::Equal)),
        ("<", Token::Compare(Comparison::Less)),
        (">", Token::Compare(Comparison::Greater)),
        ("!", Token::Not),
        ("(", Token::Open),
        (")", Token::Close),
    ];
    OPERATORS
        .iter()
        .find(|(sign, _)| text.starts_with(sign))
        .map(|(sign, token)| (token.clone(), sign.len()))
}

/// Columns of leading white space, with tabs to every eighth.
fn indentation(white: &str) -> usize {
    white.bytes().fold(0, |column, b| if b == b'\t' { (column & !7) + 8 } else { column + 1 })
}
