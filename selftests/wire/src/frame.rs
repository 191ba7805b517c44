// SPDX-License-Identifier: MIT OR Apache-2.0
//! Framing: from records to checked lines and back.

use std::marker::PhantomData;

use serde::{Serialize, de::DeserializeOwned};

/// The longest JSON text of one record, in bytes. A longer one is an error on both sides, so a
/// broken peer cannot make the reader buffer without bound.
pub const MAX_RECORD: usize = 1 << 20;

const MAGIC: &str = "kx1";

/// Why a line is not the next record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The line does not have the form `kx1 SEQ LEN CRC JSON`.
    #[error("not a record: {0:?}")]
    NotARecord(String),
    /// The JSON text is shorter or longer than the record says.
    #[error("record {seq} is cut: {got} of {want} bytes")]
    Cut {
        /// Sequence number of the record.
        seq: u64,
        /// Length that the record states, in bytes.
        want: usize,
        /// Length that arrived, in bytes.
        got: usize,
    },
    /// The checksum does not match.
    #[error("record {seq} is damaged: its checksum does not match")]
    Damaged {
        /// Sequence number of the record.
        seq: u64,
    },
    /// Records are missing or repeated.
    #[error("expected record {want}, got record {got}")]
    OutOfSequence {
        /// The next number in order.
        want: u64,
        /// The number that arrived.
        got: u64,
    },
    /// The JSON text is whole but is no record that this version knows.
    #[error("record {seq} cannot be read: {why}")]
    Unknown {
        /// Sequence number of the record.
        seq: u64,
        /// The JSON reader's own words.
        why: String,
    },
    /// Longer than [`MAX_RECORD`].
    #[error("a record is longer than {MAX_RECORD} bytes")]
    TooLong,
    /// The stream ended inside a record.
    #[error("the stream ends inside a record, after {0} bytes of it")]
    Unfinished(usize),
}

/// Turns records into lines, numbering them.
#[derive(Debug)]
pub struct Encoder<T> {
    next: u64,
    record: PhantomData<T>,
}

impl<T> Default for Encoder<T> {
    fn default() -> Self {
        Self { next: 0, record: PhantomData }
    }
}

impl<T: Serialize> Encoder<T> {
    /// The line for `record`, newline included.
    ///
    /// # Errors
    /// [`FrameError::TooLong`], or [`FrameError::Unknown`] when the record has no JSON form. The
    /// sequence number is not used up then.
    pub fn encode(&mut self, record: &T) -> Result<String, FrameError> {
        let seq = self.next;
        let json = serde_json::to_string(record)
            .map_err(|e| FrameError::Unknown { seq, why: e.to_string() })?;
        if json.len() > MAX_RECORD {
            return Err(FrameError::TooLong);
        }
        self.next += 1;
        let crc = crc32fast::hash(json.as_bytes());
        Ok(format!("{MAGIC} {seq} {} {crc:08x} {json}\n", json.len()))
    }
}

/// Turns bytes, in pieces of any size, into records.
#[derive(Debug)]
pub struct Decoder<T> {
    next: u64,
    pending: Vec<u8>,
    record: PhantomData<T>,
}

impl<T> Default for Decoder<T> {
    fn default() -> Self {
        Self { next: 0, pending: Vec::new(), record: PhantomData }
    }
}

impl<T: DeserializeOwned> Decoder<T> {
    /// Takes more bytes and returns the records that they complete, in order.
    ///
    /// An `Err` item says what is wrong with one line; reading goes on with the next line, so that
    /// a report can show everything that still arrived. Any error makes the stream unfit as proof.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Result<T, FrameError>> {
        let mut records = Vec::new();
        for piece in bytes.split_inclusive(|&b| b == b'\n') {
            self.pending.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.pending);
                records.push(self.line(&line[..line.len() - 1]));
            } else if self.pending.len() > MAX_RECORD + 128 {
                self.pending.clear();
                records.push(Err(FrameError::TooLong));
            }
        }
        records
    }

    /// Ends the stream: an error if it stops inside a record.
    pub fn finish(self) -> Result<(), FrameError> {
        if self.pending.is_empty() {
            Ok(())
        } else {
            Err(FrameError::Unfinished(self.pending.len()))
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<T, FrameError> {
        let text = String::from_utf8_lossy(line);
        let not_a_record = || FrameError::NotARecord(text.chars().take(200).collect());
        let mut words = text.splitn(5, ' ');
        let (Some(MAGIC), Some(seq), Some(len), Some(crc), Some(json)) =
            (words.next(), words.next(), words.next(), words.next(), words.next())
        else {
            return Err(not_a_record());
        };
        let (Ok(seq), Ok(want), Ok(crc)) =
            (seq.parse::<u64>(), len.parse::<usize>(), u32::from_str_radix(crc, 16))
        else {
            return Err(not_a_record());
        };
        if json.len() != want {
            return Err(FrameError::Cut { seq, want, got: json.len() });
        }
        if crc32fast::hash(json.as_bytes()) != crc {
            return Err(FrameError::Damaged { seq });
        }
        let want = self.next;
        self.next = seq.wrapping_add(1);
        if seq != want {
            return Err(FrameError::OutOfSequence { want, got: seq });
        }
        serde_json::from_str(json).map_err(|e| FrameError::Unknown { seq, why: e.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(n: u32) -> Vec<String> {
        let mut encoder = Encoder::default();
        (0..n).map(|i| encoder.encode(&i).unwrap()).collect()
    }

    #[test]
    fn records_survive_any_split() {
        let all = lines(12).concat();
        for size in 1..40 {
            let mut decoder = Decoder::<u32>::default();
            let got: Vec<_> = all
                .as_bytes()
                .chunks(size)
                .flat_map(|c| decoder.push(c))
                .collect::<Result<_, _>>()
                .unwrap();
            assert_eq!(got, (0..12).collect::<Vec<_>>());
            decoder.finish().unwrap();
        }
    }

    #[test]
    fn a_flipped_byte_is_noticed_anywhere_in_the_line() {
        let line = lines(1).remove(0);
        for at in 0..line.len() - 1 {
            let mut bytes = line.clone().into_bytes();
            bytes[at] ^= 0x02;
            let got = Decoder::<u32>::default().push(&bytes);
            assert!(got.iter().all(Result::is_err), "byte {at}: {got:?}");
        }
    }

    #[test]
    fn lost_repeated_and_cut_records_are_named() {
        let all = lines(3);
        let push = |text: String| Decoder::<u32>::default().push(text.as_bytes());
        assert_eq!(
            push(format!("{}{}", all[0], all[2])),
            [Ok(0), Err(FrameError::OutOfSequence { want: 1, got: 2 })]
        );
        assert_eq!(
            push(format!("{}{}", all[0], all[0])),
            [Ok(0), Err(FrameError::OutOfSequence { want: 1, got: 0 })]
        );
        let mut encoder = Encoder::default();
        let long = encoder.encode(&"twelve bytes".to_owned()).unwrap();
        let cut = format!("{}\n", &long[..long.len() - 4]);
        assert_eq!(
            Decoder::<String>::default().push(cut.as_bytes()),
            [Err(FrameError::Cut { seq: 0, want: 14, got: 11 })]
        );
    }

    #[test]
    fn the_largest_number_is_out_of_sequence_too() {
        let line = lines(1).remove(0).replacen("kx1 0 ", "kx1 18446744073709551615 ", 1);
        assert_eq!(
            Decoder::<u32>::default().push(line.as_bytes()),
            [Err(FrameError::OutOfSequence { want: 0, got: u64::MAX })]
        );
    }

    #[test]
    fn an_unfinished_stream_is_an_error() {
        let mut decoder = Decoder::<u32>::default();
        assert!(decoder.push(b"kx1 0 1").is_empty());
        assert_eq!(decoder.finish(), Err(FrameError::Unfinished(7)));
    }

    #[test]
    fn a_line_without_end_is_bounded() {
        let mut decoder = Decoder::<u32>::default();
        let chunk = vec![b'x'; 1 << 16];
        let errors: Vec<_> = (0..17).flat_map(|_| decoder.push(&chunk)).collect();
        assert_eq!(errors, [Err(FrameError::TooLong)]);
    }
}
