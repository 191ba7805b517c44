// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fragments: what is read, what is refused, and what cannot be joined.

use std::path::Path;

use super::super::{Error, Fragment, ParseProblem as Problem, Symbol, Tristate, Value, merge};
use crate::diagnosis::{Diagnosis, ExitKind};

fn parse(file: &str, text: &str) -> Fragment {
    Fragment::parse(file, text).expect("a good fragment")
}

/// The one request of a line, as symbol and value.
fn one(line: &str) -> (String, Value) {
    let fragment = parse("f", line);
    let [request] = fragment.requests.as_slice() else { panic!("{line}: not one request") };
    (request.symbol.to_string(), request.value.clone())
}

#[test]
fn options_are_read() {
    for (line, symbol, value) in [
        ("CONFIG_A=y", "A", Value::Tristate(Tristate::Yes)),
        ("CONFIG_64BIT=m", "64BIT", Value::Tristate(Tristate::Module)),
        ("CONFIG_A=n", "A", Value::NO),
        ("# CONFIG_SCx200 is not set", "SCx200", Value::NO),
        ("CONFIG_A=\"\"", "A", Value::Text(String::new())),
        (r#"CONFIG_A="a \"q\" \\ # b" "#, "A", Value::Text(r#"a "q" \ # b"#.into())),
        ("CONFIG_A=-12\r\n", "A", Value::Int(-12)),
        ("CONFIG_A=0xfFFFffff80000000", "A", Value::Hex(0xffff_ffff_8000_0000)),
    ] {
        assert_eq!(one(line), (symbol.to_owned(), value), "{line}");
    }
}

#[test]
fn comments_ask_for_nothing() {
    for line in ["", "  ", "# text", "#", "  # text", "# CONFIG_A=y", "# CONFIG_A is set elsewhere"]
    {
        assert_eq!(parse("f", line).requests, [], "{line}");
    }
}

#[test]
fn every_wrong_line_is_named_with_its_column() {
    let text = "\
CONFIG_A = y
FOO=y
CONFIG_B=y # because
config_c=y
CONFIG_smp=y
CONFIG_D=\"open
CONFIG_E
CONFIG_F=
CONFIG_G=Y
CONFIG_H=maybe
CONFIG_I=99999999999999999999
CONFIG_J=0xG
 CONFIG_K=y
#CONFIG_L is not set
# CONFIG_M  is not set
#: if-knwon: x
#: if-known:
CONFIG_N=y
make it so
CONFIG_O=\"a\" b
CONFIG_A-B=y
CONFIG_P=y
CONFIG_P=m
CONFIG_Q= y
CONFIG_R=y\u{20}
ü=y
#: if-known: first
#: if-known: last
";
    let errors = Fragment::parse("kconfigs/bad.config", text).expect_err("all of it is wrong");
    let mut wrong: Vec<u32> = errors.iter().map(|error| error.at.line).collect();
    wrong.dedup();
    // The option after the directive without a reason, and the first of the pair, are good.
    let expected: Vec<u32> = (1..=28).filter(|line| ![18, 22].contains(line)).collect();
    assert_eq!(wrong, expected);
    let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn one_wrong_line_is_a_diagnosis_of_wrong_input() {
    let errors = Fragment::parse("a.config", "\nCONFIG_SMP = y\n").expect_err("wrong");
    let diagnosis = Diagnosis::from(Error::Malformed(errors));
    assert_eq!(diagnosis.exit, ExitKind::Usage);
    insta::assert_snapshot!(diagnosis.to_string(), @r"
    a.config:2:11: there is white space before the option or around `=`
      next: write CONFIG_NAME=value at the start of the line, without spaces
    ");
}

#[test]
fn a_directive_holds_for_the_next_option_only() {
    let fragment = parse("f", "#: if-known: from 5.16 on\n\n# text\nCONFIG_A=y\nCONFIG_B=y\n");
    let reasons: Vec<Option<&str>> =
        fragment.requests.iter().map(|request| request.if_known.as_deref()).collect();
    assert_eq!(reasons, [Some("from 5.16 on"), None]);
}

#[test]
fn a_repeated_line_is_one_request_and_a_contrary_one_is_not() {
    assert_eq!(parse("f", "CONFIG_A=y\nCONFIG_A=y\n").requests.len(), 1);
    let unconditional = parse("f", "#: if-known: x\nCONFIG_A=y\nCONFIG_A=y\n");
    assert_eq!(unconditional.requests[0].if_known, None);
    let errors = Fragment::parse("f", "CONFIG_A=y\n# CONFIG_A is not set\n").expect_err("contrary");
    assert!(matches!(
        errors.as_slice(),
        [error] if matches!(&error.problem, Problem::Duplicate { line: 1, .. })
    ));
}

#[test]
fn fragments_that_agree_are_joined_in_order() {
    let joined = merge(&[
        parse("a", "#: if-known: x\nCONFIG_A=y\nCONFIG_B=8\n"),
        parse("b", "CONFIG_C=y\nCONFIG_A=y\n"),
    ])
    .expect("they agree");
    let symbols: Vec<&str> = joined.iter().map(|request| request.symbol.name()).collect();
    assert_eq!(symbols, ["A", "B", "C"]);
    let first = joined.get(&Symbol::new("A")).expect("asked for");
    assert_eq!((first.at.to_string().as_str(), &first.if_known), ("b:2", &None));
}

#[test]
fn the_key_follows_what_is_asked_and_not_who_asks() {
    let key = |text| merge(&[parse("f", text)]).expect("one").key().to_string();
    let first = key("CONFIG_A=y\nCONFIG_B=8\n");
    assert_eq!(first, key("# why\nCONFIG_B=8\nCONFIG_A=y\n"));
    for other in ["CONFIG_A=y\n", "CONFIG_A=y\nCONFIG_B=9\n", "CONFIG_A=m\nCONFIG_B=8\n"] {
        assert_ne!(first, key(other), "{other}");
    }
    assert_ne!(key("CONFIG_A=y\n"), key("#: if-known: x\nCONFIG_A=y\n"));
    let requests = merge(&[parse("f", "CONFIG_A=y\nCONFIG_B=m\n")]).expect("one");
    assert!(requests.wants("A") && !requests.wants("B") && !requests.wants("C"));
}

#[test]
fn fragments_that_disagree_are_refused_with_both_lines() {
    let error = merge(&[
        parse("kconfigs/a.config", "CONFIG_A=y\nCONFIG_S=\"x\"\n"),
        parse("kconfigs/b.config", "\n# CONFIG_A is not set\nCONFIG_S=\"y\"\n"),
    ])
    .expect_err("they disagree");
    let diagnosis = Diagnosis::from(error);
    assert_eq!(diagnosis.exit, ExitKind::Usage);
    insta::assert_snapshot!(diagnosis.to_string(), @r#"
    the fragments disagree about 2 options
      CONFIG_A
        kconfigs/a.config:1: y
        kconfigs/b.config:2: n
      CONFIG_S
        kconfigs/a.config:2: "x"
        kconfigs/b.config:3: "y"
      next: let one of the two fragments ask for it, or leave one of them out
    "#);
}

#[test]
fn a_fragment_that_cannot_be_read_is_wrong_input() {
    let error = Fragment::read(Path::new("no/such.config")).expect_err("not there");
    assert!(matches!(&error, Error::FragmentUnread { file, .. } if file == "no/such.config"));
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), b"CONFIG_A=y\n\xff\n").expect("written");
    let error = Fragment::read(file.path()).expect_err("not text");
    assert!(error.to_string().ends_with("byte 11 is not UTF-8"), "{error}");
}

#[test]
fn the_projects_own_fragments_are_good_and_agree() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kconfigs");
    let fragments: Vec<Fragment> = std::fs::read_dir(directory)
        .expect("the fragments")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "config"))
        .map(|path| {
            Fragment::read(&path).unwrap_or_else(|error| panic!("{}", Diagnosis::from(error)))
        })
        .collect();
    assert!(!fragments.is_empty());
    assert!(merge(&fragments).is_ok());
}
