// SPDX-License-Identifier: MIT OR Apache-2.0
//! Naming a kernel: `matrix.yaml` and what a user may type.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{KernelVersion, Release};
use crate::diagnosis::{Diagnosis, on_path, on_yaml};

/// `matrix.yaml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// The kernels there are.
    pub kernels: Vec<Listed>,
    /// The rest is the matrix room's: it reads the same file.
    #[serde(default, rename = "stress")]
    _stress: IgnoredAny,
    #[serde(default, rename = "subjects")]
    _subjects: IgnoredAny,
    #[serde(default, rename = "configs")]
    _configs: IgnoredAny,
    #[serde(default, rename = "cells")]
    _cells: IgnoredAny,
}

/// A kernel in `matrix.yaml`. Exactly one origin is given.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Listed {
    /// Its name: the line it belongs to.
    pub name: KernelVersion,
    /// One release instead of the newest; the same as in `debian`.
    pin: Option<Release>,
    debian: Option<DebianPackage>,
    kernel_org: Option<KernelVersion>,
    git: Option<GitRef>,
    directory: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct DebianPackage {
    package: String,
    suite: String,
    /// One release instead of the newest.
    pin: Option<Release>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct GitRef {
    url: String,
    #[serde(rename = "ref")]
    reference: String,
}

/// A kernel that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// What the user called it.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a kernel's source comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The orig tarball of a Debian source package.
    Debian {
        /// Source package.
        package: String,
        /// Suite whose index lists it.
        suite: String,
        /// A line (the newest that can be had) or an exact version.
        version: KernelVersion,
        /// What is taken of the line instead of the newest, as long as it can be had.
        pin: Option<Release>,
    },
    /// A tarball from kernel.org.
    KernelOrg(KernelVersion),
    /// A commit of a git repository: a path or an URL.
    Git {
        /// Where it is.
        repository: String,
        /// Branch, tag or commit.
        reference: String,
    },
    /// A plain directory.
    Directory(PathBuf),
}

impl Matrix {
    /// Reads `matrix.yaml`.
    pub fn load(path: &Path) -> Result<Self, Diagnosis> {
        let text = std::fs::read_to_string(path).map_err(|e| on_path("read", path, &e))?;
        Self::parse(path, &text)
    }

    /// Reads the text of a `matrix.yaml`; the path is for errors.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Diagnosis> {
        let matrix: Self =
            serde_yaml::from_str(text).map_err(|why| on_yaml(path.display(), &why))?;
        for listed in &matrix.kernels {
            listed.spec().map_err(|why| Diagnosis::usage(format!("{}: {why}", path.display())))?;
        }
        Ok(matrix)
    }

    /// Understands what a user typed: a listed name, an exact version of a listed line,
    /// `REPOSITORY@REF`, a git tree or a directory.
    pub fn find(&self, name: &str) -> Result<Spec, Diagnosis> {
        let unknown = |why: &str| {
            let known: Vec<_> = self.kernels.iter().map(|k| k.name.to_string()).collect();
            Diagnosis::usage(format!("unknown kernel {name:?}: {why}"))
                .detail(format!("known: {}", known.join(", ")))
                .next(
                    "name one of these, one of their point releases (5.10.259), a git tree as \
                     PATH@REF or URL@REF, or a directory; `cargo xtask kernel list` shows them",
                )
        };
        if let Ok(version) = name.parse::<KernelVersion>() {
            let listed = self.kernels.iter().find(|k| version.is_of(k.name));
            let listed = listed.ok_or_else(|| unknown("no kernel of that line is listed"))?;
            let mut spec = listed.spec().map_err(Diagnosis::usage)?;
            name.clone_into(&mut spec.name);
            if version.is_exact() {
                match &mut spec.origin {
                    Origin::Debian { version: wanted, pin, .. } => {
                        *wanted = version;
                        *pin = None;
                    }
                    Origin::KernelOrg(wanted) => *wanted = version,
                    _ => return Err(unknown("that line comes from a tree, not from releases")),
                }
            }
            return Ok(spec);
        }
        let git = |repository: &str, reference: &str| Spec {
            name: name.to_owned(),
            origin: Origin::Git {
                repository: repository.to_owned(),
                reference: reference.to_owned(),
            },
        };
        if let Some((repository, reference)) = name.rsplit_once('@') {
            if repository.contains("://") {
                return Ok(git(repository, reference));
            }
            if Path::new(repository).is_dir() {
                let path = absolute(Path::new(repository))?;
                return Ok(git(&path.to_string_lossy(), reference));
            }
        }
        let path = Path::new(name);
        if path.is_dir() {
            let path = absolute(path)?;
            if path.join(".git").exists() || path.join("objects").is_dir() {
                return Ok(git(&path.to_string_lossy(), "HEAD"));
            }
            return Ok(Spec { name: name.to_owned(), origin: Origin::Directory(path) });
        }
        Err(unknown("neither a version, nor a directory, nor REPOSITORY@REF"))
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Diagnosis> {
    path.canonicalize().map_err(|e| on_path("find", path, &e))
}

impl Listed {
    /// The release that it is pinned to.
    pub fn pin(&self) -> Result<Option<&Release>, String> {
        let inner = self.debian.as_ref().and_then(|d| d.pin.as_ref());
        let pin = match (&self.pin, inner) {
            (Some(_), Some(_)) => return Err(format!("kernel {} has two pins", self.name)),
            (Some(_), None) if self.debian.is_none() => {
                return Err(format!("kernel {}: a pin goes with debian", self.name));
            }
            (outer, inner) => outer.as_ref().or(inner),
        };
        if let Some(pin) = pin.filter(|p| !p.is_exact() || !p.upstream().is_of(self.name)) {
            return Err(format!("kernel {}: {pin} is no release of that line", self.name));
        }
        Ok(pin)
    }

    /// The kernel as asked for by its name.
    pub fn spec(&self) -> Result<Spec, String> {
        let pin = self.pin()?.cloned();
        let debian = self.debian.clone().map(|d| Origin::Debian {
            package: d.package,
            suite: d.suite,
            version: self.name,
            pin,
        });
        let kernel_org = self.kernel_org.map(Origin::KernelOrg);
        let git =
            self.git.clone().map(|g| Origin::Git { repository: g.url, reference: g.reference });
        let directory = self.directory.clone().map(Origin::Directory);
        let mut origins: Vec<_> =
            [debian, kernel_org, git, directory].into_iter().flatten().collect();
        match (origins.pop(), origins.is_empty()) {
            (Some(origin), true) => Ok(Spec { name: self.name.to_string(), origin }),
            _ => Err(format!(
                "kernel {} must have exactly one of debian, kernel-org, git, directory",
                self.name
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(text: &str) -> Result<Matrix, Diagnosis> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("matrix.yaml");
        std::fs::write(&path, text).unwrap();
        Matrix::load(&path)
    }

    const TWO: &str = "kernels:\n- name: '5.10'\n  debian: {package: linux, suite: b}\n- name: '6.1'\n  pin: '6.1.4'\n  debian: {package: linux, suite: c}\n";

    #[test]
    fn a_pin_is_a_release_of_its_line() {
        let pins = |text: &str| matrix(text).map(|m| m.kernels[0].pin().unwrap().cloned());
        let with = |outer: &str, inner: &str| {
            pins(&format!(
                "kernels:\n- name: '6.1'\n{outer}  debian: {{package: linux, suite: b{inner}}}\n"
            ))
        };
        let pin = |text: &str| Some(text.parse::<Release>().unwrap());
        assert_eq!(with("", "").unwrap(), None);
        assert_eq!(with("", ", pin: 6.1.192-3").unwrap(), pin("6.1.192-3"));
        assert_eq!(with("  pin: 6.1.192\n", "").unwrap(), pin("6.1.192"));
        for (outer, inner, words) in [
            ("  pin: 6.1.4\n", ", pin: 6.1.4", "two pins"),
            ("", ", pin: 5.10.262-1", "no release of that line"),
            ("", ", pin: '6.1'", "no release of that line"),
            ("", ", pin: newest", "no release"),
        ] {
            let error = with(outer, inner).unwrap_err();
            assert!(error.what.contains(words), "{error}");
        }
        let error = pins("kernels:\n- name: '6.1'\n  pin: 6.1.4\n  directory: /x\n").unwrap_err();
        assert!(error.what.contains("goes with debian"), "{error}");
    }

    #[test]
    fn names_versions_trees_and_nonsense() {
        let matrix = matrix(TWO).unwrap();
        let version = |name: &str| match matrix.find(name).unwrap().origin {
            Origin::Debian { version, pin, .. } => {
                pin.map_or(version.to_string(), |pin| format!("{version} at {pin}"))
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(version("5.10"), "5.10");
        assert_eq!(version("5.10.7"), "5.10.7");
        assert_eq!(version("6.1"), "6.1 at 6.1.4");
        assert_eq!(version("6.1.5"), "6.1.5", "who asks for a release gets no other");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_str().unwrap();
        assert!(matches!(matrix.find(path).unwrap().origin, Origin::Directory(_)));
        let git = matrix.find(&format!("{path}@v6.1")).unwrap().origin;
        assert!(matches!(git, Origin::Git { reference, .. } if reference == "v6.1"));
        for name in ["9.9", "nonsense", "/no/such@x", ""] {
            let error = matrix.find(name).unwrap_err();
            assert_eq!(error.exit.code(), 2, "{name}");
            assert!(error.to_string().contains("known: 5.10, 6.1"), "{error}");
        }
    }

    #[test]
    fn mistakes_in_the_file_have_a_place() {
        let error = matrix("kernels:\n- name: '5.10'\n  debain: {}\n").unwrap_err();
        assert!(error.what.contains("matrix.yaml:3:"), "{error}");
        let error = matrix("kernels:\n- name: '5.10'\n").unwrap_err();
        assert!(error.what.contains("exactly one of"), "{error}");
    }
}
