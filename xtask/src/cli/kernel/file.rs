// SPDX-License-Identifier: MIT OR Apache-2.0
//! `matrix.yaml` as a file that is read, edited and written back.

use std::path::PathBuf;

use crate::cli::Session;
use crate::diagnosis::{Diagnosis, on_path};
use crate::store::{Key, Lock, write_atomic};

/// The file's text as it was read.
pub struct MatrixFile {
    /// The file itself, not a link to it.
    pub path: PathBuf,
    /// What was in it.
    pub text: String,
}

impl MatrixFile {
    /// Reads it.
    pub fn read(session: &Session) -> Result<Self, Diagnosis> {
        let path = session.workspace.matrix_file();
        // A file that is renamed over a link would take the link's place.
        let path = path.canonicalize().map_err(|e| on_path("find", &path, &e))?;
        let text = std::fs::read_to_string(&path).map_err(|e| on_path("read", &path, &e))?;
        Ok(Self { path, text })
    }

    /// Writes the edited text, unless somebody else has changed the file since it was read.
    pub fn write(&self, session: &Session, edited: &str) -> Result<(), Diagnosis> {
        let _lock = self.lock(session)?;
        let now =
            std::fs::read_to_string(&self.path).map_err(|e| on_path("read", &self.path, &e))?;
        if now != self.text {
            let what = format!("{} was changed meanwhile", self.path.display());
            return Err(Diagnosis::infra(what).next("nothing was written: run again"));
        }
        write_atomic(&self.path, edited.as_bytes())
    }

    fn lock(&self, session: &Session) -> Result<Lock, Diagnosis> {
        let key = Key::of("matrix").with("path", self.path.as_os_str().as_encoded_bytes()).finish();
        session.store.lock(&session.host, &format!("matrix-{}", key.short()))
    }
}
