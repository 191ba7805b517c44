// SPDX-License-Identifier: MIT OR Apache-2.0
//! Expressions with values, by the rules of the language.

use super::super::table::Condition;
use super::super::{Bounds, DotConfig, Symbol, SymbolTable, Tristate, Values};

const TREE: &str = "\
config MODULES
	bool \"m\"
	modules
config YES
	bool \"y\"
config MOD
	tristate \"m\"
config OFF
	tristate \"n\"
config NUMBER
	int \"n\"
config ADDRESS
	hex \"h\"
config TEXT
	string \"s\"
config EMPTY
	string \"s\"
";

const VALUES: &str = "CONFIG_MODULES=y\nCONFIG_YES=y\nCONFIG_MOD=m\nCONFIG_NUMBER=10\n\
                      CONFIG_ADDRESS=0xff\nCONFIG_TEXT=\"x86\"\n";

/// The bounds of an expression as two letters, the lower one first.
fn bounds(expr: &str, values: &str) -> String {
    let text = format!("{TREE}config T\n\tbool \"t\"\n\tdepends on {expr}\n");
    let table =
        SymbolTable::read_with("x86", &|_| Ok(text.clone().into_bytes())).expect("readable");
    assert_eq!(table.notes(), [], "{expr}");
    let config = DotConfig::parse(values);
    let values = Values { table: &table, config: &config };
    let definition = &table.get(&Symbol::new("T")).expect("defined").definitions[0];
    let conditions: &[Condition] = &definition.depends;
    let Bounds { low, high } = values.all(conditions);
    format!("{low}{high}")
}

#[test]
fn expressions_follow_the_language() {
    for (expr, expected) in [
        ("YES", "yy"),
        ("MOD", "mm"),
        ("OFF", "nn"),
        ("!MOD", "mm"),
        ("!OFF", "yy"),
        ("YES && MOD", "mm"),
        ("OFF || MOD", "mm"),
        ("!(YES && OFF) && YES", "yy"),
        ("UNDEFINED", "nn"),
        ("!UNDEFINED", "yy"),
        ("NUMBER", "nn"),
        ("m", "mm"),
        ("MOD = m", "yy"),
        ("MOD != n", "yy"),
        ("OFF = n", "yy"),
        ("MOD < YES", "yy"),
        ("MOD >= YES", "nn"),
        ("UNDEFINED = n", "nn"),
        ("NUMBER = 10", "yy"),
        ("NUMBER < 9", "nn"),
        ("NUMBER > 9", "yy"),
        ("NUMBER <= 0xa", "yy"),
        ("ADDRESS = 255", "yy"),
        ("ADDRESS >= 0x100", "nn"),
        ("TEXT = \"x86\"", "yy"),
        ("TEXT != x86", "nn"),
        ("EMPTY = \"\"", "yy"),
        ("\"$(ARCH)\" = \"x86\"", "yy"),
        ("$(shell,false)", "ny"),
        ("!$(shell,false)", "ny"),
        ("$(shell,false) && OFF", "nn"),
        ("$(shell,false) || YES", "yy"),
        ("$(shell,false) || MOD", "my"),
        ("\"$(shell,date)\" = \"now\"", "ny"),
    ] {
        assert_eq!(bounds(expr, VALUES), expected, "{expr}");
    }
}

#[test]
fn without_modules_m_is_off() {
    assert_eq!(bounds("m", "CONFIG_YES=y\n"), "nn");
    assert_eq!(bounds("YES || m", "CONFIG_YES=y\n"), "yy");
}

#[test]
fn not_is_two_minus() {
    let all = [Tristate::No, Tristate::Module, Tristate::Yes];
    assert_eq!(all.map(|value| !value), [Tristate::Yes, Tristate::Module, Tristate::No]);
}
