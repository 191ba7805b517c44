// SPDX-License-Identifier: MIT OR Apache-2.0
//! Characters that a page must not have, or that hide what a text says.

use std::fmt::Write as _;

/// Shows what would not be seen, or what would change how the rest is seen. It works on a whole page:
/// no mark-up has such characters.
pub fn visible(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    for c in page.chars() {
        let code = u32::from(c);
        match c {
            '\n' | '\t' => out.push(c),
            // As less(1) has it. Unicode has a picture for each, but many fonts have none.
            '\0'..='\u{1f}' | '\u{7f}' => {
                out.push('^');
                out.push(char::from_u32(code ^ 0x40).unwrap_or('\u{fffd}'));
            }
            '\u{80}'..='\u{9f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}' => {
                let _ = write!(out, "⟨{code:02X}⟩");
            }
            // Characters that are none, by Unicode.
            '\u{fdd0}'..='\u{fdef}' => out.push('\u{fffd}'),
            _ if code & 0xfffe == 0xfffe => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_hidden() {
        let cases = [
            ("a\tb\nc", "a\tb\nc"),
            ("\0\u{1b}[1m\r\u{7f}", "^@^[[1m^M^?"),
            ("\u{9b}1m", "⟨9B⟩1m"),
            ("\u{202e}drowssap\u{200b}", "⟨202E⟩drowssap⟨200B⟩"),
            ("\u{ffff}\u{fdd0}\u{1fffe}", "\u{fffd}\u{fffd}\u{fffd}"),
            ("✓ ü 漢", "✓ ü 漢"),
        ];
        for (text, want) in cases {
            assert_eq!(visible(text), want);
        }
    }
}
