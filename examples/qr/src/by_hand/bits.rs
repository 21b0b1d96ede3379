//! A row of modules as bits, and the operators that make many modules one instruction.

use std::array;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

/// Up to `64 * W` modules side by side: bit `x` of the whole, counted from the lowest bit of the
/// first word, is module `x`, and set means dark. Bits beyond the symbol are clear, which is what
/// the quiet zone around it is: light.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bits<const W: usize>(pub(crate) [u64; W]);

impl<const W: usize> Bits<W> {
    pub(crate) const NONE: Self = Self([0; W]);

    /// The lowest `count` bits set, the others clear.
    pub(crate) fn lowest(count: usize) -> Self {
        Self(array::from_fn(|word| match count.saturating_sub(64 * word) {
            64.. => !0,
            rest => (1 << rest) - 1,
        }))
    }

    pub(crate) fn set(&mut self, bit: usize, value: bool) {
        self.0[bit / 64] |= u64::from(value) << (bit % 64);
    }

    pub(crate) fn count(self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

impl<const W: usize> BitAnd for Bits<W> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(array::from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl<const W: usize> BitOr for Bits<W> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

impl<const W: usize> BitXor for Bits<W> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(array::from_fn(|word| self.0[word] ^ other.0[word]))
    }
}

impl<const W: usize> Not for Bits<W> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(array::from_fn(|word| !self.0[word]))
    }
}

/// `bits >> k` puts module `x + k` where module `x` was; light modules come in from the right edge.
/// `k` is 1 to 63.
impl<const W: usize> Shr<u32> for Bits<W> {
    type Output = Self;
    #[inline(always)]
    fn shr(self, k: u32) -> Self {
        Self(array::from_fn(|word| {
            let next = if word + 1 < W { self.0[word + 1] << (64 - k) } else { 0 };
            self.0[word] >> k | next
        }))
    }
}

/// `bits << k` puts module `x - k` where module `x` was; light modules come in from the left edge.
/// `k` is 1 to 63.
impl<const W: usize> Shl<u32> for Bits<W> {
    type Output = Self;
    #[inline(always)]
    fn shl(self, k: u32) -> Self {
        Self(array::from_fn(|word| {
            let last = if word > 0 { self.0[word - 1] >> (64 - k) } else { 0 };
            self.0[word] << k | last
        }))
    }
}
