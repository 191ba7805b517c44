// SPDX-License-Identifier: MIT OR Apache-2.0
//! Laying a chosen posting down under `patches/`: all of it, or nothing.

use std::path::{Path, PathBuf};

use super::Chosen;
use crate::diagnosis::Diagnosis;
use crate::mail;
use crate::series::{
    Expect, File, KernelRange, Kind, On, PatchEntry, VariantEntry, install, with_variant, write,
};

/// Where a series goes.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// Its name; made from its title where none is given.
    pub name: Option<String>,
    /// The kernels that it is for.
    pub kernels: KernelRange,
    /// What it stands on.
    pub on: Option<On>,
    /// Whether it is meant to work.
    pub kind: Kind,
    /// What a run must report.
    pub expect: Option<Expect>,
    /// Where it was posted.
    pub link: Option<String>,
    /// Whether a variant of the same range may be replaced.
    pub replace: bool,
}

/// What was laid down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The name.
    pub name: String,
    /// The directory of the patches.
    pub directory: PathBuf,
    /// The patches' files.
    pub files: Vec<String>,
    /// Whether the series was there, and got a variant.
    pub added: bool,
}

/// A name from a title: `ftrace: Add multi direct modify` becomes `ftrace-add-multi-direct-modify`.
fn name_of(title: &str) -> String {
    const LONGEST: usize = 40;
    let mut name = String::new();
    for word in title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()) {
        if !name.is_empty() && name.len() + word.len() >= LONGEST {
            break;
        }
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(&word.to_ascii_lowercase());
    }
    name.truncate(LONGEST);
    if name.is_empty() { "imported".into() } else { name }
}

/// Writes the patches and `series.yaml`.
///
/// # Errors
/// Usage errors if there is such a variant already; nothing is changed then.
pub fn place(patches: &Path, chosen: &Chosen, place: &Place) -> Result<Placed, Diagnosis> {
    let name = place.name.clone().unwrap_or_else(|| name_of(&chosen.title));
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    if name.is_empty() || !plain || name.starts_with(['.', '-']) || name == "faults" {
        return Err(Diagnosis::usage(format!(
            "--name {name:?}: a name has letters, digits, `-`, `_` and `.`"
        )));
    }
    let parent = match place.kind {
        Kind::Series => patches.to_owned(),
        Kind::Fault => patches.join("faults"),
    };
    let series = parent.join(&name);
    let yaml = series.join("series.yaml");
    let entry = VariantEntry {
        kernels: place.kernels,
        on: place.on.clone(),
        base_commit: chosen.base.commit.clone(),
        prerequisite_patch_ids: chosen.base.prerequisites.clone(),
        directory: place.kernels.to_string(),
        patches: chosen
            .patches
            .iter()
            .enumerate()
            .map(|(n, p)| PatchEntry { file: mail::file_name(n + 1, &p.patch.subject) })
            .collect(),
        ..VariantEntry::default()
    };
    let directory = series.join(&entry.directory);
    let added = yaml.is_file();
    let text = if added {
        let (file, text) = File::read(&yaml)?;
        if file.kind != place.kind {
            return Err(Diagnosis::usage(format!("{name} is there as a {:?}", file.kind)));
        }
        let same = file.variants.iter().any(|v| v.directory == entry.directory);
        if same && !place.replace {
            return Err(Diagnosis::usage(format!(
                "{name} has a variant for {} already",
                place.kernels
            ))
            .next("give another --name or other --kernels, or say --replace"));
        }
        with_variant(&yaml, &text, &entry)?
    } else {
        let description = match &chosen.cover {
            Some(cover) => format!("{}\n\n{cover}\n", chosen.title),
            None => chosen.title.clone(),
        };
        let link = place.link.clone();
        write(
            &File {
                name: name.clone(),
                description,
                kind: place.kind,
                link,
                version: chosen.version,
                follow_up_to: chosen.follow_up_to.clone(),
                variants: vec![entry.clone()],
                expect: place.expect.clone(),
            },
            if place.kind == Kind::Fault { 2 } else { 1 },
        )?
    };
    if directory.exists() && !added {
        return Err(Diagnosis::usage(format!("{} is in the way", directory.display()))
            .next("move it away, or give another --name"));
    }
    let of = chosen.patches.len();
    let files =
        chosen.patches.iter().zip(&entry.patches).enumerate().map(|(n, (patch, listed))| {
            let version = chosen.version.map(|v| format!(" v{v}")).unwrap_or_default();
            let prefix = if of == 1 {
                format!("PATCH{version}")
            } else {
                format!("PATCH{version} {}/{of}", n + 1)
            };
            let id = format!("<{}>", patch.message_id);
            let headers = [("Message-ID", id.as_str())];
            let headers = if patch.message_id.contains('@') { &headers[..] } else { &[] };
            (listed.file.clone(), mail::write(&patch.patch, &prefix, headers))
        });
    install(&series, &entry.directory, &files.collect::<Vec<_>>(), &text)?;
    let files = entry.patches.iter().map(|p| p.file.clone()).collect();
    Ok(Placed { name, directory, files, added })
}
