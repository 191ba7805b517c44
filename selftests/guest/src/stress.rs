// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running the stress loop of the `direct_target` module.

use std::fs::File;
use std::path::Path;

use rustix::io::Errno;
use rustix::system::{delete_module, finit_module};
use wire::{Counters, ModuleSpec, Outcome, StressSpec};

const CONTROL: &str = "/sys/kernel/debug/direct_target";

/// How far the running loop is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Modifies done.
    pub modifies: u64,
    /// Calls made.
    pub calls: u64,
}

/// Reads the progress; zero where there is none.
pub fn progress() -> Progress {
    let text = std::fs::read_to_string(Path::new(CONTROL).join("progress")).unwrap_or_default();
    let counters = counters(text.split_whitespace());
    let number = |key: &str| {
        counters.numbers.get(key).and_then(|&n| u64::try_from(n).ok()).unwrap_or_default()
    };
    Progress { modifies: number("modifies"), calls: number("calls") }
}

/// Loads the modules, runs the loop, unloads them. The counters are given back whenever the loop
/// produced any, also when another step broke.
pub fn run(spec: &StressSpec) -> (Outcome, Counters) {
    let mut loaded = Vec::new();
    let mut broke = None;
    for module in &spec.modules {
        match load(module) {
            Ok(()) => loaded.push(module),
            Err(outcome) => {
                broke = Some(outcome);
                break;
            }
        }
    }
    let mut found = Counters::default();
    if broke.is_none() {
        // The loop's own error is in its result; writing fails without one only if it never ran.
        let written = start(spec);
        match result() {
            Ok(counters) => found = counters,
            Err(outcome) => broke = Some(written.err().unwrap_or(outcome)),
        }
    }
    for module in loaded.into_iter().rev() {
        if let Err(outcome) = unload(module) {
            broke.get_or_insert(outcome);
        }
    }
    (broke.unwrap_or(Outcome::Completed), found)
}

fn start(spec: &StressSpec) -> Result<(), Outcome> {
    let line = format!(
        "duration_ms={} workers={} targets={} seed={}",
        spec.duration_ms, spec.workers, spec.targets, spec.seed
    );
    std::fs::write(Path::new(CONTROL).join("run"), line)
        .map_err(|e| broke("write run", e.raw_os_error().unwrap_or(0), &e))
}

fn result() -> Result<Counters, Outcome> {
    let text = std::fs::read_to_string(Path::new(CONTROL).join("result"))
        .map_err(|e| broke("read result", e.raw_os_error().unwrap_or(0), &e))?;
    let counters = counters(text.lines());
    if counters.numbers.get("complete") == Some(&1) {
        Ok(counters)
    } else {
        Err(broke("read result", 0, &"it is cut: no complete=1"))
    }
}

fn load(module: &ModuleSpec) -> Result<(), Outcome> {
    let step = format!("insmod {}", module.file);
    let path = Path::new("/modules").join(&module.file);
    let file = File::open(&path).map_err(|e| broke(&step, e.raw_os_error().unwrap_or(0), &e))?;
    let params = std::ffi::CString::new(module.params.as_str())
        .map_err(|_| broke(&step, 0, &"a NUL byte in the parameters"))?;
    finit_module(&file, &params, 0).map_err(|e| broke(&step, e.raw_os_error(), &e))
}

fn unload(module: &ModuleSpec) -> Result<(), Outcome> {
    let step = format!("rmmod {}", module.name());
    let name = std::ffi::CString::new(module.name())
        .map_err(|_| broke(&step, 0, &"a NUL byte in the name"))?;
    // O_NONBLOCK, see delete_module(2): fail rather than wait for a use count that may never fall.
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    delete_module(&name, flags).map_err(|e: Errno| broke(&step, e.raw_os_error(), &e))
}

fn broke(step: &str, errno: i32, why: &impl ToString) -> Outcome {
    Outcome::Broke { step: step.to_owned(), errno, why: why.to_string() }
}

/// Splits `key=value` pieces into numbers and words. What is neither is kept as a word, so that it
/// shows in the result.
fn counters<'a>(pieces: impl Iterator<Item = &'a str>) -> Counters {
    let mut counters = Counters::default();
    for (key, value) in pieces.filter_map(|piece| piece.split_once('=')) {
        match value.parse() {
            Ok(number) => drop(counters.numbers.insert(key.to_owned(), number)),
            Err(_) => drop(counters.words.insert(key.to_owned(), value.to_owned())),
        }
    }
    counters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_numbers_and_words() {
        let text = "subject=direct-c\ncalls=12\nerrno=-5\nhuge=99999999999999999999\nnonsense\n";
        let got = counters(text.lines());
        assert_eq!(
            got.numbers.into_iter().collect::<Vec<_>>(),
            [("calls".to_owned(), 12), ("errno".to_owned(), -5)]
        );
        assert_eq!(got.words["subject"], "direct-c");
        assert_eq!(got.words["huge"], "99999999999999999999");
    }
}
