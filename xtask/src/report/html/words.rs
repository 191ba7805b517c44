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

/// Nanoseconds with two or three digits, rounded up: it is said of what happened within a time.
pub fn latency(ns: u64) -> String {
    if ns < 1000 {
        return format!("{ns} ns");
    }
    let in_unit = |(unit, name): (u64, &str)| {
        let (whole, tenths) = (ns.div_ceil(unit), ns.div_ceil(unit / 10));
        match (whole, tenths % 10) {
            (1000.., _) => None,
            (11.., _) | (_, 0) => Some(format!("{whole} {name}")),
            (_, tenth) => Some(format!("{}.{tenth} {name}", tenths / 10)),
        }
    };
    let units = [(1_000, "µs"), (1_000_000, "ms")];
    let second = 1_000_000_000;
    units.into_iter().find_map(in_unit).unwrap_or_else(|| {
        in_unit((second, "s")).unwrap_or_else(|| format!("{} s", ns.div_ceil(second)))
    })
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
        let cases = [
            (999, "999 ns"),
            (1000, "1 µs"),
            (1063, "1.1 µs"),
            (1500, "1.5 µs"),
            (25_000, "25 µs"),
            (999_999, "1 ms"),
            (2_000_000, "2 ms"),
            (9_990_000_000, "10 s"),
            (5_000_000_000_000, "5000 s"),
        ];
        for (ns, want) in cases {
            assert_eq!(latency(ns), want);
        }
    }
}
