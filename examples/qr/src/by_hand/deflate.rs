//! A picture to a zlib stream (RFC 1950, RFC 1951).
//!
//! A general compressor takes four times as long for this picture as all that comes before it, mostly
//! to clear and to search tables, only to find what is known here beforehand: where the picture
//! repeats itself (`strips`). What is left of deflate is one block, with a Huffman code that is fitted
//! to each picture.

use arrayvec::ArrayVec;

use crate::by_hand::huffman::{Code, push_occurring};
use crate::by_hand::output::{Output, Symbol};
use crate::by_hand::png::PIXELS;
use crate::by_hand::runs::Runs;
use crate::by_hand::strips::{Distance, LONGEST_COPY, ROW_BYTES, SHORTEST_COPY, Strip, Token, adler32, tokens};

const END_OF_BLOCK: u16 = 256;
const LITERALS_AND_LENGTHS: usize = 286;
/// How many of deflate's 30 symbols for distances are used: those up to 25 to 32 bytes.
const DISTANCES: usize = 10;
const FIRST_DISTANCE: u16 = LITERALS_AND_LENGTHS as u16;
/// Both codes of a block share a table: distances come behind literals and lengths.
const SYMBOLS: usize = LITERALS_AND_LENGTHS + DISTANCES;

/// Deflate allows codes of up to 15 bits. Where few symbols occur, describing the code weighs more
/// than it can save with the longest ones, and shorter ones are described in less space.
const LONGEST_CODE: u8 = 15;
const LONGEST_CODE_OF_FEW: u8 = 8;
const FEW_SYMBOLS: usize = 64;

/// All that stand for a picture: each for a byte of it at least (the two of a copy for three), or for its end.
const MOST_SYMBOLS: usize = PIXELS * ROW_BYTES + 1;
/// Room for a picture's stream: the longest codes would leave one bit of 16 for everything else.
pub(crate) const MOST_BYTES: usize = 2 * MOST_SYMBOLS;

/// Compresses the picture that `strips` make up.
pub(crate) fn zlib(strips: &[Strip], stream: &mut ArrayVec<u8, MOST_BYTES>) {
    let mut output = Output::new(stream);
    // Window of 32 KiB, no dictionary, and the check bits that make it a multiple of 31.
    output.write(0x0178, 16);
    let mut symbols = ArrayVec::new();
    push_symbols(strips, &mut symbols);
    output = block(&symbols, output);
    output.align();
    output.write(adler32(strips).swap_bytes().into(), 32);
}

/// What stands for the picture, in the order in which it is written.
fn push_symbols(strips: &[Strip], symbols: &mut ArrayVec<Symbol, MOST_SYMBOLS>) {
    tokens(strips, |token| match token {
        Token::Literals(bytes) => {
            for &byte in bytes {
                symbols.push(Symbol::alone(byte.into()));
            }
        }
        Token::Copy { length, from } => {
            symbols.push(LENGTHS[length]);
            symbols.push(from.symbol());
        }
    });
    symbols.push(Symbol::alone(END_OF_BLOCK));
}

/// One block with a code of its own (RFC 1951, 3.2.7), the last of its stream.
fn block<'a>(symbols: &[Symbol], mut output: Output<'a>) -> Output<'a> {
    let frequencies = frequencies::<SYMBOLS>(symbols);
    let mut used = ArrayVec::new();
    push_occurring(&frequencies, &mut used);
    let (used_first, used_distances) = used.split_at(used.partition_point(|&symbol| symbol < FIRST_DISTANCE));
    let limit = if used_first.len() <= FEW_SYMBOLS { LONGEST_CODE_OF_FEW } else { LONGEST_CODE };
    let mut code = Code::new();
    code.fit(&frequencies, used_first, limit);
    code.fit(&frequencies, used_distances, LONGEST_CODE);
    output.write(0b101, 3);
    output = header(&code, used_first, used_distances, output);
    output.write_all(&code, symbols)
}

fn frequencies<const N: usize>(symbols: &[Symbol]) -> [u32; N] {
    let mut frequencies = [0; N];
    for symbol in symbols {
        frequencies[symbol.number()] += 1;
    }
    frequencies
}

/// The lengths of both codes, of which these symbols have one, themselves compressed.
fn header<'a>(code: &Code<SYMBOLS>, first: &[u16], distances: &[u16], mut output: Output<'a>) -> Output<'a> {
    // The order in which the lengths of this third code are written: those often 0 last.
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

    // Distances come right behind the last symbol of the first code.
    let used = first.last().map_or(257, |&last| usize::from(last) + 1);
    let place =
        |symbol: usize| if symbol < LITERALS_AND_LENGTHS { symbol } else { symbol - LITERALS_AND_LENGTHS + used };
    let mut runs = Runs::<SYMBOLS>::new();
    let mut end = 0;
    for symbol in first.iter().chain(distances).map(|&symbol| usize::from(symbol)) {
        runs.push(0, place(symbol) - end);
        runs.push(code.words[symbol].length() as u16, 1);
        end = place(symbol) + 1;
    }
    runs.push(0, used + DISTANCES - end);
    let runs = runs.finish();

    let mut code = Code::<19>::new();
    let frequencies = frequencies(runs);
    let mut symbols = ArrayVec::new();
    push_occurring(&frequencies, &mut symbols);
    code.fit(&frequencies, &symbols, 7);
    let written = ORDER.iter().rposition(|&symbol| code.words[symbol].length() > 0).map_or(4, |last| 4.max(last + 1));
    output.write(used as u64 - 257, 5);
    output.write(DISTANCES as u64 - 1, 5);
    output.write(written as u64 - 4, 4);
    for &symbol in &ORDER[..written] {
        output.write(code.words[symbol].length().into(), 3);
    }
    output.write_all(&code, runs)
}

impl Distance {
    fn symbol(self) -> Symbol {
        match self {
            Distance::OneByte => Symbol::alone(FIRST_DISTANCE),
            // The last symbol used stands for 25 to 32.
            Distance::OneRow => Symbol::with_extra(FIRST_DISTANCE + DISTANCES as u16 - 1, ROW_BYTES as u8 - 25, 3),
        }
    }
}

/// By length (RFC 1951, 3.2.5).
static LENGTHS: [Symbol; LONGEST_COPY + 1] = {
    let mut lengths = [Symbol::alone(0); LONGEST_COPY + 1];
    let (mut number, mut length) = (257, SHORTEST_COPY);
    while length < LONGEST_COPY {
        // Four symbols share each number of extra bits, but eight have none.
        let extra_bits = if number < 265 { 0 } else { (number - 261) / 4 };
        let mut extra = 0;
        while extra < 1 << extra_bits && length < LONGEST_COPY {
            lengths[length] = Symbol::with_extra(number, extra as u8, extra_bits as u8);
            extra += 1;
            length += 1;
        }
        number += 1;
    }
    lengths[LONGEST_COPY] = Symbol::alone(285);
    lengths
};

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
        let mut stream = ArrayVec::new();
        zlib(strips, &mut stream);
        assert_eq!(decompress_to_vec_zlib(&stream).unwrap(), drawn);
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
                check(&[strip(&[], 2), strip(&[0], repeat), strip(&pixels, repeat), strip(&[], 2)]);
            }
        }
    }

    #[test]
    fn lengths_are_written_as_the_rfc_lists_them() {
        assert_eq!(LENGTHS[3], Symbol::alone(257));
        assert_eq!(LENGTHS[10], Symbol::alone(264));
        assert_eq!(LENGTHS[12], Symbol::with_extra(265, 1, 1));
        assert_eq!(LENGTHS[114], Symbol::with_extra(279, 15, 4));
        assert_eq!(LENGTHS[257], Symbol::with_extra(284, 30, 5));
        assert_eq!(LENGTHS[258], Symbol::alone(285));
    }
}
