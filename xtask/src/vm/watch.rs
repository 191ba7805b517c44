// SPDX-License-Identifier: MIT OR Apache-2.0
//! When is a guest over? A pure state machine: it is told what happened and when, and decides.

use std::time::Duration;

use serde::Serialize;
use wire::{Job, Task};

use super::Accel;

/// How long a guest may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// From QEMU's start to the guest's first record.
    pub boot: Duration,
    /// Without a word on the console and without a heartbeat.
    pub silence: Duration,
    /// From QEMU's start to the guest's last record.
    pub overall: Duration,
    /// From the last record to QEMU's own end, and for the rest of a report after a bad event.
    pub grace: Duration,
}

impl Limits {
    /// Generous limits for a job. They only catch what hangs, so they scale with how slow guest and
    /// kernel may rightly be: `debug` is for kernels with lockdep and the like.
    pub fn for_job(job: &Job, accel: Accel, debug: bool) -> Self {
        let scale = accel.patience() * if debug { 2 } else { 1 };
        let boot = Duration::from_secs(20) * scale;
        let settle = Duration::from_millis(job.settle_ms);
        let tasks: Option<Duration> = job
            .tasks
            .iter()
            .map(|task| match task {
                Task::Stress(spec) => Some(
                    Duration::from_millis(spec.duration_ms) * 2 + Duration::from_secs(20) * scale,
                ),
                Task::Command { .. } | Task::Shell { .. } => None,
            })
            .sum();
        // A person's command may take as long as it likes.
        let overall = tasks.map_or(Duration::MAX, |tasks| boot + tasks + settle * scale);
        Self {
            boot,
            silence: Duration::from_secs(15) * scale,
            overall,
            grace: Duration::from_secs(2) * scale.max(2) / 2,
        }
    }
}

/// Something that happened in or to the guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Bytes came over the console.
    ConsoleBytes,
    /// The guest's first record.
    Hello,
    /// Any other record.
    Record,
    /// The guest's last record.
    End,
    /// A line that is no record: the channel cannot be trusted any more.
    BadRecord,
    /// The kernel panicked.
    Panic,
    /// A hung-task report.
    HungTask,
    /// An RCU-stall report.
    RcuStall,
    /// The boot banner appeared once more.
    SecondBanner,
    /// QEMU is gone.
    QemuGone,
    /// Time went by.
    Tick,
}

/// Why a guest is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// The guest sent its last record.
    Complete,
    /// The kernel panicked.
    Panic,
    /// Two hung-task reports.
    HungTask,
    /// Two RCU-stall reports.
    RcuStall,
    /// The guest started over.
    Reset,
    /// QEMU ended before the guest's last record.
    QemuDied,
    /// No first record in time.
    BootLimit,
    /// No sign of life for too long.
    Silence,
    /// Signs of life, but no end in time.
    OverallLimit,
    /// The records cannot be trusted.
    BadRecord,
}

/// The state machine.
#[derive(Debug)]
pub struct Watch {
    limits: Limits,
    hello: bool,
    hung_tasks: u32,
    rcu_stalls: u32,
    last_sign: Duration,
    /// Why it is over, and since when.
    ended: Option<(Ended, Duration)>,
}

impl Watch {
    /// A watch over a guest that starts now, at time zero.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            hello: false,
            hung_tasks: 0,
            rcu_stalls: 0,
            last_sign: Duration::ZERO,
            ended: None,
        }
    }

    /// Takes an event at a time since QEMU's start. `Some` means: end QEMU now, for this reason.
    ///
    /// Between the event that ends a guest and `Some` lies the grace time, in which the rest of a
    /// report still arrives.
    pub fn on(&mut self, now: Duration, event: Event) -> Option<Ended> {
        let sign = match event {
            Event::ConsoleBytes | Event::Record | Event::Hello => true,
            Event::Tick => false,
            _ => {
                self.bad_or_last(now, event);
                false
            }
        };
        if sign {
            self.last_sign = now;
            self.hello |= event == Event::Hello;
        }
        if let Some((why, since)) = self.ended {
            let over = event == Event::QemuGone || now >= since + self.limits.grace;
            return over.then_some(why);
        }
        if event == Event::Tick {
            let limit = if now >= self.limits.overall {
                Some(Ended::OverallLimit)
            } else if !self.hello && now >= self.limits.boot {
                Some(Ended::BootLimit)
            } else if self.hello && now >= self.last_sign + self.limits.silence {
                Some(Ended::Silence)
            } else {
                None
            };
            if let Some(why) = limit {
                self.ended = Some((why, now));
                return Some(why);
            }
        }
        None
    }

    fn bad_or_last(&mut self, now: Duration, event: Event) {
        let why = match event {
            Event::End => Ended::Complete,
            Event::BadRecord => Ended::BadRecord,
            Event::Panic => Ended::Panic,
            Event::SecondBanner => Ended::Reset,
            Event::QemuGone => Ended::QemuDied,
            Event::HungTask => {
                self.hung_tasks += 1;
                if self.hung_tasks < 2 {
                    return;
                }
                Ended::HungTask
            }
            Event::RcuStall => {
                self.rcu_stalls += 1;
                if self.rcu_stalls < 2 {
                    return;
                }
                Ended::RcuStall
            }
            _ => return,
        };
        // The first reason stands: a panic after the last record is the scanner's to find.
        self.ended.get_or_insert((why, now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        boot: Duration::from_secs(10),
        silence: Duration::from_secs(5),
        overall: Duration::from_secs(60),
        grace: Duration::from_secs(2),
    };

    /// Feeds events at times in seconds and gives back when and why the watch said "end".
    fn watch(events: &[(u64, Event)]) -> Option<(u64, Ended)> {
        let mut watch = Watch::new(LIMITS);
        events
            .iter()
            .find_map(|&(at, event)| watch.on(Duration::from_secs(at), event).map(|why| (at, why)))
    }

    #[test]
    fn each_way_to_end() {
        use Event::{
            BadRecord, ConsoleBytes, End, Hello, HungTask, Panic, QemuGone, RcuStall, Record,
            SecondBanner, Tick,
        };
        type Case<'a> = (&'a str, &'a [(u64, Event)], Option<(u64, Ended)>);
        let cases: &[Case<'_>] = &[
            (
                "last record, then QEMU leaves",
                &[(1, Hello), (3, End), (4, QemuGone)],
                Some((4, Ended::Complete)),
            ),
            (
                "last record, QEMU stays",
                &[(1, Hello), (3, End), (4, Tick), (5, Tick)],
                Some((5, Ended::Complete)),
            ),
            ("QEMU leaves early", &[(1, Hello), (3, QemuGone)], Some((3, Ended::QemuDied))),
            ("QEMU never speaks", &[(0, QemuGone)], Some((0, Ended::QemuDied))),
            (
                "panic, then QEMU leaves",
                &[(1, Hello), (2, Panic), (3, QemuGone)],
                Some((3, Ended::Panic)),
            ),
            ("panic in boot", &[(1, Panic), (3, Tick)], Some((3, Ended::Panic))),
            (
                "one hung task is not the end",
                &[(1, Hello), (2, HungTask), (4, Record), (8, Tick)],
                None,
            ),
            (
                "two hung tasks are",
                &[(1, Hello), (2, HungTask), (3, HungTask), (5, Tick)],
                Some((5, Ended::HungTask)),
            ),
            (
                "two stalls are",
                &[(1, Hello), (2, RcuStall), (3, RcuStall), (5, Tick)],
                Some((5, Ended::RcuStall)),
            ),
            ("one of each is not", &[(1, Hello), (2, RcuStall), (3, HungTask), (5, Tick)], None),
            ("starts over", &[(1, Hello), (2, SecondBanner), (4, Tick)], Some((4, Ended::Reset))),
            (
                "slow boot with console",
                &[(9, ConsoleBytes), (10, Tick)],
                Some((10, Ended::BootLimit)),
            ),
            ("quiet boot is no silence", &[(9, Tick), (9, Hello), (13, Tick)], None),
            (
                "silence",
                &[(1, Hello), (2, Record), (6, Tick), (7, Tick)],
                Some((7, Ended::Silence)),
            ),
            ("heartbeats only", &[(1, Hello), (5, Record), (9, Record), (13, Tick)], None),
            ("console only", &[(1, Hello), (5, ConsoleBytes), (9, ConsoleBytes), (13, Tick)], None),
            (
                "never ends",
                &[(1, Hello), (59, Record), (60, Tick)],
                Some((60, Ended::OverallLimit)),
            ),
            (
                "broken record",
                &[(1, Hello), (2, BadRecord), (4, Tick)],
                Some((4, Ended::BadRecord)),
            ),
            (
                "end after panic stays a panic",
                &[(1, Hello), (2, Panic), (3, End), (4, Tick)],
                Some((4, Ended::Panic)),
            ),
        ];
        for (what, events, want) in cases {
            assert_eq!(watch(events), *want, "{what}");
        }
    }

    #[test]
    fn limits_grow_with_slowness_and_work() {
        let job = |duration_ms| Job {
            tasks: vec![Task::Stress(wire::StressSpec {
                name: "x".into(),
                modules: vec![],
                duration_ms,
                workers: 2,
                targets: 1,
                seed: 1,
            })],
            settle_ms: 1000,
            heartbeat_ms: 1000,
        };
        let kvm = Limits::for_job(&job(10_000), Accel::Kvm, false);
        let tcg = Limits::for_job(&job(10_000), Accel::TcgSingle, true);
        let long = Limits::for_job(&job(100_000), Accel::TcgSingle, true);
        assert!(kvm.boot < tcg.boot && kvm.silence < tcg.silence && kvm.overall < tcg.overall);
        assert_eq!(long.overall.checked_sub(tcg.overall).unwrap(), Duration::from_secs(180));
        let shell = Job {
            tasks: vec![Task::Shell { term: String::new(), rows: 0, columns: 0 }],
            settle_ms: 0,
            heartbeat_ms: 1000,
        };
        assert_eq!(Limits::for_job(&shell, Accel::Kvm, false).overall, Duration::MAX);
    }
}
