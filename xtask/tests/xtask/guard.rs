// SPDX-License-Identifier: MIT OR Apache-2.0
//! Nothing that the tool starts outlives it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::tool::{eventually, processes_with};

/// A guard over a shell that has a child of its own; `mark` is in both command lines.
fn guarded(mark: &str) -> Child {
    let script = format!("sleep 300 # {mark}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["__guard", "--", "sh", "-c", &format!("sh -c '{script}; true' & echo up; wait")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "up\n");
    assert!(!processes_with(mark).is_empty());
    child
}

#[test]
fn when_the_tool_is_gone_so_is_everything_below_it() {
    let mark = format!("tool-gone-{}", std::process::id());
    let mut guard = guarded(&mark);
    drop(guard.stdin.take());
    eventually("the end of the group", || processes_with(&mark).is_empty());
    guard.wait().unwrap();
}

#[test]
fn a_terminated_guard_takes_the_group_along() {
    let mark = format!("guard-term-{}", std::process::id());
    let mut guard = guarded(&mark);
    let pid = guard.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    eventually("the end of the group", || processes_with(&mark).is_empty());
    guard.wait().unwrap();
}

#[test]
fn exit_codes_and_signals_come_through() {
    let code = |script: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["__guard", "--", "sh", "-c", script])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        // `wait` would close the guard's input, and with it end the program.
        let lifeline = child.stdin.take();
        let code = child.wait().unwrap().code();
        drop(lifeline);
        code
    };
    assert_eq!(code("exit 0"), Some(0));
    assert_eq!(code("exit 42"), Some(42));
    assert_eq!(code("kill -KILL $$"), Some(137));
}

#[test]
fn what_a_program_leaves_behind_is_ended_with_it() {
    let mark = format!("left-behind-{}", std::process::id());
    let mut child = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["__guard", "--", "sh", "-c", &format!("sh -c 'sleep 300; true # {mark}' & exit 3")])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let lifeline = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    drop(lifeline);
    eventually("the end of the group", || processes_with(&mark).is_empty());
}
