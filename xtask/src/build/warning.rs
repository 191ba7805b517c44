// SPDX-License-Identifier: MIT OR Apache-2.0
//! Warnings in make's output. Pure.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::{Deserialize, Serialize};

use super::make_error::within;

/// A warning of a compiler, of objtool, modpost or the linker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The file, relative to the source tree where it lies in it; objtool and the linker name
    /// objects. Empty if the program names none.
    pub file: String,
    /// The line, where the program names one.
    pub line: Option<u32>,
    /// The warning in the program's own words.
    pub message: String,
    /// The option that asks for it, such as `-Wunused-variable`.
    pub flag: Option<String>,
    /// The object that was being made, relative to the output directory; empty for warnings of a
    /// link. The same header warns once for each.
    #[serde(skip)]
    pub object: String,
}

/// File, flag and message of a warning, without numbers.
pub type Identity = (String, Option<String>, String);

impl Warning {
    /// What makes it the same warning at another line: numbers do not count.
    pub fn identity(&self) -> Identity {
        (self.file.clone(), self.flag.clone(), without_numbers(&self.message))
    }
}

/// A text in which every number reads `N`: line numbers, sizes, offsets move with any edit.
pub fn without_numbers(text: &str) -> String {
    static NUMBER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\b(?:0x[0-9a-f]+|\d+)\b").ok());
    match NUMBER.as_ref() {
        Some(number) => number.replace_all(text, "N").into_owned(),
        None => text.to_owned(),
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}:", self.file)?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.message)?;
        self.flag.as_ref().map_or(Ok(()), |flag| write!(f, " [{flag}]"))
    }
}

/// What make's output says of a build.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// All warnings, in order.
    pub warnings: Vec<Warning>,
    /// Everything that was made, relative to the output directory. What is not here was up to date,
    /// and nothing is known of its warnings.
    pub made: BTreeSet<String>,
}

/// Which program says it, and so what was being made.
#[derive(Clone, Copy)]
enum By {
    Compiler,
    Objtool,
    Linker,
}

static PATTERNS: LazyLock<Vec<(By, Regex)>> = LazyLock::new(|| {
    [
        // gcc, clang, as, kernel-doc: `kernel/a.c:12:5: warning: unused variable 'x' [-Wunused-variable]`,
        // kconfig: `kernel/Kconfig:12:warning: …`, sphinx: `Documentation/a.rst:3: WARNING: …`
        (By::Compiler, r"^(?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)?: ?(?i:warning): (?P<message>.*?)(?: \[(?P<flag>-W[^\]]+)\])?$"),
        // dtc: `a.dts:12.3-8: Warning (unit_address): …`
        (By::Compiler, r"^(?P<file>[^\s:]+):(?P<line>\d+)\.[\d.-]+: Warning \((?P<flag>\w+)\): (?P<message>.*)$"),
        // ld: `ld: warning: …`, `x86_64-linux-gnu-ld: warning: x.o: …`, `ld.lld: warning: …`
        (By::Linker, r"^(?:\S*/)?[\w-]*ld(?:\.\w+)?: warning: (?:(?P<file>[^\s:]+\.o): )?(?P<message>.*)$"),
        // objtool: `kernel/x.o: warning: objtool: f()+0x12: …`
        (By::Objtool, r"^(?P<file>[^\s:]+\.k?o): warning: (?P<message>objtool: .*)$"),
        // modpost: `WARNING: modpost: vmlinux.o(.text+0x12): Section mismatch …`
        (By::Linker, r"^WARNING: (?P<message>modpost: (?:(?P<file>[^\s:(]+)[:(])?.*)$"),
        // gcc without a place: `cc1: warning: command-line option … [-Wfoo]`
        (By::Linker, r"^(?:cc1|gcc|clang|as): warning: (?P<message>.*?)(?: \[(?P<flag>-W[^\]]+)\])?$"),
    ]
    .into_iter()
    .filter_map(|(by, text)| Some((by, Regex::new(text).ok()?)))
    .collect()
});

type LazyRegex = LazyLock<Option<Regex>>;

fn regex(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

// gcc names the innermost header first and the file being compiled last, clang the other way round;
// gcc indents what follows the first, clang does not.
static INCLUDED: LazyRegex =
    LazyLock::new(|| regex(r"^In file included from (?P<file>[^\s:]+):\d+(?::\d+)?[:,]$"));
static FROM: LazyRegex = LazyLock::new(|| regex(r"^ +from (?P<file>[^\s:]+):\d+(?::\d+)?[:,]$"));
// `  CC [M]  samples/a.o`
static MADE: LazyRegex =
    LazyLock::new(|| regex(r"^  [A-Z][A-Z0-9_]+(?: \[\w+\])? +(?P<made>\S+)$"));
static OTHER: LazyRegex =
    LazyLock::new(|| regex(r"^[^\s:]+:\d+(?::\d+)?: (?:fatal )?(?:error|note): "));
// rustc: `warning: unused variable: `x``, and ` --> rust/a.rs:1:2` below it
static RUST: LazyRegex = LazyLock::new(|| regex(r"^warning: (?P<message>.*)$"));
static ARROW: LazyRegex = LazyLock::new(|| regex(r"^ +--> (?P<file>[^\s:]+):(?P<line>\d+):\d+$"));

fn captures<'t>(regex: &LazyRegex, line: &'t str) -> Option<Captures<'t>> {
    regex.as_ref().and_then(|r| r.captures(line))
}

/// The object that is made of a source file.
pub fn object_of(source: &str) -> Option<String> {
    let stem = [".c", ".S", ".rs"].iter().find_map(|end| source.strip_suffix(end))?;
    Some(format!("{stem}.o"))
}

/// Reads the output of a build: error output first, then standard output, each in its own order.
/// `tree` is taken off the front of file names.
pub fn read(output: &str, tree: &Path) -> Said {
    let mut reader = Reader::new(tree);
    for line in output.lines() {
        reader.line(line);
    }
    reader.said
}

struct Reader<'t> {
    tree: &'t Path,
    said: Said,
    /// The file being compiled, by the "In file included from" lines before this one.
    context: Option<String>,
    /// Whether the line before was such a line.
    in_context: bool,
    /// What the last warning's object was.
    last_object: String,
    /// A message of rustc's that waits for its place.
    rust: Option<String>,
}

impl<'t> Reader<'t> {
    fn new(tree: &'t Path) -> Self {
        Self {
            tree,
            said: Said::default(),
            context: None,
            in_context: false,
            last_object: String::new(),
            rust: None,
        }
    }

    fn line(&mut self, line: &str) {
        if let Some(found) = captures(&INCLUDED, line) {
            // clang's first such line is the file being compiled, and others follow at once.
            if !self.in_context || !self.context.as_deref().is_some_and(is_source) {
                self.context = Some(within(&found["file"], self.tree));
            }
            self.in_context = true;
            return;
        }
        if let (true, Some(found)) = (self.in_context, captures(&FROM, line)) {
            self.context = Some(within(&found["file"], self.tree));
            return;
        }
        self.in_context = false;
        if let Some(found) = captures(&MADE, line) {
            self.said.made.insert(found["made"].to_owned());
            return;
        }
        if let Some(message) = self.rust.take()
            && let Some(found) = captures(&ARROW, line)
        {
            let file = within(&found["file"], self.tree);
            let object = object_of(&file).unwrap_or_default();
            let line = found["line"].parse().ok();
            self.said.warnings.push(Warning { file, line, message, flag: None, object });
            return;
        }
        if let Some(found) = captures(&RUST, line) {
            self.rust = Some(found["message"].to_owned());
            return;
        }
        if let Some((by, found)) =
            PATTERNS.iter().find_map(|(by, regex)| Some((*by, regex.captures(line)?)))
        {
            self.warning(by, &found);
        } else if captures(&OTHER, line).is_some() {
            // What led to this file has been used up by an error or a note.
            self.context = None;
        }
    }

    fn warning(&mut self, by: By, found: &Captures<'_>) {
        let text = |name: &str| found.name(name).map(|m| m.as_str());
        let file = within(text("file").unwrap_or_default(), self.tree);
        let object = match by {
            By::Linker => String::new(),
            By::Objtool => file.clone(),
            By::Compiler => {
                let included = self.context.take().and_then(|unit| object_of(&unit));
                // gcc says how it came to a header only once in a row.
                let header = Path::new(&file).extension().is_some_and(|e| e == "h");
                let again = || header.then(|| self.last_object.clone());
                included.or_else(|| object_of(&file)).or_else(again).unwrap_or_default()
            }
        };
        self.last_object.clone_from(&object);
        self.said.warnings.push(Warning {
            file,
            line: text("line").and_then(|l| l.parse().ok()),
            message: text("message").unwrap_or_default().to_owned(),
            flag: text("flag").map(str::to_owned),
            object,
        });
    }
}

fn is_source(file: &str) -> bool {
    object_of(file).is_some()
}

#[cfg(test)]
mod tests;
