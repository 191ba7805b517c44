// SPDX-License-Identifier: MIT OR Apache-2.0
//! What people and lists wrap around a text: PGP signatures, list footers, flowed lines.

/// Takes off an inline PGP signature and its dash escapes (RFC 9580, section 7). `None` if the text
/// is encrypted.
pub(super) fn without_pgp(text: Vec<u8>) -> Option<(Vec<u8>, bool)> {
    let lines: Vec<&[u8]> = text.split(|b| *b == b'\n').collect();
    let line_is = |line: &[u8], want: &[u8]| line.trim_ascii_end() == want;
    if lines.iter().any(|l| line_is(l, b"-----BEGIN PGP MESSAGE-----")) {
        return None;
    }
    let begin = lines.iter().position(|l| line_is(l, b"-----BEGIN PGP SIGNED MESSAGE-----"));
    let end = lines.iter().position(|l| line_is(l, b"-----BEGIN PGP SIGNATURE-----"));
    let (Some(begin), Some(end)) = (begin, end) else { return Some((text, false)) };
    // `Hash:` lines, and the blank line that ends them.
    let Some(headers) = lines[begin..].iter().position(|l| l.trim_ascii().is_empty()) else {
        return Some((text, false));
    };
    let first = begin + headers + 1;
    if first > end {
        return Some((text, false));
    }
    let mut out = Vec::with_capacity(text.len());
    for line in lines[..begin].iter().chain(&lines[first..end]) {
        out.extend_from_slice(line.strip_prefix(b"- ").unwrap_or(line));
        out.push(b'\n');
    }
    Some((out, true))
}

/// Takes the stuffed space off the lines of a `format=flowed` text (RFC 3676, section 4.4). Lines
/// that it broke are left broken: where they were, nobody can tell for sure in a diff.
pub(super) fn unstuffed(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|b| *b == b'\n') {
        out.extend_from_slice(line.strip_prefix(b" ").unwrap_or(line));
    }
    out
}

/// Cuts a signature (`-- `) and the footers of mailing lists off a text that has no diff.
pub(super) fn without_footer(text: &str) -> &str {
    let mut end = text.len();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        let ruled = bare.len() >= 20 && bare.bytes().all(|b| b == b'_' || b == b'-');
        if line.trim_end_matches(['\r', '\n']) == "-- " || ruled && offset > 0 {
            end = offset;
            break;
        }
        offset += line.len();
    }
    text[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_come_off_with_their_escapes() {
        let text = b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nwhy\n- ---\n- --- a/x\n+++ b/x\n-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n";
        let (plain, taken) = without_pgp(text.to_vec()).unwrap();
        assert!(taken);
        assert_eq!(String::from_utf8_lossy(&plain), "why\n---\n--- a/x\n+++ b/x\n");
        assert_eq!(without_pgp(b"-----BEGIN PGP MESSAGE-----\n".to_vec()), None);
        assert_eq!(without_pgp(b"- x\n".to_vec()), Some((b"- x\n".to_vec(), false)));
    }

    #[test]
    fn footers_are_cut() {
        let footer = "_______________________________________________\nlist mailing list\n";
        assert_eq!(without_footer(&format!("text\n\n{footer}")), "text");
        assert_eq!(without_footer("text\n-- \nme\n"), "text");
        assert_eq!(without_footer("text\n--\n"), "text\n--");
    }
}
