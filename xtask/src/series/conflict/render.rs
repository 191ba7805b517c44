// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conflicts in words. Pure.

use std::fmt;
use std::fmt::Write as _;

use super::{Beside, BlobFit, Conflict, Patch, Reason, Row, Side};
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::host::quote;
use crate::store::Store;

/// What a diagnosis is made of.
pub(super) struct Report<'a> {
    pub(super) patch: &'a Patch,
    pub(super) number: usize,
    pub(super) of: usize,
    pub(super) conflicts: &'a [Conflict],
    /// Whether the reverse of the whole patch applies.
    pub(super) applied: bool,
    /// Why nobody could look closer.
    pub(super) trouble: Option<&'a str>,
    /// git's own words.
    pub(super) words: &'a str,
    pub(super) reproduce: String,
}

/// So many conflicts are shown line by line; of the others, what and why is enough.
const SHOWN: usize = 2;

/// Lines in a row that are the same on both sides are cut down to so many at either end.
const SAME: usize = 4;

/// The same for lines that only the tree has.
const EXTRA: usize = 6;

/// The diagnosis of a patch that does not apply.
pub(super) fn diagnosis(report: &Report<'_>) -> Diagnosis {
    let Report { patch, number, of, conflicts, .. } = report;
    let name = patch.file_name();
    let which = match number {
        0 => "a patch that the series stands on".to_owned(),
        _ => format!("patch {number}/{of}"),
    };
    // The lines that git searched for come without a mark, and are shown better above.
    let is_error = |l: &&str| l.starts_with("error:") && !l.ends_with("while searching for:");
    let errors: Vec<_> = report.words.lines().filter(is_error).collect();
    let errors = errors.join("\n");
    if errors.contains("corrupt patch") {
        return Diagnosis::usage(format!("{which} ({name}) is damaged"))
            .detail(errors)
            .next("make it anew with `git format-patch`");
    }
    let mut diagnosis = Diagnosis::new(
        ExitKind::CheckFailed,
        format!("{which} does not apply: {} ({name})", patch.subject),
    );
    if report.applied {
        diagnosis = diagnosis.detail("its reverse applies: the tree has this change already");
    } else {
        for block in blocks(&name, conflicts) {
            diagnosis = diagnosis.detail(block);
        }
    }
    if let Some(trouble) = report.trouble {
        diagnosis = diagnosis.detail(format!("a closer look was not possible: {trouble}"));
    }
    let path = patch.path.display();
    diagnosis
        .detail(format!("git says:\n{errors}"))
        .next(if report.applied {
            format!("leave {path} out for this kernel: add a variant without it to series.yaml")
        } else {
            format!("fix {path} for this kernel, or add a variant for it to series.yaml")
        })
        .reproduce(report.reproduce.clone())
}

/// A block of text a file, and one a conflict that is shown line by line.
fn blocks(name: &str, conflicts: &[Conflict]) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut shown = 0;
    for group in conflicts.chunk_by(|a, b| a.file == b.file && a.hunks == b.hunks) {
        blocks.push(about_file(group));
        for conflict in group {
            let mut text = match conflict.hunk {
                Some(hunk) => format!(
                    "{name}:{}: {} hunk {hunk}: {}\n  {}\n",
                    conflict.at, conflict.file, conflict.header, conflict.reason
                ),
                None => format!("{name}:{}: {}: {}\n", conflict.at, conflict.file, conflict.reason),
            };
            if let Some(beside) = conflict.beside.as_ref().filter(|_| shown < SHOWN) {
                shown += 1;
                text.push_str(&table(&conflict.file, beside));
            }
            blocks.push(text);
        }
    }
    blocks
}

fn about_file(conflicts: &[Conflict]) -> String {
    let first = &conflicts[0];
    let made_for = match first.blob {
        // With that content, what its author had would have applied.
        BlobFit::Same if first.hunk.is_some() => {
            format!("{}; so the patch was edited, or damaged, after that", first.blob)
        }
        _ => first.blob.to_string(),
    };
    if first.hunk.is_none() {
        return match first.reason {
            Reason::FileExists { .. } => format!("{}: cannot be made", first.file),
            _ => format!("{}: {made_for}", first.file),
        };
    }
    let numbers = |conflicts: &mut dyn Iterator<Item = &Conflict>| {
        let all: Vec<_> = conflicts.filter_map(|c| Some(c.hunk?.to_string())).collect();
        all.join(", ")
    };
    let done = |c: &&Conflict| matches!(c.reason, Reason::AppliedAlready { .. });
    let mut text = match first.hunks {
        1 => format!("{}: its only hunk does not apply", first.file),
        hunks => format!("{}: {} of {hunks} hunks do not apply", first.file, conflicts.len()),
    };
    if conflicts.len() < first.hunks {
        let _ = write!(text, " ({}; the others do)", numbers(&mut conflicts.iter()));
    }
    let done = numbers(&mut conflicts.iter().filter(done));
    if !done.is_empty() {
        let _ = write!(text, "; applied already: {done}");
    }
    let _ = write!(text, "\n{made_for}");
    text
}

/// Both sides, line by line. The first column marks what differs, the second is the patch's own.
fn table(file: &str, beside: &Beside) -> String {
    let Some(last) = beside.rows.iter().filter_map(Row::line).max() else {
        return format!("  {file} is empty\n");
    };
    let width = last.to_string().len();
    let marks = ["< only the patch has it", "> only the tree has it", "~ other white space"];
    let used = [
        beside.rows.iter().any(|r| matches!(r, Row::Missing { .. })),
        beside.rows.iter().any(|r| matches!(r, Row::Extra { .. })),
        beside.rows.iter().any(|r| matches!(r, Row::WhiteSpace { .. })),
    ];
    let legend = marks.iter().zip(used).filter(|(_, used)| *used).map(|(mark, _)| *mark);
    let legend: Vec<_> = legend.collect();
    let mut text = format!("  {file} has here ({}):\n", legend.join(", "));
    let kind = |row: &Row| std::mem::discriminant(row);
    for run in beside.rows.chunk_by(|a, b| kind(a) == kind(b)) {
        let keep = match run[0] {
            Row::Same { .. } => SAME,
            Row::Extra { .. } => EXTRA,
            _ => usize::MAX / 2,
        };
        for (n, row) in run.iter().enumerate() {
            if run.len() > 2 * keep + 1 && n >= keep && n < run.len() - keep {
                if n == keep {
                    let _ = writeln!(text, "  {:width$} … {} lines …", "", run.len() - 2 * keep);
                }
                continue;
            }
            push_row(&mut text, row, width);
        }
    }
    text
}

fn push_row(text: &mut String, row: &Row, width: usize) {
    let side = |side: &Side| if *side == Side::Removed { '-' } else { ' ' };
    let mut line = |number: &dyn fmt::Display, mark: char, side: char, content: &str| {
        let line = format!("  {number:>width$} {mark}{side} {content}");
        let _ = writeln!(text, "{}", line.trim_end());
    };
    match row {
        Row::Same { line: at, side: s, text } => line(at, ' ', side(s), text),
        Row::Missing { side: s, expected } => line(&"", '<', side(s), expected),
        Row::Extra { line: at, found } => line(at, '>', ' ', found),
        Row::WhiteSpace { line: at, side: s, expected, found } => {
            line(&"", '<', '~', &visible(expected, *s));
            line(at, '>', '~', &visible(found, Side::Context));
        }
    }
}

/// A line with its white space made visible.
fn visible(text: &str, side: Side) -> String {
    let mark = if side == Side::Removed { "-" } else { "" };
    format!("{mark}{}", text.replace('\t', "→").replace(' ', "·").replace('\r', "␍"))
}

/// A command that shows the failure again: an index is enough, and much quicker than a work tree.
pub(super) fn reproduce(store: &Store, base: &str, patch: &Patch) -> String {
    let word = |file: &std::path::Path| {
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        quote(&absolute.to_string_lossy())
    };
    let git = format!("git --git-dir={}", word(&store.root().join("objects.git")));
    format!(
        "( export GIT_CONFIG_GLOBAL={config} GIT_INDEX_FILE=$(mktemp -u); \
         trap 'rm -f \"$GIT_INDEX_FILE\"' EXIT; {git} read-tree {base} && \
         {git} apply --cached --verbose --whitespace=nowarn {patch} )",
        config = word(&store.root().join("gitconfig")),
        patch = word(&patch.path),
    )
}
