// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers as a person reads them.

use std::time::Duration;

use crate::report::count;

/// `1 cell`, `2 cells`.
pub fn plural(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// All digits, in groups of three.
pub fn grouped(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::from(if n < 0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A short number without a needless `.0`: 5 M.
pub fn short(n: u64) -> String {
    count(n).replace(".0 ", " ")
}

/// Milliseconds, as seconds or minutes.
pub fn time(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..120_000 => format!("{:.1} s", Duration::from_millis(ms).as_secs_f64()),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000),
    }
}

/// Nanoseconds with two or three digits.
pub fn latency(ns: u64) -> String {
    let scaled = |unit: u64, name: &str| {
        let (whole, tenth) = (ns / unit, ns % unit * 10 / unit);
        if whole >= 10 || tenth == 0 {
            format!("{whole} {name}")
        } else {
            format!("{whole}.{tenth} {name}")
        }
    };
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => scaled(1_000, "µs"),
        1_000_000..1_000_000_000 => scaled(1_000_000, "ms"),
        _ => scaled(1_000_000_000, "s"),
    }
}

/// The day, in UTC.
pub fn day(time: jiff::Timestamp) -> String {
    time.strftime("%Y-%m-%d").to_string()
}

/// The minute, in UTC.
pub fn minute(time: jiff::Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([grouped(0), grouped(-1234), grouped(123_456)], ["0", "-1,234", "123,456"]);
        assert_eq!([short(5_000_000), short(5_500_000)], ["5 M", "5.5 M"]);
        assert_eq!([time(999), time(1500), time(125_000)], ["999 ms", "1.5 s", "2 min 5 s"]);
        let cases = [(999, "999 ns"), (1500, "1.5 µs"), (25_000, "25 µs"), (2_000_000, "2 ms")];
        for (ns, want) in cases {
            assert_eq!(latency(ns), want);
        }
    }
}
