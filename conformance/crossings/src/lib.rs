//! What a call costs at each variant of each host, shown by three functions: two that do nothing but bring back what came,
//! and one that does nothing but work. `README.md` says how to measure them.

use std::fmt::Write as _;

/// A text comes back as it went in.
pub fn echo_text(text: &str) -> String {
    text.to_owned()
}

/// Bytes come back as they went in.
pub fn echo_bytes(bytes: &[u8]) -> Vec<u8> {
    bytes.to_vec()
}

/// Keeps a processor busy, 20,000 numbers for about a millisecond or two: makes `count` numbers, 1,000,000 at the most, sorts
/// them, writes them as text and answers with the text's hash (FNV-1a). Nothing of it can be foreseen by a compiler, and it is
/// what functions are made of: branches, memory that is asked for, multiplications that wait for each other.
pub fn work(seed: u64, count: u32) -> u64 {
    let mut state = seed;
    let mut numbers: Vec<u64> = (0..count.min(1_000_000)).map(|_| next(&mut state)).collect();
    numbers.sort_unstable();
    let mut text = String::new();
    for number in numbers {
        // A String takes whatever is written to it.
        let _ = writeln!(text, "{number}");
    }
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The next number of SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
