// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writing the cpio archive, in the kernel's own format: `newc`, see
//! `Documentation/driver-api/early-userspace/buffer-format.rst`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cpio::newc::{Builder, trailer};

use super::Definition;
use crate::diagnosis::{Diagnosis, on_path};

const DIRECTORY: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const SYMLINK: u32 = 0o120_000;
const CHARACTER_DEVICE: u32 = 0o020_000;

/// What a run adds to an image.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// The static `/init`.
    pub init: &'a Path,
    /// Kernel modules, put into `/modules` under their own file names.
    pub modules: &'a [PathBuf],
    /// A static busybox on this machine, if the job needs a shell.
    pub busybox: Option<&'a Path>,
}

/// Writes the image. The same inputs give the same bytes: times and owners are zero, inode numbers
/// count up.
pub fn write(
    definition: &Definition,
    parts: &Parts<'_>,
    out: &mut impl Write,
) -> Result<(), Diagnosis> {
    let mut archive = Archive { out, next_inode: 1 };
    let failed = |e: io::Error| Diagnosis::infra(format!("cannot write the initramfs: {e}"));
    for path in &definition.directories {
        archive.entry(path, DIRECTORY | 0o755, &[]).map_err(failed)?;
    }
    for node in &definition.nodes {
        archive.device(&node.path, node.mode, node.major, node.minor).map_err(failed)?;
    }
    for link in &definition.symlinks {
        archive.entry(&link.path, SYMLINK | 0o777, link.target.as_bytes()).map_err(failed)?;
    }
    for file in &definition.files {
        archive.entry(&file.path, FILE | 0o644, file.content.as_bytes()).map_err(failed)?;
    }
    archive.entry("init", FILE | 0o755, &read(parts.init)?).map_err(failed)?;
    for module in parts.modules {
        let name = module.file_name().unwrap_or_default().to_string_lossy();
        let path = format!("modules/{name}");
        archive.entry(&path, FILE | 0o644, &read(module)?).map_err(failed)?;
    }
    if let (Some(binary), Some(busybox)) = (parts.busybox, &definition.busybox) {
        archive.entry(&busybox.path, FILE | 0o755, &read(binary)?).map_err(failed)?;
        let target = format!("/{}", busybox.path);
        let directory = Path::new(&busybox.path).parent().unwrap_or(Path::new(""));
        for applet in &busybox.applets {
            let path = directory.join(applet).to_string_lossy().into_owned();
            archive.entry(&path, SYMLINK | 0o777, target.as_bytes()).map_err(failed)?;
        }
    }
    trailer(archive.out).map(drop).map_err(failed)
}

fn read(path: &Path) -> Result<Vec<u8>, Diagnosis> {
    std::fs::read(path).map_err(|e| on_path("read", path, &e))
}

struct Archive<'a, W> {
    out: &'a mut W,
    next_inode: u32,
}

impl<W: Write> Archive<'_, W> {
    fn builder(&mut self, path: &str, mode: u32) -> Builder {
        let inode = self.next_inode;
        self.next_inode += 1;
        let links = if mode & DIRECTORY == 0 { 1 } else { 2 };
        Builder::new(path).ino(inode).nlink(links).mode(mode).uid(0).gid(0).mtime(0)
    }

    fn entry(&mut self, path: &str, mode: u32, content: &[u8]) -> io::Result<()> {
        let length = u32::try_from(content.len())
            .map_err(|_| io::Error::new(io::ErrorKind::FileTooLarge, path.to_owned()))?;
        let mut writer = self.builder(path, mode).write(&mut *self.out, length);
        writer.write_all(content)?;
        writer.finish().map(drop)
    }

    fn device(&mut self, path: &str, mode: u32, major: u32, minor: u32) -> io::Result<()> {
        let builder = self.builder(path, CHARACTER_DEVICE | mode);
        builder.rdev_major(major).rdev_minor(minor).write(&mut *self.out, 0).finish().map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::io::Read as _;

    fn shipped() -> Definition {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vm-images/initramfs.yaml");
        Definition::load(&root).unwrap()
    }

    #[test]
    fn the_archive_reads_back_and_is_the_same_each_time() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, content: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, content).unwrap();
            path
        };
        let init = file("some-init", "init code");
        let modules = [file("a.ko", "module a"), file("b.ko", "b")];
        let busybox = file("busybox", "box");
        let mut definition = shipped();
        definition.busybox.as_mut().unwrap().applets.truncate(2);
        let parts = Parts { init: &init, modules: &modules, busybox: Some(&busybox) };
        let image = || {
            let mut bytes = Vec::new();
            write(&definition, &parts, &mut bytes).unwrap();
            bytes
        };
        let bytes = image();
        assert_eq!(bytes, image());

        let mut listing = String::new();
        let mut rest = io::Cursor::new(&bytes);
        loop {
            let mut reader = cpio::NewcReader::new(rest).unwrap();
            if reader.entry().is_trailer() {
                break;
            }
            let mut content = String::new();
            reader.read_to_string(&mut content).unwrap();
            let entry = reader.entry();
            writeln!(listing, "{:06o} {} {content:?}", entry.mode(), entry.name()).unwrap();
            rest = reader.finish().unwrap();
        }
        insta::assert_snapshot!(listing);
    }

    #[test]
    fn a_missing_part_is_an_error() {
        let parts = Parts { init: Path::new("/no/such/init"), modules: &[], busybox: None };
        let error = write(&shipped(), &parts, &mut Vec::new()).unwrap_err();
        assert!(error.what.contains("/no/such/init"), "{error}");
    }
}
