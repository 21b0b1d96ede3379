//! Text to codewords: the bytes, error correction included, that a symbol is filled with.
//!
//! The `qrcode` crate cuts the text into segments and knows how much each version holds. What is decided here is how it is
//! asked: level L, the smallest version that fits, and never its Kanji mode.

use arrayvec::ArrayVec;
use qrcode::bits::Bits;
use qrcode::optimize::{Optimizer, Parser, Segment};
use qrcode::types::{EcLevel, Mode, Version};

use crate::QrError;
use crate::by_hand::correction::{MOST_CODEWORDS, with_correction};
use crate::by_hand::data::Data;

/// The largest version (size) that a QR code can have.
pub(crate) const MAX_VERSION: i16 = 40;

/// Versions up to each of these write their segments' lengths with the same number of bits, so what is written for one
/// serves all of them (ISO/IEC 18004, table 3).
const LAST_OF_CLASS: [i16; 3] = [9, 26, MAX_VERSION];

/// What a symbol is filled with, in the order in which it is placed.
pub(crate) struct Codewords {
    /// 1 to 40.
    pub(crate) version: i16,
    /// Data first, then error correction; both interleaved where the version has several blocks.
    pub(crate) bytes: ArrayVec<u8, MOST_CODEWORDS>,
}

impl Codewords {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self { version: 1, bytes: ArrayVec::new() }
    }

    /// Encodes `text` into the smallest version that holds it at error correction level L.
    pub(crate) fn encode(&mut self, text: &str) -> Result<(), QrError> {
        if text.is_empty() {
            return Err(QrError::EmptyText);
        }
        let mut data = Data::new();
        let mut last_of_class = LAST_OF_CLASS.into_iter();
        let last = last_of_class
            .find(|&last| write(text.as_bytes(), last, &mut data))
            .ok_or(QrError::TextTooLong { bytes: text.len() })?;
        self.version = (1..last).find(|&version| data.len() <= capacity(version)).unwrap_or(last);
        data.pad(capacity(self.version));
        with_correction(data.bytes(), self.version, &mut self.bytes);
        Ok(())
    }
}

/// Writes the text as the class of `version` has it. `false` if `version` has no room for it.
fn write(text: &[u8], version: i16, data: &mut Data) -> bool {
    let capacity = capacity(version);
    data.clear();
    for segment in segments(text, version) {
        if data.len() + segment.encoded_len(Version::Normal(version)) > capacity {
            return false;
        }
        data.push(text, segment, Version::Normal(version));
    }
    true
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
