// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is in an image, in the order in which it is unpacked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Definition;
use super::error::Error;
use super::path::ImagePath;

/// What a run adds to an image.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// The static `/init`.
    pub init: &'a Path,
    /// Kernel modules, put into `/modules` under their own file names.
    pub modules: &'a [PathBuf],
    /// A static busybox of this machine, if the job needs one, see
    /// [`Definition::find_busybox`].
    pub busybox: Option<&'a Path>,
}

/// One entry of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A directory.
    Directory,
    /// A character device.
    Device {
        /// Permission bits.
        mode: u32,
        /// Major number.
        major: u32,
        /// Minor number.
        minor: u32,
    },
    /// A symbolic link to this target.
    Symlink(String),
    /// A file.
    File {
        /// Permission bits.
        mode: u32,
        /// What it holds.
        content: Vec<u8>,
    },
}

const PROGRAM: u32 = 0o755;
const DATA: u32 = 0o644;

/// All entries of an image. The order of the paths puts directories before what they hold, which
/// the kernel needs: it makes no parents.
#[derive(Debug, Default)]
pub struct Contents(BTreeMap<ImagePath, Entry>);

impl Contents {
    /// Gathers everything, and reads the files.
    pub fn gather(definition: &Definition, parts: &Parts<'_>) -> Result<Self, Error> {
        let mut contents = Self::default();
        contents.defined(definition)?;
        contents.file("init".to_owned(), PROGRAM, parts.init)?;
        for module in parts.modules {
            let name = module.file_name().unwrap_or_default().to_string_lossy();
            let directory = wire::MODULES_DIRECTORY.trim_start_matches('/');
            contents.file(format!("{directory}/{name}"), DATA, module)?;
        }
        if let Some(program) = parts.busybox {
            contents.busybox(definition, program)?;
        }
        contents.check()?;
        Ok(contents)
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&ImagePath, &Entry)> {
        self.0.iter()
    }

    fn defined(&mut self, definition: &Definition) -> Result<(), Error> {
        for path in &definition.directories {
            self.add(path.clone(), Entry::Directory)?;
        }
        for node in &definition.nodes {
            let (mode, major, minor) = (node.mode.bits(), node.major, node.minor);
            self.add(node.path.clone(), Entry::Device { mode, major, minor })?;
        }
        for link in &definition.symlinks {
            self.add(link.path.clone(), Entry::Symlink(link.target.clone()))?;
        }
        for file in &definition.files {
            let content = file.content.clone().into_bytes();
            self.add(file.path.clone(), Entry::File { mode: file.mode.bits(), content })?;
        }
        Ok(())
    }

    fn busybox(&mut self, definition: &Definition, program: &Path) -> Result<(), Error> {
        let Some(busybox) = &definition.busybox else {
            return Err(Error::NoPlaceForBusybox(definition.name.clone()));
        };
        self.file(busybox.path.as_str().to_owned(), PROGRAM, program)?;
        for applet in &busybox.applets {
            let path = busybox.path.beside(applet).map_err(Error::Name)?;
            self.add(path, Entry::Symlink(format!("/{}", busybox.path)))?;
        }
        Ok(())
    }

    fn file(&mut self, path: String, mode: u32, source: &Path) -> Result<(), Error> {
        let path = ImagePath::try_from(path).map_err(Error::Name)?;
        let content = std::fs::read(source)
            .map_err(|e| Error::Read { path: source.to_owned(), source: e })?;
        self.add(path, Entry::File { mode, content })
    }

    fn add(&mut self, path: ImagePath, entry: Entry) -> Result<(), Error> {
        if self.0.contains_key(&path) {
            return Err(Error::Twice(path));
        }
        self.0.insert(path, entry);
        Ok(())
    }

    fn check(&self) -> Result<(), Error> {
        for path in self.0.keys() {
            match path.parent() {
                Some(parent) if self.0.get(&parent) != Some(&Entry::Directory) => {
                    return Err(Error::NoDirectory { path: path.clone(), parent });
                }
                _ => {}
            }
        }
        Ok(())
    }
}
