// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any bytes as a mailbox: nothing crashes or hangs, and what is read as a patch is written and read
//! again as the same change.
#![no_main]

use libfuzzer_sys::fuzz_target;
use xtask::mail::{self, Kind, Member, PatchText, Proof};

fn members(bytes: &[u8]) -> Vec<Member> {
    let mut all = Vec::new();
    for raw in mail::split(bytes) {
        for mail in mail::read(&raw).unwrap_or_default() {
            let kind = Kind::of(&mail, Proof::ALL);
            all.push(Member { file: String::new(), mail, kind });
        }
    }
    all
}

fn check(patch: &PatchText) {
    // A message may have a diff or a signature in it; nobody could tell them apart then.
    let plain = PatchText { subject: "x: y".into(), message: "why".into(), ..patch.clone() };
    let again = members(&mail::write(&plain, "PATCH", &[]));
    let [Member { kind: Kind::Patch(again), .. }] = again.as_slice() else {
        panic!("what was written is no patch: {again:?}");
    };
    assert_eq!(again.diff.write(), patch.diff.write());
}

fuzz_target!(|bytes: &[u8]| {
    let all = members(bytes);
    for member in &all {
        match &member.kind {
            Kind::Patch(patch) => check(patch),
            Kind::Reply { patches, .. } => patches.iter().for_each(|p| check(&p.patch)),
            _ => {}
        }
    }
    let (all, postings) = mail::postings(all);
    for posting in &postings {
        assert!(posting.members.values().all(|at| *at < all.len()));
    }
});
