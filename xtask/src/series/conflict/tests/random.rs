// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random patches on random trees: what is found has to agree with git.

use super::*;

/// Numbers that look random, and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }

    /// Changes some lines: few words, so that hunks fit in more than one place.
    fn edit(&mut self, lines: &mut Vec<String>, edits: usize) {
        for _ in 0..edits {
            let at = self.below(lines.len());
            let line = ["word", "other", "}", "", "x();"][self.below(5)].to_owned();
            match self.below(3) {
                0 => lines[at] = line,
                1 => lines.insert(at, line),
                _ if lines.len() > 1 => drop(lines.remove(at)),
                _ => {}
            }
        }
    }
}

#[test]
fn hunks_are_placed_as_git_places_them() {
    let bench = Bench::new();
    let mut dice = Dice(7);
    let (mut fine, mut not) = (0, 0);
    for _ in 0..ROUNDS {
        let mut old: Vec<String> = (0..=dice.below(30)).map(|n| format!("l{}", n % 11)).collect();
        dice.edit(&mut old, 6);
        let (mut new, mut tree) = (old.clone(), old.clone());
        dice.edit(&mut new, 4);
        let edits = dice.below(4);
        dice.edit(&mut tree, edits);
        let text = |lines: &[String]| lines.join("\n") + "\n";
        if old == new {
            continue;
        }
        let patch = bench.patch(&[("f.c", &text(&old))], &[("f.c", &text(&new))]);
        let base = bench.tree("tree", &[("f.c", &text(&tree))]).commit;
        // This compares with git.
        if bench.find(&base, &patch).is_empty() { fine += 1 } else { not += 1 }
    }
    assert!(fine > ROUNDS / 8 && not > ROUNDS / 8, "{fine} {not}");
}

/// A round takes some 100 ms, most of it in git; 300 were run once.
const ROUNDS: usize = 24;
