//! Segments of text to the data codewords of a symbol (ISO/IEC 18004:2015, 7.4).
//!
//! The `qrcode` crate cuts the text; it could write the segments as well, but only into memory that it allocates.

use arrayvec::ArrayVec;
use qrcode::optimize::Segment;
use qrcode::types::{Mode, Version};

/// The data codewords of version 40.
pub(crate) const MOST_DATA: usize = 2956;

/// What fills a symbol up, by turns.
const PADDING: [u8; 2] = [0b1110_1100, 0b0001_0001];

/// Bits, written from the highest of a byte to its lowest.
pub(crate) struct Data {
    /// The whole ones.
    bytes: ArrayVec<u8, MOST_DATA>,
    /// What makes no whole byte yet, in the lowest bits. Those above are left over from bytes before.
    pending: u32,
    pending_bits: usize,
}

impl Data {
    pub(crate) fn new() -> Self {
        Self { bytes: ArrayVec::new(), pending: 0, pending_bits: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.pending_bits = 0;
    }

    /// How many bits there are.
    pub(crate) fn len(&self) -> usize {
        8 * self.bytes.len() + self.pending_bits
    }

    /// Writes a segment of `text` as `version` has it; one that the parser took for Kanji, as bytes.
    pub(crate) fn push(&mut self, text: &[u8], segment: Segment, version: Version) {
        let text = &text[segment.begin..segment.end];
        let mode = match segment.mode {
            Mode::Numeric => 0b0001,
            Mode::Alphanumeric => 0b0010,
            Mode::Byte | Mode::Kanji => 0b0100,
        };
        self.write(mode, 4);
        self.write(text.len() as u32, segment.mode.length_bits_count(version));
        match segment.mode {
            Mode::Numeric => {
                for digits in text.chunks(3) {
                    let number = digits.iter().fold(0, |number, digit| 10 * number + u32::from(digit - b'0'));
                    self.write(number, 3 * digits.len() + 1);
                }
            }
            Mode::Alphanumeric => {
                for characters in text.chunks(2) {
                    let number = characters.iter().fold(0, |number, &character| 45 * number + alphanumeric(character));
                    self.write(number, 5 * characters.len() + 1);
                }
            }
            Mode::Byte | Mode::Kanji => {
                for &byte in text {
                    self.write(byte.into(), 8);
                }
            }
        }
    }

    /// Fills a symbol that holds `capacity` bits, whole bytes: a terminator of four zeros or as many as fit, and padding.
    pub(crate) fn pad(&mut self, capacity: usize) {
        self.write(0, (capacity - self.len()).min(4));
        self.write(0, self.pending_bits.wrapping_neg() % 8);
        let rest = capacity / 8 - self.bytes.len();
        self.bytes.extend(PADDING.into_iter().cycle().take(rest));
    }

    /// The data codewords, all of which are there once it is padded.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the lowest `count` bits of `bits`, of which the others must be 0. `count` is at most 16.
    fn write(&mut self, bits: u32, count: usize) {
        debug_assert!(count <= 16 && bits >> count == 0);
        self.pending = self.pending << count | bits;
        self.pending_bits += count;
        while self.pending_bits >= 8 {
            self.pending_bits -= 8;
            self.bytes.push((self.pending >> self.pending_bits) as u8);
        }
    }
}

/// The number that stands for a character (ISO/IEC 18004:2015, table 5).
fn alphanumeric(character: u8) -> u32 {
    let number = match character {
        b'0'..=b'9' => character - b'0',
        b'A'..=b'Z' => character - b'A' + 10,
        b' ' => 36,
        b'$' => 37,
        b'%' => 38,
        b'*' => 39,
        b'+' => 40,
        b'-' => 41,
        b'.' => 42,
        b'/' => 43,
        _ => 44,
    };
    number.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use qrcode::bits::Bits;
    use qrcode::types::EcLevel;

    proptest! {
        #[test]
        fn data_is_the_librarys(text in "([0-9]{0,20}|[A-Z $%*+./:-]{0,20}|[a-z]{0,10}){1,8}", version in 10i16..=40) {
            let (text, version) = (text.as_bytes(), Version::Normal(version));
            let mut expected = Bits::new(version);
            let mut data = Data::new();
            for segment in qrcode::optimize::Parser::new(text) {
                data.push(text, segment, version);
            }
            expected.push_segments(text, qrcode::optimize::Parser::new(text)).unwrap();
            prop_assert_eq!(data.len(), expected.len());
            let capacity = expected.max_len(EcLevel::L).unwrap();
            prop_assume!(data.len() <= capacity);
            expected.push_terminator(EcLevel::L).unwrap();
            data.pad(capacity);
            prop_assert_eq!(data.bytes(), expected.into_bytes());
        }
    }
}
