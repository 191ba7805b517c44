// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be the reason that a hunk does not apply. The words for it are in `words`.

use serde::Serialize;

use super::function::Name;

/// Why a hunk, or a whole file of a patch, does not apply. Each was found by looking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reason {
    /// The tree has no such file, and there is proof that it was there once.
    FileGone {
        /// The proof.
        witness: Witness,
        /// Files of the same base name, the closest path first.
        same_name: Vec<String>,
    },
    /// The tree has no such file, and neither has any other kernel in the object store.
    FileNeverExisted {
        /// Files of the same base name, the closest path first.
        same_name: Vec<String>,
    },
    /// The file has another path in this tree.
    FileRenamed {
        /// The other path.
        to: String,
        /// What says that it is the same file.
        likeness: Likeness,
        /// How many of the patch's hunks would apply there.
        fit: usize,
        /// How many hunks there are.
        hunks: usize,
    },
    /// The patch makes a file that is there.
    FileExists {
        /// Whether it has just the content that the patch would give it.
        identical: bool,
    },
    /// The patch removes a file that is not there.
    FileRemovedAlready,
    /// A binary change, which fits one content only.
    BinaryDiffers,
    /// The tree has what the hunk would make.
    AppliedAlready {
        /// Where, from 1.
        line: usize,
    },
    /// All lines are there, but for their white space.
    WhiteSpace {
        /// Where, from 1.
        line: usize,
    },
    /// All lines are there, but not at the start or the end of the file, where the hunk says they
    /// are because it has no context on that side.
    NotAtEdge {
        /// Where they are, from 1.
        line: usize,
        /// The end of the file that is meant.
        edge: Edge,
    },
    /// All lines are there, but an earlier hunk of the patch has changed some of them.
    Overlaps {
        /// Where they are, from 1.
        line: usize,
    },
    /// Without the outermost context, or with other white space, there are several places.
    Ambiguous {
        /// The places.
        places: Vec<Place>,
        /// Lines of context that have to be left out at each end; 0 if it is about white space.
        fuzz: usize,
    },
    /// The lines, or most of them, are there, but in another part of the file.
    FunctionMoved {
        /// The function that the hunk changes.
        function: Name,
        /// Where the lines are.
        to: Place,
        /// How many lines are there, blank ones aside.
        found: usize,
        /// How many the hunk expects.
        expected: usize,
        /// With it, they apply there.
        fuzz: Option<Fuzz>,
    },
    /// The function that the hunk changes is in other files, not in this one.
    FunctionElsewhere {
        /// The function.
        function: Name,
        /// Where it is defined.
        spots: Vec<Spot>,
    },
    /// The function that the hunk changes has another name.
    FunctionRenamed {
        /// Its name in the patch.
        from: Name,
        /// The function that has the lines.
        to: Name,
        /// Where, from 1.
        line: usize,
        /// Whether the line with the name stands in the hunk; else only the lines of its body do.
        in_hunk: bool,
        /// With it, the hunk applies.
        fuzz: Option<Fuzz>,
    },
    /// The function that the hunk changes was found nowhere.
    FunctionGone {
        /// The function.
        function: Name,
        /// Whether the whole tree was searched, or time ran out.
        searched: bool,
    },
    /// The lines that it changes are there, those around them are not.
    ContextChanged {
        /// Lines of context that differ.
        context: usize,
        /// Lines that the hunk expects.
        expected: usize,
        /// With it, the hunk applies.
        fuzz: Option<Fuzz>,
    },
    /// All of its lines are there, in their order, with others in between.
    LinesBetween {
        /// How many others.
        more: usize,
        /// Whether some are between lines that the hunk removes.
        within_change: bool,
        /// With it, the hunk applies.
        fuzz: Option<Fuzz>,
    },
    /// The lines that it changes are others.
    LinesChanged {
        /// Lines it removes that differ.
        removed: usize,
        /// Lines of context that differ.
        context: usize,
        /// Lines that the hunk expects.
        expected: usize,
    },
    /// Too few of its lines are found together to call any place theirs.
    LinesGone {
        /// Lines found at the place that comes closest.
        found: usize,
        /// Lines that the hunk expects.
        expected: usize,
        /// The function that it changes, if the file still has it.
        function: Option<Place>,
    },
}

/// Proof that a file was there once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Witness {
    /// Kernels in the object store that have it.
    Kernels(Vec<String>),
    /// The subject of the commit (an earlier patch) that removed it.
    RemovedBy(String),
    /// The object store has the content that the patch was made for.
    Blob,
}

/// What says that two files are the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// It is, byte for byte, what the patch was made for.
    SameContent,
    /// That many percent of the lines that the patch was made for.
    Similar(usize),
    /// Same base name, and hunks of the patch fit.
    HunksFit,
}

/// An end of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edge {
    /// Its first line.
    Start,
    /// Its last line.
    End,
}

/// A place in the file that the patch changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// The function it lies in, if it has one.
    pub function: Option<Name>,
}

/// A place in another file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Spot {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
}

/// How much context has to be left out, and where the hunk then applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Fuzz {
    /// Lines of context at each end, as `patch --fuzz` counts them.
    pub lines: usize,
    /// Where the first line that is still compared is, from 1.
    pub at: usize,
}
