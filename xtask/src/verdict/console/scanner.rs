// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scanner.

use serde::Serialize;

use super::finding::{Finding, FindingKind};
use super::line::{MAX_LINE, message};
use super::patterns::COMPILED;
use super::report::Report;

/// More findings than this are counted, not kept.
const MAX_FINDINGS: usize = 64;

/// How the kernel's first line begins, see `init/version.c`.
const BANNER: &str = "Linux version ";

/// Something that a running guest may be ended for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanEvent {
    /// The kernel panicked.
    Panic,
    /// A task is reported as hung.
    HungTask,
    /// RCU reports a stall.
    RcuStall,
    /// The kernel started over.
    SecondBootBanner,
    /// An `int3` that nobody owns.
    StrayInt3,
}

/// What a scan found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Scan {
    /// Whether the scanner was able to scan; if not, nothing is known.
    pub able: bool,
    /// Lines that were scanned.
    pub lines: u64,
    /// Bytes that were scanned.
    pub bytes: u64,
    /// How often a kernel started.
    pub boot_banners: u32,
    /// What was found, in order; at most 64.
    pub findings: Vec<Finding>,
    /// How many findings there were in all.
    pub total_findings: u64,
}

/// Scans a console as it comes.
#[derive(Debug, Default)]
pub struct Scanner {
    scan: Scan,
    pending: Vec<u8>,
    open: Option<Report>,
    stamps_seen: bool,
    events: Vec<ScanEvent>,
}

impl Scanner {
    /// A scanner at the start of a log.
    pub fn new() -> Self {
        let scan = Scan { able: COMPILED.is_some(), ..Scan::default() };
        Self { scan, ..Self::default() }
    }

    /// Takes more of the log.
    pub fn push(&mut self, bytes: &[u8]) {
        self.scan.bytes += bytes.len() as u64;
        for piece in bytes.split_inclusive(|&b| b == b'\n') {
            let room = MAX_LINE.saturating_sub(self.pending.len());
            self.pending.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    /// What happened since the last call.
    pub fn events(&mut self) -> Vec<ScanEvent> {
        std::mem::take(&mut self.events)
    }

    /// The log is over.
    pub fn finish(mut self) -> Scan {
        if !self.pending.is_empty() {
            self.end_line();
        }
        self.close();
        self.scan
    }

    fn end_line(&mut self) {
        self.scan.lines += 1;
        let line = std::mem::take(&mut self.pending);
        let message = message(&line);
        self.pending = line;
        self.pending.clear();
        self.stamps_seen |= message.stamped;
        // In a log with time stamps, a line without one is not the kernel's.
        if self.stamps_seen && !message.stamped {
            return;
        }
        self.line(&message.text);
    }

    fn line(&mut self, text: &str) {
        if text.starts_with(BANNER) {
            self.scan.boot_banners += 1;
            if self.scan.boot_banners > 1 {
                self.events.push(ScanEvent::SecondBootBanner);
                self.close();
                self.keep(Finding {
                    kind: FindingKind::Reset,
                    title: "the kernel started over".into(),
                    signature: "reset: the kernel started over".into(),
                    first_line: self.scan.lines,
                    excerpt: text.to_owned(),
                    frames: Vec::new(),
                });
            }
            return;
        }
        if let Some((pattern, title)) = COMPILED.as_ref().and_then(|c| c.find(text)) {
            match pattern.kind {
                FindingKind::Panic => self.events.push(ScanEvent::Panic),
                FindingKind::HungTask => self.events.push(ScanEvent::HungTask),
                FindingKind::RcuStall => self.events.push(ScanEvent::RcuStall),
                FindingKind::StrayInt3 => self.events.push(ScanEvent::StrayInt3),
                _ => {}
            }
            if !self.open.as_ref().is_some_and(|open| open.includes(pattern)) {
                self.close();
                self.open = Some(Report::open(pattern, title, self.scan.lines));
            }
        }
        if self.open.as_mut().is_some_and(|open| open.push(text)) {
            self.close();
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.keep(open.close());
        }
    }

    fn keep(&mut self, finding: Finding) {
        self.scan.total_findings += 1;
        if self.scan.findings.len() < MAX_FINDINGS {
            self.scan.findings.push(finding);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::path::Path;

    fn scan(log: &[u8], piece: usize) -> Scan {
        let mut scanner = Scanner::new();
        for bytes in log.chunks(piece) {
            scanner.push(bytes);
        }
        scanner.finish()
    }

    fn summary(scan: &Scan) -> String {
        let mut text = String::new();
        for f in &scan.findings {
            let lines: Vec<_> = f.excerpt.lines().collect();
            let _ = writeln!(text, "line {}: {:?}: {}", f.first_line, f.kind, f.title);
            let _ = writeln!(text, "  signature: {}", f.signature);
            let _ = writeln!(text, "  {} lines, {} frames", lines.len(), f.frames.len());
            let _ = writeln!(text, "  last: {}", lines.last().unwrap_or(&""));
        }
        text
    }

    fn fixture(name: &str) -> Vec<u8> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/verdict/console/fixtures");
        std::fs::read(path.join(name)).unwrap()
    }

    #[test]
    fn logs_of_our_own_runs() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/verdict/console/fixtures");
        let mut names: Vec<_> = std::fs::read_dir(directory)
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "log"))
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert!(names.len() >= 4, "{names:?}");
        for name in names {
            let log = fixture(&name);
            let whole = scan(&log, log.len());
            assert!(whole.able);
            for piece in [1, 7, 4096] {
                assert_eq!(
                    scan(&log, piece).findings,
                    whole.findings,
                    "{name} in pieces of {piece}"
                );
            }
            insta::assert_snapshot!(name, summary(&whole));
        }
    }

    #[test]
    fn noise_on_the_wire_changes_nothing() {
        let log = fixture("6.1-unregister-under-lock.log");
        let clean = scan(&log, 4096);
        assert!(!clean.findings.is_empty());
        let text = String::from_utf8_lossy(&log).into_owned();
        let noisy = [
            text.replace('\n', "\r\n"),
            text.replace("] ", "]\x1b[0m "),
            text.replace("] ", "][    T1] "),
            text.replace('\n', "\0\n"),
        ];
        for variant in noisy {
            let got = scan(variant.as_bytes(), 100);
            let titles =
                |s: &Scan| s.findings.iter().map(|f| f.signature.clone()).collect::<Vec<_>>();
            assert_eq!(titles(&got), titles(&clean));
        }
    }

    #[test]
    fn user_space_cannot_fake_a_report() {
        let log = b"[    0.000000] Linux version 6.1\nBUG: says a program\n[    1.000000] fine\n";
        assert_eq!(scan(log, 10).findings, []);
        let log = b"Linux version 6.1\nBUG: no time stamps here\n";
        assert_eq!(scan(log, 10).findings.len(), 1);
    }

    #[test]
    fn a_cut_report_is_still_a_finding() {
        let log = b"[    1.000000] BUG: kernel NULL pointer dereference, address: 0\n[    1.000001] RIP: 0010:f+0x1/0x2 [m]";
        let found = scan(log, 3);
        assert_eq!(found.findings.len(), 1);
        assert_eq!(found.findings[0].frames[0].module.as_deref(), Some("m"));
    }

    #[test]
    fn a_runaway_console_stays_bounded() {
        let mut scanner = Scanner::new();
        for n in 0..20_000 {
            scanner.push(format!("[{:5}.000000] BUG: number {n}\n", n % 10_000).as_bytes());
        }
        scanner.push(&vec![b'x'; 10 << 20]);
        let scan = scanner.finish();
        assert_eq!(scan.findings.len(), MAX_FINDINGS);
        assert_eq!(scan.total_findings, 20_000);
    }
}
