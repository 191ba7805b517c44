// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading what a user names: files, directories, maildirs, quilt series, message-ids.

use std::path::{Path, PathBuf};

use super::remote;
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::Host;
use crate::mail::{self, Kind, Mail, Member, Proof, Subject};

/// What was read.
#[derive(Debug)]
pub struct Gathered {
    /// All mails.
    pub members: Vec<Member>,
    /// Files that are none, and why: nothing is left out without a word.
    pub ignored: Vec<String>,
    /// Whether the order of the patches is known, from a quilt series or from file names.
    pub ordered: bool,
    /// What patches must prove of themselves.
    proof: Proof,
}

/// A file with its patches in a known order gets numbers from it.
struct Input {
    path: PathBuf,
    text: Vec<u8>,
}

/// Reads everything that is named.
///
/// # Errors
/// Usage errors for what is not there or holds nothing; infra errors for networks.
pub fn gather(
    host: &Host,
    names: &[String],
    archive: &str,
    proof: Proof,
) -> Result<Gathered, Diagnosis> {
    let mut all = Gathered { members: Vec::new(), ignored: Vec::new(), ordered: false, proof };
    for name in names {
        let path = Path::new(name);
        if path.is_dir() {
            directory(path, &mut all)?;
        } else if path.exists() {
            let input = Input { path: path.to_owned(), text: read(path)? };
            add(&input, None, &mut all)?;
        } else if let Some(id) = remote::message_id(name) {
            let text = remote::thread(host, &id, archive)?;
            add(&Input { path: PathBuf::from(format!("<{id}>")), text }, None, &mut all)?;
        } else {
            return Err(Diagnosis::usage(format!("{name} is neither a file, nor a directory, nor a message-id"))
                .next("name an mbox, a mail, a patch, a maildir, a directory of patches, a quilt series, or a message-id such as 20211008091336.33616-8-jolsa@kernel.org"));
        }
    }
    if all.members.is_empty() {
        return Err(Diagnosis::usage(format!("there is no mail in {}", names.join(", ")))
            .detail(all.ignored.join("\n")));
    }
    Ok(all)
}

fn read(path: &Path) -> Result<Vec<u8>, Diagnosis> {
    std::fs::read(path).map_err(|e| on_path("read", path, &e))
}

/// Files of a directory by name, without hidden ones.
fn files(path: &Path) -> Result<Vec<PathBuf>, Diagnosis> {
    let entries = std::fs::read_dir(path).map_err(|e| on_path("read", path, &e))?;
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|e| on_path("read", path, &e))?;
        if !entry.file_name().to_string_lossy().starts_with('.') && entry.path().is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

fn directory(path: &Path, all: &mut Gathered) -> Result<(), Diagnosis> {
    if path.join("cur").is_dir() && path.join("new").is_dir() {
        for file in files(&path.join("cur"))?.into_iter().chain(files(&path.join("new"))?) {
            let text = read(&file)?;
            add(&Input { path: file, text }, None, all)?;
        }
        return Ok(());
    }
    for series in [path.join("series"), path.join("patches/series")] {
        if series.is_file() {
            return quilt(&series, all);
        }
    }
    let mut inputs = Vec::new();
    for file in files(path)? {
        let text = read(&file)?;
        let is_patch = crate::diff::first_line(&crate::diff::Text::new(&text)).is_some();
        let is_mail = mail::is_mbox(&text) || mail::is_mail(&text);
        if is_patch || is_mail {
            inputs.push(Input { path: file, text });
        } else {
            all.ignored.push(format!("{}: neither a mail nor a patch", file.display()));
        }
    }
    // `0001-…`, `0002-…`: names that were made to be sorted.
    let numbered = |i: &Input| {
        let name = i.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.bytes().take(4).all(|b| b.is_ascii_digit()) && name.len() > 4
    };
    let ordered = inputs.len() > 1 && inputs.iter().all(numbered);
    all.ordered |= ordered;
    for input in inputs {
        add(&input, None, all)?;
    }
    Ok(())
}

/// A quilt series: a list of patches, with comments and options (quilt(1), "series").
fn quilt(series: &Path, all: &mut Gathered) -> Result<(), Diagnosis> {
    let text = String::from_utf8_lossy(&read(series)?).into_owned();
    let directory = series.parent().unwrap_or(Path::new("."));
    let mut names = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.split(" #").next().unwrap_or_default().trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        if let Some(option) = words.find(|w| !matches!(*w, "-p1" | "-p0" | "-pab")) {
            return Err(Diagnosis::usage(format!(
                "{}:{}: the option {option} of {name} is not supported",
                series.display(),
                n + 1
            ))
            .next("refresh the patch with `quilt refresh -p1` first"));
        }
        let path = directory.join(name);
        if !path.is_file() {
            let place = format!("{}:{}", series.display(), n + 1);
            return Err(Diagnosis::usage(format!("{place}: there is no {}", path.display())));
        }
        names.push(path);
    }
    let of = names.len();
    for (n, path) in names.into_iter().enumerate() {
        let text = read(&path)?;
        add(&Input { path, text }, Some((n + 1, of)), all)?;
    }
    Ok(())
}

/// Adds the mails of a file; `number` is their place in a list.
fn add(input: &Input, number: Option<(usize, usize)>, all: &mut Gathered) -> Result<(), Diagnosis> {
    let name = input.path.display().to_string();
    if input.text.trim_ascii().is_empty() {
        all.ignored.push(format!("{name}: it is empty"));
        return Ok(());
    }
    for raw in mail::split(&input.text) {
        let place = format!("{name}:{}", raw.line);
        let mails = mail::read(&raw).map_err(|why| Diagnosis::usage(format!("{place}: {why}")))?;
        for mut mail in mails {
            if number.is_some() {
                number_it(&mut mail, number, &input.path);
            }
            if mail.subject.title.is_empty() && mail.text_line > 0 && number.is_none() {
                title_of_text(&mut mail, &input.path);
            }
            let kind = Kind::of(&mail, all.proof);
            all.members.push(Member { file: name.clone(), mail, kind });
        }
    }
    Ok(())
}

/// A patch of a quilt series has its place from the list, whatever its subject says.
fn number_it(mail: &mut Mail, number: Option<(usize, usize)>, path: &Path) {
    mail.subject.number = number;
    mail.subject.version = None;
    mail.subject.reply = false;
    mail.subject.patch = true;
    mail.references.clear();
    mail.timestamp = 0;
    // Two patches may say the same, and yet both belong to the list.
    if let (Some((n, _)), false) = (number, mail.id.contains('@')) {
        mail.id = format!("{}#{n}", mail.id);
    }
    title_of_text(mail, path);
}

/// A text without a message gets its title from the name of its file.
fn title_of_text(mail: &mut Mail, path: &Path) {
    if !mail.subject.title.is_empty() {
        return;
    }
    let starts_with_diff = crate::diff::first_line(&crate::diff::Text::new(&mail.text))
        .is_some_and(|at| {
            let before = mail.text.split(|b| *b == b'\n').take(at);
            before.into_iter().all(|l| {
                l.trim_ascii().is_empty() || l.starts_with(b"Index: ") || l.starts_with(b"===")
            })
        });
    if starts_with_diff {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        mail.subject = Subject { title: stem.replace(['-', '_'], " "), ..mail.subject.clone() };
    }
}

/// Gives patches that have no n/m the numbers of the order in which they came.
pub fn number_in_order(members: &mut [Member]) {
    let lone = |m: &&mut Member| {
        matches!(m.kind, Kind::Patch(_) | Kind::Broken(_)) && m.mail.subject.number.is_none()
    };
    let of = members.iter_mut().filter(lone).count();
    for (n, member) in members.iter_mut().filter(lone).enumerate() {
        number_it(&mut member.mail, Some((n + 1, of)), Path::new(""));
    }
}
