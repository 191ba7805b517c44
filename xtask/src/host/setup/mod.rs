// SPDX-License-Identifier: MIT OR Apache-2.0
//! Installing what is missing.
//!
//! With apt this happens right away for root, and through `sudo` when the user said `--yes`.
//! Elsewhere, and without rights, the user gets the exact command.

mod apt;
mod decide;
mod family;
mod plan;

use std::fmt;
use std::time::{Duration, Instant};

pub use family::Family;
pub use plan::{CommandLine, Plan, Rights, plan};

use super::{Host, Output};
use crate::diagnosis::Diagnosis;

/// How long another apt or dpkg may keep us waiting.
const LOCK_PATIENCE: Duration = Duration::from_secs(300);

/// How often a waiting install looks again.
const LOCK_RETRY: Duration = Duration::from_secs(1);

/// How long a command may take; a mirror that stalls must not hang us for ever.
const COMMAND_LIMIT: Duration = Duration::from_secs(3600);

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// What apt was asked to install.
    pub installed: Vec<String>,
    /// What the user should know, a line each; among it what is still missing though the main job
    /// runs without it.
    pub notes: Vec<String>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.installed.as_slice() {
            [] => write!(f, "nothing was installed")?,
            all => write!(f, "installed {}", all.join(" "))?,
        }
        self.notes.iter().try_for_each(|note| write!(f, "\nnote: {note}"))
    }
}

/// Installs what is missing. `yes` allows sudo, and the removal of packages that are in the way.
///
/// # Errors
/// Something that the main job needs is missing and was not installed; the error names the command
/// that would do it.
pub fn run(host: &Host, yes: bool) -> Result<Summary, Diagnosis> {
    let mut summary = Summary::default();
    let mut update_words: Option<String> = None;
    loop {
        let plan =
            plan::plan_again(host, update_words.is_some()).map_err(
                |diagnosis| match update_words.as_deref().map(str::trim) {
                    None | Some("") => diagnosis,
                    Some(words) => diagnosis.detail(format!("apt-get update said:\n{words}")),
                },
            )?;
        if let Some(verdict) = before_running(&plan, yes, &mut summary) {
            return verdict.map(|()| summary);
        }
        let (last, first) = plan.commands.split_last().unzip();
        for command in first.into_iter().flatten() {
            let output = run_command(host, command)?;
            if plan.provisional {
                update_words = Some(output.error_text());
            }
        }
        if plan.provisional {
            continue;
        }
        if let Some(install) = last {
            match run_command(host, install) {
                Ok(_) => {}
                Err(e) if update_words.is_none() && is_stale(&e) => {
                    let update = update_like(install);
                    update_words = Some(run_command(host, &update)?.error_text());
                    continue;
                }
                Err(e) => return Err(e),
            }
        }
        summary.installed = plan.packages;
        summary.notes.extend(plan.notes);
        let left: Vec<_> = plan.missing.iter().filter(|r| r.find().is_none()).collect();
        if let Some(needed) = left.iter().find(|r| !r.optional) {
            return Err(Diagnosis::infra(format!(
                "{} is still not to be found, though {} was installed",
                needed.name(),
                needed.debian
            ))
            .next("check PATH, and what the package contains (`dpkg -L`)"));
        }
        return Ok(summary);
    }
}

/// `Some` if there is nothing to run or it must not be run.
fn before_running(plan: &Plan, yes: bool, summary: &mut Summary) -> Option<Result<(), Diagnosis>> {
    if plan.missing.is_empty() {
        return Some(Ok(()));
    }
    let allowed = match plan.rights {
        Rights::Root => true,
        Rights::Sudo => yes,
        Rights::None | Rights::NotOurs => false,
    };
    if allowed && (yes || plan.removes.is_empty()) {
        return None;
    }
    let what = if allowed {
        format!("installing what is missing would remove {}", plan.removes.join(" "))
    } else {
        let names: Vec<_> = plan.missing.iter().map(|r| r.name()).collect();
        format!("not installed: {}", names.join(", "))
    };
    let line = plan.command_line();
    let next = match plan.rights {
        _ if line.is_empty() => plan.notes.join("\n"),
        Rights::Root => {
            format!("allow it with `cargo xtask setup --yes`, or run what suits you of `{line}`")
        }
        Rights::Sudo => format!("run `{line}`, or let `cargo xtask setup --yes` do it"),
        Rights::None => format!("as root, run `{line}`"),
        Rights::NotOurs => format!("run `{line}`"),
    };
    if plan.is_optional() {
        summary.notes.push(format!("{what} (optional); {next}"));
        return Some(Ok(()));
    }
    Some(Err(Diagnosis::infra(what).detail(plan.list()).next(next)))
}

/// Runs a command of the plan, waiting for other programs that hold apt's locks: apt's own timeout
/// does not cover the lock of the package lists.
fn run_command(host: &Host, command: &CommandLine) -> Result<Output, Diagnosis> {
    let words = non_interactive(command);
    let subject = command.0.iter().filter(|word| *word != "sudo").take(2);
    let subject = subject.map(String::as_str).collect::<Vec<_>>().join(" ");
    let step = host.progress.step("setup", &subject);
    let started = Instant::now();
    let mut said = false;
    // dpkg looks for ldconfig and the like there, and a user's PATH need not have them.
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/local/sbin:/usr/sbin:/sbin";
    loop {
        let output = host
            .program(&words[0])
            .args(&words[1..])
            .env("PATH", &path)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .env("LC_ALL", "C")
            .limit(COMMAND_LIMIT)
            .on_line(|line| step.line(line))
            .output()?;
        if output.success() {
            step.done("");
            return Ok(output);
        }
        let errors = output.error_text();
        if errors.contains("Could not get lock") && started.elapsed() < LOCK_PATIENCE {
            if !said {
                host.progress.note("waiting for another program that uses apt");
                said = true;
            }
            host.check_cancelled()?;
            std::thread::sleep(LOCK_RETRY);
            continue;
        }
        return Err(command_failed(command, output.code, &errors));
    }
}

fn command_failed(command: &CommandLine, code: i32, errors: &str) -> Diagnosis {
    if errors.contains("sudo:") && errors.contains("password") {
        return Diagnosis::infra("sudo asks for a password, which cannot be typed here")
            .next(format!("run `{command}` yourself"));
    }
    let next = if errors.contains("Unable to fetch") || errors.contains("Failed to fetch") {
        "check the network and the machine's apt sources"
    } else if errors.contains("enough free space") || errors.contains("No space left") {
        "free some space"
    } else {
        "repair what apt complains about, then run `cargo xtask setup` again"
    };
    Diagnosis::infra(format!("`{command}` failed (exit code {code})"))
        .detail(errors)
        .next(next)
        .reproduce(command.to_string())
}

/// Whether fresh package lists would help: a newer version has replaced the file that they name, or
/// their signature is gone.
fn is_stale(diagnosis: &Diagnosis) -> bool {
    const SIGNS: [&str; 2] = ["404  Not Found", "There were unauthenticated packages"];
    diagnosis.details.iter().any(|text| SIGNS.iter().any(|sign| text.contains(sign)))
}

/// `apt-get update` with the same rights as another command.
fn update_like(command: &CommandLine) -> CommandLine {
    let sudo = command.0.first().filter(|word| *word == "sudo").cloned();
    let words = ["apt-get", "update", "-o", "Acquire::Retries=3"].map(str::to_owned);
    CommandLine(sudo.into_iter().chain(words).collect())
}

/// The words to run: sudo must not ask, and drops our environment.
fn non_interactive(command: &CommandLine) -> Vec<String> {
    match command.0.split_first() {
        Some((sudo, rest)) if sudo == "sudo" => {
            let words = ["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C"];
            words.map(str::to_owned).into_iter().chain(rest.iter().cloned()).collect()
        }
        _ => command.0.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::package::REQUIREMENTS;
    use super::*;

    fn missing(names: &[&str], rights: Rights, removes: &[&str]) -> Plan {
        let command = "sudo apt-get install -y bc".split(' ').map(str::to_owned).collect();
        Plan {
            missing: REQUIREMENTS.iter().filter(|r| names.contains(&r.name())).collect(),
            packages: vec!["bc".into()],
            commands: vec![CommandLine(command)],
            removes: removes.iter().map(|r| (*r).to_owned()).collect(),
            notes: Vec::new(),
            rights,
            provisional: false,
        }
    }

    /// `run` if the commands may run, else how it ends.
    fn verdict(plan: &Plan, yes: bool) -> String {
        let mut summary = Summary::default();
        match before_running(plan, yes, &mut summary) {
            None => "run".to_owned(),
            Some(Ok(())) => summary.to_string(),
            Some(Err(diagnosis)) => diagnosis.to_string(),
        }
    }

    #[test]
    fn who_may_install() {
        let bc = |rights| missing(&["bc"], rights, &[]);
        assert_eq!(verdict(&bc(Rights::Root), false), "run");
        assert_eq!(verdict(&bc(Rights::Sudo), true), "run");
        assert_eq!(verdict(&missing(&[], Rights::None, &[]), false), "nothing was installed");
        insta::assert_snapshot!(verdict(&bc(Rights::Sudo), false), @r"
        not installed: bc
          bc  for building kernels (time constants)
          next: run `sudo apt-get install -y bc`, or let `cargo xtask setup --yes` do it
        ");
        insta::assert_snapshot!(verdict(&bc(Rights::None), true), @r"
        not installed: bc
          bc  for building kernels (time constants)
          next: as root, run `sudo apt-get install -y bc`
        ");
        insta::assert_snapshot!(verdict(&bc(Rights::NotOurs), true), @r"
        not installed: bc
          bc  for building kernels (time constants)
          next: run `sudo apt-get install -y bc`
        ");
    }

    #[test]
    fn what_is_only_optional_is_no_error() {
        let plan = missing(&["ccache"], Rights::None, &[]);
        insta::assert_snapshot!(verdict(&plan, false), @r"
        nothing was installed
        note: not installed: ccache (optional); as root, run `sudo apt-get install -y bc`
        ");
    }

    #[test]
    fn removals_need_a_yes() {
        let plan = missing(&["bc"], Rights::Root, &["qemu-utils"]);
        assert_eq!(verdict(&plan, true), "run");
        insta::assert_snapshot!(verdict(&plan, false), @r"
        installing what is missing would remove qemu-utils
          bc  for building kernels (time constants)
          next: allow it with `cargo xtask setup --yes`, or run what suits you of `sudo apt-get install -y bc`
        ");
    }

    #[test]
    fn failures_are_told_apart_and_sudo_never_asks() {
        let words = |line: &str| CommandLine(line.split(' ').map(str::to_owned).collect());
        assert_eq!(
            non_interactive(&words("sudo apt-get update")).join(" "),
            "sudo -n env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get update"
        );
        assert_eq!(non_interactive(&words("apt-get update")).join(" "), "apt-get update");
        let install = words("sudo apt-get install bc");
        assert_eq!(update_like(&install).to_string(), "sudo apt-get update -o Acquire::Retries=3");
        let gone = command_failed(&install, 100, "E: Failed to fetch x  404  Not Found\n");
        let unsigned = "E: There were unauthenticated packages and -y was used without --allow\n";
        assert!(is_stale(&gone) && is_stale(&command_failed(&install, 100, unsigned)));
        assert!(!is_stale(&command_failed(&install, 100, "E: Sub-process returned an error\n")));
        let asked = command_failed(&install, 1, "sudo: a password is required\n");
        assert_eq!(asked.next.as_deref(), Some("run `sudo apt-get install bc` yourself"));
    }
}
