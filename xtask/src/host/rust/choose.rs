// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of the candidates a tree takes. Pure.

use std::sync::LazyLock;

use regex::Regex;

use super::{Candidate, Candidates, RustTools, ToolVersion};

static CASE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?ms)^(rustc|bindgen|llvm)\)\n(.*?)^\s*;;").ok());
static ECHO: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*echo ([0-9.]+)\s*$").ok());

/// The oldest versions that a tree can be built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Minimum {
    /// Of the compiler.
    pub rustc: ToolVersion,
    /// Of bindgen.
    pub bindgen: ToolVersion,
    /// Of libclang, where the tree says it.
    pub libclang: Option<ToolVersion>,
}

impl Minimum {
    /// Reads a tree's `scripts/min-tool-version.sh`. `None`: it knows nothing of Rust.
    pub fn of_script(text: &str) -> Option<Self> {
        // The last branch of a case is the one for architectures that have no say of their own.
        let of = |tool: &str| {
            let cases = CASE.as_ref()?.captures_iter(text);
            let body = cases.filter(|c| &c[1] == tool).map(|c| c[2].to_owned()).next()?;
            let said = ECHO.as_ref()?.captures_iter(&body).last()?;
            ToolVersion::within(&said[1])
        };
        Some(Self { rustc: of("rustc")?, bindgen: of("bindgen")?, libclang: of("llvm") })
    }
}

/// Takes the first of each that will do.
///
/// # Errors
/// Why each candidate will not, a line each; and what is missing altogether.
pub fn choose(candidates: &Candidates, minimum: Minimum) -> Result<RustTools, Vec<String>> {
    let mut why_not = Vec::new();
    let mut first = |what: &str, all: &[Candidate], least: Option<ToolVersion>| {
        let mut against = Vec::new();
        for candidate in all {
            match unfit(candidate, least) {
                None => return candidate.version.map(|version| (candidate.clone(), version)),
                Some(why) => against.push(format!("{what} {}: {why}", candidate.path.display())),
            }
        }
        if against.is_empty() {
            against.push(format!("there is no {what}"));
        }
        why_not.extend(against);
        None
    };
    let rustc = first("rustc", &candidates.rustc, Some(minimum.rustc));
    let bindgen = first("bindgen", &candidates.bindgen, Some(minimum.bindgen));
    let libclang = first("libclang", &candidates.libclang, minimum.libclang);
    match (rustc, bindgen, libclang) {
        (
            Some((rustc, rustc_version)),
            Some((bindgen, bindgen_version)),
            Some((clang, version)),
        ) => Ok(RustTools {
            library: rustc.library.unwrap_or_default(),
            rustc: rustc.path,
            rustc_version,
            bindgen: bindgen.path,
            bindgen_version,
            libclang: clang.path,
            libclang_version: version,
        }),
        _ => Err(why_not),
    }
}

fn unfit(candidate: &Candidate, least: Option<ToolVersion>) -> Option<String> {
    if let Some(trouble) = &candidate.trouble {
        return Some(trouble.clone());
    }
    match (candidate.version, least) {
        (None, _) => Some("it does not tell its version".to_owned()),
        (Some(version), Some(least)) if version < least => {
            Some(format!("{version} is too old: the tree needs {least}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "case \"$1\" in\ngcc)\n\techo 8.1.0\n\t;;\nllvm)\n\tif [ x ]; then\n\t\techo \
                          18.0.0\n\telse\n\t\techo 15.0.0\n\tfi\n\t;;\nrustc)\n\techo 1.85.0\n\t;;\n\
                          bindgen)\n\techo 0.71.1\n\t;;\n*)\n\techo unknown >&2\n\t;;\nesac\n";

    #[test]
    fn a_tree_says_what_it_needs() {
        let want = Minimum {
            rustc: ToolVersion(1, 85, 0),
            bindgen: ToolVersion(0, 71, 1),
            libclang: Some(ToolVersion(15, 0, 0)),
        };
        assert_eq!(Minimum::of_script(SCRIPT), Some(want));
        assert_eq!(Minimum::of_script("case x in\ngcc)\n\techo 4.9.0\n\t;;\nesac\n"), None);
    }

    fn candidate(path: &str, version: ToolVersion, trouble: Option<&str>) -> Candidate {
        Candidate {
            path: path.into(),
            version: Some(version),
            library: Some("/library".into()),
            trouble: trouble.map(str::to_owned),
        }
    }

    #[test]
    fn the_first_that_will_do_is_taken_and_each_other_says_why_not() {
        let minimum = Minimum::of_script(SCRIPT).unwrap();
        let mut all = Candidates {
            rustc: vec![
                candidate("/a/rustc", ToolVersion(1, 95, 0), Some("it lacks its library's source")),
                candidate("/b/rustc", ToolVersion(1, 84, 9), None),
                candidate("/c/rustc", ToolVersion(1, 85, 0), None),
                candidate("/d/rustc", ToolVersion(1, 99, 0), None),
            ],
            bindgen: vec![candidate("/b/bindgen", ToolVersion(0, 72, 1), None)],
            libclang: vec![candidate("/l", ToolVersion(19, 1, 7), None)],
        };
        let tools = choose(&all, minimum).unwrap();
        assert_eq!(tools.rustc.to_str(), Some("/c/rustc"));
        assert_eq!(tools.library.to_str(), Some("/library"));
        all.rustc.truncate(2);
        all.libclang.clear();
        assert_eq!(
            choose(&all, minimum).unwrap_err(),
            [
                "rustc /a/rustc: it lacks its library's source",
                "rustc /b/rustc: 1.84.9 is too old: the tree needs 1.85.0",
                "there is no libclang",
            ]
        );
    }
}
