// SPDX-License-Identifier: MIT OR Apache-2.0
//! The symbols of a tree, read from its Kconfig files.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::Expr;
use super::expr::macro_end;
use crate::diagnosis::{Diagnosis, on_path};

/// A symbol that a tree knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbol {
    /// `bool`, `tristate`, `string`, `int` or `hex`; empty if no definition says.
    pub kind: String,
    /// Where it is defined, `file:line`, relative to the tree.
    pub defined: Vec<String>,
    /// Its prompt. Without one it cannot be asked for.
    pub prompt: Option<String>,
    /// Its dependencies, those of the menus around it included: one for each definition.
    pub depends: Vec<Expr>,
    /// Symbols that select it.
    pub selected_by: Vec<String>,
    /// The choice that it is a member of, as a number.
    pub choice: Option<usize>,
}

/// All symbols of a tree.
#[derive(Debug, Clone, Default)]
pub struct SymbolTable {
    symbols: BTreeMap<String, Symbol>,
}

impl SymbolTable {
    /// Reads the Kconfig files of a tree for an architecture (`x86`).
    pub fn read(tree: &Path, arch: &str) -> Result<Self, Diagnosis> {
        let mut reader = Reader {
            tree,
            arch,
            table: Self::default(),
            selects: Vec::new(),
            read: HashSet::new(),
            choices: 0,
        };
        reader.file("Kconfig", &mut Vec::new())?;
        let Reader { mut table, selects, .. } = reader;
        for (selecting, selected) in selects {
            if let Some(symbol) = table.symbols.get_mut(&selected) {
                symbol.selected_by.push(selecting);
            }
        }
        Ok(table)
    }

    /// A symbol, by its name without `CONFIG_`.
    pub fn get(&self, name: &str) -> Option<&Symbol> {
        self.symbols.get(name)
    }

    /// Other members of a choice.
    pub fn members(&self, choice: usize) -> impl Iterator<Item = &str> {
        self.symbols.iter().filter(move |(_, s)| s.choice == Some(choice)).map(|(n, _)| n.as_str())
    }

    /// Names that look like this one, best first.
    pub fn like(&self, name: &str) -> Vec<&str> {
        let mut near: Vec<_> = self
            .symbols
            .keys()
            .map(|known| (distance(name, known), known.as_str()))
            .filter(|(d, known)| {
                *d <= 2 || known.contains(name) || name.contains(*known) && known.len() > 6
            })
            .collect();
        near.sort_unstable();
        near.into_iter().take(3).map(|(_, known)| known).collect()
    }
}

/// Levenshtein distance, given up at a difference in length of more than two.
fn distance(a: &str, b: &str) -> usize {
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// What surrounds an entry.
#[derive(Debug, Clone)]
enum Block {
    If(Option<Expr>),
    Menu(Option<Expr>),
    Choice(usize, Option<Expr>),
}

/// What the attribute lines belong to.
enum Entry {
    Symbol {
        name: String,
        depends: Vec<Expr>,
    },
    /// The menu, choice or comment that was opened last.
    Around,
    Nothing,
}

struct Reader<'a> {
    tree: &'a Path,
    arch: &'a str,
    table: SymbolTable,
    selects: Vec<(String, String)>,
    read: HashSet<PathBuf>,
    choices: usize,
}

impl Reader<'_> {
    fn file(&mut self, name: &str, around: &mut Vec<Block>) -> Result<(), Diagnosis> {
        let path = self.tree.join(name);
        if !self.read.insert(path.clone()) {
            return Ok(());
        }
        let bytes = std::fs::read(&path).map_err(|e| on_path("read", &path, &e))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut entry = Entry::Nothing;
        let mut lines = text.lines().enumerate();
        let mut help_indent: Option<usize> = None;
        let mut in_help = false;
        while let Some((n, first)) = lines.next() {
            if in_help {
                let indent = indentation(first);
                if first.trim().is_empty()
                    || *help_indent.get_or_insert(indent) <= indent && indent > 0
                {
                    continue;
                }
                in_help = false;
            }
            let mut line = first.to_owned();
            while line.ends_with('\\') {
                line.pop();
                match lines.next() {
                    Some((_, more)) => line.push_str(more),
                    None => break,
                }
            }
            let text = line.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let (word, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
            if matches!(word, "help" | "---help---") {
                in_help = true;
                help_indent = None;
                continue;
            }
            self.line(name, n + 1, word, rest.trim(), &mut entry, around)?;
        }
        self.finish(&mut entry, around);
        Ok(())
    }

    fn line(
        &mut self,
        file: &str,
        line: usize,
        word: &str,
        rest: &str,
        entry: &mut Entry,
        around: &mut Vec<Block>,
    ) -> Result<(), Diagnosis> {
        match word {
            "config" | "menuconfig" => {
                self.finish(entry, around);
                let symbol = self.table.symbols.entry(rest.to_owned()).or_default();
                symbol.defined.push(format!("{file}:{line}"));
                if let Some(Block::Choice(choice, _)) = around.last() {
                    symbol.choice = Some(*choice);
                }
                *entry = Entry::Symbol { name: rest.to_owned(), depends: Vec::new() };
            }
            "if" => {
                self.finish(entry, around);
                around.push(Block::If(Expr::parse(rest)));
            }
            "menu" | "choice" => {
                self.finish(entry, around);
                let block = if word == "menu" {
                    Block::Menu(None)
                } else {
                    self.choices += 1;
                    Block::Choice(self.choices, None)
                };
                around.push(block);
                *entry = Entry::Around;
            }
            "endif" | "endmenu" | "endchoice" => {
                self.finish(entry, around);
                around.pop();
            }
            "comment" | "mainmenu" => self.finish(entry, around),
            "source" => {
                self.finish(entry, around);
                self.source(rest, around)?;
            }
            "depends" => {
                let Some(expr) = rest.strip_prefix("on").and_then(|e| Expr::parse(e.trim())) else {
                    return Ok(());
                };
                match entry {
                    Entry::Symbol { depends, .. } => depends.push(expr),
                    Entry::Around => {
                        if let Some(Block::Menu(on) | Block::Choice(_, on)) = around.last_mut() {
                            *on = Some(match on.take() {
                                Some(before) => Expr::And(vec![before, expr]),
                                None => expr,
                            });
                        }
                    }
                    Entry::Nothing => {}
                }
            }
            _ => {
                if let Entry::Symbol { name, .. } = entry {
                    self.attribute(&name.clone(), word, rest);
                }
            }
        }
        Ok(())
    }

    fn attribute(&mut self, name: &str, word: &str, rest: &str) {
        let symbol = self.table.symbols.entry(name.to_owned()).or_default();
        let prompt = |text: &str| {
            let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            text[1..].split(quote).next().map(str::to_owned)
        };
        match word {
            "bool" | "tristate" | "string" | "int" | "hex" => {
                word.clone_into(&mut symbol.kind);
                symbol.prompt = symbol.prompt.take().or(prompt(rest));
            }
            "prompt" => symbol.prompt = symbol.prompt.take().or(prompt(rest)),
            "def_bool" => "bool".clone_into(&mut symbol.kind),
            "def_tristate" => "tristate".clone_into(&mut symbol.kind),
            "select" => {
                let selected = rest.split_whitespace().next().unwrap_or_default();
                self.selects.push((name.to_owned(), selected.to_owned()));
            }
            _ => {}
        }
    }

    /// Gives the entry that ends here the dependencies of everything around it.
    fn finish(&mut self, entry: &mut Entry, around: &[Block]) {
        if let Entry::Symbol { name, depends } = std::mem::replace(entry, Entry::Nothing) {
            let outer = around.iter().filter_map(|block| match block {
                Block::If(on) | Block::Menu(on) | Block::Choice(_, on) => on.clone(),
            });
            let mut all: Vec<Expr> = Vec::new();
            for expr in outer.chain(depends) {
                match expr {
                    Expr::And(parts) => all.extend(parts),
                    other => all.push(other),
                }
            }
            let symbol = self.table.symbols.entry(name).or_default();
            symbol.depends.push(Expr::And(all));
        }
    }

    fn source(&mut self, rest: &str, around: &mut Vec<Block>) -> Result<(), Diagnosis> {
        let name = rest.trim_matches(['"', '\'']);
        let name = name.replace("$(SRCARCH)", self.arch).replace("$SRCARCH", self.arch);
        // Other macros name files outside of the tree, or of other architectures.
        if name.contains('$') {
            let _ = macro_end(&name);
            return Ok(());
        }
        if self.tree.join(&name).is_file() {
            let depth = around.len();
            self.file(&name, around)?;
            around.truncate(depth);
        }
        Ok(())
    }
}

fn indentation(line: &str) -> usize {
    line.chars()
        .take_while(|c| c.is_whitespace())
        .fold(0, |column, c| if c == '\t' { column / 8 * 8 + 8 } else { column + 1 })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A small tree with every construct that matters.
    pub const KCONFIG: &str = "mainmenu \"Linux\"\n\nconfig CC_IS_GCC\n\tdef_bool $(success,true)\n\nsource \"arch/$(SRCARCH)/Kconfig\"\n\nmenu \"Memory\"\n\tdepends on MMU\n\nconfig SHMEM\n\tbool \"Use full shmem\" if EXPERT\n\tdefault y\n\thelp\n\t  config NOT_A_SYMBOL\n\t  depends on nonsense\n\nconfig TMPFS\n\tbool \"Virtual memory file system\"\n\tdepends on SHMEM && \\\n\t\t   BLOCK\n\tselect MEMFD\n\nendmenu\n\nif DEBUG\nconfig LOCKDEP\n\tbool\n\tdepends on (STACK || UNWIND) && NUM >= 4\n\nconfig PROVE\n\tbool \"Prove\"\n\tselect LOCKDEP\nendif\n\nchoice\n\tprompt \"Preemption\"\n\tdefault NONE\n\nconfig NONE\n\tbool \"None\"\n\nconfig FULL\n\tbool \"Full\"\n\nendchoice\n\nconfig MEMFD\n\tbool\n\nconfig NUM\n\tint \"Number\"\n\trange 1 8\n\nconfig DRV\n\ttristate \"Driver\"\n\tdepends on MODS\n";

    pub fn table() -> SymbolTable {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("arch/x86")).unwrap();
        std::fs::write(dir.path().join("Kconfig"), KCONFIG).unwrap();
        std::fs::write(dir.path().join("arch/x86/Kconfig"), "config MMU\n\tdef_bool y\n").unwrap();
        SymbolTable::read(dir.path(), "x86").unwrap()
    }

    #[test]
    fn symbols_have_their_surroundings() {
        let table = table();
        let depends = |name: &str| table.get(name).unwrap().depends[0].to_string();
        assert_eq!(depends("TMPFS"), "MMU && SHMEM && BLOCK");
        assert_eq!(depends("LOCKDEP"), "DEBUG && (STACK || UNWIND) && NUM>=4");
        assert_eq!(table.get("SHMEM").unwrap().prompt.as_deref(), Some("Use full shmem"));
        assert_eq!(table.get("LOCKDEP").unwrap().prompt, None);
        assert_eq!(table.get("LOCKDEP").unwrap().selected_by, ["PROVE"]);
        assert!(table.get("NOT_A_SYMBOL").is_none());
        assert_eq!(table.get("MMU").unwrap().defined, ["arch/x86/Kconfig:1"]);
        assert_eq!(table.get("NONE").unwrap().choice, table.get("FULL").unwrap().choice);
        assert!(table.get("MEMFD").unwrap().choice.is_none());
    }

    #[test]
    fn near_names_are_offered() {
        assert_eq!(table().like("TMPSF"), ["TMPFS"]);
        assert_eq!(table().like("ZZZZZZ"), [""; 0]);
    }
}
