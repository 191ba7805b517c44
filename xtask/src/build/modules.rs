// SPDX-License-Identifier: MIT OR Apache-2.0
//! Building the test modules against a built kernel.

use std::path::{Path, PathBuf};

use object::{Object as _, ObjectSection as _};

use super::kernel::explain;
use super::{DirectApi, Site};
use crate::diagnosis::{Diagnosis, on_path};
use crate::host::{Invocation, Step};
use crate::series::Applied;
use crate::store::Key;

/// The modules' sources, read once.
#[derive(Debug, Clone)]
pub struct ModuleSources {
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl ModuleSources {
    /// Reads every file below `selftests/modules`, sorted by path.
    pub fn read(directory: &Path) -> Result<Self, Diagnosis> {
        let mut files = Vec::new();
        collect(directory, Path::new(""), &mut files)?;
        files.sort();
        Ok(Self { files })
    }

    /// Names and contents.
    pub fn key(&self) -> Key {
        self.files
            .iter()
            .fold(Key::of("module sources"), |key, (path, bytes)| {
                key.with(&path.to_string_lossy(), bytes)
            })
            .finish()
    }

    fn write_to(&self, copy: &Path) -> Result<(), Diagnosis> {
        for (name, bytes) in &self.files {
            let path = copy.join(name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(|e| on_path("create", parent, &e))?;
            }
            std::fs::write(&path, bytes).map_err(|e| on_path("write", &path, &e))?;
        }
        Ok(())
    }
}

fn collect(
    root: &Path,
    below: &Path,
    files: &mut Vec<(PathBuf, Vec<u8>)>,
) -> Result<(), Diagnosis> {
    let directory = root.join(below);
    let entries = std::fs::read_dir(&directory).map_err(|e| on_path("read", &directory, &e))?;
    for entry in entries {
        let entry = entry.map_err(|e| on_path("read", &directory, &e))?;
        let path = entry.path();
        let name = below.join(entry.file_name());
        if path.is_dir() {
            collect(root, &name, files)?;
        } else {
            let bytes = std::fs::read(&path).map_err(|e| on_path("read", &path, &e))?;
            files.push((name, bytes));
        }
    }
    Ok(())
}

impl<'h> Site<'h> {
    /// Builds the modules in a private copy and gives back their paths.
    pub fn modules(
        &self,
        sources: &ModuleSources,
        api: DirectApi,
        applied: &Applied,
        step: &Step,
    ) -> Result<Vec<PathBuf>, Diagnosis> {
        let copy = self.directory.join("modules");
        if copy.exists() {
            // A few small files: made anew, they cannot hide anything stale.
            std::fs::remove_dir_all(&copy).map_err(|e| on_path("remove", &copy, &e))?;
        }
        sources.write_to(&copy)?;
        let make = self.modules_call(api)?;
        let line = make.command_line();
        let output = make.on_line(|line| step.line(line)).output()?;
        if !output.success() {
            let text = format!("{}\n{}", output.error_text(), output.text());
            return Err(explain(&text, self.tree, applied, line));
        }
        modules_below(&copy)
    }

    /// The call of make that builds the test modules.
    pub fn modules_call(&self, api: DirectApi) -> Result<Invocation<'h>, Diagnosis> {
        let copy = self.directory.join("modules");
        let mut make = self
            .toolchain
            .make(self.host, self.store)?
            .arg("-C")
            .arg(self.tree)
            .arg(format!("O={}", self.out().display()))
            .arg(format!("M={}", copy.display()))
            .arg(format!("DIRECT_API={}", api.name()))
            .all_cores();
        if knows_mo(self.tree)? {
            make = make.arg(format!("MO={}", copy.display()));
        }
        Ok(make.arg("modules"))
    }
}

/// From 6.13 on kbuild takes the modules' output directory apart from their source directory.
fn knows_mo(tree: &Path) -> Result<bool, Diagnosis> {
    let makefile = tree.join("Makefile");
    let text = std::fs::read_to_string(&makefile).map_err(|e| on_path("read", &makefile, &e))?;
    Ok(text.contains("$(origin MO)"))
}

fn find_modules(directory: &Path, found: &mut Vec<PathBuf>) -> Result<(), Diagnosis> {
    let entries = std::fs::read_dir(directory).map_err(|e| on_path("read", directory, &e))?;
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            find_modules(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "ko") {
            found.push(path);
        }
    }
    Ok(())
}

/// All modules below a directory, sorted by path; none if there is no such directory.
pub fn modules_below(directory: &Path) -> Result<Vec<PathBuf>, Diagnosis> {
    let mut found = Vec::new();
    if directory.is_dir() {
        find_modules(directory, &mut found)?;
    }
    found.sort();
    Ok(found)
}

/// An error if the module was built for another kernel: loading it would fail in the guest, or
/// worse, succeed.
pub fn check_vermagic(module: &Path, release: &str) -> Result<(), Diagnosis> {
    let bytes = std::fs::read(module).map_err(|e| on_path("read", module, &e))?;
    let wrong = |why: String| {
        Diagnosis::infra(format!("{} does not belong to this kernel: {why}", module.display()))
            .next("build it anew: `cargo xtask build --rebuild`")
    };
    let vermagic = vermagic(&bytes).ok_or_else(|| wrong("it has no vermagic".into()))?;
    let built_for = vermagic.split(' ').next().unwrap_or_default();
    if built_for == release {
        Ok(())
    } else {
        Err(wrong(format!("it was built for {built_for}, the kernel is {release}")))
    }
}

fn vermagic(module: &[u8]) -> Option<String> {
    let file = object::File::parse(module).ok()?;
    let info = file.section_by_name(".modinfo")?.data().ok()?;
    info.split(|&b| b == 0)
        .find_map(|entry| entry.strip_prefix(b"vermagic="))
        .map(|v| String::from_utf8_lossy(v).into_owned())
}
