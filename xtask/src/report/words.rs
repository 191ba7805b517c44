// SPDX-License-Identifier: MIT OR Apache-2.0
//! Foreign words in Markdown: they mean what they say. Pure.

/// Text in a cell of a table: one line, no bars.
pub fn cell(words: &str) -> String {
    text(&words.split_whitespace().collect::<Vec<_>>().join(" ")).replace('|', "\\|")
}

/// Text that means what it says: no tags, no emphasis from `__x__`.
pub fn text(words: &str) -> String {
    let mut out = String::new();
    for c in words.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '*' | '_' | '`' | '[' | ']' | '\\' | '#' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// Text within a tag, where nothing is Markdown.
pub fn html(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;")
}

/// A block of code, with a fence that is longer than any in it.
pub fn fenced(words: &str) -> String {
    let ticks = |line: &str| line.trim_start().bytes().take_while(|b| *b == b'`').count();
    let longest = words.lines().map(ticks).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}", words.trim_end())
}
