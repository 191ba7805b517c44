// SPDX-License-Identifier: MIT OR Apache-2.0
//! Image definitions, `vm-images/*.yaml`.

use std::path::Path;

use serde::Deserialize;
use wire::Task;

use super::error::Error;
use super::path::ImagePath;

/// What is in an image besides what each run adds. The order within a list has no meaning.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Name of the image.
    pub name: String,
    /// Directories, each with its parents.
    pub directories: Vec<ImagePath>,
    /// Character devices.
    #[serde(default)]
    pub nodes: Vec<Node>,
    /// Symbolic links.
    #[serde(default)]
    pub symlinks: Vec<Symlink>,
    /// Small text files.
    #[serde(default)]
    pub files: Vec<TextFile>,
    /// The shell and its tools, for images that have them.
    pub busybox: Option<Busybox>,
}

/// A character device.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Where.
    pub path: ImagePath,
    /// Major number, see the kernel's `Documentation/admin-guide/devices.txt`.
    pub major: u32,
    /// Minor number.
    pub minor: u32,
    /// Permission bits.
    pub mode: Permissions,
}

/// A symbolic link.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Symlink {
    /// Where.
    pub path: ImagePath,
    /// What it points to.
    pub target: String,
}

/// A small text file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextFile {
    /// Where.
    pub path: ImagePath,
    /// What it says.
    pub content: String,
    /// Permission bits.
    #[serde(default = "Permissions::of_data")]
    pub mode: Permissions,
}

/// A static busybox.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Busybox {
    /// Where the program goes.
    pub path: ImagePath,
    /// The tasks that cannot do without.
    pub needed_by: Vec<TaskKind>,
    /// Its names, as links beside it.
    pub applets: Vec<String>,
}

/// A kind of [`Task`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskKind {
    /// [`Task::Stress`].
    Stress,
    /// [`Task::Command`].
    Command,
    /// [`Task::Shell`].
    Shell,
}

impl From<&Task> for TaskKind {
    fn from(task: &Task) -> Self {
        match task {
            Task::Stress(_) => Self::Stress,
            Task::Command { .. } => Self::Command,
            Task::Shell { .. } => Self::Shell,
        }
    }
}

/// Permission bits, at most `0o7777`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
pub struct Permissions(u32);

impl Permissions {
    /// As a number.
    pub fn bits(self) -> u32 {
        self.0
    }

    fn of_data() -> Self {
        Self(0o644)
    }
}

impl TryFrom<u32> for Permissions {
    type Error = String;

    fn try_from(bits: u32) -> Result<Self, String> {
        if bits > 0o7777 {
            return Err(format!("the mode 0o{bits:o} is above 0o7777"));
        }
        Ok(Self(bits))
    }
}

impl Definition {
    /// Reads a definition.
    ///
    /// # Errors
    /// [`Error::Read`], and [`Error::Definition`] with file, line and column.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| Error::Read { path: path.to_owned(), source })?;
        Self::parse(path, &text)
    }

    fn parse(file: &Path, text: &str) -> Result<Self, Error> {
        serde_yaml::from_str(text).map_err(|error: serde_yaml::Error| {
            let (line, column) = error.location().map_or((1, 1), |l| (l.line(), l.column()));
            let why = error.to_string();
            let place = format!(" at line {line} column {column}");
            Error::Definition {
                file: file.to_owned(),
                line,
                column,
                why: why.strip_suffix(&place).unwrap_or(&why).to_owned(),
            }
        })
    }

    /// Whether these tasks cannot be done without busybox.
    ///
    /// # Errors
    /// [`Error::NoPlaceForBusybox`] if they need it and the image has no place for it.
    pub(super) fn needs_busybox(&self, tasks: &[Task]) -> Result<bool, Error> {
        match &self.busybox {
            Some(busybox) => {
                Ok(tasks.iter().any(|task| busybox.needed_by.contains(&TaskKind::from(task))))
            }
            None if tasks.iter().all(|task| matches!(task, Task::Stress(_))) => Ok(false),
            None => Err(Error::NoPlaceForBusybox(self.name.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named_with_their_place() {
        let table = [
            "name: x\ndirectories: []\nfolders: []\n",
            "name: x\n",
            "name: x\ndirectories: [bin, /dev]\n",
            "name: x\ndirectories: []\nnodes:\n  - { path: a, major: 1, minor: 1, mode: 0o10000 }\n",
            "name: x\ndirectories: []\nnodes:\n  - { path: a, major: -1, minor: 1, mode: 0o600 }\n",
            "name: x\ndirectories: []\nbusybox: { path: b, needed_by: [dance], applets: [] }\n",
            "name: [\n",
            "",
        ];
        let errors: Vec<_> = table
            .iter()
            .map(|text| Definition::parse(Path::new("i.yaml"), text).unwrap_err().to_string())
            .collect();
        insta::assert_snapshot!(errors.join("\n"));
    }

    #[test]
    fn the_definition_says_which_tasks_need_busybox() {
        let busybox = |needed_by: &str| {
            let text = format!(
                "name: x\ndirectories: []\nbusybox: {{ path: b, needed_by: [{needed_by}], applets: [] }}\n"
            );
            Definition::parse(Path::new("i.yaml"), &text).unwrap()
        };
        let shell = [Task::Shell { term: String::new(), rows: 0, columns: 0 }];
        let command = [Task::Command { argv: Vec::new() }];
        assert!(busybox("shell").needs_busybox(&shell).unwrap());
        assert!(!busybox("shell").needs_busybox(&command).unwrap());
        assert!(!busybox("shell, command").needs_busybox(&[]).unwrap());
        let mut none = busybox("");
        none.busybox = None;
        assert!(!none.needs_busybox(&[]).unwrap());
        assert!(matches!(none.needs_busybox(&shell), Err(Error::NoPlaceForBusybox(_))));
    }
}
