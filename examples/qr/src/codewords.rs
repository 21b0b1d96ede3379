//! Text to codewords: the bytes, error correction included, that a symbol is filled with.
//!
//! The `qrcode` crate does the work, but for the error correction of small symbols (`correction`). What is decided here is
//! how it is asked: level L, the smallest version that fits, and never its Kanji mode.

use qrcode::bits::Bits;
use qrcode::optimize::{Optimizer, Parser, Segment, total_encoded_len};
use qrcode::types::{EcLevel, Mode, Version};

use crate::QrError;
use crate::correction::with_correction;

/// The largest version (size) that a QR code can have.
pub(crate) const MAX_VERSION: i16 = 40;

/// Versions up to each of these write their segments' lengths with the same number of bits, so one
/// way to cut the text into segments serves all of them (ISO/IEC 18004, table 3).
const LAST_OF_CLASS: [i16; 3] = [9, 26, MAX_VERSION];

/// What a symbol is filled with, in the order in which it is placed.
pub(crate) struct Codewords {
    /// 1 to 40.
    pub(crate) version: i16,
    /// Data first, then error correction; both interleaved where the version has several blocks.
    pub(crate) bytes: Vec<u8>,
}

/// Encodes `text` into the smallest version that holds it at error correction level L.
pub(crate) fn encode(text: &str) -> Result<Codewords, QrError> {
    if text.is_empty() {
        return Err(QrError::EmptyText);
    }
    let too_long = || QrError::TextTooLong { bytes: text.len() };
    let text = text.as_bytes();
    for last in LAST_OF_CLASS {
        let segments: Vec<Segment> = segments(text, last).collect();
        let length = total_encoded_len(&segments, Version::Normal(last));
        if length <= capacity(last) {
            let version = (1..last).find(|&v| length <= capacity(v)).unwrap_or(last);
            return codewords(text, segments, version).ok_or_else(too_long);
        }
    }
    Err(too_long())
}

/// The text cut into runs of digits, upper case and bytes, where switching mode saves bits.
fn segments(text: &[u8], version: i16) -> impl Iterator<Item = Segment> {
    // The parser takes pairs of bytes that could be Shift JIS for Kanji. Ours are UTF-8: a reader
    // would show the Japanese characters that the same two bytes mean there.
    let never_kanji = Parser::new(text).map(|segment| match segment.mode {
        Mode::Kanji => Segment { mode: Mode::Byte, ..segment },
        _ => segment,
    });
    Optimizer::new(never_kanji, Version::Normal(version))
}

/// How many bits of data `version` holds at level L.
fn capacity(version: i16) -> usize {
    Bits::new(Version::Normal(version)).max_len(EcLevel::L).unwrap_or(0)
}

/// `None` if the segments do not fit, which `encode` has ruled out.
fn codewords(text: &[u8], segments: Vec<Segment>, version: i16) -> Option<Codewords> {
    let mut bits = Bits::new(Version::Normal(version));
    bits.push_segments(text, segments.into_iter()).ok()?;
    bits.push_terminator(EcLevel::L).ok()?;
    let bytes = with_correction(bits.into_bytes(), version)?;
    Some(Codewords { version, bytes })
}
