// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mirrors that the machine's own apt configuration names.

use std::path::Path;

/// A mirror that the machine uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirror {
    uri: String,
    suite: String,
    signed_by: Option<String>,
}

/// Reads apt's sources in both formats, see sources.list(5).
pub fn mirrors(etc: &Path) -> Vec<Mirror> {
    let mut files = vec![etc.join("sources.list")];
    if let Ok(entries) = std::fs::read_dir(etc.join("sources.list.d")) {
        files.extend(entries.flatten().map(|e| e.path()));
    }
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        match file.extension().and_then(|e| e.to_str()) {
            Some("sources") => found.extend(deb822(&text)),
            Some("list") => found.extend(one_line(&text)),
            _ => {}
        }
    }
    found
}

fn one_line(text: &str) -> Vec<Mirror> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let Some(rest) = line.strip_prefix("deb ").or(line.strip_prefix("deb-src ")) else {
            continue;
        };
        let rest = rest.trim();
        let (options, rest) = match rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
            Some((options, rest)) => (options, rest),
            None => ("", rest),
        };
        let signed_by = options
            .split_whitespace()
            .find_map(|o| o.strip_prefix("signed-by="))
            .map(str::to_owned);
        let mut words = rest.split_whitespace();
        if let (Some(uri), Some(suite)) = (words.next(), words.next()) {
            found.push(Mirror { uri: uri.to_owned(), suite: suite.to_owned(), signed_by });
        }
    }
    found
}

fn deb822(text: &str) -> Vec<Mirror> {
    let mut found = Vec::new();
    for stanza in text.split("\n\n") {
        let field = |name: &str| {
            stanza.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            })
        };
        if field("Enabled").is_some_and(|e| e.eq_ignore_ascii_case("no")) {
            continue;
        }
        let signed_by = field("Signed-By").filter(|s| s.starts_with('/'));
        for uri in field("URIs").unwrap_or_default().split_whitespace() {
            for suite in field("Suites").unwrap_or_default().split_whitespace() {
                found.push(Mirror {
                    uri: uri.to_owned(),
                    suite: suite.to_owned(),
                    signed_by: signed_by.clone(),
                });
            }
        }
    }
    found
}

/// The `deb-src` line for a suite: security suites are on the mirror that has the machine's own
/// security suite, all others on the one that has its main suite.
pub fn source_line(mirrors: &[Mirror], suite: &str) -> Option<String> {
    const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
    let is_security = |s: &str| s.ends_with("-security") || s.ends_with("/updates");
    let mirror = mirrors.iter().find(|m| {
        // Third-party repositories have suites and paths of other shapes.
        m.uri.trim_end_matches('/').rsplit('/').next().is_some_and(|n| n.starts_with("debian"))
            && is_security(&m.suite) == is_security(suite)
    })?;
    let keyring = mirror.signed_by.as_deref().unwrap_or(KEYRING);
    Some(format!("deb-src [signed-by={keyring}] {} {suite} main\n", mirror.uri))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrors_of_both_formats() {
        let etc = tempfile::tempdir().unwrap();
        let parts = etc.path().join("sources.list.d");
        std::fs::create_dir(&parts).unwrap();
        std::fs::write(
            parts.join("debian.sources"),
            "Types: deb\n# a note\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\nComponents: main\nSigned-By: /k.gpg\n\nTypes: deb\nURIs: http://mirror.example/debian-security\nSuites: bookworm-security\n",
        )
        .unwrap();
        std::fs::write(
            parts.join("x.list"),
            "deb [arch=amd64 signed-by=/x.gpg] https://other.example/cloud stable main\n",
        )
        .unwrap();
        std::fs::write(parts.join("old.sources.disabled"), "URIs: http://no.example/debian\n")
            .unwrap();
        let mirrors = mirrors(etc.path());
        assert_eq!(
            source_line(&mirrors, "trixie-backports").unwrap(),
            "deb-src [signed-by=/k.gpg] http://mirror.example/debian trixie-backports main\n"
        );
        assert_eq!(
            source_line(&mirrors, "bullseye-security").unwrap(),
            "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://mirror.example/debian-security bullseye-security main\n"
        );
        assert_eq!(source_line(&[], "bookworm"), None);
    }
}
