//! A picture to a zlib stream (RFC 1950, RFC 1951).
//!
//! A general compressor takes four times as long for this picture as all that comes before it, mostly
//! to clear and to search tables, only to find what is known here beforehand: where the picture
//! repeats itself (`strips`). What is left of deflate is one block, with a Huffman code that is fitted
//! to each picture.

use crate::huffman::Code;
use crate::strips::{Distance, LONGEST_COPY, ROW_BYTES, SHORTEST_COPY, Strip, Token, adler32, tokens};

const END_OF_BLOCK: usize = 256;
const LITERALS_AND_LENGTHS: usize = 286;
/// Deflate allows codes of up to 15 bits. Where few symbols occur, describing the code weighs more
/// than it can save with the longest ones, and shorter ones are described in less space.
const LONGEST_CODE: u8 = 15;
const LONGEST_CODE_OF_FEW: u8 = 8;
const FEW_SYMBOLS: usize = 64;
/// How many of deflate's 30 symbols for distances are used: those up to 25 to 32 bytes.
const DISTANCES: usize = 10;

/// Compresses the picture that `strips` make up.
pub(crate) fn zlib(strips: &[Strip]) -> Vec<u8> {
    let tokens = tokens(strips);
    let mut output = Output { bytes: Vec::with_capacity(512), pending: 0, pending_bits: 0 };
    // Window of 32 KiB, no dictionary, and the check bits that make it a multiple of 31.
    output.write(0x0178, 16);
    block(&tokens, &mut output);
    output.align();
    output.bytes.extend_from_slice(&adler32(strips).to_be_bytes());
    output.bytes
}

/// One block with a code of its own (RFC 1951, 3.2.7), the last of its stream.
fn block(tokens: &[Token], output: &mut Output) {
    let mut frequencies = [0; LITERALS_AND_LENGTHS];
    let mut distance_frequencies = [0; DISTANCES];
    frequencies[END_OF_BLOCK] = 1;
    for token in tokens {
        match *token {
            Token::Literal(byte) => frequencies[usize::from(byte)] += 1,
            Token::Copy { length, from } => {
                frequencies[LENGTHS[usize::from(length)].symbol] += 1;
                distance_frequencies[from.written().symbol] += 1;
            }
        }
    }
    let few = frequencies.iter().filter(|&&frequency| frequency > 0).count() <= FEW_SYMBOLS;
    let code = Code::new(&frequencies, if few { LONGEST_CODE_OF_FEW } else { LONGEST_CODE });
    let distance_code = Code::new(&distance_frequencies, LONGEST_CODE);
    output.write(0b101, 3);
    header(&code.lengths, &distance_code.lengths, output);
    for token in tokens {
        match *token {
            Token::Literal(byte) => output.write_symbol(&code, byte.into()),
            Token::Copy { length, from } => {
                output.write_extended(&code, LENGTHS[usize::from(length)]);
                output.write_extended(&distance_code, from.written());
            }
        }
    }
    output.write_symbol(&code, END_OF_BLOCK);
}

/// The lengths of both codes, themselves compressed: runs of zeros, and repeats of the last length.
fn header(lengths: &[u8], distance_lengths: &[u8], output: &mut Output) {
    // The order in which the lengths of this third code are written: those often 0 last.
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    const REPEAT: usize = 16;
    const ZEROS: usize = 17;
    const MANY_ZEROS: usize = 18;

    let used = lengths.iter().rposition(|&length| length > 0).map_or(257, |last| last + 1);
    let all: Vec<u8> = lengths[..used].iter().chain(distance_lengths).copied().collect();

    let mut runs = Vec::with_capacity(128);
    for run in all.chunk_by(|a, b| a == b) {
        let length = usize::from(run[0]);
        let mut left = run.len();
        if length > 0 {
            runs.push(Extended { symbol: length, extra: 0, extra_bits: 0 });
            left -= 1;
        }
        while left >= 3 {
            let (symbol, count, fewest, extra_bits) = match (length, left) {
                (0, 11..) => (MANY_ZEROS, left.min(138), 11, 7),
                (0, _) => (ZEROS, left, 3, 3),
                _ => (REPEAT, left.min(6), 3, 2),
            };
            runs.push(Extended { symbol, extra: (count - fewest) as u8, extra_bits });
            left -= count;
        }
        runs.extend((0..left).map(|_| Extended { symbol: length, extra: 0, extra_bits: 0 }));
    }

    let mut frequencies = [0; 19];
    for run in &runs {
        frequencies[run.symbol] += 1;
    }
    let code = Code::new(&frequencies, 7);
    let written = ORDER.iter().rposition(|&symbol| code.lengths[symbol] > 0).map_or(4, |last| 4.max(last + 1));
    output.write(used as u64 - 257, 5);
    output.write(distance_lengths.len() as u64 - 1, 5);
    output.write(written as u64 - 4, 4);
    for &symbol in &ORDER[..written] {
        output.write(code.lengths[symbol].into(), 3);
    }
    for run in runs {
        output.write_extended(&code, run);
    }
}

/// How lengths and distances are written: as a symbol, and some bits to tell apart those that share it.
#[derive(Clone, Copy)]
struct Extended {
    symbol: usize,
    extra: u8,
    extra_bits: u8,
}

impl Distance {
    fn written(self) -> Extended {
        match self {
            Distance::OneByte => Extended { symbol: 0, extra: 0, extra_bits: 0 },
            // The last symbol used stands for 25 to 32.
            Distance::OneRow => Extended { symbol: DISTANCES - 1, extra: ROW_BYTES as u8 - 25, extra_bits: 3 },
        }
    }
}

/// By length (RFC 1951, 3.2.5).
static LENGTHS: [Extended; LONGEST_COPY + 1] = {
    let mut lengths = [Extended { symbol: 0, extra: 0, extra_bits: 0 }; LONGEST_COPY + 1];
    let (mut symbol, mut length) = (257, SHORTEST_COPY);
    while length < LONGEST_COPY {
        // Four symbols share each number of extra bits, but eight have none.
        let extra_bits = if symbol < 265 { 0 } else { (symbol - 261) / 4 };
        let mut extra = 0;
        while extra < 1 << extra_bits && length < LONGEST_COPY {
            lengths[length] = Extended { symbol, extra: extra as u8, extra_bits: extra_bits as u8 };
            extra += 1;
            length += 1;
        }
        symbol += 1;
    }
    lengths[LONGEST_COPY] = Extended { symbol: 285, extra: 0, extra_bits: 0 };
    lengths
};

/// Bytes, filled from their lowest bit.
struct Output {
    bytes: Vec<u8>,
    pending: u64,
    pending_bits: u32,
}

impl Output {
    /// Writes the lowest `count` bits of `bits`, of which the others must be 0. `count` is at most 32.
    #[inline(always)]
    fn write(&mut self, bits: u64, count: u32) {
        self.pending |= bits << self.pending_bits;
        self.pending_bits += count;
        if self.pending_bits >= 32 {
            self.bytes.extend_from_slice(&(self.pending as u32).to_le_bytes());
            self.pending >>= 32;
            self.pending_bits -= 32;
        }
    }

    #[inline(always)]
    fn write_symbol<const N: usize>(&mut self, code: &Code<N>, symbol: usize) {
        self.write(code.bits[symbol].into(), code.lengths[symbol].into());
    }

    #[inline(always)]
    fn write_extended<const N: usize>(&mut self, code: &Code<N>, value: Extended) {
        self.write_symbol(code, value.symbol);
        self.write(value.extra.into(), value.extra_bits.into());
    }

    /// Fills the last byte with zeros.
    fn align(&mut self) {
        let bytes = self.pending_bits.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.pending.to_le_bytes()[..bytes]);
        (self.pending, self.pending_bits) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::inflate::decompress_to_vec_zlib;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// White margins around `pixels`, as every picture has them.
    fn strip(pixels: &[u8], repeat: usize) -> Strip {
        let mut row = [0xff; ROW_BYTES];
        row[0] = 0;
        row[2..][..pixels.len()].copy_from_slice(pixels);
        Strip { row, repeat }
    }

    fn check(strips: &[Strip]) {
        let drawn: Vec<u8> = strips.iter().flat_map(|strip| strip.row.repeat(strip.repeat)).collect();
        assert_eq!(decompress_to_vec_zlib(&zlib(strips)).unwrap(), drawn);
    }

    proptest! {
        #[test]
        fn any_picture_comes_back(
            rows in (1u8..=255).prop_flat_map(|most| {
                vec((vec(0..=most, 0..=23), 1usize..30), 0..60)
            }),
        ) {
            let margin = || [strip(&[], 12)];
            let rows = rows.iter().map(|(pixels, repeat)| strip(pixels, *repeat));
            check(&margin().into_iter().chain(rows).chain(margin()).collect::<Vec<_>>());
        }
    }

    /// Runs around the longest copy, whose remainder must not be too short for another.
    #[test]
    fn runs_of_every_length_come_back() {
        for repeat in 1..40 {
            for column in 1..23 {
                let mut pixels = [0xff; 23];
                pixels[column] = 0;
                check(&[strip(&[], 1), strip(&[0], repeat), strip(&pixels, repeat), strip(&[], 1)]);
            }
        }
    }

    #[test]
    fn lengths_are_written_as_the_rfc_lists_them() {
        let written = |length: usize| (LENGTHS[length].symbol, LENGTHS[length].extra, LENGTHS[length].extra_bits);
        assert_eq!(written(3), (257, 0, 0));
        assert_eq!(written(10), (264, 0, 0));
        assert_eq!(written(12), (265, 1, 1));
        assert_eq!(written(114), (279, 15, 4));
        assert_eq!(written(257), (284, 30, 5));
        assert_eq!(written(258), (285, 0, 0));
    }
}
