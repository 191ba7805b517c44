// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a level does not build. Pure.

use std::path::Path;

use super::known::Touched;
use crate::build::{Made, MakeError, without_numbers};
use crate::diagnosis::{Diagnosis, ExitKind};

/// Last lines of an output that names no error.
const LAST: usize = 20;

/// Why a level does not build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// The tool or the machine failed; the tree is not blamed.
    pub infra: bool,
    /// In one line.
    pub error: String,
    /// The file that it is in.
    pub file: Option<String>,
    /// What is around it.
    pub details: Vec<String>,
    /// A command that shows it again.
    pub reproduce: Option<String>,
}

impl Failure {
    /// Of a call of make that failed.
    pub fn of_make(made: &Made, tree: &Path) -> Self {
        let reproduce = Some(made.command.clone());
        let Some(error) = MakeError::first(&made.output, tree) else {
            let lines: Vec<_> = made.output.trim_end().lines().collect();
            return Self {
                infra: true,
                error: "make failed without naming an error".into(),
                file: None,
                details: vec![lines[lines.len().saturating_sub(LAST)..].join("\n")],
                reproduce,
            };
        };
        Self {
            infra: error.is_the_machines(),
            error: format!("the build fails: {}", error.headline()),
            file: error.file,
            details: vec![error.excerpt],
            reproduce,
        }
    }

    /// Of the steps before make: configuring. A patch may break Kconfig, and may take an option
    /// away that is asked for; that is its failure as much as a compiler's error.
    pub fn of_configuring(why: Diagnosis, tree: &Path) -> Self {
        let broken = MakeError::first(&why.details.join("\n"), tree)
            .filter(|e| e.file.as_deref().is_some_and(|f| f.contains("Kconfig")));
        let (error, file) = match broken {
            Some(error) => (format!("the configuration fails: {}", error.headline()), error.file),
            None => (why.what, None),
        };
        let infra = file.is_none() && why.exit == ExitKind::Infra;
        Self { infra, error, file, details: why.details, reproduce: why.reproduce }
    }

    /// Whether it was there at the level before, which does not build either: it is the same at
    /// perhaps another line, or it is in a file that the patch has nothing to do with.
    pub fn was_there(&self, before: Option<&Self>, touched: &Touched) -> bool {
        before.is_some_and(|before| {
            without_numbers(&before.error) == without_numbers(&self.error)
                || self.file.as_deref().is_some_and(|f| !touched.has(f))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{self, Text};

    fn make(output: &str) -> Failure {
        let made = Made { success: false, output: output.into(), command: "make".into() };
        Failure::of_make(&made, Path::new("/t"))
    }

    fn touched(file: &str) -> Touched {
        let text = format!("--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-a\n+b\n");
        Touched::by(&diff::read(&Text::new(text.as_bytes()), 0).unwrap())
    }

    #[test]
    fn the_machine_and_the_tree_are_told_apart() {
        let cases = [
            ("a.c:1:2: error: bad\n", false, "the build fails: a.c:1: bad"),
            ("x.s: No space left on device\n", true, "the build fails: "),
            ("Segmentation fault\n", true, "make failed without naming an error"),
        ];
        for (output, infra, error) in cases {
            let failure = make(output);
            assert!(failure.infra == infra && failure.error.starts_with(error), "{failure:?}");
        }
        let kconfig = |details: &str| {
            let why = Diagnosis::infra("make failed (exit code 2)").detail(details);
            Failure::of_configuring(why, Path::new("/t"))
        };
        let broken = kconfig("/t/kernel/Kconfig:3: syntax error\nmake: *** [x] Error 1\n");
        assert_eq!(broken.error, "the configuration fails: kernel/Kconfig:3: syntax error");
        assert!(!broken.infra);
        assert!(kconfig("flex: not found\nmake[1]: *** [scripts/Makefile:1: x] Error 127\n").infra);
        let dropped = Failure::of_configuring(Diagnosis::check_failed("A is off"), Path::new("/t"));
        assert!(!dropped.infra && dropped.error == "A is off");
    }

    #[test]
    fn a_patch_is_not_blamed_for_what_was_broken_before() {
        let before = make("a.c:1:2: error: bad\n");
        let cases = [
            // The same, moved by the patch itself.
            ("a.c:9:2: error: bad\n", "a.c", true),
            // Another file: make compiles several at once, and which fails first is chance.
            ("b.c:1:2: error: worse\n", "a.c", true),
            ("b.c:1:2: error: worse\n", "b.c", false),
            ("a.c:1:2: error: worse\n", "a.c", false),
        ];
        for (output, file, was_there) in cases {
            let now = make(output);
            assert_eq!(now.was_there(Some(&before), &touched(file)), was_there, "{output}");
            assert!(!now.was_there(None, &touched(file)));
        }
    }

    #[test]
    fn a_rename_touches_both_names() {
        let text =
            "diff --git a/a.c b/b.c\nsimilarity index 100%\nrename from a.c\nrename to b.c\n";
        let touched = Touched::by(&diff::read(&Text::new(text.as_bytes()), 0).unwrap());
        let has = ["a.c", "b.c", "a.o", "b.o", "c.c"].map(|file| touched.has(file));
        assert_eq!(has, [true, true, true, true, false]);
    }
}
