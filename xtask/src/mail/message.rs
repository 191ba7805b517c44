// SPDX-License-Identifier: MIT OR Apache-2.0
//! One mail: headers and text, with the transport undone.

use mailparse::{DispositionType, MailHeaderMap as _, ParsedMail};
use sha2::{Digest as _, Sha256};

use super::container::{self, Raw};
use super::{Person, Subject, armor, pasted};
use crate::diff;

/// One mail, decoded. A text that is no mail is one without headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mail {
    /// Line of its file where it starts, from 1.
    pub line: usize,
    /// Its Message-ID without angle brackets; made from its content where it has none.
    pub id: String,
    /// What it answers: nearest first.
    pub references: Vec<String>,
    /// Who sent it.
    pub from: Option<Person>,
    /// Its `Date:` header, if git can read it too.
    pub date: String,
    /// The same, in seconds since 1970; 0 if there is none.
    pub timestamp: i64,
    /// Its subject.
    pub subject: Subject,
    /// Its text: transfer encoding undone, LF, bytes as they were meant for files.
    pub text: Vec<u8>,
    /// The charset of the text, as the mail names it.
    pub charset: String,
    /// Whether the text is encrypted.
    pub encrypted: bool,
    /// Whether it is HTML only.
    pub html: bool,
    /// What was undone, in words: `base64`, `quoted-printable`, `PGP signature`, …
    pub undone: Vec<String>,
    /// Line of the file where the text starts, from 1; 0 if lines of the text are not lines of the
    /// file.
    pub text_line: usize,
}

impl Mail {
    /// The text in UTF-8, for reading; not for files.
    pub fn readable(&self) -> String {
        decode(&self.text, &self.charset)
    }

    /// Whether a diffstat tells how much its diff must change, so that a cut one is noticed.
    pub fn is_counted(&self) -> bool {
        let text = diff::Text::new(&self.text);
        diff::first_line(&text).is_some_and(|at| diff::claimed(&text.lines[..at]).is_some())
    }

    /// Where line `n` of the text is (from 1), for a person.
    pub fn place(&self, n: usize) -> String {
        match self.text_line {
            0 => format!("line {n} of the decoded text"),
            first => format!("line {}", first + n - 1),
        }
    }
}

/// Bytes in a charset as UTF-8; git assumes UTF-8 where a mail names none, else Latin-1.
pub(super) fn decode(bytes: &[u8], label: &str) -> String {
    // Many a program says us-ascii and sends UTF-8.
    let label = if label.eq_ignore_ascii_case("us-ascii") { "" } else { label };
    let named = charset::Charset::for_label(label.as_bytes());
    match (std::str::from_utf8(bytes), named) {
        (Ok(text), None) => text.to_owned(),
        (Ok(text), Some(named)) if named.is_ascii_compatible() && text.is_ascii() => {
            text.to_owned()
        }
        (_, Some(named)) => named.decode(bytes).0.into_owned(),
        (Err(_), None) => bytes.iter().map(|b| char::from(*b)).collect(),
    }
}

/// Parts nested deeper are not looked into: a patch is never there.
const DEEPEST: usize = 3;

/// Reads a piece of a file. Patches that are attached come as mails of their own behind it.
///
/// # Errors
/// Why it is no mail that can be read.
pub fn read(raw: &Raw<'_>) -> Result<Vec<Mail>, String> {
    read_at(raw, 0)
}

fn read_at(raw: &Raw<'_>, depth: usize) -> Result<Vec<Mail>, String> {
    if !raw.in_mbox && !container::is_mail(&raw.bytes) {
        return Ok(vec![pasted::read(raw)]);
    }
    let parsed =
        mailparse::parse_mail(&raw.bytes).map_err(|e| format!("it cannot be parsed: {e}"))?;
    let mut mail = headers(&parsed);
    mail.line = raw.line;
    let mut attached = Vec::new();
    fill(&mut mail, &parsed, raw, &mut attached)?;
    if mail.id.is_empty() {
        mail.id = id_of(&[mail.subject.title.as_bytes(), &mail.text]);
    }
    let mut all = vec![mail];
    if depth < DEEPEST {
        attach(&mut all, attached, depth)?;
    }
    Ok(all)
}

pub(super) fn id_of(content: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in content {
        hash.update(part);
    }
    let hash = hash.finalize();
    format!("no-id-{}", crate::store::hex(&hash[..8]))
}

fn headers(parsed: &ParsedMail<'_>) -> Mail {
    let get = |name: &str| parsed.headers.get_first_value(name).unwrap_or_default();
    let ids = |text: &str| -> Vec<String> {
        let inner = text.split('<').skip(1).filter_map(|t| t.split_once('>'));
        inner.map(|(id, _)| id.trim().to_owned()).filter(|id| !id.is_empty()).collect()
    };
    let mut references = ids(&get("In-Reply-To"));
    references.extend(ids(&get("References")).into_iter().rev());
    let mut seen = std::collections::HashSet::new();
    references.retain(|id| seen.insert(id.clone()));
    let date = get("Date");
    let timestamp = mailparse::dateparse(&date).unwrap_or(0);
    Mail {
        id: ids(&get("Message-ID")).into_iter().next().unwrap_or_default(),
        references,
        from: Person::parse(&get("From")),
        // An absurd date is no date: git could not make a commit of it.
        date: if (1..i64::from(u32::MAX)).contains(&timestamp) {
            date.trim().to_owned()
        } else {
            String::new()
        },
        timestamp,
        subject: Subject::parse(&get("Subject")),
        ..Mail::default()
    }
}

/// A text part that is not the mail's own text.
struct Attached {
    name: String,
    bytes: Vec<u8>,
}

fn fill(
    mail: &mut Mail,
    parsed: &ParsedMail<'_>,
    raw: &Raw<'_>,
    attached: &mut Vec<Attached>,
) -> Result<(), String> {
    let mut text = None;
    for part in parsed.parts().filter(|p| p.subparts.is_empty()) {
        let disposition = part.get_content_disposition();
        let name = disposition.params.get("filename").or_else(|| part.ctype.params.get("name"));
        let is_file = disposition.disposition == DispositionType::Attachment || name.is_some();
        let kind = part.ctype.mimetype.as_str();
        mail.html |= kind == "text/html";
        mail.encrypted |= kind == "application/pgp-encrypted";
        if kind == "text/plain" && !is_file && text.is_none() {
            text = Some(part);
        } else if kind.starts_with("text/") && kind != "text/html"
            || kind == "message/rfc822"
            || name.is_some_and(|n| is_patch_name(n))
        {
            let bytes = decoded(part, mail)?;
            let name = name.cloned().unwrap_or_default();
            attached.push(Attached { name, bytes });
        }
    }
    let Some(part) = text else { return Ok(()) };
    mail.html = false;
    part.ctype.charset.clone_into(&mut mail.charset);
    if !part.ctype.params.contains_key("charset") {
        mail.charset.clear();
    }
    let plain_lines = matches!(
        part.get_body_encoded(),
        mailparse::body::Body::SevenBit(_)
            | mailparse::body::Body::EightBit(_)
            | mailparse::body::Body::Binary(_)
    );
    let mut bytes = decoded(part, mail)?;
    mail.text_line = if plain_lines { text_line(raw, part) } else { 0 };
    if raw.escaped && plain_lines {
        bytes = without_from_escapes(&bytes);
    }
    if part.ctype.params.get("format").is_some_and(|f| f.eq_ignore_ascii_case("flowed")) {
        bytes = armor::unstuffed(&bytes);
        mail.undone.push("format=flowed".into());
    }
    match armor::without_pgp(bytes) {
        Some((bytes, false)) => mail.text = bytes,
        Some((bytes, true)) => {
            mail.text = bytes;
            mail.text_line = 0;
            mail.undone.push("PGP signature".into());
        }
        None => mail.encrypted = true,
    }
    Ok(())
}

fn is_patch_name(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|e| {
        ["patch", "diff", "txt", "mbox", "eml"].iter().any(|x| e.eq_ignore_ascii_case(x))
    })
}

/// Line of the file where a part's body starts.
fn text_line(raw: &Raw<'_>, part: &ParsedMail<'_>) -> usize {
    use mailparse::body::Body;
    let (Body::SevenBit(body) | Body::EightBit(body)) = part.get_body_encoded() else {
        return 0;
    };
    // The body is a slice of the mail; how far in it starts tells how many lines are before it.
    let before = (body.get_raw().as_ptr() as usize).checked_sub(raw.bytes.as_ptr() as usize);
    let head = before.and_then(|n| raw.bytes.get(..n)).unwrap_or_default();
    raw.line + head.iter().filter(|b| **b == b'\n').count()
}

fn decoded(part: &ParsedMail<'_>, mail: &mut Mail) -> Result<Vec<u8>, String> {
    use mailparse::body::Body;
    let bytes = match part.get_body_encoded() {
        Body::Base64(body) => {
            mail.undone.push("base64".into());
            body.get_decoded().map_err(|e| format!("its base64 is damaged or cut: {e}"))?
        }
        Body::QuotedPrintable(body) => {
            mail.undone.push("quoted-printable".into());
            body.get_decoded().map_err(|e| format!("its quoted-printable text is damaged: {e}"))?
        }
        Body::SevenBit(body) | Body::EightBit(body) => body.get_raw().to_vec(),
        Body::Binary(body) => body.get_raw().to_vec(),
    };
    Ok(container::lf(&bytes).into_owned())
}

/// Undoes what an mbox does to `From ` at the start of a line.
fn without_from_escapes(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        let quotes = line.iter().take_while(|b| **b == b'>').count();
        let escaped = quotes > 0 && line[quotes..].starts_with(b"From ");
        out.extend_from_slice(if escaped { &line[1..] } else { line });
    }
    out
}

/// Adds the patches that are attached: one that is a bare diff belongs to the mail's own text.
fn attach(all: &mut Vec<Mail>, attached: Vec<Attached>, depth: usize) -> Result<(), String> {
    let has_diff = |bytes: &[u8]| diff::first_line(&diff::Text::new(bytes)).is_some();
    if has_diff(&all[0].text) {
        return Ok(());
    }
    let patches: Vec<_> = attached.into_iter().filter(|a| has_diff(&a.bytes)).collect();
    let of = patches.len();
    for (n, patch) in patches.into_iter().enumerate() {
        let is_mail = container::is_mbox(&patch.bytes) || container::is_mail(&patch.bytes);
        if is_mail {
            for piece in container::split(&patch.bytes) {
                for mut mail in read_at(&piece, depth + 1)? {
                    mail.references.push(all[0].id.clone());
                    mail.line = all[0].line;
                    mail.text_line = 0;
                    all.push(mail);
                }
            }
        } else if of == 1 {
            let mail = &mut all[0];
            mail.text = [
                armor::without_footer(&decode(&mail.text, &mail.charset)).as_bytes(),
                b"\n---\n",
                &patch.bytes,
            ]
            .concat();
            mail.charset = "utf-8".into();
            mail.text_line = 0;
            mail.undone.push(format!("attachment {}", patch.name));
        } else {
            let mail = &all[0];
            let stem = patch.name.rsplit_once('.').map_or(patch.name.as_str(), |(stem, _)| stem);
            all.push(Mail {
                id: format!("{}#{}", mail.id, patch.name),
                references: vec![mail.id.clone()],
                subject: Subject {
                    patch: true,
                    number: Some((n + 1, of)),
                    title: stem.to_owned(),
                    ..mail.subject.clone()
                },
                text: patch.bytes,
                text_line: 0,
                undone: vec![format!("attachment {}", patch.name)],
                ..mail.clone()
            });
        }
    }
    Ok(())
}
