//! Error correction: the codewords behind the data, from which a reader restores what it cannot see.
//!
//! They are what is left of the data, seen as a polynomial over the field of 256 elements, when it is divided by the
//! standard's generator (ISO/IEC 18004:2015, 7.5.2). The `qrcode` crate knows the generators; it divides coefficient by
//! coefficient. Here a byte's multiple of the generator is looked up whole and subtracted as a few machine words.

use std::array;
use std::sync::OnceLock;

use qrcode::ec::{construct_codewords, create_error_correction_code};
use qrcode::types::{EcLevel, Version};

/// Up to this version, data of level L is a single block (ISO/IEC 18004:2015, table 9). Larger ones have several, which
/// are interleaved: the crate does those.
const LAST_OF_ONE_BLOCK: usize = 5;
/// How many codewords of correction these versions have (the same table).
const CORRECTION: [usize; LAST_OF_ONE_BLOCK] = [7, 10, 15, 20, 26];

/// Coefficients of a polynomial, the highest power's in the highest byte of the first word.
type Words = [u64; 4];

/// Data, as long as `version` has room for, and its correction: all codewords as they are placed. `None` if the version or
/// the length is none there is.
pub(crate) fn with_correction(mut data: Vec<u8>, version: i16) -> Option<Vec<u8>> {
    let Some(&count) = CORRECTION.get(usize::try_from(version - 1).ok()?) else {
        let (mut codewords, correction) = construct_codewords(&data, Version::Normal(version), EcLevel::L).ok()?;
        codewords.extend_from_slice(&correction);
        return Some(codewords);
    };
    let remainder = remainder(&data, multiples(version, count));
    data.extend(remainder.iter().flat_map(|word| word.to_be_bytes()).take(count));
    Some(data)
}

/// What is left of the division, the generator's multiples being these.
fn remainder(data: &[u8], multiples: &[Words; 256]) -> Words {
    data.iter().fold([0; 4], |[a, b, c, d], byte| {
        let multiple = &multiples[usize::from(byte ^ (a >> 56) as u8)];
        let shifted = [a << 8 | b >> 56, b << 8 | c >> 56, c << 8 | d >> 56, d << 8];
        array::from_fn(|word| shifted[word] ^ multiple[word])
    })
}

/// By the coefficient that a multiple of the generator takes away: its other coefficients. Worked out once per process.
fn multiples(version: i16, count: usize) -> &'static [Words; 256] {
    static MULTIPLES: [OnceLock<Box<[Words; 256]>>; LAST_OF_ONE_BLOCK] = [const { OnceLock::new() }; LAST_OF_ONE_BLOCK];
    MULTIPLES[version as usize - 1].get_or_init(|| {
        Box::new(array::from_fn(|coefficient| {
            let mut bytes = create_error_correction_code(&[coefficient as u8], count);
            bytes.resize(size_of::<Words>(), 0);
            let (words, _) = bytes.as_chunks();
            array::from_fn(|word| u64::from_be_bytes(words[word]))
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codewords_are_the_librarys(version in 1i16..=40, seed: [u8; 32]) {
            let capacity = qrcode::bits::Bits::new(Version::Normal(version)).max_len(EcLevel::L).unwrap() / 8;
            let data: Vec<u8> = seed.iter().cycle().enumerate().map(|(i, byte)| byte ^ (i / 32) as u8).take(capacity).collect();
            let (mut expected, correction) = construct_codewords(&data, Version::Normal(version), EcLevel::L).unwrap();
            expected.extend(correction);
            prop_assert_eq!(with_correction(data, version), Some(expected));
        }
    }
}
