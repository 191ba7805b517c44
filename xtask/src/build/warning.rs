// SPDX-License-Identifier: MIT OR Apache-2.0
//! Warnings in make's output. Pure.

use std::fmt;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::make_error::within;

/// A warning of a compiler, of objtool, modpost or the linker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The file, relative to the source tree where it lies in it; objtool and the linker name
    /// objects.
    pub file: String,
    /// The line, where the program names one.
    pub line: Option<u32>,
    /// The warning in the program's own words.
    pub message: String,
}

impl Warning {
    /// What makes it the same warning at another line: numbers do not count.
    pub fn identity(&self) -> (String, String) {
        static NUMBER: LazyLock<Option<Regex>> =
            LazyLock::new(|| Regex::new(r"\b(?:0x[0-9a-f]+|\d+)\b").ok());
        let message = match NUMBER.as_ref() {
            Some(number) => number.replace_all(&self.message, "N").into_owned(),
            None => self.message.clone(),
        };
        (self.file.clone(), message)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // gcc and clang: `kernel/trace/ftrace.c:12:5: warning: unused variable 'x' [-Wunused-variable]`
        r"^(?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)?: [Ww]arning: (?P<message>.*)$",
        // ld: `ld: warning: …`, `x86_64-linux-gnu-ld: warning: x.o: …`
        r"^(?:\S*/)?[\w-]*ld(?:\.\w+)?: warning: (?P<message>(?:(?P<file>[^\s:]+\.o): )?.*)$",
        // objtool: `kernel/x.o: warning: objtool: f()+0x12: …`, and `vmlinux.o: warning: …`
        r"^(?P<file>[^\s:]+): warning: (?P<message>.*)$",
        // modpost: `WARNING: modpost: vmlinux.o(.text+0x12): Section mismatch …`
        r"^WARNING: (?P<message>modpost: (?:(?P<file>[^\s:(]+)[:(])?.*)$",
    ]
    .into_iter()
    .filter_map(|text| Regex::new(text).ok())
    .collect()
});

/// All warnings in `output`, in order. `tree` is taken off the front of file names.
pub fn warnings(output: &str, tree: &Path) -> Vec<Warning> {
    let parse = |line: &str| {
        let found = PATTERNS.iter().find_map(|p| p.captures(line))?;
        let text = |name: &str| found.name(name).map(|m| m.as_str());
        Some(Warning {
            file: within(text("file").unwrap_or_default(), tree),
            line: text("line").and_then(|l| l.parse().ok()),
            message: text("message").unwrap_or_default().to_owned(),
        })
    };
    output.lines().filter_map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_says_it_in_its_own_way() {
        let output = "\
  CC      kernel/trace/ftrace.o
/h/trees/5.10.262/src/kernel/trace/ftrace.c: In function 'f':
/h/trees/5.10.262/src/kernel/trace/ftrace.c:12:6: warning: unused variable 'x' [-Wunused-variable]
   12 |  int x;
In file included from ../../trees/5.10.262/src/kernel/a.c:1:
../../trees/5.10.262/src/include/linux/a.h:3:1: warning: 'g' defined but not used [-Wunused-function]
kernel/x.o: warning: objtool: f()+0x12: unreachable instruction
WARNING: modpost: vmlinux.o(.text+0x12): Section mismatch in reference
WARNING: modpost: missing MODULE_LICENSE() in x.o
/usr/bin/ld: warning: arch/x86/a.o: missing .note.GNU-stack section implies executable stack
kernel/b.S:4: Warning: old insn
kernel/a.c:1:2: error: real
make[1]: warning: jobserver unavailable
";
        let tree = Path::new("/h/trees/5.10.262/src");
        let all: Vec<_> = warnings(output, tree).iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(all.join("\n"), @r"
        kernel/trace/ftrace.c:12: unused variable 'x' [-Wunused-variable]
        include/linux/a.h:3: 'g' defined but not used [-Wunused-function]
        kernel/x.o: objtool: f()+0x12: unreachable instruction
        vmlinux.o: modpost: vmlinux.o(.text+0x12): Section mismatch in reference
        : modpost: missing MODULE_LICENSE() in x.o
        arch/x86/a.o: arch/x86/a.o: missing .note.GNU-stack section implies executable stack
        kernel/b.S:4: old insn
        make[1]: jobserver unavailable
        ");
    }

    #[test]
    fn a_warning_is_the_same_at_another_line() {
        let at = |line, message: &str| Warning {
            file: "a.c".into(),
            line: Some(line),
            message: message.into(),
        };
        assert_eq!(
            at(1, "frame of 2048 bytes").identity(),
            at(9, "frame of 2064 bytes").identity()
        );
        assert_ne!(at(1, "unused 'x'").identity(), at(1, "unused 'y'").identity());
    }
}
