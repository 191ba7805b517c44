// SPDX-License-Identifier: MIT OR Apache-2.0
//! What follows from what was seen. Pure.

use std::collections::HashMap;

use super::checkpatch::Checkpatch;
use super::{Boot, Build, Level, Verdict};
use crate::build::Warning;

/// Warnings in the touched files: those that are new, and how many are not. The same warning twice
/// where it was once is one new one.
pub(super) fn split(
    before: &[Warning],
    after: &[Warning],
    touched: &[String],
) -> (Vec<Warning>, usize) {
    let is_touched = |w: &&Warning| {
        // objtool and the linker name `x.o` for x.c.
        let object = w.file.strip_suffix(".o").map(|stem| format!("{stem}.c"));
        touched.iter().any(|t| *t == w.file || Some(t) == object.as_ref())
    };
    let mut known: HashMap<(String, String), usize> = HashMap::new();
    for warning in before.iter().filter(is_touched) {
        *known.entry(warning.identity()).or_default() += 1;
    }
    let mut new = Vec::new();
    let mut old = 0;
    for warning in after.iter().filter(is_touched) {
        match known.get_mut(&warning.identity()) {
            Some(left) if *left > 0 => {
                *left -= 1;
                old += 1;
            }
            _ => new.push(warning.clone()),
        }
    }
    (new, old)
}

/// The verdict on a level, and the reasons.
pub(super) fn judge(
    build: &Build,
    new_warnings: &[Warning],
    checkpatch: &Checkpatch,
    boot: Option<&Boot>,
) -> (Verdict, Vec<String>) {
    let mut verdict = Verdict::Pass;
    let mut reasons = Vec::new();
    let mut say = |what: Verdict, why: String| {
        verdict = verdict.max(what);
        reasons.push(why);
    };
    match build {
        Build::Built { .. } => {}
        Build::Failed { error, before: false, .. } => say(Verdict::Fail, error.clone()),
        Build::Failed { error, before: true, .. } => {
            say(
                Verdict::Infra,
                format!("not judged, the level before fails in the same way: {error}"),
            );
        }
    }
    for warning in new_warnings {
        say(Verdict::Fail, format!("new warning: {warning}"));
    }
    match checkpatch {
        Checkpatch::Ran { errors, .. } => {
            for error in errors {
                say(Verdict::Fail, format!("checkpatch: {error}"));
            }
        }
        Checkpatch::DidNotRun { why } => {
            say(Verdict::Infra, format!("checkpatch did not run: {why}"));
        }
    }
    if let Some(boot) = boot.filter(|b| b.verdict != Verdict::Pass) {
        say(boot.verdict, boot.summary.clone());
    }
    (verdict, reasons)
}

/// Notes, at levels that do not build, which later one does.
pub(super) fn note_fixes(levels: &mut [Level]) {
    for at in 0..levels.len() {
        if matches!(levels[at].build, Build::Built { .. }) {
            continue;
        }
        let fixed = levels[at..].iter().find(|l| matches!(l.build, Build::Built { .. }));
        let note = match fixed {
            Some(level) => format!("it breaks bisection: only patch {} builds again", level.number),
            None => "no later patch makes it build again".to_owned(),
        };
        levels[at].notes.push(note);
    }
}

#[cfg(test)]
mod tests {
    use super::super::checkpatch::Remark;
    use super::*;

    fn warning(file: &str, line: u32, message: &str) -> Warning {
        Warning { file: file.into(), line: Some(line), message: message.into() }
    }

    #[test]
    fn only_what_was_not_there_is_new() {
        let touched = ["a.c".to_owned(), "a.h".to_owned()];
        let before = [warning("a.c", 1, "unused 'x'"), warning("b.c", 1, "unused 'y'")];
        let after = [
            warning("a.c", 9, "unused 'x'"),
            warning("a.c", 10, "unused 'x'"),
            warning("a.h", 3, "odd"),
            warning("b.c", 1, "unused 'z'"),
            warning("a.o", 0, "objtool: odd"),
        ];
        let (new, old) = split(&before, &after, &touched);
        let new: Vec<_> = new.iter().map(|w| w.line).collect();
        assert_eq!((new, old), (vec![Some(10), Some(3), Some(0)], 1));
        assert_eq!(split(&before, &[], &touched), (vec![], 0));
    }

    #[test]
    fn each_check_can_fail_and_none_can_be_left_out() {
        let built = Build::Built { ms: 1 };
        let failed = |before| Build::Failed {
            error: "a.c:1: bad".into(),
            details: vec![],
            reproduce: None,
            before,
        };
        let clean = Checkpatch::Ran { errors: vec![], warnings: vec![] };
        let remark = Remark { line: 1, kind: "X".into(), message: "y".into() };
        let warned = Checkpatch::Ran { errors: vec![], warnings: vec![remark.clone()] };
        let bad = Checkpatch::Ran { errors: vec![remark], warnings: vec![] };
        let absent = Checkpatch::DidNotRun { why: "no perl".into() };
        let boot = |verdict| Boot { verdict, summary: "panic".into() };
        let one = [warning("a.c", 1, "odd")];
        let cases = [
            (&built, &[][..], &clean, None, Verdict::Pass, 0),
            (&built, &[][..], &warned, Some(boot(Verdict::Pass)), Verdict::Pass, 0),
            (&failed(false), &[][..], &clean, None, Verdict::Fail, 1),
            (&failed(true), &[][..], &clean, None, Verdict::Infra, 1),
            (&built, &one[..], &clean, None, Verdict::Fail, 1),
            (&built, &[][..], &bad, None, Verdict::Fail, 1),
            (&built, &[][..], &absent, None, Verdict::Infra, 1),
            (&built, &one[..], &absent, None, Verdict::Fail, 2),
            (&built, &[][..], &clean, Some(boot(Verdict::Fail)), Verdict::Fail, 1),
            (&built, &[][..], &clean, Some(boot(Verdict::Infra)), Verdict::Infra, 1),
        ];
        for (build, new, checkpatch, boot, want, reasons) in cases {
            let (verdict, why) = judge(build, new, checkpatch, boot.as_ref());
            assert_eq!((verdict, why.len()), (want, reasons), "{why:?}");
        }
    }
}
