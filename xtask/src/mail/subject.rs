// SPDX-License-Identifier: MIT OR Apache-2.0
//! Subject lines: `Re: [RFC PATCH bpf-next v3 02/10] ftrace: Do this`.

use super::person::collapse;

/// What a subject line says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// Whether it starts with `Re:` or the like.
    pub reply: bool,
    /// Whether the prefix says `PATCH` or `RFC`.
    pub patch: bool,
    /// `v3`.
    pub version: Option<u32>,
    /// `2/10`: the number and the total.
    pub number: Option<(usize, usize)>,
    /// Other words of the prefix: `RFC`, `RESEND`, a tree's name.
    pub tags: Vec<String>,
    /// What is left.
    pub title: String,
}

/// What mailers in several languages put before the subject of an answer or of a forwarded mail.
const REPLIES: [&str; 8] = ["re:", "aw:", "antw:", "sv:", "vs:", "fw:", "fwd:", "回复:"];

/// `v3`, `V3`; a number beyond reason is a word like others.
fn version(word: &str) -> Option<u32> {
    let digits = word.strip_prefix(['v', 'V'])?;
    number(digits).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0)
}

/// No series has more patches than four digits can count.
fn number(digits: &str) -> Option<usize> {
    let plain = (1..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

fn n_of_m(word: &str) -> Option<(usize, usize)> {
    let (n, m) = word.split_once('/')?;
    let (n, m) = (number(n)?, number(m)?);
    (n <= m && m > 0).then_some((n, m))
}

impl Subject {
    /// Reads a subject that is decoded and unfolded.
    pub fn parse(text: &str) -> Self {
        let mut subject = Self::default();
        let text = collapse(text);
        let mut rest = text.as_str();
        loop {
            let lower = rest.to_lowercase();
            let Some(prefix) = REPLIES.iter().find(|p| lower.starts_with(*p)) else { break };
            subject.reply = true;
            // Lower case may have another length; the prefixes have not.
            rest = rest.get(prefix.len()..).unwrap_or_default().trim_start();
        }
        while let Some((inner, after)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
            if !subject.prefix(inner) {
                break;
            }
            rest = after.trim_start();
        }
        rest.trim().clone_into(&mut subject.title);
        subject
    }

    /// Takes in the words of a bracket, if it is one of a patch. `[fault]` belongs to the title.
    fn prefix(&mut self, inner: &str) -> bool {
        let words: Vec<&str> = inner.split([' ', ',', ';']).filter(|w| !w.is_empty()).collect();
        let is_patch = |word: &str| {
            let upper = word.to_uppercase();
            upper.starts_with("PATCH") || upper == "RFC" || upper == "RESEND"
        };
        let known =
            |word: &&str| is_patch(word) || n_of_m(word).is_some() || version(word).is_some();
        // Behind a bracket of a patch, others are of it too: `[PATCH][next]`.
        if !(words.iter().any(known) || self.patch && words.len() == 1) {
            return false;
        }
        for word in words {
            let upper = word.to_uppercase();
            if let Some(rest) = upper.strip_prefix("PATCH") {
                self.patch = true;
                let rest = rest.trim_start_matches(['-', ':']);
                self.version = version(rest).or(self.version);
                self.number = n_of_m(rest).or(self.number);
            } else if let Some(found) = n_of_m(word) {
                self.number = Some(found);
            } else if let Some(found) = version(word) {
                self.version = Some(found);
            } else {
                self.patch |= upper == "RFC";
                self.tags.push(word.to_owned());
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_every_kind() {
        let cases = [
            "[PATCH] a: Do b",
            "[PATCH v3 02/10] a: Do b",
            "Re: [RFC PATCH bpf-next v3 2/10] a: Do b",
            "RE: re: Fwd: [PATCHv2 1/4] a",
            "[PATCH RESEND 0/2] a",
            "[RFC][PATCH 1/3][next] a",
            "[PATCH V2] [fault] a",
            "[fault] a: b",
            "[tip: x86/core] a",
            "[GIT PULL] tracing",
            "[PATCH 5/4] odd",
            "[patch 1/2]a",
            "[PATCH v99999999999 1/2] a",
            "AW: [PATCH,v2,1/2] a [x]",
            "",
            "Re:",
        ];
        let all: Vec<_> = cases
            .iter()
            .map(|text| {
                let s = Subject::parse(text);
                format!(
                    "{text:?}: reply={} patch={} v={:?} n={:?} tags={:?} title={:?}",
                    s.reply, s.patch, s.version, s.number, s.tags, s.title
                )
            })
            .collect();
        insta::assert_snapshot!(all.join("\n"));
    }
}
