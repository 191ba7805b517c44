// SPDX-License-Identifier: MIT OR Apache-2.0
//! From `function+0x12/0x340 [module]` to file and line.
//!
//! Debug information is read in process, once for each binary: calling addr2line for each frame
//! takes seconds a frame on a kernel.

mod binary;

use std::collections::HashMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::console::RawFrame;
use binary::Binary;

/// A decoded frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The function's name.
    pub function: String,
    /// The module that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// Source file, relative to the tree; absent if the binary does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Functions that were inlined there, innermost first, as `function at file:line`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub inlined: Vec<String>,
    /// Whether the unwinder doubts the frame.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub doubtful: bool,
    /// Why it could not be decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecoded: Option<String>,
}

impl Frame {
    /// `function at file:line`, as far as known.
    pub fn place(&self) -> String {
        let module = self.module.as_ref().map(|m| format!(" [{m}]")).unwrap_or_default();
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{}{module} at {file}:{line}", self.function),
            _ => format!("{}{module}", self.function),
        }
    }
}

/// Decodes frames of one kernel and its modules.
pub struct Symbolizer {
    /// Paths by module name; the kernel's own is under the empty name.
    paths: HashMap<String, PathBuf>,
    /// Prefixes of source paths that are taken off.
    sources: Vec<String>,
    loaded: HashMap<String, Result<Binary, String>>,
}

impl std::fmt::Debug for Symbolizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Symbolizer").field("paths", &self.paths).finish_non_exhaustive()
    }
}

impl Symbolizer {
    /// A symbolizer for a kernel and modules. Nothing is read before a frame needs it.
    pub fn new(vmlinux: PathBuf, modules: &[PathBuf], sources: Vec<String>) -> Self {
        let mut paths: HashMap<_, _> = modules
            .iter()
            .filter_map(|path| {
                // The kernel shows `-` in module names as `_`.
                let name = path.file_stem()?.to_string_lossy().replace('-', "_");
                Some((name, path.clone()))
            })
            .collect();
        paths.insert(String::new(), vmlinux);
        Self { paths, sources, loaded: HashMap::new() }
    }

    /// Decodes one frame. What cannot be decoded says why.
    pub fn decode(&mut self, raw: &RawFrame) -> Frame {
        let mut frame = Frame {
            function: raw.function.clone(),
            module: raw.module.clone(),
            file: None,
            line: None,
            inlined: Vec::new(),
            doubtful: raw.doubtful,
            undecoded: None,
        };
        let name = raw.module.clone().unwrap_or_default();
        let paths = &self.paths;
        let binary = self.loaded.entry(name.clone()).or_insert_with(|| {
            let path = paths.get(&name).ok_or_else(|| format!("no binary of module {name}"))?;
            Binary::load(path)
        });
        let located = binary.as_ref().map_err(Clone::clone).and_then(|b| b.locate(raw));
        match located {
            Ok(mut places) => {
                // The outermost is the function itself, the ones before it were inlined.
                if let Some(outer) = places.pop() {
                    frame.file = outer.file.map(|f| self.relative(&f));
                    frame.line = outer.line;
                }
                frame.inlined = places
                    .into_iter()
                    .map(|p| {
                        let file = p.file.map(|f| self.relative(&f)).unwrap_or_default();
                        format!("{} at {file}:{}", p.function, p.line.unwrap_or(0))
                    })
                    .collect();
            }
            Err(why) => frame.undecoded = Some(why),
        }
        frame
    }

    fn relative(&self, file: &str) -> String {
        let mut file = file.replace("/./", "/");
        for source in &self.sources {
            if let Some((_, rest)) = file.split_once(source.as_str()) {
                file = rest.trim_start_matches('/').to_owned();
                break;
            }
        }
        file
    }
}
