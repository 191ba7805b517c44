// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trailers: `Reviewed-by: Name <address>` and their kin.

use super::Person;

/// A trailer that somebody sent in a reply.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trailer {
    /// `Reviewed-by`, `Acked-by` or `Tested-by`, as git writes it.
    pub key: String,
    /// Whom it names.
    pub person: Person,
    /// What stands behind the address, such as `# arm64`.
    pub remark: String,
}

impl Trailer {
    /// The line.
    pub fn line(&self) -> String {
        let remark =
            if self.remark.is_empty() { String::new() } else { format!(" {}", self.remark) };
        format!("{}: {}{remark}", self.key, self.person)
    }
}

/// Trailers that people send in replies and that belong into the history.
const COLLECTED: [&str; 3] = ["Reviewed-by", "Acked-by", "Tested-by"];

/// The trailers of a reply: in lines that are not quoted.
pub(super) fn of_reply(text: &str) -> Vec<Trailer> {
    let mut all: Vec<Trailer> = text.lines().filter_map(parse).collect();
    let mut seen = std::collections::HashSet::new();
    all.retain(|t| seen.insert(t.line()));
    all
}

fn parse(line: &str) -> Option<Trailer> {
    let (key, value) = line.trim_end().split_once(':')?;
    let key = COLLECTED.iter().find(|k| k.eq_ignore_ascii_case(key))?;
    let (person, remark) = match value.split_once('>') {
        Some((person, remark)) => (Person::parse(&format!("{person}>"))?, remark),
        None => (Person::parse(value)?, ""),
    };
    Some(Trailer { key: (*key).to_owned(), person, remark: remark.trim().to_owned() })
}

/// The first person who signed a message off: its author, where nothing else tells.
pub(super) fn first_signer(message: &str) -> Option<Person> {
    message.lines().find_map(|l| l.strip_prefix("Signed-off-by:")).and_then(Person::parse)
}

/// Whether a line is a trailer: `Word-word: value`.
pub(super) fn is_trailer(line: &str) -> bool {
    let Some((key, value)) = line.split_once(": ") else { return false };
    let word = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let tag = key.contains('-') || ["Fixes", "Link", "Closes", "Cc", "CC", "Bug"].contains(&key);
    word && tag && key.starts_with(|c: char| c.is_ascii_uppercase()) && !value.trim().is_empty()
}

/// A message without blank lines around it, and without runs of them in it, as `git stripspace`
/// leaves it.
pub(super) fn tidy(text: &str) -> String {
    let mut out = String::new();
    let mut blank = false;
    for line in text.trim_end().lines() {
        if line.trim().is_empty() {
            blank = !out.is_empty();
            continue;
        }
        if std::mem::take(&mut blank) {
            out.push('\n');
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.trim_end().to_owned()
}

/// Adds trailers to a message, behind those it has. Those that are there already are left out.
pub fn add_trailers(message: &str, trailers: &[Trailer]) -> String {
    let has = |trailer: &Trailer| {
        message
            .lines()
            .filter_map(parse)
            .any(|t| t.key == trailer.key && t.person.same_address(&trailer.person))
    };
    let new: Vec<String> = trailers.iter().filter(|t| !has(t)).map(Trailer::line).collect();
    if new.is_empty() {
        return message.to_owned();
    }
    let gap = match message.lines().last() {
        None => "",
        Some(last) if is_trailer(last) => "\n",
        Some(_) => "\n\n",
    };
    format!("{message}{gap}{}", new.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailers_of_replies() {
        let text = "On x, y wrote:\n> Reviewed-by: Quoted <q@example.org>\n\nLooks good.\n\nReviewed-by: Rita R. <rita@example.org> # for tracing\nreviewed-BY: Rita R. <rita@example.org> # for tracing\nacked-by: a@example.org\nTested-by: Cut <cut@\nSigned-off-by: S <s@example.org>\n";
        let lines: Vec<_> = of_reply(text).iter().map(Trailer::line).collect();
        assert_eq!(
            lines,
            ["Reviewed-by: Rita R. <rita@example.org> # for tracing", "Acked-by: a@example.org"]
        );
    }

    #[test]
    fn they_go_behind_those_that_are_there() {
        let rita = of_reply("Reviewed-by: Rita <rita@example.org>\n");
        let sob = "why\n\nSigned-off-by: A <a@example.org>";
        assert_eq!(
            add_trailers(sob, &rita),
            format!("{sob}\nReviewed-by: Rita <rita@example.org>")
        );
        let twice = add_trailers(&add_trailers("why", &rita), &rita);
        assert_eq!(twice, "why\n\nReviewed-by: Rita <rita@example.org>");
        assert_eq!(add_trailers("", &rita), "Reviewed-by: Rita <rita@example.org>");
    }
}
