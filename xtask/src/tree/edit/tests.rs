// SPDX-License-Identifier: MIT OR Apache-2.0
//! Edits of matrices of all shapes, written by hand and made up.

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;

use super::*;

fn pinned(text: &str, pins: &[(&str, &str)]) -> Result<String, Diagnosis> {
    let pins: Vec<_> =
        pins.iter().map(|(name, pin)| (name.parse().unwrap(), pin.parse().unwrap())).collect();
    with_pins(Path::new("matrix.yaml"), text, &pins)
}

#[test]
fn pins_are_set_where_they_are() {
    let table = [
        // What there is, and what it becomes.
        ("{package: l, suite: s, pin: \"6.1.4-1\"}", "{package: l, suite: s, pin: \"6.1.9-2~b1\"}"),
        ("{pin: '6.1.4', package: l, suite: s }", "{pin: '6.1.9-2~b1', package: l, suite: s }"),
        ("{package: l, pin: 6.1.4-1, suite: s}", "{package: l, pin: 6.1.9-2~b1, suite: s}"),
        ("{package: l, suite: s}", "{package: l, suite: s, pin: \"6.1.9-2~b1\"}"),
        ("{ package: l, suite: s, } # c", "{ package: l, suite: s, pin: \"6.1.9-2~b1\", } # c"),
        ("{package: l, suite: s, pin: ~}", "{package: l, suite: s, pin: 6.1.9-2~b1}"),
        ("{package: l, suite: s, pin: }", "{package: l, suite: s, pin: \"6.1.9-2~b1\" }"),
        (
            "{\n    package: l,\n    suite: s # c\n  }",
            "{\n    package: l,\n    suite: s, pin: \"6.1.9-2~b1\" # c\n  }",
        ),
        (
            "\n    package: l\n    suite: s",
            "\n    package: l\n    suite: s\n    pin: \"6.1.9-2~b1\"",
        ),
        (
            "# c\n      package: l\n      suite: \"s\" # c\n\n  # end",
            "# c\n      package: l\n      suite: \"s\" # c\n      pin: \"6.1.9-2~b1\"\n\n  # end",
        ),
        (
            "\n    package: l\n    pin: '6.1.4-1' # c\n    suite: s",
            "\n    package: l\n    pin: '6.1.9-2~b1' # c\n    suite: s",
        ),
        (
            "\n    pin:\n    package: l\n    suite: s",
            "\n    pin: \"6.1.9-2~b1\"\n    package: l\n    suite: s",
        ),
        (
            "{\"package\": l, 'suite': s, \"pin\": 6.1.4}",
            "{\"package\": l, 'suite': s, \"pin\": 6.1.9-2~b1}",
        ),
        (
            "\n    package: l\n    suite: |-\n      s",
            "\n    package: l\n    suite: |-\n      s\n    pin: \"6.1.9-2~b1\"",
        ),
        (
            "{package: l, suite: s}\n  pin: '6.1.4' # c",
            "{package: l, suite: s}\n  pin: '6.1.9-2~b1' # c",
        ),
    ];
    for (from, to) in table {
        for (ending, tail) in [
            ("\n", ""),
            ("\n", "\n"),
            ("\r\n", "\r\n"),
            ("\n", "\n- name: '5.10'\n  git: {url: x, ref: y}\n"),
            ("\n", "\n\n# end\n"),
        ] {
            let file = |debian: &str| {
                let text = format!(
                    "# ünd: 6.1\nkernels: # all\n- name: '6.1' # the one\n  debian: {debian}{tail}"
                );
                text.replace('\n', ending).replace("\r\r", "\r")
            };
            let edited = pinned(&file(from), &[("6.1", "6.1.9-2~b1")]).unwrap();
            assert_eq!(edited, file(to));
            // Once more: nothing is left to change.
            assert_eq!(pinned(&edited, &[("6.1", "6.1.9-2~b1")]).unwrap(), edited);
        }
    }
}

#[test]
fn forms_that_would_change_more_are_refused() {
    let shared = "kernels:\n- {name: '6.1', debian: &d {package: l, suite: s}}\n- {name: '5.10', debian: *d}\n";
    let anchored = "kernels:\n- {name: '6.1', debian: {package: l, suite: s, pin: &p 6.1.4}}\n- {name: '6.1.4', debian: {package: l, suite: s, pin: *p}}\n";
    let folded = "kernels:\n- name: '6.1'\n  debian:\n    package: l\n    suite: s\n    pin: >-\n      6.1.4\n";
    for text in [shared, anchored, folded] {
        let error = pinned(text, &[("6.1", "6.1.9-2")]).unwrap_err();
        assert!(error.what.contains("cannot be edited in place"), "{error}");
        assert!(error.next.unwrap().contains("pin: \"6.1.9-2\""));
    }
    let git = "kernels:\n- {name: '6.1', git: {url: x, ref: y}}\n";
    assert!(pinned(git, &[("6.1", "6.1.9-2")]).is_err());
    assert!(pinned(git, &[("5.10", "5.10.9-2")]).unwrap_err().what.contains("not listed"));
    assert_eq!(pinned(git, &[]).unwrap(), git);
}

#[test]
fn a_kernel_is_added_at_the_end_of_the_list() {
    let git = "git: { url: \"x\", ref: \"y\" }";
    let with = |text: &str| with_kernel(Path::new("m"), text, "6.6".parse().unwrap(), git);
    let table = [
        (
            "kernels:\n  - name: '6.1' # c\n    directory: /x # d\n\n# end\n",
            "kernels:\n  - name: '6.1' # c\n    directory: /x # d\n  - name: \"6.6\"\n    git: { url: \"x\", ref: \"y\" }\n\n# end\n",
        ),
        (
            "kernels:\r\n- {name: '6.1', directory: /x}",
            "kernels:\r\n- {name: '6.1', directory: /x}\r\n- name: \"6.6\"\r\n  git: { url: \"x\", ref: \"y\" }",
        ),
        (
            "kernels:\n-\n  name: '6.1'\n  debian:\n    package: l\n    suite: s\n",
            "kernels:\n-\n  name: '6.1'\n  debian:\n    package: l\n    suite: s\n- name: \"6.6\"\n  git: { url: \"x\", ref: \"y\" }\n",
        ),
        (
            "{kernels: [{name: '6.1', directory: /x}, ]}",
            "{kernels: [{name: '6.1', directory: /x}, { name: \"6.6\", git: { url: \"x\", ref: \"y\" } }, ]}",
        ),
        (
            "kernels: [] # none\n",
            "kernels: [{ name: \"6.6\", git: { url: \"x\", ref: \"y\" } }] # none\n",
        ),
    ];
    for (from, to) in table {
        assert_eq!(with(from).unwrap_or_else(|e| panic!("{from}: {e}")), to);
    }
    for text in ["kernels:\n- &a\n  name: '6.1'\n  directory: /x\n", "kernels: {}\n", "x: 1\n"] {
        assert!(with(text).unwrap_err().to_string().contains("by hand"), "{text}");
    }
}

/// Where an entry has its pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pinned {
    Nowhere,
    BesideDebian,
    First,
    Last,
}

/// An entry that is made up, and how it is written.
#[derive(Debug, Clone)]
struct Made {
    is_git: bool,
    flow: bool,
    pin: Pinned,
    quote: usize,
    comment: String,
    blank: usize,
}

fn made() -> impl Strategy<Value = Made> {
    let pin = prop::sample::select(vec![
        Pinned::Nowhere,
        Pinned::BesideDebian,
        Pinned::First,
        Pinned::Last,
    ]);
    let numbers = (any::<bool>(), any::<bool>(), pin, 0..3usize, 0..3usize);
    (numbers, "( # [a-zü:'\"{}, -]{0,12})?").prop_map(
        |((is_git, flow, pin, quote, blank), comment)| Made {
            is_git,
            flow,
            pin,
            quote,
            comment,
            blank,
        },
    )
}

/// The file, with these pins; `None` leaves a pin out.
fn write(
    entries: &[Made],
    pins: &[Option<&str>],
    indent: usize,
    ending: &str,
    tail: &str,
) -> String {
    let mut text = String::from("# SPDX: ünd\n\nkernels: # pin: no\n");
    let pad = " ".repeat(indent);
    for (n, (made, pin)) in entries.iter().zip(pins).enumerate() {
        let comment = &made.comment;
        let _ = write!(text, "{pad}- name: \"6.{n}\"{comment}\n{pad}  ");
        if made.is_git {
            let _ = writeln!(text, "git: {{ url: 'x', ref: y }}{comment}");
            continue;
        }
        // A pin that is added comes last, in quotes.
        let quote = if made.pin == Pinned::Nowhere { "\"" } else { ["", "'", "\""][made.quote] };
        let pair = pin.map(|pin| format!("pin: {quote}{pin}{quote}"));
        let outer = made.pin == Pinned::BesideDebian;
        if outer && let Some(pair) = &pair {
            let _ = write!(text, "{pair}{comment}\n{pad}  ");
        }
        let mut pairs = vec!["package: linux".to_owned(), "suite: 's'".to_owned()];
        if !outer && let Some(pair) = pair {
            let at = if made.pin == Pinned::First { 0 } else { 2 };
            pairs.insert(at, pair);
        }
        if made.flow {
            let _ = writeln!(text, "debian: {{ {} }}{comment}", pairs.join(", "));
        } else {
            let inner = pairs.join(&format!("\n{pad}    "));
            let _ = writeln!(text, "debian:{comment}\n{pad}    {inner}");
        }
        let _ = write!(text, "{}", "\n".repeat(made.blank));
    }
    let text = text.trim_end_matches('\n');
    format!("{text}{tail}").replace('\n', ending)
}

proptest! {
    /// The writer knows what the edited file must look like, byte by byte.
    #[test]
    fn nothing_but_the_pins_changes(
        entries in prop::collection::vec(made(), 1..5),
        indent in 0..4usize,
        windows: bool,
        tail in "\n{0,2}(\n# end\n)?",
        points in prop::collection::vec((0..400u32, 1..9u32), 5),
        chosen in any::<[bool; 5]>(),
    ) {
        let old: Vec<_> = (0..entries.len()).map(|n| format!("6.{n}.7-1")).collect();
        let new: Vec<_> =
            points.iter().enumerate().map(|(n, (a, b))| format!("6.{n}.{a}-{b}~deb{b}u1+x")).collect();
        let before: Vec<_> =
            entries.iter().zip(&old).map(|(made, pin)| (made.pin != Pinned::Nowhere).then_some(pin.as_str())).collect();
        let mut after = before.clone();
        let mut pins = Vec::new();
        for (n, made) in entries.iter().enumerate() {
            if chosen[n] && !made.is_git {
                after[n] = Some(&new[n]);
                pins.push((format!("6.{n}"), new[n].clone()));
            }
        }
        let ending = if windows { "\r\n" } else { "\n" };
        let text = write(&entries, &before, indent, ending, &tail);
        let pins: Vec<_> = pins.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let edited = pinned(&text, &pins).unwrap();
        prop_assert_eq!(&edited, &write(&entries, &after, indent, ending, &tail));
        let matrix = Matrix::parse(Path::new("m"), &edited).unwrap();
        for (kernel, pin) in matrix.kernels.iter().zip(&after) {
            if kernel.spec().is_ok_and(|s| matches!(s.origin, crate::tree::Origin::Debian { .. })) {
                let there = kernel.pin().unwrap().map(Release::to_string);
                prop_assert_eq!(there.as_deref(), *pin);
            }
        }
    }

    /// Whatever the text, an edit is right or refused, and never a panic.
    #[test]
    fn odd_texts_are_edited_rightly_or_refused(text in "(kernels:\n)?([-{}\\[\\]:,'\"#&*|>~ \r\na-zü]|- name: '6.1'|debian: |\\{package: l, suite: s\\}|pin: ){0,12}") {
        if let Ok(edited) = pinned(&text, &[("6.1", "6.1.9-2")]) {
            let matrix = Matrix::parse(Path::new("m"), &edited).unwrap();
            let pins: Vec<_> = matrix.kernels.iter().map(|k| k.pin().unwrap()).collect();
            prop_assert!(pins.contains(&Some(&"6.1.9-2".parse().unwrap())));
        }
        let _ = with_kernel(Path::new("m"), &text, "6.6".parse().unwrap(), "directory: \"/x\"");
    }
}
