// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times, as users write them.

/// `10s`, `500ms`, `2m`, as milliseconds; from 1 ms to an hour.
pub fn duration_ms(text: &str) -> Result<u64, String> {
    let (number, unit) =
        text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let scale = match unit {
        "ms" => 1,
        "s" | "" => 1000,
        "m" => 60_000,
        _ => return Err("give a time such as 10s, 500ms or 2m".into()),
    };
    let ms = number.parse::<u64>().ok().and_then(|n| n.checked_mul(scale));
    match ms {
        Some(ms @ 1..=3_600_000) => Ok(ms),
        _ => Err("give a time from 1ms to 60m".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let cases = [("10s", Ok(10_000)), ("500ms", Ok(500)), ("2m", Ok(120_000)), ("3", Ok(3000))];
        for (text, want) in cases {
            assert_eq!(duration_ms(text), want, "{text}");
        }
        for text in ["", "s", "0s", "-1s", "1h", "61m", "99999999999999999999s"] {
            assert!(duration_ms(text).is_err(), "{text}");
        }
    }
}
