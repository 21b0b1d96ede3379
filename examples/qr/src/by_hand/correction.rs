//! Error correction: the codewords behind the data, from which a reader restores what it cannot see.
//!
//! They are what is left of the data, seen as a polynomial over the field of 256 elements, when it is divided by the
//! standard's generator (ISO/IEC 18004:2015, 7.5.2). The `qrcode` crate knows the generators; it divides coefficient by
//! coefficient. Here a byte's multiple of the generator is looked up whole and subtracted as a few machine words.

use std::array;
use std::sync::OnceLock;

use arrayvec::ArrayVec;
use qrcode::ec::create_error_correction_code;

use crate::by_hand::codewords::MAX_VERSION;

/// The codewords of version 40.
pub(crate) const MOST_CODEWORDS: usize = 3706;

/// By version, at level L: how many codewords of correction a block has, and how many blocks there are
/// (ISO/IEC 18004:2015, table 9).
#[rustfmt::skip] // Ten versions in a line.
const BLOCKS: [(usize, usize); MAX_VERSION as usize] = [
    (7, 1), (10, 1), (15, 1), (20, 1), (26, 1), (18, 2), (20, 2), (24, 2), (30, 2), (18, 4),
    (20, 4), (24, 4), (26, 4), (30, 4), (22, 6), (24, 6), (28, 6), (30, 6), (28, 7), (28, 8),
    (28, 8), (28, 9), (30, 9), (30, 10), (26, 12), (28, 12), (30, 12), (30, 13), (30, 14), (30, 15),
    (30, 16), (30, 17), (30, 18), (30, 19), (30, 19), (30, 20), (30, 21), (30, 22), (30, 24), (30, 25),
];
const MOST_BLOCKS: usize = 25;
const MOST_CORRECTION: usize = 30;
const MOST_WORDS: usize = MOST_CORRECTION.div_ceil(16);

/// Coefficients of a polynomial, the highest power's in the highest byte of the first word.
type Words<const N: usize> = [u128; N];

/// Appends data, as long as `version` (1 to 40) has room for, and its correction: all codewords as they are placed, which is the
/// first of every block, the second of every block and so on.
pub(crate) fn with_correction(data: &[u8], version: i16, codewords: &mut ArrayVec<u8, MOST_CODEWORDS>) {
    let (count, blocks) = BLOCKS[version as usize - 1];
    // If the data cannot be dealt out evenly, the last blocks have one codeword more.
    let length = data.len() / blocks;
    let (short, long) = data.split_at(length * (blocks - data.len() % blocks));
    let mut blocks = ArrayVec::<&[u8], MOST_BLOCKS>::new();
    blocks.extend(short.chunks(length).chain(long.chunks(length + 1)));
    push_by_turns(&blocks, codewords);

    // No more words than the correction has: for most texts that halves the work.
    let mut remainders = ArrayVec::<[u8; 16 * MOST_WORDS], MOST_BLOCKS>::new();
    match count.div_ceil(16) {
        1 => remainders.extend(blocks.iter().map(|block| bytes(remainder::<1>(block, multiples(count))))),
        _ => remainders.extend(blocks.iter().map(|block| bytes(remainder::<MOST_WORDS>(block, multiples(count))))),
    }
    let mut correction = ArrayVec::<&[u8], MOST_BLOCKS>::new();
    correction.extend(remainders.iter().map(|bytes| &bytes[..count]));
    push_by_turns(&correction, codewords);
}

/// The first of every block, the second of every block and so on.
fn push_by_turns(blocks: &[&[u8]], codewords: &mut ArrayVec<u8, MOST_CODEWORDS>) {
    if let [only] = blocks {
        return codewords.extend(only.iter().copied());
    }
    let longest = blocks.last().map_or(0, |block| block.len());
    for place in 0..longest {
        codewords.extend(blocks.iter().filter_map(|block| block.get(place)).copied());
    }
}

/// What is left of the division, the generator's multiples being these.
fn remainder<const N: usize>(data: &[u8], multiples: &[Words<MOST_WORDS>; 256]) -> Words<N> {
    data.iter().fold([0; N], |words, byte| {
        let multiple = &multiples[usize::from(byte ^ (words[0] >> 120) as u8)];
        array::from_fn(|word| {
            let next = words.get(word + 1).map_or(0, |next| next >> 120);
            (words[word] << 8 | next) ^ multiple[word]
        })
    })
}

fn bytes<const N: usize>(words: Words<N>) -> [u8; 16 * MOST_WORDS] {
    array::from_fn(|place| words.get(place / 16).map_or(0, |word| (word >> (120 - place % 16 * 8)) as u8))
}

/// By the coefficient that a multiple of the generator takes away: its other coefficients, of which there are `count`.
/// Worked out once per process.
fn multiples(count: usize) -> &'static [Words<MOST_WORDS>; 256] {
    static MULTIPLES: [OnceLock<Box<[Words<MOST_WORDS>; 256]>>; MOST_CORRECTION + 1] =
        [const { OnceLock::new() }; MOST_CORRECTION + 1];
    MULTIPLES[count].get_or_init(|| {
        Box::new(array::from_fn(|coefficient| {
            let mut bytes = create_error_correction_code(&[coefficient as u8], count);
            bytes.resize(size_of::<Words<MOST_WORDS>>(), 0);
            let (words, _) = bytes.as_chunks();
            array::from_fn(|word| u128::from_be_bytes(words[word]))
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use qrcode::ec::construct_codewords;
    use qrcode::types::{EcLevel, Version};

    proptest! {
        #[test]
        fn codewords_are_the_librarys(version in 1i16..=40, seed: [u8; 32]) {
            let capacity = qrcode::bits::Bits::new(Version::Normal(version)).max_len(EcLevel::L).unwrap() / 8;
            let data: Vec<u8> = seed.iter().cycle().enumerate().map(|(i, byte)| byte ^ (i / 32) as u8).take(capacity).collect();
            let (mut expected, correction) = construct_codewords(&data, Version::Normal(version), EcLevel::L).unwrap();
            expected.extend(correction);
            let mut codewords = ArrayVec::new();
            with_correction(&data, version, &mut codewords);
            prop_assert_eq!(codewords.as_slice(), expected);
        }
    }
}
