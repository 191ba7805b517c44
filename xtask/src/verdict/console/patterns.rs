// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the kernel's reports begin and end, with the file of the kernel that prints each.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use super::finding::FindingKind as Kind;

/// How a report ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// With this very line.
    Here,
    /// With the first line behind its call trace that is not indented.
    AfterTrace,
    /// With `---[ end`, see `kernel/panic.c`.
    EndMark,
}

/// One way for a report to begin.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    /// What it is.
    pub kind: Kind,
    /// Matches at the start of the message; group 1 is the title.
    pub regex: &'static str,
    /// How it ends.
    pub ends: Ends,
}

const fn p(kind: Kind, regex: &'static str, ends: Ends) -> Pattern {
    Pattern { kind, regex, ends }
}

/// The first that matches counts, so special ones come before general ones.
pub const PATTERNS: &[Pattern] = &[
    // kernel/panic.c
    p(Kind::Panic, r"^(Kernel panic - not syncing: .*)", Ends::EndMark),
    // arch/x86/kernel/traps.c, arch/x86/mm/fault.c
    p(Kind::StrayInt3, r"^(?:Oops: )?(int3: .*)", Ends::EndMark),
    p(Kind::DoubleFault, r"^(?:traps: )?(?:PANIC: )?(double fault.*)", Ends::EndMark),
    p(Kind::GeneralProtection, r"^(?:Oops: )?(general protection fault.*)", Ends::EndMark),
    p(Kind::StackOverflow, r"^(?:BUG: )?((?:\w+ )?stack guard page was hit.*)", Ends::EndMark),
    p(
        Kind::PageFault,
        r"^BUG: (kernel NULL pointer dereference.*|unable to handle .*)",
        Ends::EndMark,
    ),
    p(Kind::PageFault, r"^(Unable to handle kernel .*)", Ends::EndMark),
    // lib/bug.c
    p(Kind::Bug, r"^(kernel BUG at .*)", Ends::EndMark),
    p(
        Kind::Oops,
        r"^(Oops: .*|Oops - .*|Internal error: .*|invalid opcode: .*|divide error: .*|stack segment: .*)",
        Ends::EndMark,
    ),
    // mm/kasan/report.c, mm/kfence/report.c, kernel/kcsan/report.c, mm/kmsan/report.c, lib/ubsan.c
    p(Kind::Kasan, r"^BUG: (KASAN: .*)", Ends::AfterTrace),
    p(Kind::Kfence, r"^BUG: (KFENCE: .*)", Ends::AfterTrace),
    p(Kind::Kcsan, r"^BUG: (KCSAN: .*)", Ends::AfterTrace),
    p(Kind::Kmsan, r"^BUG: (KMSAN: .*)", Ends::AfterTrace),
    p(Kind::Ubsan, r"^(UBSAN: .*)", Ends::AfterTrace),
    // kernel/sched/core.c
    p(
        Kind::SleepingInAtomic,
        r"^BUG: (sleeping function called from invalid context.*)",
        Ends::AfterTrace,
    ),
    p(Kind::SchedulingWhileAtomic, r"^BUG: (scheduling while atomic.*)", Ends::AfterTrace),
    // kernel/locking/lockdep.c, kernel/locking/rtmutex.c
    p(Kind::SuspiciousRcu, r"^(?:WARNING|INFO): (suspicious RCU usage.*)", Ends::AfterTrace),
    p(
        Kind::Lockdep,
        r"^(?:WARNING|INFO): ((?:possible|inconsistent|bad unlock|bad contention|held lock|lock held|Nested lock|irq|HARDIRQ|SOFTIRQ|RECLAIM|suspicious|trying to register non-static|\w+ lock order).*)",
        Ends::AfterTrace,
    ),
    p(Kind::Lockdep, r"^\[ BUG: (.*) \]", Ends::AfterTrace),
    p(
        Kind::Lockdep,
        r"^(INFO: trying to register non-static key.*|BUG: MAX_LOCK\w+ too low.*|BUG: MAX_STACK\w+ too low.*)",
        Ends::AfterTrace,
    ),
    // kernel/hung_task.c
    p(
        Kind::HungTask,
        r"^INFO: (task .* blocked (?:for more than|in I/O wait for more than) \d+ seconds.*)",
        Ends::AfterTrace,
    ),
    // kernel/watchdog.c, kernel/watchdog_hld.c
    p(Kind::SoftLockup, r"^(?:watchdog: )?BUG: (soft lockup.*)", Ends::AfterTrace),
    p(
        Kind::HardLockup,
        r"^(?:NMI watchdog: |watchdog: )?(?:BUG: )?([Ww]atchdog detected hard LOCKUP.*)",
        Ends::AfterTrace,
    ),
    // kernel/rcu/tree_stall.h, kernel/rcu/tasks.h, kernel/rcu/srcutree.c
    p(
        Kind::RcuStall,
        r"^(?:rcu: )?INFO: (rcu_\w+ (?:self-)?detected (?:expedited )?stalls?.*)",
        Ends::AfterTrace,
    ),
    p(Kind::RcuStall, r"^(?:rcu: )?(rcu_\w+ kthread (?:starved|timer wakeup).*)", Ends::AfterTrace),
    // kernel/workqueue.c
    p(Kind::WorkqueueLockup, r"^BUG: (workqueue lockup.*)", Ends::AfterTrace),
    // mm/kmemleak.c
    p(Kind::Kmemleak, r"^kmemleak: ([1-9]\d* new suspected memory leaks.*)", Ends::Here),
    // lib/list_debug.c, lib/refcount.c, mm/slub.c, lib/debugobjects.c
    p(Kind::ListCorruption, r"^(list_(?:add|del) (?:corruption|double add).*)", Ends::EndMark),
    p(Kind::Refcount, r"^(refcount_t: .*)", Ends::EndMark),
    p(Kind::SlabCorruption, r"^(BUG \S+ \([^)]*\): .*)", Ends::AfterTrace),
    p(Kind::DebugObjects, r"^(ODEBUG: .*)", Ends::EndMark),
    // kernel/trace/ftrace.c
    p(Kind::FtraceBug, r"^-+\[ (ftrace bug) \]-+", Ends::EndMark),
    p(Kind::FtraceBug, r"^(Bad trampoline accounting.*)", Ends::EndMark),
    // mm/oom_kill.c
    p(Kind::OutOfMemory, r"^(Out of memory: .*|\S+ invoked oom-killer.*)", Ends::AfterTrace),
    // kernel/module/main.c
    p(
        Kind::ModuleError,
        r"^(\S+: (?:version magic '.*|disagrees about version of symbol .*|Unknown symbol .*))",
        Ends::Here,
    ),
    // kernel/panic.c: up to 6.16 `WARNING: CPU: 0 PID: 1 at f.c:1 fn+0x…`, then `WARNING: f.c:1 at fn+0x…`
    p(Kind::Warn, r"^(WARNING: CPU: .*|WARNING: \S+:\d+ at .*)", Ends::EndMark),
    // Whatever else calls itself a bug or a warning must not go unseen.
    p(Kind::Bug, r"^(BUG: .*)", Ends::AfterTrace),
    p(Kind::Warn, r"^(WARNING: .*)", Ends::AfterTrace),
];

/// All patterns compiled.
pub struct Compiled {
    set: RegexSet,
    each: Vec<Regex>,
}

/// The compiled table. The patterns are constants, and a test compiles them all.
pub static COMPILED: LazyLock<Option<Compiled>> = LazyLock::new(|| {
    let set = RegexSet::new(PATTERNS.iter().map(|p| p.regex)).ok()?;
    let each = PATTERNS.iter().map(|p| Regex::new(p.regex).ok()).collect::<Option<_>>()?;
    Some(Compiled { set, each })
});

impl Compiled {
    /// The first pattern that a message begins with, and the title in it.
    pub fn find<'a>(&self, message: &'a str) -> Option<(&'static Pattern, &'a str)> {
        let first = self.set.matches(message).into_iter().next()?;
        let title = self.each[first].captures(message)?.get(1)?.as_str();
        Some((&PATTERNS[first], title))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(COMPILED.is_some());
    }

    #[test]
    fn first_lines_of_every_kind() {
        let lines = [
            "Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000100",
            "Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)",
            "BUG: kernel NULL pointer dereference, address: 0000000000000000",
            "BUG: unable to handle page fault for address: ffffffffc0000000",
            "general protection fault, probably for non-canonical address 0xdead: 0000 [#1] SMP",
            "Oops: general protection fault, maybe for address 0x0: 0000 [#1] SMP",
            "Oops: 0002 [#1] PREEMPT SMP NOPTI",
            "int3: 0000 [#1] PREEMPT SMP",
            "kernel BUG at drivers/misc/lkdtm/bugs.c:76!",
            "WARNING: CPU: 0 PID: 57 at kernel/trace/ftrace.c:5561 f+0x12/0x30 [m]",
            "WARNING: kernel/trace/ftrace.c:5561 at f+0x12/0x30, CPU#0: sh/57",
            "WARNING: possible recursive locking detected",
            "WARNING: possible circular locking dependency detected",
            "WARNING: inconsistent lock state",
            "WARNING: held lock freed!",
            "WARNING: suspicious RCU usage",
            "[ BUG: Invalid wait context ]",
            "BUG: sleeping function called from invalid context at kernel/locking/mutex.c:580",
            "BUG: scheduling while atomic: insmod/57/0x00000002",
            "INFO: task init:57 blocked for more than 10 seconds.",
            "watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [insmod:57]",
            "NMI watchdog: Watchdog detected hard LOCKUP on cpu 0",
            "rcu: INFO: rcu_preempt self-detected stall on CPU",
            "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
            "INFO: rcu_tasks detected stalls on tasks:",
            "BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 31s!",
            "BUG: KASAN: slab-out-of-bounds in f+0x1/0x2",
            "UBSAN: array-index-out-of-bounds in a.c:1:2",
            "list_add corruption. next->prev should be prev",
            "refcount_t: underflow; use-after-free.",
            "BUG kmalloc-64 (Tainted: G    B): Redzone overwritten",
            "ODEBUG: free active (active state 0) object type: timer_list",
            "------------[ ftrace bug ]------------",
            "Out of memory: Killed process 57 (init)",
            "direct_c: version magic '5.10.1 ' should be '6.1.1 '",
            "direct_c: Unknown symbol f (err -2)",
            "BUG: Bad page state in process x  pfn:1",
            "WARNING: something of tomorrow",
        ];
        let compiled = COMPILED.as_ref().unwrap();
        let shown: Vec<_> = lines
            .iter()
            .map(|line| match compiled.find(line) {
                Some((pattern, title)) => format!("{:?}: {title}", pattern.kind),
                None => format!("NOTHING: {line}"),
            })
            .collect();
        insta::assert_snapshot!(shown.join("\n"));
    }

    #[test]
    fn harmless_lines_are_left_alone() {
        for line in [
            "direct_target: loading out-of-tree module taints kernel.",
            "kprobes: kprobe jump-optimization is enabled. All kprobes are optimized if possible.",
            "Spectre V1 : Mitigation: usercopy/swapgs barriers",
            "this is not a BUG: at all",
            "kx-init: WARNING: is only a word here",
            "ACPI: Preparing to enter system sleep state S5",
            "kmemleak: 0 new suspected memory leaks",
            "... MAX_LOCKDEP_SUBCLASSES:  8",
            "Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar",
        ] {
            assert!(COMPILED.as_ref().unwrap().find(line).is_none(), "{line}");
        }
    }
}
