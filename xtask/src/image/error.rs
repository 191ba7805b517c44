// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be wrong with an image.

use std::io;
use std::path::PathBuf;

use super::path::ImagePath;
use crate::diagnosis::{Diagnosis, on_path};

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The definition is not one.
    #[error("{}:{line}:{column}: {why}", file.display())]
    Definition {
        /// The definition's file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The YAML reader's own words.
        why: String,
    },
    /// A file that goes into the image cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file on this machine.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The archive cannot be written.
    #[error("cannot write the initramfs: {0}")]
    Write(io::Error),
    /// Two parts have the same path.
    #[error("the image has {0} twice")]
    Twice(ImagePath),
    /// The kernel would leave the file out without a word.
    #[error("the image has {path}, but {parent} is no directory in it")]
    NoDirectory {
        /// The file.
        path: ImagePath,
        /// The directory that it needs.
        parent: ImagePath,
    },
    /// A part has a name that no path can have.
    #[error("{0}")]
    Name(String),
    /// A part is larger than the format can say.
    #[error("{0} is larger than 4 GiB, the most that a file of an initramfs can hold")]
    TooLarge(ImagePath),
    /// The job needs a shell and its tools, but the machine has none that runs in a guest.
    #[error("{}", match dynamic {
        Some(path) => format!(
            "{} needs shared libraries, which a guest does not have", path.display()
        ),
        None => "busybox is not installed, or not on PATH".to_owned(),
    })]
    NoBusybox {
        /// The one that was found but is of no use.
        dynamic: Option<PathBuf>,
    },
    /// The job needs a shell and its tools, but this image has no place for them.
    #[error("the image {0} has no busybox, which commands and shells need")]
    NoPlaceForBusybox(String),
}

impl From<Error> for Diagnosis {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        match error {
            Error::Definition { .. }
            | Error::Twice(_)
            | Error::NoDirectory { .. }
            | Error::Name(_)
            | Error::TooLarge(_)
            | Error::NoPlaceForBusybox(_) => Self::usage(text),
            Error::Read { path, source } => on_path("read", &path, &source),
            Error::Write(source) if source.kind() == io::ErrorKind::StorageFull => {
                Self::infra(text)
                    .next("free some space (`cargo xtask clean` shows what the caches hold)")
            }
            Error::Write(_) => Self::infra(text),
            Error::NoBusybox { .. } => {
                let package = crate::host::package::missing("busybox");
                Self { what: text, ..package }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_busybox_names_its_package() {
        let text = |dynamic| Diagnosis::from(Error::NoBusybox { dynamic }).to_string();
        insta::assert_snapshot!(text(None));
        insta::assert_snapshot!(text(Some("/usr/bin/busybox".into())));
    }
}
