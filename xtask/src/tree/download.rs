// SPDX-License-Identifier: MIT OR Apache-2.0
//! Downloads that are whole and what was promised, or not there at all.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use crate::diagnosis::{Diagnosis, ExitKind, on_path};
use crate::host::{Host, Invocation, Output, Step};
use crate::store::{Store, hex};

/// A slow line needs its time; a dead one is noticed by curl itself (`--speed-time`).
const LIMIT: Duration = Duration::from_secs(60 * 60);

/// Headers come at once, or never.
const HEAD_LIMIT: Duration = Duration::from_secs(5 * 60);

/// curl's exit code for an HTTP error with `--fail`, see curl(1).
const HTTP_ERROR: i32 = 22;

/// A file to get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Where from.
    pub uri: String,
    /// Name in the store.
    pub name: String,
    /// Length in bytes, where it is known.
    pub size: Option<u64>,
    /// SHA-256, in lower-case hex.
    pub sha256: String,
}

/// Gets a file, or takes the one that is in the store if it still has the right checksum. A
/// download that was cut off is continued. `None`: the server does not have it.
pub fn get(
    host: &Host,
    store: &Store,
    wanted: &Wanted,
    step: &Step,
) -> Result<Option<PathBuf>, Diagnosis> {
    let path = store.path(Path::new("downloads").join(&wanted.name))?;
    if path.is_file() {
        step.line("verifying");
        if matches(&path, wanted)? {
            return Ok(Some(path));
        }
        host.progress.note(&format!("{} is damaged: it is fetched anew", path.display()));
        std::fs::remove_file(&path).map_err(|e| on_path("remove", &path, &e))?;
    }
    let part = path.with_file_name(format!("{}.part", wanted.name));
    for attempt in 0..2 {
        step.line(&format!("fetching {}", wanted.name));
        let output = host
            .program("curl")
            .args(["--fail", "--location", "--silent", "--show-error", "--retry", "3"])
            .args(["--connect-timeout", "30", "--speed-limit", "1000", "--speed-time", "60"])
            .args(["--continue-at", "-", "--output"])
            .arg(&part)
            .arg(&wanted.uri)
            .limit(LIMIT)
            .output()?;
        let words = output.error_text();
        if is_missing(&output) {
            return Ok(None);
        }
        let got = part.metadata().map_or(0, |m| m.len());
        step.line("verifying");
        if got > 0 && matches(&part, wanted)? {
            std::fs::rename(&part, &path).map_err(|e| on_path("rename", &part, &e))?;
            return Ok(Some(path));
        }
        let cut = wanted.size.is_some_and(|size| got < size);
        if !output.success() && cut {
            return Err(Diagnosis::infra(format!("cannot fetch {}: curl failed", wanted.name))
                .detail(words.trim())
                .next("run again: the download goes on where it was cut off"));
        }
        // All of it is there and it is wrong: what was there before the call may be to blame.
        if part.exists() {
            std::fs::remove_file(&part).map_err(|e| on_path("remove", &part, &e))?;
        }
        if attempt == 0 {
            host.progress.note(&format!("{} came damaged: once more", wanted.name));
        }
    }
    Err(Diagnosis::new(
        ExitKind::Infra,
        format!("{} does not have the checksum that was promised", wanted.name),
    )
    .detail(format!("promised: SHA-256 {}", wanted.sha256))
    .next("the server or a proxy on the way hands out something else; try another mirror"))
}

fn is_missing(output: &Output) -> bool {
    output.code == HTTP_ERROR && output.error_text().contains("404")
}

/// Whether the server has a file: it is asked for the headers only.
pub fn is_served(host: &Host, wanted: &Wanted) -> Result<bool, Diagnosis> {
    let output = head(host, &wanted.uri).limit(HEAD_LIMIT).output()?;
    if output.success() {
        return Ok(true);
    }
    if is_missing(&output) {
        return Ok(false);
    }
    Err(Diagnosis::infra(format!("cannot ask for {}: curl failed", wanted.name))
        .detail(output.error_text().trim())
        .next("check the network, and try again"))
}

/// The call that asks for the headers.
pub fn head<'h>(host: &'h Host, uri: &str) -> Invocation<'h> {
    host.program("curl")
        .args(["--head", "--fail", "--location", "--silent", "--show-error", "--retry", "3"])
        .args(["--connect-timeout", "30", "--output", "/dev/null"])
        .arg(uri)
}

fn matches(path: &Path, wanted: &Wanted) -> Result<bool, Diagnosis> {
    let length = path.metadata().map_err(|e| on_path("read", path, &e))?.len();
    if wanted.size.is_some_and(|size| size != length) {
        return Ok(false);
    }
    Ok(sha256(path)? == wanted.sha256)
}

/// SHA-256 of a file, in lower-case hex.
pub fn sha256(path: &Path) -> Result<String, Diagnosis> {
    let mut file = std::fs::File::open(path).map_err(|e| on_path("open", path, &e))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let n = file.read(&mut buffer).map_err(|e| on_path("read", path, &e))?;
        if n == 0 {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(&buffer[..n]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn try_get(store: &Store, uri: &Path, content: &str) -> Result<Option<PathBuf>, Diagnosis> {
        let host = Host::for_tests();
        let wanted = Wanted {
            uri: format!("file://{}", uri.display()),
            name: "a.tar".into(),
            size: Some(content.len() as u64),
            sha256: hex(&Sha256::digest(content)),
        };
        get(&host, store, &wanted, &host.progress.step("fetch", "a"))
    }

    #[test]
    fn cut_and_damaged_downloads_are_never_used() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().join("home"));
        let served = dir.path().join("served");
        std::fs::write(&served, "the whole archive").unwrap();
        let kept = store.path("downloads/a.tar").unwrap();
        let part = store.path("downloads/a.tar.part").unwrap();

        std::fs::write(&part, "the who").unwrap();
        assert_eq!(try_get(&store, &served, "the whole archive").unwrap(), Some(kept.clone()));

        std::fs::write(&kept, "the whale archive").unwrap();
        try_get(&store, &served, "the whole archive").unwrap();
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "the whole archive");

        std::fs::remove_file(&kept).unwrap();
        std::fs::write(&part, "garbage that is far too long to be it").unwrap();
        try_get(&store, &served, "the whole archive").unwrap();
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "the whole archive");

        std::fs::remove_file(&kept).unwrap();
        let error = try_get(&store, &served, "something else....").unwrap_err();
        assert!(error.what.contains("checksum") || error.what.contains("curl failed"), "{error}");
        assert!(!kept.exists());
    }

    /// Answers each connection with one status, and gives the methods that were used.
    fn serve(status: &'static str, times: usize) -> (String, std::thread::JoinHandle<Vec<String>>) {
        use std::io::Write as _;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let uri = format!("http://{}/a.tar", listener.local_addr().unwrap());
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 9\r\nConnection: close\r\n\r\n");
        let served = std::thread::spawn(move || {
            let one = |_| {
                let (mut client, _) = listener.accept().unwrap();
                let mut request = [0; 1024];
                let n = client.read(&mut request).unwrap();
                client.write_all(answer.as_bytes()).unwrap();
                String::from_utf8_lossy(&request[..n]).split(' ').next().unwrap().to_owned()
            };
            (0..times).map(one).collect()
        });
        (uri, served)
    }

    #[test]
    fn a_server_is_asked_without_a_download() {
        let asked = |status| {
            let (uri, served) = serve(status, 1);
            let wanted = Wanted { uri, name: "a.tar".into(), size: None, sha256: String::new() };
            let answer = is_served(&Host::for_tests(), &wanted);
            assert_eq!(served.join().unwrap(), ["HEAD"]);
            answer
        };
        assert_eq!(asked("200 OK"), Ok(true));
        assert_eq!(asked("404 Not Found"), Ok(false));
        // Trouble is not the same as a file that is not there.
        assert_eq!(asked("403 Forbidden").unwrap_err().exit, ExitKind::Infra);
    }
}
