// SPDX-License-Identifier: MIT OR Apache-2.0
//! A report while it is being read.

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

use super::finding::{Finding, FindingKind, RawFrame};
use super::patterns::{Ends, Pattern};

/// A report that goes on longer is cut, in lines.
const MAX_EXCERPT: usize = 150;

/// Functions that every blocked or warning task is in.
const PLUMBING: &[&str] = &[
    "__schedule",
    "schedule",
    "schedule_preempt_disabled",
    "schedule_timeout",
    "__mutex_lock",
    "__mutex_lock_common",
    "__mutex_lock_slowpath",
    "mutex_lock",
    "mutex_lock_nested",
    "dump_stack",
    "dump_stack_lvl",
    "show_stack",
    "validate_chain",
    "__lock_acquire",
    "lock_acquire",
    "print_deadlock_bug",
    "context_switch",
    "preempt_schedule",
];

static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?P<lead>\s*(?:<\w+>\s*)?(?:\?\s+)?|RIP: \w+:\s*)(?P<fn>[A-Za-z_][\w.$]*)\+0x(?P<off>[0-9a-f]+)/0x(?P<size>[0-9a-f]+)(?: \[(?P<mod>[\w-]+)[^\]]*\])?").ok()
});

/// `ffffffff82a5c2e8 (ftrace_lock){+.+.}-{3:3}, at: unregister_ftrace_function+0x17/0x50`
static LOCK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\S+ \((?P<lock>.+)\)\{[^}]*\}(?:-\{[^}]*\})?, at: (?P<fn>[\w.]+)").ok()
});

static NUMBERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"0x[0-9a-fA-F]+|\b[0-9a-f]{8,16}\b|\d+").ok());

static TASK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"task \S+:\d+").ok());

/// An open report.
#[derive(Debug)]
pub struct Report {
    kind: FindingKind,
    ends: Ends,
    title: String,
    first_line: u64,
    lines: Vec<String>,
    frames: Vec<RawFrame>,
    lock: Option<(String, String)>,
    in_trace: bool,
}

impl Report {
    /// Opens a report at its first line.
    pub fn open(pattern: &Pattern, title: &str, line: u64) -> Self {
        Self {
            kind: pattern.kind,
            ends: pattern.ends,
            title: title.trim().to_owned(),
            first_line: line,
            lines: Vec::new(),
            frames: Vec::new(),
            lock: None,
            in_trace: false,
        }
    }

    /// Whether a new report's first line belongs to this one: an oops names its cause first, and
    /// then itself.
    pub fn includes(&self, pattern: &Pattern) -> bool {
        let cause = matches!(
            self.kind,
            FindingKind::PageFault
                | FindingKind::GeneralProtection
                | FindingKind::Bug
                | FindingKind::StackOverflow
                | FindingKind::ListCorruption
                | FindingKind::Refcount
                | FindingKind::FtraceBug
                | FindingKind::DebugObjects
        );
        let consequence =
            matches!(pattern.kind, FindingKind::Oops | FindingKind::Bug | FindingKind::Warn);
        cause && consequence && self.ends == Ends::EndMark
            || self.kind == FindingKind::Lockdep && pattern.kind == FindingKind::Lockdep
    }

    /// Takes a line. Gives back whether the report ends with it or before it.
    pub fn push(&mut self, message: &str) -> bool {
        if let Some(frame) = frame(message) {
            self.in_trace |= !frame.exact;
            self.frames.push(frame);
        } else if self.ends == Ends::AfterTrace && self.in_trace {
            let indented = message.starts_with([' ', '\t', '<']) || message.is_empty();
            let registers = ["RIP:", "RSP:", "RAX:", "RDX:", "RBP:", "R10:", "R13:", "Code:"];
            if !indented && !registers.iter().any(|r| message.starts_with(r)) {
                return true;
            }
        }
        if message.trim_start().starts_with("Call Trace:") {
            self.in_trace = true;
        }
        if self.lock.is_none()
            && let Some(found) = LOCK.as_ref().and_then(|r| r.captures(message))
        {
            self.lock = Some((found["lock"].to_owned(), found["fn"].to_owned()));
        }
        self.lines.push(message.trim_end().to_owned());
        self.ends == Ends::Here
            || message.starts_with("---[ end ")
            || self.lines.len() >= MAX_EXCERPT
    }

    /// The finding.
    pub fn close(self) -> Finding {
        let mut title = self.title;
        match &self.lock {
            Some((lock, function)) if self.kind == FindingKind::Lockdep => {
                let _ = write!(title, ": {lock}, in {function}");
            }
            _ => {}
        }
        let top: Vec<&str> = self
            .frames
            .iter()
            .filter(|f| !f.doubtful && !PLUMBING.contains(&f.function.as_str()))
            .map(|f| f.function.as_str())
            .take(3)
            .collect();
        if self.kind == FindingKind::HungTask
            && let Some(function) = top.first()
        {
            let _ = write!(title, ", in {function}");
        }
        let kind = serde_json::to_value(self.kind).ok();
        let kind = kind.as_ref().and_then(|k| k.as_str()).unwrap_or_default();
        let signature = format!("{kind}: {} [{}]", normalized(&title), top.join(" < "));
        let mut lines = self.lines;
        while lines.last().is_some_and(|l| l.trim().is_empty() || l.starts_with("=====")) {
            lines.pop();
        }
        Finding {
            kind: self.kind,
            title,
            signature,
            first_line: self.first_line,
            excerpt: lines.join("\n"),
            frames: self.frames,
        }
    }
}

/// A title without everything that differs from run to run.
fn normalized(title: &str) -> String {
    let replace = |regex: &Option<Regex>, text: String, by: &str| match regex {
        Some(regex) => regex.replace_all(&text, by).into_owned(),
        None => text,
    };
    let text = replace(&TASK, title.to_owned(), "task");
    replace(&NUMBERS, text, "N")
}

fn frame(message: &str) -> Option<RawFrame> {
    let found = FRAME.as_ref().filter(|_| message.contains("+0x"))?.captures(message)?;
    let hex = |name: &str| u64::from_str_radix(&found[name], 16).ok();
    let lead = &found["lead"];
    Some(RawFrame {
        function: found["fn"].to_owned(),
        offset: hex("off")?,
        size: hex("size")?,
        module: found.name("mod").map(|m| m.as_str().to_owned()),
        exact: lead.starts_with("RIP"),
        doubtful: lead.contains('?'),
    })
}
