//! Four functions that show the cost of a call at each variant of each host: two only return their argument, and two only
//! compute. `README.md` says how to measure them.

use std::fmt::Write as _;

/// A text comes back as it went in.
pub fn echo_text(text: &str) -> String {
    text.to_owned()
}

/// Bytes come back as they went in.
pub fn echo_bytes(bytes: &[u8]) -> Vec<u8> {
    bytes.to_vec()
}

/// Work in which the processor compares, moves and multiplies: `count` numbers, 1,000,000 at the most, sorted and hashed.
pub fn sort_and_hash(seed: u64, count: u32) -> u64 {
    let mut numbers = numbers(seed, count);
    numbers.sort_unstable();
    hash(numbers.iter().flat_map(|number| number.to_le_bytes()))
}

/// Work in which memory is allocated, and each digit is a division: `count` numbers, 1,000,000 at most, written as text.
pub fn write_numbers(seed: u64, count: u32) -> u64 {
    let mut text = String::new();
    for number in numbers(seed, count) {
        // Writing to a String never fails.
        let _ = writeln!(text, "{number}");
    }
    hash(text.bytes().step_by(64))
}

/// Numbers that no compiler can compute in advance: SplitMix64.
fn numbers(mut state: u64, count: u32) -> Vec<u64> {
    let next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    std::iter::repeat_with(next).take(count.min(1_000_000) as usize).collect()
}

/// FNV-1a: a multiplication for each byte, each of which waits for the one before.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
