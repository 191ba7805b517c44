// SPDX-License-Identifier: MIT OR Apache-2.0
//! From bytes on a wire to what the kernel meant to say.

use std::sync::LazyLock;

use regex::Regex;

/// A longer line is cut: a guest that never ends its line must not fill the memory.
pub const MAX_LINE: usize = 4096;

/// Time stamp and caller, see `print_prefix` in `kernel/printk/printk.c`. It may stand anywhere in
/// a line: user space may have left one without an end.
static PREFIX: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[ *\d+\.\d{6}\](?:\[ *[TC]\d+(?:@C\d+)?\])? ?").ok());

static ANSI: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Za-z0-9]|\x1bc").ok());

/// A line without escapes and control bytes, and whether it had a time stamp.
pub struct Message {
    /// What is behind the prefix.
    pub text: String,
    /// Whether there was a prefix.
    pub stamped: bool,
}

/// Reads one line.
pub fn message(bytes: &[u8]) -> Message {
    let text = String::from_utf8_lossy(bytes);
    let text = match ANSI.as_ref() {
        Some(regex) if text.contains('\x1b') => regex.replace_all(&text, "").into_owned(),
        _ => text.into_owned(),
    };
    let text: String = if text.chars().any(|c| c.is_control() && c != '\t') {
        text.chars().filter(|c| !c.is_control() || *c == '\t').collect()
    } else {
        text
    };
    let prefix = PREFIX.as_ref().filter(|_| text.contains('[')).and_then(|r| r.find(&text));
    match prefix {
        Some(prefix) => Message { text: text[prefix.end()..].to_owned(), stamped: true },
        None => Message { text, stamped: false },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_and_noise_are_taken_off() {
        let cases: [(&[u8], &str, bool); 7] = [
            (b"[    1.234567] BUG: x", "BUG: x", true),
            (b"[12345.234567][  T12] BUG: x", "BUG: x", true),
            (b"[    1.234567][   C0]  frame", " frame", true),
            (b"half a line[    1.234567] BUG: x\r", "BUG: x", true),
            (b"\x1b[1;31m[    1.234567] BUG:\x1b[0m x\0", "BUG: x", true),
            (b"BUG: x", "BUG: x", false),
            (b"\xff\xfeBUG", "\u{fffd}\u{fffd}BUG", false),
        ];
        for (bytes, want, stamped) in cases {
            let message = message(bytes);
            assert_eq!((message.text.as_str(), message.stamped), (want, stamped));
        }
    }
}
