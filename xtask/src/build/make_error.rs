// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first real error in make's output.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

/// What broke a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MakeError {
    /// The file, as the compiler named it, relative to the source tree where it lies in it.
    pub file: Option<String>,
    /// The line in the file.
    pub line: Option<u32>,
    /// The error in the program's own words.
    pub message: String,
    /// The lines around it.
    pub excerpt: String,
}

/// Lines shown from the error on: the compiler's caret and its notes.
const EXCERPT: usize = 12;

struct Pattern {
    regex: Option<Regex>,
    /// Whether the message is worth naming only if nothing better is there.
    weak: bool,
}

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    [
        // gcc and clang: `kernel/trace/ftrace.c:12:5: error: …`
        (r"^(?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)?: (?:fatal )?error: (?P<message>.*)$", false),
        // as: `file.s:12: Error: …`
        (r"^(?P<file>[^\s:]+):(?P<line>\d+): Error: (?P<message>.*)$", false),
        // kconfig: `kernel/trace/Kconfig:12: syntax error`
        (r"^(?P<file>[^\s:]*Kconfig[^\s:]*):(?P<line>\d+): (?P<message>.*error.*|unknown .*|invalid .*)$", false),
        // modpost: `ERROR: modpost: "x" [y.ko] undefined!`
        (r"^ERROR: (?P<message>modpost: .*)$", false),
        // ld: `ld: kernel/x.o: in function …` is followed by `x.c:(.text+0x1): undefined reference to …`
        (r"^(?:\S*ld: )?(?P<file>[^\s:]+):(?:\([^)]*\)|(?P<line>\d+)): (?P<message>undefined reference to .*|multiple definition of .*)$", false),
        (r"^(?:\S*/)?ld(?:\.\w+)?: (?P<message>.*(?:undefined|cannot|error|multiple definition).*)$", false),
        // objtool with -Werror, sorttable, and other helpers of the tree.
        (r"^(?P<file>[^\s:]+): (?P<message>error: .*)$", false),
        // rustc: `error[E0310]: …`, and the place in the next line
        (r"^error(?:\[E\d+\])?: (?P<message>.*)$", false),
        (r"^make(?:\[\d+\])?: \*\*\* (?P<message>No rule to make target .*)$", false),
        (r"^(?P<message>.*[Nn]o space left on device.*)$", false),
        (r"^make(?:\[\d+\])?: \*\*\* \[(?P<file>[^\s:\]]+):(?P<line>\d+): (?P<message>.*\] .*)$", true),
        (r"^make(?:\[\d+\])?: \*\*\* (?P<message>.*)$", true),
    ]
    .into_iter()
    .map(|(text, weak)| Pattern { regex: Regex::new(text).ok(), weak })
    .collect()
});

/// Where rustc says that an error is: `   --> rust/kernel/irq/request.rs:501:43`.
static PLACE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*--> (?P<file>[^\s:]+):(?P<line>\d+):\d+$").ok());

impl MakeError {
    /// Finds the first error in `output` (standard output and error of make together). `tree` is
    /// taken off the front of file names.
    pub fn first(output: &str, tree: &Path) -> Option<Self> {
        let lines: Vec<&str> = output.lines().collect();
        [false, true].into_iter().find_map(|weak| {
            lines.iter().enumerate().find_map(|(at, line)| {
                PATTERNS.iter().filter(|p| p.weak == weak).find_map(|pattern| {
                    let found = pattern.regex.as_ref()?.captures(line)?;
                    let text = |name: &str| found.name(name).map(|m| m.as_str());
                    let place = lines.get(at + 1).and_then(|next| PLACE.as_ref()?.captures(next));
                    let text = |name: &str| {
                        text(name).or_else(|| place.as_ref()?.name(name).map(|m| m.as_str()))
                    };
                    Some(Self {
                        file: text("file").map(|f| within(f, tree)),
                        line: text("line").and_then(|l| l.parse().ok()),
                        message: text("message").unwrap_or(line).to_owned(),
                        excerpt: lines[at..lines.len().min(at + EXCERPT)].join("\n"),
                    })
                })
            })
        })
    }

    /// `file:line: message`, as far as known.
    pub fn headline(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}: {}", self.message),
            (Some(file), None) => format!("{file}: {}", self.message),
            _ => self.message.clone(),
        }
    }

    /// Whether the machine, not the source, is to blame.
    pub fn is_the_machines(&self) -> bool {
        let text = self.message.to_lowercase();
        ["no space left on device", "cannot allocate memory", "killed signal", "input/output error"]
            .iter()
            .any(|words| text.contains(words))
    }
}

/// kbuild names sources by absolute path, relative to the output directory
/// (`../../trees/5.10.262/src/…`), or relative to the tree (`./include/…`).
pub(super) fn within(file: &str, tree: &Path) -> String {
    if let Ok(below) = Path::new(file).strip_prefix(tree) {
        return below.to_string_lossy().into_owned();
    }
    // Only behind `../` can the tree's own name be meant: `drivers/x/src/y.c` lies in the tree.
    let name = tree.file_name().map(|n| format!("/{}/", n.to_string_lossy()));
    let outside = file.starts_with("../").then_some(file);
    if let Some((_, below)) = outside.zip(name).and_then(|(f, name)| f.split_once(&name)) {
        return below.to_owned();
    }
    file.strip_prefix("./").unwrap_or(file).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headline(output: &str) -> Option<String> {
        MakeError::first(output, Path::new("/h/trees/5.10.262")).map(|e| e.headline())
    }

    #[test]
    fn the_first_real_error_is_found() {
        let cases = [
            (
                "gcc",
                "  CC      kernel/trace/ftrace.o\n/h/trees/5.10.262/kernel/trace/ftrace.c:5561:2: error: 'x' undeclared (first use in this function)\n 5561 |  x = 1;\nmake[3]: *** [/h/trees/5.10.262/scripts/Makefile.build:286: kernel/trace/ftrace.o] Error 1\nmake: *** [Makefile:185: __sub-make] Error 2\n",
            ),
            (
                "gcc, relative",
                "../../trees/5.10.262/kernel/a.c:7:1: fatal error: no.h: No such file or directory\n",
            ),
            (
                "warning is no error",
                "kernel/a.c:1:2: warning: unused\nkernel/a.c:9:2: error: real\n",
            ),
            ("as", "/tmp/ccX.s:12: Error: no such instruction: `foo'\n"),
            (
                "rustc",
                "  RUSTC L rust/kernel.o\nerror[E0310]: the parameter type `T` may not live long enough\n   --> /h/trees/5.10.262/rust/kernel/irq/request.rs:501:43\n    |\nerror: aborting due to 1 previous error\nmake[3]: *** [/h/trees/5.10.262/rust/Makefile:566: rust/kernel.o] Error 1\n",
            ),
            (
                "rustc, no place",
                "error: error loading target specification: custom targets are unstable\n  |\nmake[3]: *** [rust/Makefile:516: rust/core.o] Error 1\n",
            ),
            (
                "modpost",
                "ERROR: modpost: \"modify_ftrace_direct_multi\" [/b/direct_c.ko] undefined!\nmake[2]: *** [x] Error 1\n",
            ),
            (
                "ld",
                "ld: kernel/trace/ftrace.o: in function `f':\nftrace.c:(.text+0x1b5): undefined reference to `gone'\nmake: *** [Makefile:1: vmlinux] Error 1\n",
            ),
            ("kconfig", "kernel/trace/Kconfig:12: syntax error\nmake[2]: *** [x] Error 1\n"),
            (
                "rule",
                "make[1]: *** No rule to make target 'kernel/x.o', needed by 'kernel/built-in.a'.  Stop.\n",
            ),
            ("disk", "fatal error: error writing to /b/x.s: No space left on device\n"),
            ("killed", "make[2]: *** [/h/trees/5.10.262/scripts/Makefile.build:286: a.o] Killed\n"),
        ];
        let found: Vec<_> = cases
            .iter()
            .map(|(what, text)| format!("{what}: {}", headline(text).unwrap_or_default()))
            .collect();
        insta::assert_snapshot!(found.join("\n"));
        assert_eq!(headline("  CC      a.o\n  LD      vmlinux\n"), None);
    }

    #[test]
    fn a_full_disk_is_not_the_kernels_fault() {
        let tree = Path::new("/t");
        let disk = MakeError::first("x.s: fatal: No space left on device\n", tree).unwrap();
        assert!(disk.is_the_machines());
        let code = MakeError::first("a.c:1:1: error: bad\n", tree).unwrap();
        assert!(!code.is_the_machines());
    }
}
