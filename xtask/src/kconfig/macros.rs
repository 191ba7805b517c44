// SPDX-License-Identifier: MIT OR Apache-2.0
//! The macro language in front of the Kconfig language, as far as it needs no other program.
//!
//! Source: the kernel's Documentation/kbuild/kconfig-macro-language.rst. `$(shell,…)` and all that
//! stands on it (`$(cc-option,…)`) asks the toolchain; here such text is unknown, and an
//! expression with it may be anything.

use std::cell::Cell;
use std::collections::HashMap;

use super::lexer::Assign;

/// Expansions that one reference may cost, and bytes it may yield, before it counts as unknown.
const BUDGET: usize = 2_000;
const LENGTH: usize = 64 << 10;
const DEPTH: usize = 40;

/// Variables, and the environment that kbuild gives to kconfig.
pub(super) struct Macros {
    variables: HashMap<String, Variable>,
    environment: HashMap<&'static str, String>,
    budget: Cell<usize>,
}

#[derive(Clone)]
struct Variable {
    assign: Assign,
    /// `None`: unknown.
    text: Option<String>,
}

/// Text, or `None` where it is unknown.
type Expansion = Option<String>;

impl Macros {
    /// `arch` is make's `ARCH`; the directory under `arch/` follows from it as in the kernel's
    /// top Makefile.
    pub(super) fn new(arch: &str) -> Self {
        let directory = match arch {
            "i386" | "x86_64" => "x86",
            "sparc32" | "sparc64" => "sparc",
            "parisc64" => "parisc",
            other => other,
        };
        let environment = HashMap::from([
            ("ARCH", arch.to_owned()),
            ("SRCARCH", directory.to_owned()),
            ("srctree", ".".to_owned()),
        ]);
        Self { variables: HashMap::new(), environment, budget: Cell::new(BUDGET) }
    }

    /// Defines a variable, or appends to it.
    pub(super) fn assign(&mut self, name: &str, assign: Assign, text: &str) {
        let earlier = self.variables.get(name).cloned();
        let flavour = match (assign, &earlier) {
            (Assign::Append, Some(earlier)) => earlier.assign,
            (Assign::Append, None) => Assign::Recursive,
            (other, _) => other,
        };
        let new = match flavour {
            Assign::Simple => self.expand(text),
            _ => Some(text.to_owned()),
        };
        let text = match (assign, earlier) {
            (Assign::Append, Some(earlier)) => {
                earlier.text.zip(new).map(|(old, new)| format!("{old} {new}"))
            }
            _ => new,
        };
        let text = text.filter(|text| text.len() <= LENGTH);
        self.variables.insert(name.to_owned(), Variable { assign: flavour, text });
    }

    /// Expands a text.
    pub(super) fn expand(&self, text: &str) -> Expansion {
        self.budget.set(BUDGET);
        self.expand_with(text, &[], 0)
    }

    /// Expands the reference at the front of `text`, which starts with `$`: the expansion, and how
    /// many bytes the reference took. A `$` without `(` stands for itself.
    pub(super) fn expand_reference(&self, text: &str) -> (Expansion, usize) {
        let Some(inner) = text.strip_prefix("$(") else {
            return (Some("$".to_owned()), 1);
        };
        let Some(end) = closing(inner) else {
            return (None, text.len());
        };
        self.budget.set(BUDGET);
        (self.evaluate(&inner[..end], &[], 0), end + 3)
    }

    fn expand_with(&self, text: &str, arguments: &[Expansion], depth: usize) -> Expansion {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(inner) = rest.strip_prefix("$(") {
                let end = closing(inner)?;
                out.push_str(&self.evaluate(&inner[..end], arguments, depth)?);
                rest = &inner[end + 1..];
            } else {
                out.push('$');
                rest = &rest[1..];
            }
            if out.len() > LENGTH {
                return None;
            }
        }
        out.push_str(rest);
        Some(out)
    }

    /// What stands between the parentheses of a reference.
    fn evaluate(&self, clause: &str, arguments: &[Expansion], depth: usize) -> Expansion {
        self.budget.set(self.budget.get().checked_sub(1)?);
        if depth > DEPTH {
            return None;
        }
        if let Ok(number) = clause.parse::<usize>()
            && let Some(argument) = number.checked_sub(1).and_then(|index| arguments.get(index))
        {
            return argument.clone();
        }
        let mut parts = split(clause).into_iter();
        let name = self.expand_with(parts.next().unwrap_or_default(), arguments, depth + 1)?;
        let given: Vec<Expansion> =
            parts.map(|part| self.expand_with(part, arguments, depth + 1)).collect();
        if let Some(variable) = self.variables.get(&name) {
            let text = variable.text.as_deref()?;
            return match variable.assign {
                Assign::Simple => Some(text.to_owned()),
                _ => self.expand_with(text, &given, depth + 1),
            };
        }
        match name.as_str() {
            // They print, and stand for nothing.
            "info" | "warning-if" | "error-if" => Some(String::new()),
            name if given.is_empty() => self.environment.get(name).cloned(),
            // `shell`, and what a newer kernel may add.
            _ => None,
        }
    }
}

/// Where the parenthesis that was opened before `text` closes.
fn closing(text: &str) -> Option<usize> {
    let mut nested = 0usize;
    for (at, b) in text.bytes().enumerate() {
        match b {
            b'(' => nested += 1,
            b')' if nested == 0 => return Some(at),
            b')' => nested -= 1,
            _ => {}
        }
    }
    None
}

/// Splits at the commas outside parentheses.
fn split(clause: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut nested, mut start) = (0i32, 0);
    for (at, b) in clause.bytes().enumerate() {
        match b {
            b'(' => nested += 1,
            b')' => nested -= 1,
            b',' if nested == 0 => {
                parts.push(&clause[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&clause[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_no_program_is_expanded() {
        let mut macros = Macros::new("x86_64");
        macros.assign("comma", Assign::Simple, ",");
        macros.assign("space", Assign::Simple, "$(empty_) ");
        macros.assign("swap", Assign::Recursive, "$(2)$(comma)$(1)");
        macros.assign("list", Assign::Simple, "a");
        macros.assign("list", Assign::Append, "b");
        macros.assign("success", Assign::Recursive, "$(shell,$(1) && echo y)");
        for (text, expected) in [
            ("arch/$(SRCARCH)/Kconfig", Some("arch/x86/Kconfig")),
            ("$(ARCH)", Some("x86_64")),
            ("$(swap,x,y)", Some("y,x")),
            ("$(swap,(a,b),y)", Some("y,(a,b)")),
            ("$(list)", Some("a b")),
            ("$5 $x", Some("$5 $x")),
            ("$(error-if,$(success,false),no)", Some("")),
            ("$(success,true)", None),
            ("$(CC)", None),
            ("$(never", None),
        ] {
            assert_eq!(macros.expand(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn endless_definitions_end() {
        let mut macros = Macros::new("x86");
        macros.assign("loop", Assign::Recursive, "$(loop)$(loop)");
        assert_eq!(macros.expand("$(loop)"), None);
        macros.assign("d0", Assign::Simple, "xxxxxxxxxxxxxxxx");
        for n in 1..64 {
            let before = n - 1;
            macros.assign(
                &format!("d{n}"),
                Assign::Recursive,
                &format!("$(d{before})$(d{before})"),
            );
        }
        assert_eq!(macros.expand("$(d63)"), None);
    }
}
