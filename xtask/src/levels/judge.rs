// SPDX-License-Identifier: MIT OR Apache-2.0
//! What follows from what was seen. Pure.

use super::checkpatch::Checkpatch;
use super::{Build, Level, Verdict};

/// Puts verdict and reasons to what was seen of a level.
pub(super) fn judge(level: &mut Level) {
    let mut verdict = Verdict::Pass;
    let mut reasons = Vec::new();
    let mut say = |what: Verdict, why: String| {
        verdict = verdict.max(what);
        reasons.push(why);
    };
    match &level.build {
        Build::Built { .. } => {}
        Build::Failed { error, before: true, .. } => {
            say(
                Verdict::Infra,
                format!("not judged, the level before does not build either: {error}"),
            );
        }
        Build::Failed { error, file: Some(file), touched: Some(false), .. } => {
            say(Verdict::Fail, format!("{error} (the patch does not touch {file})"));
        }
        Build::Failed { error, .. } => say(Verdict::Fail, error.clone()),
        Build::NotBuilt { why, .. } => say(Verdict::Infra, format!("could not be built: {why}")),
    }
    for warning in &level.new_warnings {
        say(Verdict::Fail, format!("new warning: {warning}"));
    }
    for warning in &level.unjudged_warnings {
        say(Verdict::Infra, format!("no level before it builds, it may be old: {warning}"));
    }
    match &level.checkpatch {
        Checkpatch::Ran { errors, .. } => {
            for error in errors {
                say(Verdict::Fail, format!("checkpatch: {error}"));
            }
        }
        Checkpatch::DidNotRun { why } => {
            say(Verdict::Infra, format!("checkpatch did not run: {why}"));
        }
    }
    if let Some(boot) = level.boot.as_ref().filter(|b| b.verdict != Verdict::Pass) {
        say(boot.verdict, boot.summary.clone());
    }
    (level.verdict, level.reasons) = (verdict, reasons);
}

/// Notes, at levels that break the build, which later one mends it.
pub(super) fn note_fixes(levels: &mut [Level]) {
    for at in 0..levels.len() {
        if !matches!(levels[at].build, Build::Failed { before: false, .. }) {
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
    use super::super::Boot;
    use super::super::checkpatch::Remark;
    use super::*;
    use crate::build::Warning;

    fn level(number: usize, build: Build) -> Level {
        Level {
            number,
            file: format!("{number}.patch"),
            subject: "a".into(),
            build,
            new_warnings: vec![],
            old_warnings: 3,
            new_elsewhere: vec![],
            unjudged_warnings: vec![],
            checkpatch: Checkpatch::Ran { errors: vec![], warnings: vec![] },
            boot: None,
            notes: vec![],
            verdict: Verdict::Pass,
            reasons: vec![],
        }
    }

    fn built() -> Build {
        Build::Built { ms: 1 }
    }

    fn failed(before: bool) -> Build {
        Build::Failed {
            error: "the build fails: a.c:1: bad".into(),
            file: Some("a.c".into()),
            touched: Some(false),
            details: vec![],
            reproduce: None,
            before,
        }
    }

    fn warning() -> Vec<Warning> {
        vec![Warning {
            file: "a.c".into(),
            line: Some(1),
            message: "odd".into(),
            flag: None,
            object: "a.o".into(),
        }]
    }

    type Change = fn(&mut Level);

    #[test]
    fn each_check_can_fail_and_none_can_be_left_out() {
        let remark = || vec![Remark { line: 1, kind: "X".into(), message: "y".into() }];
        let boot = |verdict| Some(Boot { verdict, summary: "panic".into() });
        let cases: [(Change, Verdict, &[&str]); 11] = [
            (|_| {}, Verdict::Pass, &[]),
            (|l| l.new_elsewhere = warning(), Verdict::Pass, &[]),
            (
                |l| l.build = failed(false),
                Verdict::Fail,
                &["the build fails: a.c:1: bad (the patch does not touch a.c)"],
            ),
            (
                |l| l.build = failed(true),
                Verdict::Infra,
                &[
                    "not judged, the level before does not build either: the build fails: a.c:1: bad",
                ],
            ),
            (
                |l| {
                    l.build =
                        Build::NotBuilt { why: "disk".into(), details: vec![], reproduce: None };
                },
                Verdict::Infra,
                &["could not be built: disk"],
            ),
            (|l| l.new_warnings = warning(), Verdict::Fail, &["new warning: a.c:1: odd"]),
            (
                |l| l.unjudged_warnings = warning(),
                Verdict::Infra,
                &["no level before it builds, it may be old: a.c:1: odd"],
            ),
            (
                |l| l.checkpatch = Checkpatch::DidNotRun { why: "no perl".into() },
                Verdict::Infra,
                &["checkpatch did not run: no perl"],
            ),
            (
                |l| {
                    l.new_warnings = warning();
                    l.checkpatch = Checkpatch::DidNotRun { why: "no perl".into() };
                },
                Verdict::Fail,
                &["new warning: a.c:1: odd", "checkpatch did not run: no perl"],
            ),
            (
                |l| l.boot = Some(Boot { verdict: Verdict::Fail, summary: "panic".into() }),
                Verdict::Fail,
                &["panic"],
            ),
            (
                |l| l.boot = Some(Boot { verdict: Verdict::Infra, summary: "no QEMU".into() }),
                Verdict::Infra,
                &["no QEMU"],
            ),
        ];
        for (change, verdict, reasons) in cases {
            let mut level = level(1, built());
            change(&mut level);
            judge(&mut level);
            assert_eq!((level.verdict, level.reasons), (verdict, strings(reasons)));
        }
        for (errors, warnings, verdict) in
            [(remark(), vec![], Verdict::Fail), (vec![], remark(), Verdict::Pass)]
        {
            let mut level = level(1, built());
            level.checkpatch = Checkpatch::Ran { errors, warnings };
            level.boot = boot(Verdict::Pass);
            judge(&mut level);
            assert_eq!(level.verdict, verdict);
        }
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|t| (*t).to_owned()).collect()
    }

    #[test]
    fn a_patch_that_breaks_the_build_learns_who_mends_it() {
        let builds = [failed(false), failed(true), built(), failed(false), failed(true)];
        let mut levels: Vec<_> =
            builds.into_iter().enumerate().map(|(n, build)| level(n + 1, build)).collect();
        note_fixes(&mut levels);
        let notes: Vec<_> = levels.iter().map(|l| l.notes.join("; ")).collect();
        let mended = "it breaks bisection: only patch 3 builds again";
        assert_eq!(notes, [mended, "", "", "no later patch makes it build again", ""]);
    }
}
