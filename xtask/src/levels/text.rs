// SPDX-License-Identifier: MIT OR Apache-2.0
//! The levels as text. Pure.

use std::fmt::Write as _;

use super::checkpatch::Checkpatch;
use super::{Build, Level, Verdict};

/// Warnings in other files that are shown.
const ELSEWHERE: usize = 5;

/// A block for each level: the verdict, what was seen, the reasons.
pub fn text(kernel: &str, levels: &[Level]) -> String {
    let mut out = format!("linux {kernel}, patch by patch:\n");
    for level in levels {
        let mark = match level.verdict {
            Verdict::Pass => "✓",
            Verdict::Infra => "!",
            Verdict::Fail => "✗",
        };
        let _ = writeln!(out, "{:>3} {mark} {}", level.number, level.subject);
        let mut seen = Vec::new();
        match &level.build {
            Build::Built { ms } => {
                seen.push(format!("built in {}.{} s", ms / 1000, ms % 1000 / 100));
            }
            Build::Failed { .. } => seen.push("does not build".into()),
            Build::NotBuilt { .. } => seen.push("not built".into()),
        }
        if matches!(level.build, Build::Built { .. }) {
            seen.push(match (level.new_warnings.len(), level.old_warnings) {
                (0, 0) => "no warnings".into(),
                (0, old) => format!("no new warnings, {old} were there"),
                (new, old) => format!("{new} new warnings, {old} were there"),
            });
        }
        if let Checkpatch::Ran { errors, warnings } = &level.checkpatch {
            seen.push(format!("checkpatch: {} errors, {} warnings", errors.len(), warnings.len()));
        }
        if let Some(boot) = &level.boot {
            seen.push(match boot.verdict {
                Verdict::Pass => boot.summary.clone(),
                Verdict::Fail => "does not boot well".into(),
                Verdict::Infra => "boot not judged".into(),
            });
        }
        let _ = writeln!(out, "      {}", seen.join(" · "));
        let why = if level.verdict == Verdict::Infra { "!" } else { "✗" };
        for reason in &level.reasons {
            let _ = writeln!(out, "      {why} {reason}");
        }
        if let Build::Failed { details, reproduce, .. }
        | Build::NotBuilt { details, reproduce, .. } = &level.build
        {
            for line in details.iter().flat_map(|d| d.lines()) {
                let _ = writeln!(out, "        {line}");
            }
            if let Some(reproduce) = reproduce {
                let _ = writeln!(out, "        reproduce: {reproduce}");
            }
        }
        if let Checkpatch::Ran { warnings, .. } = &level.checkpatch {
            for warning in warnings {
                let _ = writeln!(out, "      checkpatch warns: {warning}");
            }
        }
        for warning in level.new_elsewhere.iter().take(ELSEWHERE) {
            let _ = writeln!(out, "      new in a file that it does not touch: {warning}");
        }
        if let Some(more @ 1..) = level.new_elsewhere.len().checked_sub(ELSEWHERE) {
            let _ = writeln!(out, "      … and {more} more in such files");
        }
        for note in &level.notes {
            let _ = writeln!(out, "      note: {note}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Boot;
    use super::super::checkpatch::Remark;
    use super::*;
    use crate::build::Warning;

    fn level(number: usize, subject: &str, build: Build) -> Level {
        Level {
            number,
            file: format!("{number}.patch"),
            subject: subject.into(),
            build,
            new_warnings: vec![],
            old_warnings: 0,
            new_elsewhere: vec![],
            unjudged_warnings: vec![],
            checkpatch: Checkpatch::Ran { errors: vec![], warnings: vec![] },
            boot: None,
            notes: vec![],
            verdict: Verdict::Pass,
            reasons: vec![],
        }
    }

    #[test]
    fn every_outcome_can_be_told_from_the_text() {
        let warning = |file: &str, line| Warning {
            file: file.into(),
            line: Some(line),
            message: "unused variable 'x'".into(),
            flag: Some("-Wunused-variable".into()),
            object: String::new(),
        };
        let remark = |kind: &str| Remark { line: 9, kind: kind.into(), message: "odd".into() };
        let mut warned = level(1, "a: Warn", Build::Built { ms: 16_612 });
        warned.new_warnings = vec![warning("a.c", 4)];
        warned.old_warnings = 2;
        warned.new_elsewhere = (1..=7).map(|n| warning("b.c", n)).collect();
        let failed = Build::Failed {
            error: "the build fails: a.c:1: bad".into(),
            file: Some("a.c".into()),
            touched: Some(true),
            details: vec!["a.c:1:2: error: bad".into()],
            reproduce: Some("make".into()),
            before: false,
        };
        let mut broken = level(2, "a: Break", failed);
        broken.checkpatch =
            Checkpatch::Ran { errors: vec![remark("E")], warnings: vec![remark("W")] };
        let why = "disk".to_owned();
        let infra = Build::NotBuilt { why, details: vec![], reproduce: None };
        let mut infra = level(3, "a: Never tried", infra);
        infra.checkpatch = Checkpatch::DidNotRun { why: "no perl".into() };
        let mut fine = level(4, "a: Be fine", Build::Built { ms: 900 });
        fine.old_warnings = 1;
        fine.boot = Some(Boot { verdict: Verdict::Pass, summary: "booted in 3.1 s".into() });
        let mut levels = vec![warned, broken, infra, fine];
        levels.iter_mut().for_each(super::super::judge::judge);
        super::super::judge::note_fixes(&mut levels);
        insta::assert_snapshot!(text("5.10.262", &levels));
    }
}
