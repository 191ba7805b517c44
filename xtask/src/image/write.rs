// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writing the cpio archive, in the kernel's own format: `newc`, see
//! `Documentation/driver-api/early-userspace/buffer-format.rst`.

use std::io::{self, Write};

use cpio::newc::{Builder, trailer};

use super::Definition;
use super::contents::{Contents, Entry, Parts};
use super::error::Error;
use super::path::ImagePath;

const DIRECTORY: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const SYMLINK: u32 = 0o120_000;
const CHARACTER_DEVICE: u32 = 0o020_000;

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// Files, directories, devices and links.
    pub entries: u32,
    /// Length of the archive, in bytes.
    pub bytes: u64,
}

/// Writes the image. The same inputs give the same bytes: entries are sorted, times and owners are
/// zero, inode numbers count up.
///
/// # Errors
/// Nothing is written if a part cannot be read or the parts do not fit together.
pub fn write(
    definition: &Definition,
    parts: &Parts<'_>,
    out: impl Write,
) -> Result<Summary, Error> {
    let contents = Contents::gather(definition, parts)?;
    let mut archive = Archive { out: Counted { out, bytes: 0 }, entries: 0 };
    for (path, entry) in contents.iter() {
        archive.entry(path, entry)?;
    }
    trailer(&mut archive.out).and_then(Write::flush).map_err(Error::Write)?;
    Ok(Summary { entries: archive.entries, bytes: archive.out.bytes })
}

struct Archive<W> {
    out: Counted<W>,
    entries: u32,
}

impl<W: Write> Archive<W> {
    fn entry(&mut self, path: &ImagePath, entry: &Entry) -> Result<(), Error> {
        // The inode number.
        self.entries += 1;
        let builder = Builder::new(path.as_str()).ino(self.entries).uid(0).gid(0).mtime(0).nlink(1);
        let (builder, content): (_, &[u8]) = match entry {
            Entry::Directory => (builder.mode(DIRECTORY | 0o755).nlink(2), &[]),
            Entry::Device { mode, major, minor } => {
                let builder = builder.rdev_major(*major).rdev_minor(*minor);
                (builder.mode(CHARACTER_DEVICE | mode), &[])
            }
            Entry::Symlink(target) => (builder.mode(SYMLINK | 0o777), target.as_bytes()),
            Entry::File { mode, content } => (builder.mode(FILE | mode), content),
        };
        let length = u32::try_from(content.len()).map_err(|_| Error::TooLarge(path.clone()))?;
        let mut writer = builder.write(&mut self.out, length);
        writer.write_all(content).and_then(|()| writer.finish().map(drop)).map_err(Error::Write)
    }
}

struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::io::Read as _;
    use std::path::{Path, PathBuf};

    fn shipped() -> Definition {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vm-images/initramfs.yaml");
        Definition::load(&root).unwrap()
    }

    struct Machine(tempfile::TempDir);

    impl Machine {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn file(&self, name: &str, content: &str) -> PathBuf {
            let path = self.0.path().join(name);
            std::fs::write(&path, content).unwrap();
            path
        }
    }

    fn listing(archive: &[u8]) -> String {
        let mut listing = String::new();
        let mut rest = io::Cursor::new(archive);
        loop {
            let mut reader = cpio::NewcReader::new(rest).unwrap();
            if reader.entry().is_trailer() {
                break;
            }
            let mut content = String::new();
            reader.read_to_string(&mut content).unwrap();
            let entry = reader.entry();
            assert_eq!((entry.uid(), entry.gid(), entry.mtime()), (0, 0, 0));
            let (name, mode, inode) = (entry.name(), entry.mode(), entry.ino());
            let device = match (entry.rdev_major(), entry.rdev_minor()) {
                (0, 0) => String::new(),
                (major, minor) => format!(" {major}:{minor}"),
            };
            writeln!(listing, "{inode} {mode:06o} {name}{device} {content:?}").unwrap();
            rest = reader.finish().unwrap();
        }
        listing
    }

    #[test]
    fn the_archive_reads_back_and_is_the_same_each_time() {
        let machine = Machine::new();
        let init = machine.file("some-init", "init code");
        let busybox = machine.file("busybox", "box");
        let mut modules = [machine.file("b.ko", "b"), machine.file("a.ko", "module a")];
        let mut definition = shipped();
        definition.busybox.as_mut().unwrap().applets.truncate(2);
        let image = |definition: &Definition, modules: &[PathBuf]| {
            let parts = Parts { init: &init, modules, busybox: Some(&busybox) };
            let mut bytes = Vec::new();
            let summary = write(definition, &parts, &mut bytes).unwrap();
            assert_eq!(summary.bytes, bytes.len() as u64);
            (bytes, summary)
        };
        let (bytes, summary) = image(&definition, &modules);
        let listing = listing(&bytes);
        assert_eq!(summary.entries as usize, listing.lines().count());
        insta::assert_snapshot!(listing);

        modules.reverse();
        definition.directories.reverse();
        assert!(bytes == image(&definition, &modules).0, "the order of the parts shows");
    }

    #[test]
    fn the_shipped_definition_fits_together() {
        let machine = Machine::new();
        let (init, busybox) = (machine.file("i", "i"), machine.file("b", "b"));
        let parts = Parts { init: &init, modules: &[], busybox: Some(&busybox) };
        let summary = write(&shipped(), &parts, io::sink()).unwrap();
        assert!(summary.entries > 50, "{summary:?}");
    }

    #[test]
    fn parts_that_do_not_fit_are_errors() {
        let machine = Machine::new();
        let init = machine.file("i", "i");
        let modules = [machine.file("a.ko", "a")];
        let attempt = |definition: &Definition, parts: &Parts<'_>| {
            let mut bytes = Vec::new();
            let error = write(definition, parts, &mut bytes).unwrap_err();
            assert!(bytes.is_empty());
            error.to_string()
        };
        let good = shipped();
        let parts = Parts { init: &init, modules: &modules, busybox: None };

        let missing = Parts { init: Path::new("/no/such/init"), ..parts };
        assert!(attempt(&good, &missing).starts_with("cannot read /no/such/init: "));

        let twice = [modules[0].clone(), modules[0].clone()];
        let twice = Parts { modules: &twice, ..parts };
        assert_eq!(attempt(&good, &twice), "the image has modules/a.ko twice");

        let mut bare = good.clone();
        bare.directories.retain(|path| path.as_str() != "modules");
        assert_eq!(
            attempt(&bare, &parts),
            "the image has modules/a.ko, but modules is no directory in it"
        );

        bare = good.clone();
        bare.busybox = None;
        assert_eq!(
            attempt(&bare, &Parts { busybox: Some(&init), ..parts }),
            "the image initramfs has no busybox, which commands and shells need"
        );

        bare = good;
        bare.busybox.as_mut().unwrap().applets = vec!["../sh".to_owned()];
        assert_eq!(
            attempt(&bare, &Parts { busybox: Some(&init), ..parts }),
            "the path \"bin/../sh\" has an empty, `.` or `..` component"
        );
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let machine = Machine::new();
        let init = machine.file("i", "i");
        let parts = Parts { init: &init, modules: &[], busybox: None };
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let error = write(&shipped(), &parts, full).unwrap_err();
        let text = crate::diagnosis::Diagnosis::from(error).to_string();
        assert!(text.contains("free some space"), "{text}");
    }
}
