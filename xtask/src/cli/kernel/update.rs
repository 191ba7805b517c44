// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask kernel update`: pins move to the newest release that can be had.

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::file::MatrixFile;
use crate::cli::Session;
use crate::diagnosis::{Diagnosis, ExitKind};
use crate::tree::{self, KernelVersion, Matrix, Origin, Packaged, Release, Spec, edit};

/// Pin kernels to the newest release that can be had
#[derive(Debug, Args)]
pub struct Update {
    /// Names in matrix.yaml [default: all that come from Debian]
    #[arg(value_name = "NAME")]
    kernels: Vec<String>,
    /// Write nothing, and exit with 1 if a pin would move
    #[arg(long)]
    check: bool,
}

/// A kernel whose pin is looked at.
struct Asked {
    name: KernelVersion,
    spec: Spec,
}

/// What was found for a kernel.
#[derive(Debug, Serialize)]
struct Row {
    name: KernelVersion,
    old: Option<Release>,
    new: Release,
    moved: bool,
    skipped: Vec<String>,
}

impl Update {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        let (host, store) = (&session.host, &session.store);
        let file = MatrixFile::read(session)?;
        let asked = self.asked(&Matrix::parse(&file.path, &file.text)?)?;
        let packaged: Vec<_> = asked.iter().filter_map(Asked::packaged).collect();
        if session.dry_run {
            let commands: Vec<_> =
                packaged.iter().flat_map(|p| tree::commands(host, store, p)).collect();
            session.print(&commands.join("\n"), &json!({"commands": commands}))?;
            return Ok(ExitKind::Pass);
        }
        let newest = tree::newest(host, store, &packaged)?;
        let rows: Vec<_> =
            asked.iter().zip(newest).map(|(asked, newest)| asked.row(newest)).collect();
        let pins: Vec<_> =
            rows.iter().filter(|r| r.moved).map(|r| (r.name, r.new.clone())).collect();
        // Also with --check: what cannot be written is said now.
        let edited = edit::with_pins(&file.path, &file.text, &pins)?;
        let written = !self.check && !pins.is_empty();
        if written {
            file.write(session, &edited)?;
        }
        let text = text(&rows, self.check);
        session.print(&text, &json!({"kernels": rows, "written": written}))?;
        let would = self.check && !pins.is_empty();
        Ok(if would { ExitKind::CheckFailed } else { ExitKind::Pass })
    }

    /// The kernels that were named, or all that can have a pin.
    fn asked(&self, matrix: &Matrix) -> Result<Vec<Asked>, Diagnosis> {
        let known: Vec<_> = matrix.kernels.iter().map(|k| k.name.to_string()).collect();
        if let Some(unknown) = self.kernels.iter().find(|k| !known.contains(k)) {
            return Err(Diagnosis::usage(format!("no kernel {unknown} in matrix.yaml"))
                .detail(format!("known: {}", known.join(", "))));
        }
        let mut asked = Vec::new();
        for listed in &matrix.kernels {
            let is_named = self.kernels.contains(&listed.name.to_string());
            if !self.kernels.is_empty() && !is_named {
                continue;
            }
            let spec = listed.spec().map_err(Diagnosis::usage)?;
            if matches!(spec.origin, Origin::Debian { .. }) {
                asked.push(Asked { name: listed.name, spec });
            } else if is_named {
                let what = format!("kernel {} does not come from a Debian package", listed.name);
                return Err(Diagnosis::usage(what).next("only those have a pin"));
            }
        }
        Ok(asked)
    }
}

impl Asked {
    fn packaged(&self) -> Option<Packaged<'_>> {
        let Origin::Debian { package, suite, version, .. } = &self.spec.origin else { return None };
        Some(Packaged { package, suite, version: *version })
    }

    fn row(&self, newest: tree::Newest) -> Row {
        let old = match &self.spec.origin {
            Origin::Debian { pin, .. } => pin.clone(),
            _ => None,
        };
        let moved = !old.as_ref().is_some_and(|old| old.names(&newest.release));
        Row { name: self.name, old, new: newest.release, moved, skipped: newest.skipped }
    }
}

/// A table, and what it comes to.
fn text(rows: &[Row], check: bool) -> String {
    let head = ["kernel", "old pin", "new pin", "skipped"].map(str::to_owned);
    let mut lines = vec![head];
    for row in rows {
        let old = row.old.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
        let new = if row.moved { row.new.to_string() } else { "stays".to_owned() };
        let mut skipped = row.skipped.iter().cloned();
        lines.push([row.name.to_string(), old, new, skipped.next().unwrap_or_default()]);
        lines.extend(skipped.map(|why| [String::new(), String::new(), String::new(), why]));
    }
    let width = |n: usize| lines.iter().map(|line| line[n].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let mut text = String::new();
    for [name, old, new, skipped] in &lines {
        let [a, b, c] = widths;
        let line = format!("{name:<a$}  {old:<b$}  {new:<c$}  {skipped}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let moved = rows.iter().filter(|row| row.moved).count();
    let what = match (rows.len(), moved, check) {
        (0, ..) => "no kernel of matrix.yaml comes from a Debian package".to_owned(),
        (_, 0, _) => "nothing moved: every pin is the newest that can be had".to_owned(),
        (_, n, true) => format!("{n} would move; nothing was written"),
        (_, n, false) => format!("{n} moved, written to matrix.yaml"),
    };
    format!("{text}{what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, old: Option<&str>, new: &str, skipped: &[&str]) -> Row {
        let spec = Spec {
            name: name.into(),
            origin: Origin::Debian {
                package: "linux".into(),
                suite: "s".into(),
                version: name.parse().unwrap(),
                pin: old.map(|p| p.parse().unwrap()),
            },
        };
        let skipped = skipped.iter().map(|&s| s.to_owned()).collect();
        let asked = Asked { name: name.parse().unwrap(), spec };
        asked.row(tree::Newest { release: new.parse().unwrap(), skipped })
    }

    #[test]
    fn what_moved_is_a_table() {
        let rows = [
            row("5.10", Some("5.10.262-1"), "5.10.262-1", &[]),
            row("6.1", Some("6.1.190-1"), "6.1.187-1", &["6.1.192-3: 404", "6.1.190-1: 404"]),
            row("6.12", None, "6.12.107-1~deb12u1", &[]),
            row("6.18", Some("6.18.15"), "6.18.15-1~bpo13+1", &[]),
        ];
        insta::assert_snapshot!(text(&rows, false), @r"
        kernel  old pin     new pin             skipped
        5.10    5.10.262-1  stays
        6.1     6.1.190-1   6.1.187-1           6.1.192-3: 404
                                                6.1.190-1: 404
        6.12    none        6.12.107-1~deb12u1
        6.18    6.18.15     stays
        2 moved, written to matrix.yaml
        ");
        assert!(text(&rows, true).ends_with("2 would move; nothing was written"));
        assert!(
            text(&rows[..1], false)
                .ends_with("nothing moved: every pin is the newest that can be had")
        );
        assert!(text(&[], false).contains("no kernel"));
    }

    #[test]
    fn another_revision_of_the_same_source_moves_a_full_pin_only() {
        assert!(row("6.1", Some("6.1.9-1"), "6.1.9-2", &[]).moved);
        assert!(!row("6.1", Some("6.1.9"), "6.1.9-2", &[]).moved);
    }
}
