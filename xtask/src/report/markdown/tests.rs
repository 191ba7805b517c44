// SPDX-License-Identifier: MIT OR Apache-2.0

use super::super::tests::{matrix, sample};
use super::*;

#[test]
fn what_is_cut_is_said_and_never_in_the_middle() {
    for shown in [matrix(), sample()] {
        let whole = within(&shown, usize::MAX);
        assert!(!whole.contains("**Cut"), "{whole}");
        let limits = [0, 100, 300, 700, 1500, whole.len() - 30];
        for limit in limits.into_iter().filter(|limit| *limit < whole.len()) {
            let page = within(&shown, limit);
            // What is said last is outside of everything that can be folded.
            assert_eq!(page.matches("<details>").count(), page.matches("</details>").count());
            let (kept, cut) = page.split_once("\n\n**Cut").expect("it says that it was cut");
            assert!(kept.len() <= limit + "\n</details>\n".len(), "{limit}: {page}");
            assert!(cut.contains("--format json"), "{page}");
        }
        assert_eq!(within(&shown, whole.len()), whole);
    }
    let page = within(&matrix(), 900);
    let (_, cut) = page.split_once("**Cut").unwrap();
    insta::assert_snapshot!(cut);
}

#[test]
fn thousands_of_cells_stay_below_the_limit_of_a_summary() {
    let mut loud = matrix();
    loud.truncate(3);
    loud[2].result.details = vec!["a fact\n".repeat(1000)];
    let many: Vec<_> = loud.iter().cycle().take(3000).cloned().collect();
    let page = markdown(&many);
    assert!(page.len() < 1024 * 1024, "{}", page.len());
    assert!(page.starts_with("**3000 cells: 1000 unexpected, 2000 as expected**"));
    assert!(page.contains("**Cut"), "nothing was cut");
}

#[test]
fn two_cells_in_one_place_of_the_grid_are_both_there() {
    let mut shown = matrix();
    shown.truncate(2);
    for (one, id) in shown.iter_mut().zip(["first", "second"]) {
        one.result.series.name = "none".into();
        one.standing.as_mut().unwrap().id = id.into();
    }
    shown[1].standing.as_mut().unwrap().role = shown[0].standing.as_ref().unwrap().role;
    let (head, rows) = grid::grid(&shown);
    assert_eq!(head, "| | 6.1 |\n|---|---|\n");
    assert_eq!(rows, ["| none, c | ✓ pass<br>✓ fail as expected |\n"]);
}
