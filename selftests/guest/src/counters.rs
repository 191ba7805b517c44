// SPDX-License-Identifier: MIT OR Apache-2.0
//! `key=value` texts of the `direct_target` module.

use std::collections::BTreeSet;

use wire::Counters;

/// Splits `key=value` pieces into numbers and words.
///
/// # Errors
/// A piece of another form, or a key that comes twice: such a text is no result.
pub fn parse<'a>(pieces: impl Iterator<Item = &'a str>) -> Result<Counters, String> {
    let mut counters = Counters::default();
    let mut seen = BTreeSet::new();
    for piece in pieces {
        let (key, value) =
            piece.split_once('=').ok_or_else(|| format!("{piece:?} is not KEY=VALUE"))?;
        if !seen.insert(key) {
            return Err(format!("{key} comes twice"));
        }
        match value.parse() {
            Ok(number) => drop(counters.numbers.insert(key.to_owned(), number)),
            Err(_) => drop(counters.words.insert(key.to_owned(), value.to_owned())),
        }
    }
    Ok(counters)
}

/// A count, or 0 if there is none.
pub fn count(counters: &Counters, key: &str) -> u64 {
    counters.numbers.get(key).and_then(|&n| u64::try_from(n).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_numbers_and_words() {
        let text = "subject=c\ncalls=12\nerrno=-5\nhuge=99999999999999999999\nfailed_step=a=b\n";
        let got = parse(text.lines()).unwrap();
        let numbers: Vec<_> = got.numbers.iter().map(|(k, v)| (k.as_str(), *v)).collect();
        assert_eq!(numbers, [("calls", 12), ("errno", -5)]);
        let words: Vec<_> = got.words.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(
            words,
            [("failed_step", "a=b"), ("huge", "99999999999999999999"), ("subject", "c")]
        );
        assert_eq!(count(&got, "calls"), 12);
        assert_eq!(count(&got, "errno"), 0);
        assert_eq!(count(&got, "subject"), 0);
    }

    #[test]
    fn what_is_no_result_is_refused() {
        assert_eq!(parse("calls=1\nnonsense".lines()), Err("\"nonsense\" is not KEY=VALUE".into()));
        assert_eq!(parse("calls=1\ncalls=2".lines()), Err("calls comes twice".into()));
    }
}
