// SPDX-License-Identifier: MIT OR Apache-2.0
//! From evidence to a verdict. Pure: everything it knows is in its arguments.

use std::collections::BTreeMap;

use wire::{Outcome, TestResult};

use super::console::FindingKind;
use super::result::{FindingResult, PropertyResult, TestCounters, Verdict};
use crate::diagnosis::ExitKind;
use crate::vm::{Accel, Ended, Session};

/// What happened.
#[derive(Debug)]
pub struct Evidence<'a> {
    /// The guest, from start to end.
    pub session: &'a Session,
    /// Its findings, decoded.
    pub findings: &'a [FindingResult],
    /// Names of the tests that were asked for.
    pub tests: &'a [String],
    /// What executed the guest.
    pub accel: Accel,
}

/// What it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in one line.
    pub reason: String,
    /// The exit code.
    pub exit: ExitKind,
    /// Properties, in the order of the table.
    pub properties: Vec<PropertyResult>,
    /// Counters summed over the tests.
    pub stress: BTreeMap<String, i64>,
    /// Counters of each test.
    pub tests: Vec<TestCounters>,
}

/// A property that is a counter which must be zero.
struct ZeroProperty {
    name: &'static str,
    counters: &'static [&'static str],
    /// The counter of the calls that could break it, and what to call them.
    of: (&'static str, &'static str),
    /// What a count of them means.
    failed: &'static str,
    held: &'static str,
}

const ZERO_PROPERTIES: &[ZeroProperty] = &[
    ZeroProperty {
        name: "no-missed-call",
        counters: &["missed"],
        of: ("checked", "checked calls"),
        failed: "reached neither trampoline",
        held: "every call made during a modify reached a trampoline",
    },
    ZeroProperty {
        name: "no-doubled-call",
        counters: &["doubled"],
        of: ("calls", "calls"),
        failed: "reached more than one trampoline",
        held: "no call reached more than one trampoline",
    },
    ZeroProperty {
        name: "no-stale-call",
        counters: &["stale"],
        of: ("checked", "checked calls"),
        failed: "that started after a modify had returned reached the trampoline of before",
        held: "after a modify had returned, every call reached the new trampoline",
    },
    ZeroProperty {
        name: "no-call-outside-registration",
        counters: &["early", "late"],
        of: ("calls", "calls"),
        failed: "reached a trampoline before register or after unregister",
        held: "no call reached a trampoline before register or after unregister",
    },
    ZeroProperty {
        name: "arguments-and-return-preserved",
        counters: &["corrupted"],
        of: ("calls", "calls"),
        failed: "lost an argument or their return value",
        held: "arguments and return values came through",
    },
];

/// Counters that must be above zero for a stress loop to prove anything.
const PROOF: &[&str] =
    &["modifies", "calls", "checked", "settled", "before", "after", "reached_0", "reached_1"];

/// Judges a guest that is over.
pub fn judge(evidence: &Evidence<'_>) -> Judgement {
    let tests = counters(&evidence.session.results);
    let stress = sum(&tests);
    let properties = properties(evidence.session, &stress);
    let (verdict, reason, exit) = verdict(evidence, &properties, &tests);
    Judgement { verdict, reason, exit, properties, stress, tests }
}

fn counters(results: &[TestResult]) -> Vec<TestCounters> {
    results
        .iter()
        .map(|result| TestCounters {
            name: result.name.clone(),
            numbers: result.counters.numbers.clone(),
            words: result.counters.words.clone(),
        })
        .collect()
}

fn sum(tests: &[TestCounters]) -> BTreeMap<String, i64> {
    let mut sum = BTreeMap::new();
    for (key, value) in tests.iter().flat_map(|t| &t.numbers) {
        // Sums of parameters and of latencies say nothing.
        let summable = !key.ends_with("_ns") && !key.contains("_ns_");
        if summable
            && !matches!(
                key.as_str(),
                "complete" | "seed" | "run" | "workers" | "targets" | "settle_ms" | "errno"
            )
        {
            *sum.entry(key.clone()).or_insert(0) += value;
        }
    }
    sum
}

fn properties(session: &Session, stress: &BTreeMap<String, i64>) -> Vec<PropertyResult> {
    let of = |key: &str| stress.get(key).copied();
    let checked = of("checked").unwrap_or(0);
    let mut all: Vec<_> = ZERO_PROPERTIES
        .iter()
        .map(|property| {
            let counts: Option<Vec<i64>> = property.counters.iter().map(|c| of(c)).collect();
            let (verdict, detail) = match counts.map(|c| c.iter().sum::<i64>()) {
                None => (Verdict::Infra, "not checked: the stress loop did not end".to_owned()),
                Some(0) if checked > 0 => (Verdict::Pass, property.held.to_owned()),
                Some(0) => (Verdict::Infra, "not checked: no call was made".to_owned()),
                Some(n) => {
                    let (base, calls) = (of(property.of.0).unwrap_or(0), property.of.1);
                    let share = percent(n, base);
                    (Verdict::Fail, format!("{n} of {base} {calls} {} ({share})", property.failed))
                }
            };
            PropertyResult { name: property.name.to_owned(), verdict, detail }
        })
        .collect();
    let failed_step = session.results.iter().find_map(|r| {
        let step = r.counters.words.get("failed_step").filter(|s| *s != "none")?;
        let errno = r.counters.numbers.get("errno").copied().unwrap_or(0);
        Some(format!("{step} failed with errno {errno}"))
    });
    let (verdict, detail) = match failed_step {
        Some(detail) => (Verdict::Fail, detail),
        None if session.unfinished.is_some() => {
            (Verdict::Fail, "the stress loop never came to its end".to_owned())
        }
        None if session.results.is_empty() => (Verdict::Infra, "not checked".to_owned()),
        None => (Verdict::Pass, format!("{} modifies returned 0", of("modifies").unwrap_or(0))),
    };
    all.push(PropertyResult { name: "every-call-of-the-api-returns".to_owned(), verdict, detail });
    all
}

fn percent(n: i64, of: i64) -> String {
    if of <= 0 {
        return "all".to_owned();
    }
    let hundredths = i128::from(n) * 10_000 / i128::from(of);
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

type Judged = (Verdict, String, ExitKind);

fn fail(reason: impl Into<String>) -> Judged {
    (Verdict::Fail, reason.into(), ExitKind::CheckFailed)
}

fn infra(reason: impl Into<String>) -> Judged {
    (Verdict::Infra, reason.into(), ExitKind::Infra)
}

fn incomplete(reason: impl Into<String>) -> Judged {
    (Verdict::Infra, reason.into(), ExitKind::Incomplete)
}

fn verdict(
    evidence: &Evidence<'_>,
    properties: &[PropertyResult],
    tests: &[TestCounters],
) -> Judged {
    let session = evidence.session;
    if !session.scan.able {
        return infra("the console could not be scanned");
    }
    let emulators = evidence.accel == Accel::TcgMulti;
    if emulators && evidence.findings.iter().any(|f| f.kind == FindingKind::StrayInt3) {
        return infra(
            "a stray int3 under QEMU's thread=multi: the emulator's own, not the kernel's",
        );
    }
    if let Some(first) = evidence.findings.first() {
        let more = session.scan.total_findings.saturating_sub(1);
        let more = if more > 0 { format!(" (and {more} more findings)") } else { String::new() };
        return fail(format!("{}{more}", first.title));
    }
    if let Some(property) = properties.iter().find(|p| p.verdict == Verdict::Fail)
        && session.unfinished.is_none()
    {
        return fail(format!("{}: {}", property.name, property.detail));
    }
    match session.ended {
        Ended::Complete => complete(evidence, properties, tests),
        Ended::Panic => fail("the kernel panicked"),
        Ended::HungTask => fail("a task hangs"),
        Ended::RcuStall => fail("RCU stalls"),
        Ended::Reset => fail("the kernel started over without a message"),
        Ended::QemuDied => match session.qemu_exit {
            // With `-no-reboot` a reset makes QEMU leave with 0.
            Some(0) if session.scan.boot_banners > 0 => {
                fail("the machine was reset without a message")
            }
            Some(0) => infra("QEMU left before the kernel said anything"),
            code => {
                let code = code.map_or("unknown".to_owned(), |c| c.to_string());
                infra(format!("QEMU died (exit code {code}): {}", session.qemu_words))
            }
        },
        Ended::BootLimit if session.scan.boot_banners == 0 => {
            infra("the kernel never said anything on its console")
        }
        Ended::BootLimit => fail(format!(
            "the kernel did not get to /init within {} s",
            session.limits.boot.as_secs()
        )),
        Ended::Silence => fail(format!(
            "the guest fell silent for {} s{}",
            session.limits.silence.as_secs(),
            during(session)
        )),
        Ended::OverallLimit => fail(format!(
            "the guest is alive but did not end within {} s{}",
            session.limits.overall.as_secs(),
            during(session)
        )),
        Ended::BadRecord => incomplete(format!(
            "the guest's records cannot be trusted: {}",
            session.record_errors.join("; ")
        )),
    }
}

fn during(session: &Session) -> String {
    session.unfinished.as_ref().map(|t| format!(" during {t}")).unwrap_or_default()
}

/// The guest says it is done: is everything there that makes it a proof?
fn complete(
    evidence: &Evidence<'_>,
    properties: &[PropertyResult],
    tests: &[TestCounters],
) -> Judged {
    let session = evidence.session;
    if !session.record_errors.is_empty() {
        return incomplete(format!("broken records: {}", session.record_errors.join("; ")));
    }
    if !session.console_complete {
        return incomplete("the console log was not read to its end");
    }
    if session.scan.boot_banners == 0 {
        return incomplete("the console log has no beginning");
    }
    let got: Vec<&str> = session.results.iter().map(|r| r.name.as_str()).collect();
    let wanted: Vec<&str> = evidence.tests.iter().map(String::as_str).collect();
    let promised = session.end.as_ref().map(|e| e.results as usize);
    if got != wanted || promised != Some(wanted.len()) {
        return incomplete(format!(
            "results are missing: asked for {}, got {}",
            wanted.join(", "),
            if got.is_empty() { "none".to_owned() } else { got.join(", ") }
        ));
    }
    for result in &session.results {
        if let Outcome::Broke { step, why, .. } = &result.outcome {
            return infra(format!("{}: {step}: {why}", result.name));
        }
    }
    for test in tests {
        let number = |key: &str| test.numbers.get(key).copied().unwrap_or(0);
        if let Some(key) = PROOF.iter().find(|key| number(key) <= 0) {
            return incomplete(format!("{}: {key} is zero: the run proves nothing", test.name));
        }
        let parts: i64 =
            ["checked", "unchecked", "before", "after"].iter().map(|k| number(k)).sum();
        if parts != number("calls") {
            return incomplete(format!(
                "{}: {} calls were made and {parts} are accounted for",
                test.name,
                number("calls")
            ));
        }
    }
    if let Some(property) = properties.iter().find(|p| p.verdict != Verdict::Pass) {
        return incomplete(format!("{}: {}", property.name, property.detail));
    }
    (Verdict::Pass, "every property held, and the console is clean".to_owned(), ExitKind::Pass)
}

#[cfg(test)]
mod tests {
    use super::super::console::Scan;
    use super::*;
    use std::time::Duration;
    use wire::{Counters, End, Hello};

    fn good_numbers() -> BTreeMap<String, i64> {
        [
            ("modifies", 90),
            ("calls", 1000),
            ("checked", 700),
            ("settled", 100),
            ("unchecked", 100),
            ("before", 100),
            ("after", 100),
            ("reached_0", 300),
            ("reached_1", 400),
            ("missed", 0),
            ("doubled", 0),
            ("stale", 0),
            ("early", 0),
            ("late", 0),
            ("corrupted", 0),
            ("errno", 0),
        ]
        .map(|(k, v)| (k.to_owned(), v))
        .into()
    }

    fn good() -> Session {
        let counters = Counters {
            numbers: good_numbers(),
            words: [("failed_step".to_owned(), "none".to_owned())].into(),
        };
        Session {
            ended: Ended::Complete,
            hello: Some(Hello { release: "6.1".into(), build: "#1".into(), cpus: 2, boot_ms: 1 }),
            boot_ms: Some(3000),
            total_ms: 15_000,
            results: vec![TestResult { name: "t".into(), outcome: Outcome::Completed, counters }],
            unfinished: None,
            end: Some(End { results: 1, taint: Some(4096), output_bytes: 0 }),
            heartbeats: 5,
            last_heartbeat: None,
            course: vec![],
            record_errors: vec![],
            console_complete: true,
            scan: Scan { able: true, lines: 200, bytes: 9000, boot_banners: 1, ..Scan::default() },
            qemu_exit: Some(0),
            qemu_words: String::new(),
            qemu_command: String::new(),
            limits: crate::vm::Limits {
                boot: Duration::from_secs(60),
                silence: Duration::from_secs(30),
                overall: Duration::from_secs(200),
                grace: Duration::from_secs(2),
            },
            left: false,
        }
    }

    fn finding(kind: FindingKind) -> FindingResult {
        FindingResult {
            kind,
            title: "something bad".into(),
            signature: "x".into(),
            first_line: 7,
            excerpt: String::new(),
            frames: vec![],
        }
    }

    fn judged(session: &Session, findings: &[FindingResult], accel: Accel) -> (u8, String) {
        let tests = ["t".to_owned()];
        let judgement = judge(&Evidence { session, findings, tests: &tests, accel });
        let pass = judgement.verdict == Verdict::Pass;
        assert_eq!(pass, judgement.exit == ExitKind::Pass);
        (judgement.exit.code(), judgement.reason)
    }

    fn set(key: &str, value: i64) -> Session {
        let mut session = good();
        session.results[0].counters.numbers.insert(key.into(), value);
        session
    }

    #[test]
    fn all_proof_present_is_a_pass() {
        assert_eq!(judged(&good(), &[], Accel::TcgSingle).0, 0);
    }

    #[test]
    fn every_missing_piece_of_proof_takes_the_pass_away() {
        type Change = fn(&mut Session);
        let changes: &[(&str, u8, Change)] = &[
            ("no end record", 4, |s| s.end = None),
            ("fewer results than promised", 4, |s| {
                s.end = Some(End { results: 2, taint: None, output_bytes: 0 });
            }),
            ("no result", 4, |s| s.results.clear()),
            ("a result of another test", 4, |s| s.results[0].name = "u".into()),
            ("the console was cut", 4, |s| s.console_complete = false),
            ("the console has no beginning", 4, |s| s.scan.boot_banners = 0),
            ("nothing could be scanned", 3, |s| s.scan.able = false),
            ("a damaged record", 4, |s| s.record_errors = vec!["record 3 is damaged".into()]),
            ("untrusted records", 4, |s| s.ended = Ended::BadRecord),
            ("no counters", 4, |s| s.results[0].counters = Counters::default()),
            ("QEMU crashed", 3, |s| {
                s.ended = Ended::QemuDied;
                s.qemu_exit = Some(139);
            }),
            ("QEMU would not start", 3, |s| {
                s.ended = Ended::QemuDied;
                s.scan.boot_banners = 0;
            }),
            ("silent reset", 1, |s| s.ended = Ended::QemuDied),
            ("nothing on the console", 3, |s| {
                s.ended = Ended::BootLimit;
                s.scan.boot_banners = 0;
            }),
            ("does not boot", 1, |s| s.ended = Ended::BootLimit),
            ("falls silent", 1, |s| s.ended = Ended::Silence),
            ("never ends", 1, |s| {
                s.ended = Ended::OverallLimit;
                s.results.clear();
                s.unfinished = Some("t".into());
            }),
            ("panic", 1, |s| s.ended = Ended::Panic),
            ("a module does not load", 3, |s| {
                s.results[0].outcome =
                    Outcome::Broke { step: "insmod x.ko".into(), errno: 8, why: "no".into() };
            }),
            ("the API fails", 1, |s| {
                s.results[0].counters.words.insert("failed_step".into(), "modify".into());
            }),
        ];
        let mut shown = Vec::new();
        for (what, code, change) in changes {
            let mut session = good();
            change(&mut session);
            let (got, reason) = judged(&session, &[], Accel::TcgSingle);
            assert_eq!(got, *code, "{what}: {reason}");
            shown.push(format!("{what}: {got}: {reason}"));
        }
        insta::assert_snapshot!(shown.join("\n"));
    }

    #[test]
    fn every_counter_can_fail_its_property() {
        for (key, property) in [
            ("missed", "no-missed-call"),
            ("doubled", "no-doubled-call"),
            ("stale", "no-stale-call"),
            ("early", "no-call-outside-registration"),
            ("late", "no-call-outside-registration"),
            ("corrupted", "arguments-and-return-preserved"),
        ] {
            let (code, reason) = judged(&set(key, 7), &[], Accel::TcgSingle);
            assert_eq!(code, 1, "{key}");
            assert!(reason.starts_with(property), "{reason}");
        }
        let (_, reason) = judged(&set("missed", 651), &[], Accel::TcgSingle);
        assert!(
            reason.contains("651 of 700 checked calls reached neither")
                || reason.contains("651 of 700"),
            "{reason}"
        );
        assert!(reason.contains("93.00 %"), "{reason}");
    }

    #[test]
    fn a_run_that_did_nothing_is_no_pass() {
        for key in PROOF {
            let (code, reason) = judged(&set(key, 0), &[], Accel::TcgSingle);
            assert_eq!(code, 4, "{key}: {reason}");
        }
        assert_eq!(judged(&set("unchecked", 99), &[], Accel::TcgSingle).0, 4);
    }

    #[test]
    fn findings_count_even_if_all_counters_are_well() {
        assert_eq!(judged(&good(), &[finding(FindingKind::Warn)], Accel::Kvm).0, 1);
        let int3 = [finding(FindingKind::StrayInt3)];
        assert_eq!(judged(&good(), &int3, Accel::TcgMulti).0, 3);
        assert_eq!(judged(&good(), &int3, Accel::TcgSingle).0, 1);
    }
}
