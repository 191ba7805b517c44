// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads of the kernel's mail archive, by message-id.

use std::time::Duration;

use crate::diagnosis::Diagnosis;
use crate::host::Host;
use crate::host::package::find_program;

const LIMIT: Duration = Duration::from_secs(120);

/// A message-id as people copy it: bare, in angle brackets, or as the archive's URL.
pub(super) fn message_id(name: &str) -> Option<String> {
    let name = name.trim().trim_start_matches("id:").replace("%40", "@");
    let id = match name.split_once("://") {
        // https://ARCHIVE/LIST/ID/, perhaps with more behind it
        Some((_, rest)) => rest.split('/').skip(1).find(|part| part.contains('@'))?,
        None => name.trim_start_matches('<').trim_end_matches('>'),
    };
    let (left, right) = id.split_once('@')?;
    let sound = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_graphic() && !b"<>/\\?#%\"'".contains(&b))
    };
    (sound(left) && sound(right) && !left.starts_with('-')).then(|| id.to_owned())
}

/// The whole thread as an mbox: through b4 where it is installed, else with curl.
pub(super) fn thread(host: &Host, id: &str, archive: &str) -> Result<Vec<u8>, Diagnosis> {
    let step = host.progress.step("fetch", &format!("the thread of <{id}>"));
    let text = if find_program("b4".as_ref()).is_some() {
        host.program("b4").args(["mbox", "--outdir", "-", id]).limit(LIMIT).run()?.stdout
    } else {
        let url = format!("{archive}/{id}/t.mbox.gz");
        let packed = host
            .program("curl")
            .args(["--fail", "--silent", "--show-error", "--location", &url])
            .limit(LIMIT)
            .run()
            .map_err(|e| {
                e.next(format!(
                    "check the network and the message-id; or save the thread yourself and import \
                     the file ({archive}/{id}/)"
                ))
            })?
            .stdout;
        host.program("gzip").args(["--decompress", "--stdout"]).input(packed).run()?.stdout
    };
    step.done(&format!("{} KiB", text.len().div_ceil(1024)));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_ids_in_every_dress() {
        let id = "20211008091336.33616-8-jolsa@kernel.org";
        for text in [
            id.to_owned(),
            format!("<{id}>"),
            format!("id:{id}"),
            format!("https://archive.example.org/all/{id}/T/#t"),
            format!("https://archive.example.org/r/{}", id.replace('@', "%40")),
        ] {
            assert_eq!(message_id(&text).as_deref(), Some(id), "{text}");
        }
        for text in ["no-such-file.mbox", "@x", "x@", "-o@x", "a b@c", "https://example.org/x/"] {
            assert_eq!(message_id(text), None, "{text}");
        }
    }
}
