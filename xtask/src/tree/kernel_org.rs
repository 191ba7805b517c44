// SPDX-License-Identifier: MIT OR Apache-2.0
//! Release tarballs from kernel.org.
//!
//! The checksum comes from `sha256sums.asc` in the same directory. Its signature is not verified:
//! what vouches for it is the TLS connection alone.

use super::download::{self, Wanted};
use super::{KernelVersion, Source, import, source};
use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::store::Store;

/// `XTASK_KERNEL_ORG` names a mirror with the same layout.
const HOME: &str = "https://cdn.kernel.org/pub/linux/kernel";

/// Gets one release.
pub fn fetch(host: &Host, store: &Store, version: KernelVersion) -> Result<Source, Diagnosis> {
    let id = version.to_string();
    let _lock = store.lock(host, &format!("tree-{id}"))?;
    if let Some(known) = source::recorded(host, store, &id)? {
        return Ok(known);
    }
    let step = host.progress.step("fetch", &format!("linux {version}"));
    let home = std::env::var("XTASK_KERNEL_ORG").unwrap_or_else(|_| HOME.to_owned());
    let directory = format!("{home}/v{}.x", version.major());
    let name = format!("linux-{version}.tar.xz");
    step.line("reading sha256sums.asc");
    let sums = host
        .program("curl")
        .args(["--fail", "--location", "--silent", "--show-error", "--connect-timeout", "30"])
        .arg(format!("{directory}/sha256sums.asc"))
        .output()?;
    if !sums.success() {
        return Err(Diagnosis::infra("cannot read kernel.org's checksums")
            .detail(sums.error_text().trim())
            .next("check the network, or set XTASK_KERNEL_ORG to a mirror"));
    }
    let sha256 = checksum(&sums.text(), &name).ok_or_else(|| {
        Diagnosis::usage(format!("kernel.org lists no {name}"))
            .next("name a release as kernel.org does: 6.1 or 6.1.4")
    })?;
    let wanted =
        Wanted { uri: format!("{directory}/{name}"), name, size: None, sha256: sha256.clone() };
    let archive = download::get(host, store, &wanted, &step)?.ok_or_else(|| {
        Diagnosis::infra(format!("kernel.org lists {} but does not have it", wanted.name))
    })?;
    let about = import::About {
        id: &id,
        origin: format!("kernel.org, {}", wanted.name),
        sha256: Some(sha256),
        skipped: Vec::new(),
    };
    let source = import::archive(host, store, &archive, about, &step)?;
    step.done("checksum verified");
    Ok(source)
}

/// The checksum of a file in `sha256sums.asc`.
fn checksum(sums: &str, name: &str) -> Option<String> {
    sums.lines().find_map(|line| {
        let (sha, file) = line.split_once("  ")?;
        let valid = sha.len() == 64 && sha.bytes().all(|b| b.is_ascii_hexdigit());
        (valid && file.trim() == name).then(|| sha.to_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_taken_by_exact_name() {
        let sha = "A".repeat(64);
        let sums =
            format!("-----BEGIN PGP-----\n{sha}  linux-6.1.40.tar.xz\nshort  linux-6.1.4.tar.xz\n");
        assert_eq!(checksum(&sums, "linux-6.1.40.tar.xz"), Some("a".repeat(64)));
        assert_eq!(checksum(&sums, "linux-6.1.4.tar.xz"), None);
    }
}
