// SPDX-License-Identifier: MIT OR Apache-2.0
//! What git knows about the files of a patch. Only looking; judging is done elsewhere.

use std::time::Duration;

use super::function::Name;
use super::image;
use super::path::{Candidate, Entry, Missing, candidates};
use super::reason::{Spot, Witness};
use super::{BlobFit, Patch};
use crate::diagnosis::Diagnosis;
use crate::diff::FileDiff;
use crate::host::{Host, Invocation};
use crate::store::Store;
use crate::tree::{git, known};

/// How long the whole tree is searched for a function. Five seconds are usual on two cores.
const SEARCH: Duration = Duration::from_secs(30);

/// How many files are looked into for the definition of a function.
const FILES: usize = 8;

/// Eyes on one commit of the object store.
pub(super) struct Look<'a> {
    host: &'a Host,
    store: &'a Store,
    base: &'a str,
    /// Versions and commits of the kernels in the store.
    kernels: Vec<(String, String)>,
}

impl<'a> Look<'a> {
    pub(super) fn new(host: &'a Host, store: &'a Store, base: &'a str) -> Self {
        let kernels = known(store).into_iter().map(|s| (s.version.to_string(), s.commit));
        Self { host, store, base, kernels: kernels.collect() }
    }

    fn git(&self) -> Result<Invocation<'a>, Diagnosis> {
        git::bare(self.host, self.store)
    }

    /// The contents of files of the commit; none where there is no such file.
    pub(super) fn files(&self, paths: &[&str]) -> Result<Vec<Option<Vec<u8>>>, Diagnosis> {
        self.contents(&paths.iter().map(|path| format!("{}:{path}", self.base)).collect::<Vec<_>>())
    }

    fn contents(&self, names: &[String]) -> Result<Vec<Option<Vec<u8>>>, Diagnosis> {
        let input = names.join("\n") + "\n";
        let output = self.git()?.args(["cat-file", "--batch"]).input(input).run()?;
        Ok(contents(&output.stdout, names.len()))
    }

    /// The full object names of blobs; none where there is no such object, or more than one.
    fn blobs(&self, names: &[String]) -> Result<Vec<Option<String>>, Diagnosis> {
        let input = names.join("\n") + "\n";
        let output = self.git()?.args(["cat-file", "--batch-check"]).input(input).run()?;
        let blob = |line: &str| line.split_once(" blob ").map(|(blob, _)| blob.to_owned());
        Ok(output.text().lines().map(blob).collect())
    }

    /// The kernels that have a file, each with that file's blob.
    fn kernels_with(&self, path: &str) -> Result<Vec<(String, String)>, Diagnosis> {
        if self.kernels.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<_> = self.kernels.iter().map(|(_, c)| format!("{c}:{path}")).collect();
        let blobs = self.blobs(&names)?;
        let versions = self.kernels.iter().map(|(version, _)| version.clone());
        Ok(versions.zip(blobs).filter_map(|(version, blob)| Some((version, blob?))).collect())
    }

    /// How the file of the tree compares with the one that the patch was made for.
    pub(super) fn blob_fit(&self, diff: &FileDiff) -> Result<BlobFit, Diagnosis> {
        let (Some(path), Some((old, _))) = (&diff.old, diff.blobs()) else {
            return Ok(BlobFit::NotSaid);
        };
        let blobs = self.blobs(&[format!("{}:{path}", self.base), old.to_owned()])?;
        if blobs[0].as_ref().is_some_and(|b| b.starts_with(old)) {
            return Ok(BlobFit::Same);
        }
        let Some(known) = &blobs[1] else { return Ok(BlobFit::Unknown) };
        let with = self.kernels_with(path)?.into_iter();
        let mut kernels: Vec<_> = with.filter(|(_, b)| b == known).map(|(v, _)| v).collect();
        kernels.dedup();
        Ok(BlobFit::Other { kernels })
    }

    /// What became of a file that is not there.
    pub(super) fn missing(&self, diff: &FileDiff, path: &str) -> Result<Missing, Diagnosis> {
        let blob = diff.blobs().map(|(old, _)| old);
        let old = match blob {
            Some(blob) => self.contents(&[blob.to_owned()])?.remove(0),
            None => None,
        };
        let mut kernels: Vec<_> = self.kernels_with(path)?.into_iter().map(|(v, _)| v).collect();
        kernels.dedup();
        let removed = self
            .git()?
            .args(["log", "-1", "--no-renames", "--diff-filter=D", "--format=%s", self.base, "--"])
            .arg(format!(":(literal,top){path}"))
            .output()?;
        let removed = removed.success().then(|| removed.text().trim().to_owned());
        let witness = match removed.filter(|subject| !subject.is_empty()) {
            Some(subject) => Some(Witness::RemovedBy(subject)),
            None if !kernels.is_empty() => Some(Witness::Kernels(kernels)),
            None => old.is_some().then_some(Witness::Blob),
        };
        let found = candidates(self.listing()?, path, blob);
        let paths: Vec<&str> = found.iter().map(|e| e.path.as_str()).collect();
        let texts = if paths.is_empty() { Vec::new() } else { self.files(&paths)? };
        let candidates = found
            .iter()
            .zip(texts)
            .filter_map(|(entry, text)| Some(Candidate { entry: entry.clone(), text: text? }))
            .collect();
        Ok(Missing { witness, old, candidates })
    }

    fn listing(&self) -> Result<Vec<Entry>, Diagnosis> {
        let output = self.git()?.args(["ls-tree", "-r", "-z", "--full-tree", self.base]).run()?;
        let entry = |line: &str| {
            let (about, path) = line.split_once('\t')?;
            let blob = about.split(' ').nth(2)?;
            Some(Entry { path: path.to_owned(), blob: blob.to_owned() })
        };
        Ok(output.text().split('\0').filter_map(entry).collect())
    }

    /// Where other files define a function, and whether all of them were searched: those that lie
    /// beside `file` first, as the whole tree takes seconds.
    pub(super) fn function(&self, name: &Name, file: &str) -> Result<(Vec<Spot>, bool), Diagnosis> {
        let near = file.rsplit_once('/').map_or(String::new(), |(dir, _)| format!("{dir}/"));
        let near = [format!("{near}*.[ch]"), "include/*.[ch]".to_owned()];
        for pathspecs in [&near[..], &["*.[ch]".to_owned()]] {
            let Some(lines) = self.grep(name.needle(), pathspecs)? else {
                return Ok((Vec::new(), false));
            };
            let mut paths: Vec<&str> = lines
                .iter()
                .filter(|(path, text)| path != file && Name::of(text).as_ref() == Some(name))
                .map(|(path, _)| path.as_str())
                .collect();
            paths.dedup();
            paths.truncate(FILES);
            if paths.is_empty() {
                continue;
            }
            let texts = self.files(&paths)?;
            let spots = paths.iter().zip(texts).filter_map(|(path, text)| {
                let line = name.defined_in(&image::lines(&text?))? + 1;
                Some(Spot { file: (*path).to_owned(), line })
            });
            let spots: Vec<_> = spots.collect();
            if !spots.is_empty() {
                return Ok((spots, true));
            }
        }
        Ok((Vec::new(), true))
    }

    /// Paths and lines that contain a text; none if it took too long.
    fn grep(
        &self,
        text: &str,
        pathspecs: &[String],
    ) -> Result<Option<Vec<(String, String)>>, Diagnosis> {
        let search = self
            .git()?
            .args(["grep", "-I", "-n", "-z", "--full-name", "--no-color", "-F", "-e", text])
            .arg(self.base)
            .arg("--")
            .args(pathspecs)
            .limit(SEARCH)
            .output();
        let Ok(output) = search else {
            // What is left of its errors is the time limit.
            self.host.check_cancelled()?;
            return Ok(None);
        };
        let prefix = format!("{}:", self.base);
        let line = |line: &str| {
            let (path, rest) = line.strip_prefix(&prefix)?.split_once('\0')?;
            Some((path.to_owned(), rest.split_once('\0')?.1.to_owned()))
        };
        Ok(Some(output.text().lines().filter_map(line).collect()))
    }

    /// Whether the tree has all that a patch would make.
    pub(super) fn reverse_applies(&self, patch: &Patch) -> Result<bool, Diagnosis> {
        let scratch = tempfile::tempdir()
            .map_err(|e| Diagnosis::infra(format!("cannot create a scratch directory: {e}")))?;
        let index = scratch.path().join("index");
        let git = || git::on_tree(self.host, self.store, scratch.path(), &index);
        git()?.args(["read-tree", self.base]).run()?;
        let output = git()?
            .args(["apply", "--cached", "--check", "--reverse", "--whitespace=nowarn", "-"])
            .input(patch.bytes.clone())
            .output()?;
        Ok(output.success())
    }
}

/// The answers of `git cat-file --batch` to `count` names.
fn contents(mut output: &[u8], count: usize) -> Vec<Option<Vec<u8>>> {
    let mut all = Vec::new();
    while all.len() < count {
        let Some(end) = output.iter().position(|b| *b == b'\n') else {
            all.resize(count, None);
            break;
        };
        let header = String::from_utf8_lossy(&output[..end]).into_owned();
        output = &output[end + 1..];
        let words: Vec<&str> = header.rsplitn(3, ' ').collect();
        let size = words[0].parse::<usize>().ok().filter(|_| words.len() == 3);
        let Some(size) = size.filter(|size| *size < output.len()) else {
            all.push(None);
            continue;
        };
        all.push((words[1] == "blob").then(|| output[..size].to_vec()));
        output = &output[size + 1..];
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_apart() {
        let output = b"abc blob 4\na\nb\n\nx:no such file missing\nabc tree 3\n\0\n\n\nabc blob 0\n\n12 ambiguous\n";
        let want = [Some(b"a\nb\n".to_vec()), None, None, Some(Vec::new()), None, None];
        assert_eq!(contents(output, 6), want);
    }
}
