// SPDX-License-Identifier: MIT OR Apache-2.0
//! What init itself has to say, on the console.

use std::io::Write as _;

/// Says one line, with the prefix that the host looks for.
pub fn say(text: &str) {
    let line = format!("{}{}\n", wire::CONSOLE_PREFIX, text.replace('\n', " / "));
    // Through the kernel's log the line stays whole; written to the terminal, a printk may cut it.
    let logged = std::fs::File::options()
        .write(true)
        .open("/dev/kmsg")
        .and_then(|mut log| log.write_all(format!("<3>{line}").as_bytes()));
    if logged.is_err() {
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}

/// A panic in any thread is said in init's own words, then `finally` is called. Without this the
/// kernel would panic in its turn, as its first process must not end.
pub fn announce_panics(finally: impl Fn() + Send + Sync + 'static) {
    std::panic::set_hook(Box::new(move |info| {
        say(&format!("this is a bug in init: {info}"));
        finally();
    }));
}
