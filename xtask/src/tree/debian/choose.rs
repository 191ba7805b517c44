// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which release is taken: the pinned one, else the newest that can be had.

use super::Release;
use crate::diagnosis::Diagnosis;

/// How many releases, from the newest, are tried before giving up.
const TRIES: usize = 15;

/// What came of trying to get one release.
#[derive(Debug)]
pub enum Attempt<T> {
    /// It can be had.
    Had(T),
    /// It cannot, and why.
    Missing(&'static str),
}

/// What was chosen.
#[derive(Debug)]
pub struct Choice<T> {
    /// The first that can be had.
    pub had: Option<T>,
    /// Those that would have been preferred, and why they were not taken.
    pub skipped: Vec<String>,
}

/// Tries the pinned release, then the listed ones in their order, until one can be had.
pub fn choose<T>(
    listed: &[Release],
    pin: Option<&Release>,
    mut attempt: impl FnMut(&Release) -> Result<Attempt<T>, Diagnosis>,
) -> Result<Choice<T>, Diagnosis> {
    let mut skipped = Vec::new();
    let is_pinned = |release: &Release| pin.is_some_and(|pin| pin.same_source(release));
    if let Some(pin) = pin {
        let why = match listed.iter().find(|release| is_pinned(release)) {
            None => "the index does not list it",
            Some(release) => match attempt(release)? {
                Attempt::Had(had) => return Ok(Choice { had: Some(had), skipped }),
                Attempt::Missing(why) => why,
            },
        };
        skipped.push(format!("{pin} (pinned): no longer served: {why}"));
    }
    for release in listed.iter().filter(|release| !is_pinned(release)).take(TRIES) {
        match attempt(release)? {
            Attempt::Had(had) => return Ok(Choice { had: Some(had), skipped }),
            Attempt::Missing(why) => skipped.push(format!("{release}: {why}")),
        }
    }
    Ok(Choice { had: None, skipped })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(pin: Option<&str>, served: &[&str]) -> (Option<String>, Vec<String>, Vec<String>) {
        let listed = ["6.1.192-3", "6.1.190-1", "6.1.187-1"].map(|r| r.parse().unwrap());
        let pin: Option<Release> = pin.map(|p| p.parse().unwrap());
        let mut tried = Vec::new();
        let choice = choose(&listed, pin.as_ref(), |release| {
            tried.push(release.to_string());
            Ok(if served.contains(&release.to_string().as_str()) {
                Attempt::Had(release.to_string())
            } else {
                Attempt::Missing("404")
            })
        });
        let choice = choice.unwrap();
        (choice.had, choice.skipped, tried)
    }

    #[test]
    fn the_newest_that_can_be_had() {
        let (had, skipped, _) = chosen(None, &["6.1.190-1", "6.1.187-1"]);
        assert_eq!(had.unwrap(), "6.1.190-1");
        assert_eq!(skipped, ["6.1.192-3: 404"]);
        let (had, skipped, _) = chosen(None, &[]);
        assert_eq!((had, skipped.len()), (None, 3));
    }

    #[test]
    fn a_pin_comes_first_in_any_revision() {
        for pin in ["6.1.187-1", "6.1.187-9", "6.1.187"] {
            let (had, skipped, tried) = chosen(Some(pin), &["6.1.192-3", "6.1.187-1"]);
            assert_eq!(had.unwrap(), "6.1.187-1");
            assert_eq!((skipped.len(), tried.len()), (0, 1), "{pin}");
        }
    }

    #[test]
    fn a_pin_that_is_gone_falls_back_and_says_so() {
        let (had, skipped, tried) = chosen(Some("6.1.190-1"), &["6.1.187-1"]);
        assert_eq!(had.unwrap(), "6.1.187-1");
        assert_eq!(skipped, ["6.1.190-1 (pinned): no longer served: 404", "6.1.192-3: 404"]);
        assert_eq!(tried, ["6.1.190-1", "6.1.192-3", "6.1.187-1"], "each is tried once");
        let (had, skipped, _) = chosen(Some("6.1.100-1"), &["6.1.192-3"]);
        assert_eq!(had.unwrap(), "6.1.192-3");
        let words = "6.1.100-1 (pinned): no longer served: the index does not list it";
        assert_eq!(skipped, [words]);
    }

    #[test]
    fn another_trouble_than_a_missing_file_is_no_reason_to_go_on() {
        let listed = ["6.1.192-3", "6.1.190-1"].map(|r| r.parse().unwrap());
        let choice = choose(&listed, None, |_| Err::<Attempt<()>, _>(Diagnosis::infra("no net")));
        assert_eq!(choice.unwrap_err().what, "no net");
    }
}
