//! Lengths of codes, as deflate writes many equal ones: runs of zeros, and repeats of the last length (RFC 1951, 3.2.7).

use arrayvec::ArrayVec;

use crate::by_hand::output::Symbol;

/// Takes `N` lengths at most.
pub(crate) struct Runs<const N: usize> {
    written: ArrayVec<Symbol, N>,
    length: u16,
    count: usize,
}

impl<const N: usize> Runs<N> {
    pub(crate) fn new() -> Self {
        Self { written: ArrayVec::new(), length: 0, count: 0 }
    }

    /// So many times the same length.
    pub(crate) fn push(&mut self, length: u16, count: usize) {
        if length != self.length && count > 0 {
            self.write();
            (self.length, self.count) = (length, 0);
        }
        self.count += count;
    }

    fn write(&mut self) {
        const REPEAT: u16 = 16;
        const ZEROS: u16 = 17;
        const MANY_ZEROS: u16 = 18;
        let Self { ref mut written, length, count: mut left } = *self;
        if length > 0 {
            written.push(Symbol::alone(length));
            left -= 1;
        }
        while left >= 3 {
            let (number, count, fewest, extra_bits) = match (length, left) {
                (0, 11..) => (MANY_ZEROS, left.min(138), 11, 7),
                (0, _) => (ZEROS, left, 3, 3),
                _ => (REPEAT, left.min(6), 3, 2),
            };
            written.push(Symbol::with_extra(number, (count - fewest) as u8, extra_bits));
            left -= count;
        }
        written.extend((0..left).map(|_| Symbol::alone(length)));
    }

    /// All that stands for the lengths.
    pub(crate) fn finish(&mut self) -> &[Symbol] {
        self.write();
        &self.written
    }
}
