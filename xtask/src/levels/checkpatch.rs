// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tree's own `scripts/checkpatch.pl`.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use crate::diagnosis::Diagnosis;
use crate::host::Host;

/// What checkpatch.pl said of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum Checkpatch {
    /// It read the patch to its end.
    Ran {
        /// `ERROR`s: they fail the patch.
        errors: Vec<Remark>,
        /// `WARNING`s and `CHECK`s: a person decides.
        warnings: Vec<Remark>,
    },
    /// It did not, and why. That is no pass.
    DidNotRun {
        /// Why.
        why: String,
    },
}

/// A remark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// Line of the patch file.
    pub line: usize,
    /// Its type, such as `TRAILING_WHITESPACE`.
    pub kind: String,
    /// In words.
    pub message: String,
}

impl std::fmt::Display for Remark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}: {}", self.line, self.kind, self.message)
    }
}

/// Runs the checkpatch.pl of a checked-out tree on a patch file.
pub(super) fn run(host: &Host, tree: &Path, patch: &Path) -> Result<Checkpatch, Diagnosis> {
    let script = tree.join("scripts/checkpatch.pl");
    if !script.is_file() {
        return Ok(Checkpatch::DidNotRun { why: "the tree has no scripts/checkpatch.pl".into() });
    }
    let path = std::path::absolute(patch).unwrap_or_else(|_| patch.to_owned());
    let output = host
        .program("perl")
        .args(["scripts/checkpatch.pl", "--emacs", "--show-types", "--color=never"])
        .arg(&path)
        .cwd(tree)
        // It reads options from ~/.checkpatch.conf: a user's must not decide what passes.
        .env("HOME", "/nonexistent")
        .env("LC_ALL", "C")
        .output();
    match output {
        Ok(output) => Ok(read(&output.text(), &output.error_text())),
        Err(error) => {
            host.check_cancelled()?;
            Ok(Checkpatch::DidNotRun { why: error.what })
        }
    }
}

static REMARK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^.*?:(?P<line>\d+): (?P<level>ERROR|WARNING|CHECK):(?P<kind>[A-Z0-9_]+): (?P<message>.*)$").ok()
});
static TOTAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^total: (?P<errors>\d+) errors?, (?P<warnings>\d+) warnings?,").ok()
});

/// Reads its output. The summary is the proof that it came to the end, and its counts are that
/// nothing was overlooked.
fn read(output: &str, error: &str) -> Checkpatch {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    let mut total = None;
    for line in output.lines() {
        if let Some(found) = REMARK.as_ref().and_then(|r| r.captures(line)) {
            let remark = Remark {
                line: found["line"].parse().unwrap_or(0),
                kind: found["kind"].to_owned(),
                message: found["message"].to_owned(),
            };
            if &found["level"] == "ERROR" { errors.push(remark) } else { warnings.push(remark) }
        } else if let Some(found) = TOTAL.as_ref().and_then(|r| r.captures(line)) {
            total = found["errors"].parse::<usize>().ok();
        }
    }
    match total {
        Some(n) if n == errors.len() => Checkpatch::Ran { errors, warnings },
        Some(n) => Checkpatch::DidNotRun {
            why: format!("checkpatch.pl counts {n} errors, and {} could be read", errors.len()),
        },
        None => {
            let last = error.lines().chain(output.lines()).find(|l| !l.trim().is_empty());
            let why =
                format!("checkpatch.pl printed no summary: {}", last.unwrap_or("nothing at all"));
            Checkpatch::DidNotRun { why }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "/p/1.patch:58: WARNING:FILE_PATH_CHANGES: added, moved or deleted file(s), does MAINTAINERS need updating?\n#58: \nnew file mode 100644\n\n/p/1.patch:73: ERROR:CODE_INDENT: code indent should use tabs where possible\n#73: FILE: kernel/x.c:1:\n+        x();$\n\ntotal: 1 errors, 1 warnings, 138 lines checked\n";

    #[test]
    fn remarks_are_read_and_counted() {
        let Checkpatch::Ran { errors, warnings } = read(OUTPUT, "") else { panic!() };
        assert_eq!(
            errors[0].to_string(),
            "line 73: CODE_INDENT: code indent should use tabs where possible"
        );
        assert_eq!((errors.len(), warnings.len()), (1, 1));
        let clean = read(
            "total: 0 errors, 0 warnings, 9 lines checked\n\n/p/1.patch has no obvious style problems and is ready for submission.\n",
            "",
        );
        assert_eq!(clean, Checkpatch::Ran { errors: vec![], warnings: vec![] });
    }

    #[test]
    fn what_did_not_come_to_its_end_is_no_pass() {
        let cases = [
            ("", "Can't locate strict.pm", "Can't locate strict.pm"),
            ("", "", "nothing at all"),
            ("total: 2 errors, 0 warnings, 9 lines checked\n", "", "counts 2 errors, and 0"),
            (&OUTPUT[..200], "", "no summary"),
        ];
        for (output, error, want) in cases {
            let Checkpatch::DidNotRun { why } = read(output, error) else { panic!("{output}") };
            assert!(why.contains(want), "{why}");
        }
    }
}
