// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask kernel add`: one more kernel in `matrix.yaml`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::file::MatrixFile;
use crate::cli::Session;
use crate::diagnosis::{Diagnosis, on_path};
use crate::tree::{KernelVersion, Matrix, edit};

/// Add a kernel to matrix.yaml
#[derive(Debug, Args)]
pub struct Add {
    /// Its name: the line it belongs to, such as 6.6
    name: String,
    #[command(flatten)]
    origin: OriginArgs,
    /// The suite whose index lists the package
    #[arg(long, requires = "debian")]
    suite: Option<String>,
}

/// Where its source comes from.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct OriginArgs {
    /// A Debian source package
    #[arg(long, value_name = "PACKAGE", requires = "suite")]
    debian: Option<String>,
    /// A release on kernel.org
    #[arg(long, value_name = "VERSION")]
    kernel_org: Option<String>,
    /// A commit of a git repository
    #[arg(long, value_name = "URL@REF")]
    git: Option<String>,
    /// A plain directory
    #[arg(long, value_name = "PATH")]
    directory: Option<PathBuf>,
}

impl Add {
    pub fn run(&self, session: &Session, matrix: &Matrix) -> Result<(), Diagnosis> {
        let name = new_name(matrix, &self.name)?;
        let origin = self.origin(name)?;
        let file = MatrixFile::read(session)?;
        let edited = edit::with_kernel(&file.path, &file.text, name, &origin)?;
        let done = if session.dry_run {
            "would add"
        } else {
            file.write(session, &edited)?;
            "added"
        };
        let mut text = format!("{done} {name} to {}: {origin}", file.path.display());
        if self.origin.debian.is_some() {
            text = format!("{text}\nnext: cargo xtask kernel update {name} pins it");
        }
        let value = json!({"name": name, "origin": origin, "written": !session.dry_run});
        session.print(&text, &value)
    }

    /// The entry's second line.
    fn origin(&self, name: KernelVersion) -> Result<String, Diagnosis> {
        let OriginArgs { debian, kernel_org, git, directory } = &self.origin;
        // clap lets it pass, since --debian cannot stand beside another origin.
        if debian.is_none() && self.suite.is_some() {
            return Err(Diagnosis::usage("--suite goes with --debian"));
        }
        if let (Some(package), Some(suite)) = (debian, &self.suite) {
            let package = debian_word("package", package)?;
            let suite = debian_word("suite", suite)?;
            return Ok(format!("debian: {{ package: {package}, suite: {suite} }}"));
        }
        if let Some(text) = kernel_org {
            let version: KernelVersion =
                text.parse().map_err(|e| Diagnosis::usage(format!("--kernel-org: {e}")))?;
            if !version.is_of(name) {
                return Err(Diagnosis::usage(format!("{version} is no release of {name}")));
            }
            return Ok(format!("kernel-org: \"{version}\""));
        }
        if let Some(git) = git {
            let (url, reference) = git
                .rsplit_once('@')
                .filter(|(url, reference)| !url.is_empty() && !reference.is_empty())
                .ok_or_else(|| {
                    Diagnosis::usage(format!("--git {git}: no URL@REF"))
                        .next("name a branch, a tag or a commit after the last @")
                })?;
            // A path means the same from wherever the tool is called.
            let path = Path::new(url);
            let url = if path.is_dir() { absolute(path)? } else { url.to_owned() };
            return Ok(format!("git: {{ url: {}, ref: {} }}", quoted(&url), quoted(reference)));
        }
        let directory = directory.as_deref().unwrap_or(Path::new("."));
        if !directory.is_dir() {
            let what = format!("--directory {}: no such directory", directory.display());
            return Err(Diagnosis::usage(what));
        }
        Ok(format!("directory: {}", quoted(&absolute(directory)?)))
    }
}

fn new_name(matrix: &Matrix, text: &str) -> Result<KernelVersion, Diagnosis> {
    let name: KernelVersion = text.parse().map_err(|e| {
        Diagnosis::usage(format!("a kernel's name is its line: {e}")).next("name it like 6.6")
    })?;
    match matrix.kernels.iter().find(|k| name.is_of(k.name)) {
        None => Ok(name),
        Some(k) if k.name == name => {
            Err(Diagnosis::usage(format!("kernel {name} is listed already")))
        }
        // The first entry that fits is taken: the new one would never be.
        Some(k) => Err(Diagnosis::usage(format!("{name} belongs to {}, which is listed", k.name))
            .next(format!("use it as it is: --kernel {name}"))),
    }
}

/// Names of Debian's become parts of paths and of apt's configuration.
fn debian_word<'t>(what: &str, text: &'t str) -> Result<&'t str, Diagnosis> {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"+-./".contains(&b);
    let starts = text.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
    if starts && text.bytes().all(allowed) && !text.contains("..") {
        return Ok(text);
    }
    Err(Diagnosis::usage(format!("{text:?} is no name of a Debian {what}")))
}

fn absolute(path: &Path) -> Result<String, Diagnosis> {
    let path = path.canonicalize().map_err(|e| on_path("find", path, &e))?;
    let shown = path.to_str().map(str::to_owned);
    shown.ok_or_else(|| Diagnosis::usage(format!("{}: the path is no UTF-8", path.display())))
}

/// A JSON string is a double-quoted YAML scalar.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
