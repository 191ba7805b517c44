// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which ftrace direct-call API a tree has.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::diagnosis::{Diagnosis, on_path};

/// The eras of the API. Found in the tree's own header: backports exist, so a version number says
/// nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DirectApi {
    /// One function at a time: `modify_ftrace_direct(ip, old, new)`.
    Single,
    /// All functions of an ops: `modify_ftrace_direct_multi(ops, addr)`.
    Multi,
    /// The same under the plain name: `modify_ftrace_direct(ops, addr)`.
    Ops,
}

static MODIFY_MULTI: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^int modify_ftrace_direct_multi\s*\(").ok());
static MODIFY_OPS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^int modify_ftrace_direct\s*\(\s*struct ftrace_ops\s*\*").ok()
});
static MODIFY_SINGLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^int modify_ftrace_direct\s*\(\s*unsigned long ip\b").ok());

impl DirectApi {
    /// Looks into `include/linux/ftrace.h`. `None`: the tree has no such API.
    pub fn of_tree(tree: &Path) -> Result<Option<Self>, Diagnosis> {
        let header = tree.join("include/linux/ftrace.h");
        let text = std::fs::read(&header).map_err(|e| on_path("read", &header, &e))?;
        Ok(Self::of_header(&String::from_utf8_lossy(&text)))
    }

    /// Looks into the text of that header.
    pub fn of_header(text: &str) -> Option<Self> {
        let has = |regex: &Option<Regex>| regex.as_ref().is_some_and(|r| r.is_match(text));
        // A tree with several serves the newest.
        if has(&MODIFY_OPS) {
            Some(Self::Ops)
        } else if has(&MODIFY_MULTI) {
            Some(Self::Multi)
        } else if has(&MODIFY_SINGLE) {
            Some(Self::Single)
        } else {
            None
        }
    }

    /// The value of the modules' `DIRECT_API` make variable.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Multi => "multi",
            Self::Ops => "ops",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eras_are_told_apart_by_prototypes() {
        let single = "int modify_ftrace_direct(unsigned long ip, unsigned long old_addr, unsigned long new_addr);\n";
        let register_multi =
            "int register_ftrace_direct_multi(struct ftrace_ops *ops, unsigned long addr);\n";
        let multi = "int modify_ftrace_direct_multi(struct ftrace_ops *ops, unsigned long addr);\n";
        let ops = "int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr);\n";
        let stub =
            "static inline int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)\n";
        let cases = [
            (String::new(), None),
            (stub.to_owned(), None),
            (single.to_owned(), Some(DirectApi::Single)),
            (format!("{single}{register_multi}"), Some(DirectApi::Single)),
            (format!("{single}{register_multi}{multi}"), Some(DirectApi::Multi)),
            (ops.to_owned(), Some(DirectApi::Ops)),
        ];
        for (header, want) in cases {
            assert_eq!(DirectApi::of_header(&header), want, "{header}");
        }
    }
}
