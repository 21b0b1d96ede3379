//! Bits to bytes, in the order in which deflate fills them (RFC 1951, 3.1.1).
//!
//! Codes and their symbols go in. What each symbol costs is paid some 400 times per picture, so there is no branch per
//! symbol or byte.

use arrayvec::ArrayVec;

use crate::by_hand::deflate::MOST_BYTES;
use crate::by_hand::huffman::Code;

/// A symbol of a code, and up to 8 bits to tell apart what shares it.
///
/// One word, which is read at once: the symbol's number in the lower half, the extra bits and how many they are above it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Symbol(u32);

impl Symbol {
    pub(crate) const fn alone(number: u16) -> Self {
        Self::with_extra(number, 0, 0)
    }

    /// With the lowest `count` bits of `extra`, of which the others must be 0.
    pub(crate) const fn with_extra(number: u16, extra: u8, count: u8) -> Self {
        Self(number as u32 | (extra as u32) << 16 | (count as u32) << 24)
    }

    pub(crate) const fn number(self) -> usize {
        self.0 as u16 as usize
    }

    const fn extra(self) -> u64 {
        (self.0 >> 16 & 0xff) as u64
    }

    const fn extra_bits(self) -> u32 {
        self.0 >> 24
    }
}

/// Bytes, filled from their lowest bit.
pub(crate) struct Output<'a> {
    /// The whole ones. There is room for what comes next, and for some bytes more.
    bytes: &'a mut ArrayVec<u8, MOST_BYTES>,
    pending: u64,
    pending_bits: u32,
}

impl<'a> Output<'a> {
    pub(crate) fn new(bytes: &'a mut ArrayVec<u8, MOST_BYTES>) -> Self {
        Self { bytes, pending: 0, pending_bits: 0 }
    }

    /// Writes the lowest `count` bits of `bits`, of which the others must be 0. `count` is at most 56.
    ///
    /// Pending bits are stored each time, even if that makes no whole byte, and those of the last byte are stored again
    /// with the next. Whether a byte is whole now is a question that a processor would often guess wrongly.
    #[inline(always)]
    pub(crate) fn write(&mut self, bits: u64, count: u32) {
        debug_assert!(count <= 56 && bits >> count == 0);
        self.pending |= bits << self.pending_bits;
        self.pending_bits += count;
        let finished = self.bytes.len() + (self.pending_bits / 8) as usize;
        self.bytes.try_extend_from_slice(&self.pending.to_le_bytes()).expect("room for the longest stream");
        self.bytes.truncate(finished);
        self.pending >>= self.pending_bits / 8 * 8;
        self.pending_bits %= 8;
    }

    /// Writes symbols, by value rather than by reference so that what is pending may stay in registers.
    pub(crate) fn write_all<const N: usize>(mut self, code: &Code<N>, symbols: &[Symbol]) -> Self {
        // Three have at most 44 bits: two lengths of 15 and 5 extra bits, and between them a distance, which as one of
        // two symbols takes a bit and 3 extra ones. In a header, none has more than 14.
        const AT_ONCE: usize = 3;
        let (threes, rest) = symbols.as_chunks::<AT_ONCE>();
        for three in threes {
            let (mut bits, mut count) = (0, 0);
            for &symbol in three {
                let (more, more_count) = code.coded(symbol);
                bits |= more << count;
                count += more_count;
            }
            self.write(bits, count);
        }
        for &symbol in rest {
            let (bits, count) = code.coded(symbol);
            self.write(bits, count);
        }
        self
    }

    /// Fills the last byte with zeros.
    pub(crate) fn align(&mut self) {
        self.write(0, self.pending_bits.wrapping_neg() % 8);
    }
}

impl<const N: usize> Code<N> {
    /// The bits of a symbol and its extra bits, and how many there are.
    #[inline(always)]
    fn coded(&self, symbol: Symbol) -> (u64, u32) {
        let word = self.words[symbol.number()];
        (word.bits() | symbol.extra() << word.length(), word.length() + symbol.extra_bits())
    }
}
