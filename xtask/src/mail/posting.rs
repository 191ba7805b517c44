// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which patches were posted together.

use std::collections::{BTreeMap, HashMap};

use super::{Broken, Kind, Mail, PatchText};

/// A mail with what it is, and the file that it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The file.
    pub file: String,
    /// The mail.
    pub mail: Mail,
    /// What it is.
    pub kind: Kind,
}

impl Member {
    /// Where it is, for a person.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.mail.line)
    }

    /// Its place in its series. A patch without n/m is the only one.
    fn number(&self) -> Option<usize> {
        match (&self.kind, self.mail.subject.number) {
            (Kind::Cover(_), _) => Some(0),
            (Kind::Patch(_) | Kind::Broken(_), Some((n, _))) => Some(n),
            (Kind::Patch(_) | Kind::Broken(_), None) => Some(1),
            _ => None,
        }
    }

    fn total(&self) -> usize {
        self.mail.subject.number.map_or(1, |(_, total)| total)
    }

    fn version(&self) -> u32 {
        self.mail.subject.version.unwrap_or(1)
    }

    /// Orders mails the same way whatever order they came in.
    fn order(&self) -> (i64, &str) {
        (self.mail.timestamp, &self.mail.id)
    }
}

/// The patches that somebody posted together, as one version of a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posting {
    /// Its version; 1 where no mail names one.
    pub version: u32,
    /// How many patches it says it has.
    pub total: usize,
    /// Indices of its mails, by their number; 0 is the cover letter.
    pub members: BTreeMap<usize, usize>,
}

impl Posting {
    /// Numbers of patches that did not come.
    pub fn missing(&self) -> Vec<usize> {
        (1..=self.total).filter(|n| !self.members.contains_key(n)).collect()
    }

    /// The patches that came and cannot be used.
    pub fn broken<'a>(&self, all: &'a [Member]) -> Vec<(usize, &'a Member, &'a Broken)> {
        let broken = |(n, at): (&usize, &usize)| match &all[*at].kind {
            Kind::Broken(why) => Some((*n, &all[*at], why)),
            _ => None,
        };
        self.members.iter().filter_map(broken).collect()
    }

    /// The patches that came, by number.
    pub fn patches<'a>(&self, all: &'a [Member]) -> Vec<(usize, &'a Member, &'a PatchText)> {
        let patch = |(n, at): (&usize, &usize)| match &all[*at].kind {
            Kind::Patch(patch) => Some((*n, &all[*at], &**patch)),
            _ => None,
        };
        self.members.iter().filter_map(patch).collect()
    }

    /// Its first mail: the cover letter, or else the first patch.
    pub fn first<'a>(&self, all: &'a [Member]) -> Option<&'a Member> {
        self.members.values().next().map(|at| &all[*at])
    }
}

/// Removes mails that came twice, through two lists for instance. Of two with one Message-ID and
/// different content, the one that can be used stays; two different patches are both broken.
fn deduplicate(members: Vec<Member>) -> Vec<Member> {
    let mut kept: Vec<Member> = Vec::new();
    let mut by_id: HashMap<String, usize> = HashMap::new();
    for member in members {
        let Some(&at) = by_id.get(&member.mail.id) else {
            by_id.insert(member.mail.id.clone(), kept.len());
            kept.push(member);
            continue;
        };
        let known = &mut kept[at];
        match (&known.kind, &member.kind) {
            (Kind::Patch(a), Kind::Patch(b)) if a == b => {}
            (Kind::Patch(_), Kind::Patch(_)) => {
                let why = format!(
                    "another mail with the same Message-ID has another patch: {}",
                    member.place()
                );
                known.kind = Kind::Broken(Broken { place: known.mail.place(1), why });
            }
            (Kind::Broken(_) | Kind::NoDiff(_), Kind::Patch(_)) => *known = member,
            _ => {}
        }
    }
    kept
}

/// Puts the patches and cover letters of some mails together as they were posted. The order of the
/// mails does not matter. Returns the mails without duplicates, in a fixed order, and the postings,
/// oldest first.
pub fn postings(mut members: Vec<Member>) -> (Vec<Member>, Vec<Posting>) {
    members.sort_by(|a, b| a.order().cmp(&b.order()).then_with(|| a.mail.text.cmp(&b.mail.text)));
    let members = deduplicate(members);
    let mut threads = Threads::default();
    let places: HashMap<&str, usize> =
        members.iter().enumerate().map(|(at, m)| (m.mail.id.as_str(), at)).collect();
    for (at, member) in members.iter().enumerate() {
        if member.number().is_some() {
            threads.add(at, member, &members, &places);
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut loose: BTreeMap<(u32, usize, Vec<String>), Vec<usize>> = BTreeMap::new();
    let roots: Vec<(usize, usize)> = (0..members.len())
        .filter(|at| members[*at].number().is_some())
        .map(|at| (at, threads.root(at)))
        .collect();
    let mut sizes: HashMap<usize, usize> = HashMap::new();
    for (_, root) in &roots {
        *sizes.entry(*root).or_default() += 1;
    }
    for (at, root) in roots {
        let member = &members[at];
        // Mails that no thread connects are told apart by what their subjects say.
        if sizes[&root] == 1 && member.total() > 1 {
            let tags = member.mail.subject.tags.clone();
            loose.entry((member.version(), member.total(), tags)).or_default().push(at);
        } else {
            groups.entry(root).or_default().push(at);
        }
    }
    let mut all: Vec<Posting> = Vec::new();
    for group in groups.into_values().chain(loose.into_values()) {
        all.extend(separate(&group, &members));
    }
    all.sort_by_key(|p| p.members.values().min().copied());
    (members, all)
}

/// Takes a group apart that has a number twice: by author, since series of two people are two; then
/// where the numbers start anew, since members come oldest first. What cannot be told apart comes
/// out as postings that are not whole, and those are refused.
fn separate(group: &[usize], members: &[Member]) -> Vec<Posting> {
    let number = |at: &usize| members[*at].number().unwrap_or_default();
    let posting = |part: &[usize]| {
        let first = &members[part[0]];
        let members = part.iter().map(|at| (number(at), *at)).collect();
        Posting { version: first.version(), total: first.total(), members }
    };
    let unique: std::collections::BTreeSet<usize> = group.iter().map(number).collect();
    if unique.len() == group.len() {
        return vec![posting(group)];
    }
    let mut by_author: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for at in group {
        let author = members[*at].mail.from.clone().unwrap_or_default().address;
        by_author.entry(author).or_default().push(*at);
    }
    let mut all = Vec::new();
    for part in by_author.into_values() {
        let starts =
            part.iter().enumerate().skip(1).filter(|(n, at)| number(at) <= number(&part[n - 1]));
        let starts: Vec<usize> = [0].into_iter().chain(starts.map(|(n, _)| n)).collect();
        let ends = starts.iter().skip(1).copied().chain([part.len()]);
        all.extend(starts.iter().zip(ends).map(|(from, to)| posting(&part[*from..to])));
    }
    all
}

/// Which mails of a version answer each other: a forest of disjoint sets.
#[derive(Default)]
struct Threads {
    parents: HashMap<usize, usize>,
    /// The first mail of a version that answers a mail which is not there.
    absent: HashMap<(String, u32, usize), usize>,
}

impl Threads {
    fn root(&self, mut at: usize) -> usize {
        while let Some(&parent) = self.parents.get(&at) {
            at = parent;
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.parents.insert(one.max(other), one.min(other));
        }
    }

    fn add(&mut self, at: usize, member: &Member, all: &[Member], places: &HashMap<&str, usize>) {
        let series = (member.version(), member.total());
        for id in &member.mail.references {
            match places.get(id.as_str()).copied() {
                Some(parent) if all[parent].number().is_some() => {
                    if (all[parent].version(), all[parent].total()) == series {
                        self.join(at, parent);
                    }
                    return;
                }
                None if member.total() > 1 => {
                    let key = (id.clone(), series.0, series.1);
                    match self.absent.get(&key).copied() {
                        Some(first) => self.join(at, first),
                        None => drop(self.absent.insert(key, at)),
                    }
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(id: &str, answers: &str, subject: &str, second: u32) -> Member {
        let text = format!(
            "From: A <a@example.org>\nDate: Tue, 1 Feb 2022 00:00:{second:02} +0000\nMessage-ID: <{id}>\nIn-Reply-To: <{answers}>\nSubject: {subject}\n\nwhy {id}\n---\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+{id}\n"
        );
        let raw = super::super::split(text.as_bytes());
        let mail = super::super::read(&raw[0]).unwrap().remove(0);
        Member { file: "m".into(), kind: Kind::of(&mail, crate::mail::Proof::ALL), mail }
    }

    fn sets(members: Vec<Member>) -> Vec<String> {
        let (all, postings) = postings(members);
        let ids = |p: &Posting| {
            p.members.values().map(|at| all[*at].mail.id.clone()).collect::<Vec<_>>().join(" ")
        };
        postings.iter().map(ids).collect()
    }

    #[test]
    fn threads_keep_apart_what_was_sent_at_the_same_time() {
        let members = vec![
            patch("a1", "", "[PATCH 1/2] a", 1),
            patch("b1", "", "[PATCH 1/2] b", 2),
            patch("b2", "b1", "[PATCH 2/2] b", 3),
            patch("a2", "a1", "[PATCH 2/2] a", 4),
        ];
        assert_eq!(sets(members), ["a1 a2", "b1 b2"]);
    }

    #[test]
    fn an_absent_cover_letter_holds_its_patches_together() {
        let members = vec![
            patch("a1", "a0", "[PATCH 1/2] a", 1),
            patch("b1", "b0", "[PATCH 1/2] b", 2),
            patch("a2", "a0", "[PATCH 2/2] a", 3),
            patch("b2", "b0", "[PATCH 2/2] b", 4),
        ];
        assert_eq!(sets(members), ["a1 a2", "b1 b2"]);
    }

    #[test]
    fn what_no_thread_connects_is_never_mixed() {
        // The second of the first posting did not come.
        let members = vec![
            patch("a1", "", "[PATCH 1/2] a", 1),
            patch("b1", "", "[PATCH 1/2] b", 2),
            patch("b2", "", "[PATCH 2/2] b", 3),
        ];
        assert_eq!(sets(members), ["a1", "b1 b2"]);
        let members =
            vec![patch("a1", "", "[PATCH v2 1/2] a", 1), patch("a2", "", "[PATCH v3 2/2] a", 2)];
        assert_eq!(sets(members), ["a1", "a2"]);
    }

    #[test]
    fn a_mail_that_came_twice_is_one() {
        let one = || patch("a1", "", "[PATCH] a", 1);
        assert_eq!(sets(vec![one(), one()]), ["a1"]);
        let mut other = one();
        if let Kind::Patch(patch) = &mut other.kind {
            patch.subject = "another".into();
        }
        let (all, _) = postings(vec![one(), other]);
        assert!(
            matches!(&all[0].kind, Kind::Broken(b) if b.why.contains("same Message-ID")),
            "{all:?}"
        );
    }
}
