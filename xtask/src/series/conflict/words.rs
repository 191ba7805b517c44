// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reasons in plain words: for a person who has to fix the patch.

use std::fmt;

use super::BlobFit;
use super::reason::{Edge, Fuzz, Likeness, Place, Reason, Witness};

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        match &self.function {
            Some(function) => write!(f, " in {function}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Fuzz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`--fuzz {}` would apply it at line {}", self.lines, self.at)
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kernels(kernels) => write!(f, "linux {} has it", kernels.join(" and ")),
            Self::RemovedBy(subject) => write!(f, "\"{subject}\" removed it"),
            Self::Blob => f.write_str("the object store has the content the patch was made for"),
        }
    }
}

impl fmt::Display for Likeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameContent => f.write_str("the content that the patch was made for"),
            Self::Similar(n) => write!(f, "{n} % of the content that the patch was made for"),
            Self::HunksFit => f.write_str("the same base name"),
        }
    }
}

fn same_name(f: &mut fmt::Formatter<'_>, paths: &[String]) -> fmt::Result {
    match paths {
        [] => f.write_str("; no other file has its base name"),
        paths => write!(f, "; of the same base name: {}", paths.join(", ")),
    }
}

/// `; …`, where there is a fuzz that helps.
fn and(f: &mut fmt::Formatter<'_>, fuzz: Option<Fuzz>) -> fmt::Result {
    fuzz.map_or(Ok(()), |fuzz| write!(f, "; {fuzz}"))
}

fn ambiguous(f: &mut fmt::Formatter<'_>, places: &[Place], fuzz: usize) -> fmt::Result {
    let places: Vec<_> = places.iter().map(ToString::to_string).collect();
    match fuzz {
        0 => f.write_str("ambiguous: with other white space")?,
        lines => write!(f, "ambiguous: with `--fuzz {lines}`")?,
    }
    write!(f, " it would fit at {}", places.join(" and at "))
}

/// Which fuzz helps, or that none does.
fn helps(f: &mut fmt::Formatter<'_>, fuzz: Option<Fuzz>) -> fmt::Result {
    match fuzz {
        Some(fuzz) => write!(f, ": {fuzz}"),
        None => f.write_str(", and no fuzz would apply it safely"),
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FileGone { witness, same_name: paths } => {
                write!(f, "the file is gone from this tree ({witness})")?;
                same_name(f, paths)
            }
            Self::FileNeverExisted { same_name: paths } => {
                f.write_str("no such file, here or in any kernel of the object store")?;
                same_name(f, paths)
            }
            Self::FileRenamed { to, likeness, fit, hunks } => {
                write!(f, "the file is {to} in this tree ({likeness}); ")?;
                write!(f, "{fit} of {hunks} hunks would apply there")
            }
            Self::FileExists { identical: true } => {
                f.write_str("the patch makes this file, and the tree has it, with the same content")
            }
            Self::FileExists { identical: false } => {
                f.write_str("the patch makes this file, and the tree has it, with other content")
            }
            Self::FileRemovedAlready => {
                f.write_str("the patch removes this file, and the tree does not have it")
            }
            Self::BinaryDiffers => f.write_str(
                "a binary change, which needs exactly the file that it was made for; the tree has another",
            ),
            Self::AppliedAlready { line } => {
                write!(f, "applied already: what it would make is at line {line}")
            }
            Self::WhiteSpace { line } => {
                write!(f, "only white space differs from what is at line {line}")
            }
            Self::NotAtEdge { line, edge } => {
                let (edge, side) = match edge {
                    Edge::Start => ("start", "before"),
                    Edge::End => ("end", "behind"),
                };
                write!(
                    f,
                    "its lines are at line {line}, but the hunk says that the file's {edge} is \
                     there: it has no context {side} its change"
                )
            }
            Self::Overlaps { line } => write!(
                f,
                "its lines are at line {line}, and an earlier hunk of this patch changes them too"
            ),
            Self::Ambiguous { places, fuzz } => ambiguous(f, places, *fuzz),
            Self::FunctionMoved { function, to, found, expected, fuzz } => {
                f.write_str("moved within the file: ")?;
                if found < expected && fuzz.is_none() {
                    write!(f, "{found} of {expected} lines of {function} are at {to}")?;
                } else {
                    write!(f, "the lines of {function} are at {to}")?;
                }
                and(f, *fuzz)
            }
            Self::FunctionElsewhere { function, spots } => {
                let spots: Vec<_> =
                    spots.iter().map(|s| format!("{}:{}", s.file, s.line)).collect();
                write!(f, "{function} is not in this file; it is at {}", spots.join(" and at "))
            }
            Self::FunctionRenamed { from, to, line, in_hunk: true, fuzz } => {
                write!(f, "{from} is called {to} here (line {line})")?;
                and(f, *fuzz)
            }
            Self::FunctionRenamed { from, to, line, in_hunk: false, fuzz } => {
                write!(f, "there is no {from} in this file; its lines are in {to} (line {line})")?;
                and(f, *fuzz)
            }
            Self::FunctionGone { function, searched: true } => {
                write!(f, "{function} is in no C file of this tree")
            }
            Self::FunctionGone { function, searched: false } => write!(
                f,
                "{function} is not in this file (searching the whole tree for it took too long)"
            ),
            Self::ContextChanged { context, expected, fuzz } => {
                write!(f, "only context differs, {context} of {expected} lines")?;
                helps(f, *fuzz)
            }
            Self::LinesBetween { more, within_change, fuzz } => {
                let change = if *within_change { "the lines that it changes" } else { "its context" };
                write!(f, "all its lines are there, but {more} more have come in among {change}")?;
                helps(f, *fuzz)
            }
            Self::LinesChanged { removed, context, expected } => write!(
                f,
                "the lines that it changes are different: {removed} removed and {context} context \
                 lines of {expected}"
            ),
            Self::LinesGone { found, expected, function } => {
                f.write_str("its lines are not in this file: ")?;
                match function {
                    Some(Place { line, function: Some(name) }) => {
                        write!(f, "{name}, at line {line}, has {found} of {expected}")
                    }
                    _ => write!(f, "no place has more than {found} of {expected}"),
                }
            }
        }
    }
}

impl fmt::Display for BlobFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same => f.write_str("made for exactly this file"),
            Self::Other { kernels } if kernels.is_empty() => f.write_str(
                "made for another version of it; the object store has that version, in no kernel",
            ),
            Self::Other { kernels } => write!(
                f,
                "made for another version of it; the object store has that version in linux {}",
                kernels.join(" and ")
            ),
            Self::Unknown => f.write_str("made for an unknown version of it"),
            Self::NotSaid => f.write_str("the patch does not say for which version"),
        }
    }
}
