// SPDX-License-Identifier: MIT OR Apache-2.0
//! A look at a kernel image before QEMU gets it.

use std::path::Path;

use crate::diagnosis::{Diagnosis, on_path};

/// Offsets in the setup header, see the kernel's `Documentation/x86/boot.rst`.
const SETUP_SECTS: usize = 0x1f1;
const SYSSIZE: usize = 0x1f4;
const MAGIC: usize = 0x202;

/// An error if the file is no x86 kernel image or is shorter than its own header says. QEMU would
/// load a cut image without a word, and the guest would never say anything.
pub fn check(path: &Path) -> Result<(), Diagnosis> {
    let bytes = std::fs::read(path).map_err(|e| on_path("read", path, &e))?;
    let wrong = |why: String| {
        Diagnosis::infra(format!("{} is no usable kernel image: {why}", path.display()))
            .next("build it anew: `cargo xtask build --rebuild`")
    };
    let expected = expected_length(&bytes)
        .ok_or_else(|| wrong(format!("it has no x86 boot header ({} bytes long)", bytes.len())))?;
    if bytes.len() < expected {
        return Err(wrong(format!(
            "it is cut: {} bytes of at least {expected} that its header states",
            bytes.len()
        )));
    }
    Ok(())
}

fn expected_length(bytes: &[u8]) -> Option<usize> {
    if bytes.get(MAGIC..MAGIC + 4)? != b"HdrS" {
        return None;
    }
    let sectors = match bytes[SETUP_SECTS] {
        0 => 4,
        n => usize::from(n),
    };
    let paragraphs: [u8; 4] = bytes.get(SYSSIZE..SYSSIZE + 4)?.try_into().ok()?;
    let protected = usize::try_from(u32::from_le_bytes(paragraphs)).ok()? * 16;
    Some((sectors + 1) * 512 + protected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> Vec<u8> {
        let mut bytes = vec![0; 3 * 512 + 64];
        bytes[SETUP_SECTS] = 2;
        bytes[SYSSIZE] = 4;
        bytes[MAGIC..MAGIC + 4].copy_from_slice(b"HdrS");
        bytes
    }

    #[test]
    fn whole_cut_and_foreign_files() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bzImage");
        let judge = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            check(&path).map_err(|d| d.what)
        };
        let whole = image();
        assert_eq!(judge(&whole), Ok(()));
        assert!(judge(&whole[..whole.len() - 1]).unwrap_err().contains("it is cut: 1599 bytes"));
        assert!(judge(&whole[..600]).unwrap_err().contains("it is cut"));
        assert!(judge(&whole[..100]).unwrap_err().contains("no x86 boot header"));
        assert!(judge(b"").unwrap_err().contains("no x86 boot header"));
    }
}
