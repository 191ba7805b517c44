// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be found.

use serde::{Deserialize, Serialize};

/// Kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "each is named as the kernel's own messages are")]
pub enum FindingKind {
    Panic,
    Oops,
    GeneralProtection,
    PageFault,
    DoubleFault,
    StackOverflow,
    StrayInt3,
    Bug,
    Warn,
    Lockdep,
    SleepingInAtomic,
    SchedulingWhileAtomic,
    SuspiciousRcu,
    HungTask,
    SoftLockup,
    HardLockup,
    RcuStall,
    WorkqueueLockup,
    Kasan,
    Kfence,
    Kcsan,
    Kmsan,
    Ubsan,
    Kmemleak,
    ListCorruption,
    Refcount,
    SlabCorruption,
    DebugObjects,
    FtraceBug,
    OutOfMemory,
    ModuleError,
    Reset,
}

/// A line of a call trace: `function+0x12/0x340 [module]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawFrame {
    /// The function's name.
    pub function: String,
    /// Offset in it, in bytes.
    pub offset: u64,
    /// Its length, in bytes.
    pub size: u64,
    /// The module that it is in; `None` for the kernel itself.
    pub module: Option<String>,
    /// Whether it is where the processor was (`RIP:`) rather than a return address.
    pub exact: bool,
    /// Whether the unwinder doubts it (`?`).
    pub doubtful: bool,
}

/// Something bad.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// One line for a person.
    pub title: String,
    /// The same for the same bug: kind, title without numbers and names of tasks, top functions.
    pub signature: String,
    /// Line of the log at which it begins, 1-based.
    pub first_line: u64,
    /// The report, without time stamps, to its end or to a limit.
    pub excerpt: String,
    /// The frames in it, in order.
    pub frames: Vec<RawFrame>,
}
