// SPDX-License-Identifier: MIT OR Apache-2.0
//! The levels as text. Pure.

use std::fmt::Write as _;

use super::checkpatch::Checkpatch;
use super::{Build, Level, Verdict};

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
        for reason in &level.reasons {
            let _ = writeln!(out, "      ✗ {reason}");
        }
        if let Build::Failed { details, reproduce, .. } = &level.build {
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
        for note in &level.notes {
            let _ = writeln!(out, "      note: {note}");
        }
    }
    out
}
