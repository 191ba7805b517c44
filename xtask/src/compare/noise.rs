// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is taken for noise: how many times larger a number may be than the other.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A ratio of at least 1, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noise(u32);

/// The text is no ratio.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("give a ratio from 1 to 1000 with at most three decimals, such as 1.5")]
pub struct NotARatio;

impl Noise {
    /// Whether two values differ by more than noise: by more than the ratio, and by more than a
    /// floor below which a difference means nothing.
    pub fn is_exceeded(self, one: u64, other: u64, floor: u64) -> bool {
        let (less, more) = (one.min(other), one.max(other));
        let ratio = u128::from(more) * 1000 > u128::from(less) * u128::from(self.0);
        ratio && more - less > floor
    }
}

impl FromStr for Noise {
    type Err = NotARatio;

    fn from_str(text: &str) -> Result<Self, NotARatio> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(decimals) || whole.len() > 4 || decimals.len() > 3 {
            return Err(NotARatio);
        }
        let thousandths: u32 = format!("{whole}{decimals:0<3}").parse().map_err(|_| NotARatio)?;
        if (1000..=1_000_000).contains(&thousandths) {
            Ok(Self(thousandths))
        } else {
            Err(NotARatio)
        }
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:03}", self.0 % 1000);
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{}", self.0 / 1000),
            decimals => write!(f, "{}.{decimals}", self.0 / 1000),
        }
    }
}

impl Serialize for Noise {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.0) / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_read_and_written() {
        let good =
            [("1.5", "1.5"), ("1", "1"), ("2.050", "2.05"), ("10", "10"), ("1.001", "1.001")];
        for (text, want) in good {
            assert_eq!(text.parse::<Noise>().unwrap().to_string(), want);
        }
        for bad in ["", "0.9", "-2", "1,5", "inf", "NaN", "1.", ".5", "1e3", "1.0001", "1000.1"] {
            assert_eq!(bad.parse::<Noise>(), Err(NotARatio), "{bad}");
        }
    }

    #[test]
    fn both_the_ratio_and_the_floor_have_to_be_exceeded() {
        let noise: Noise = "1.5".parse().unwrap();
        let cases = [
            (1000, 1500, 0, false),
            (1000, 1501, 0, true),
            (1501, 1000, 0, true),
            (1000, 1501, 501, false),
            (1000, 1502, 501, true),
            (0, 1, 0, true),
            (0, 0, 0, false),
            (0, 500, 500, false),
            (u64::MAX, u64::MAX / 2, 0, true),
        ];
        for (one, other, floor, want) in cases {
            assert_eq!(noise.is_exceeded(one, other, floor), want, "{one} {other} {floor}");
        }
    }
}
