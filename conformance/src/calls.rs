//! How calls end: with nothing, an error, a panic, late.

use std::fmt;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a call failed. Its type is nobody's business but its words are.
#[derive(Debug)]
pub enum CallFailure {
    TooLarge { limit: u32 },
    Other(String),
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallFailure::TooLarge { limit } => write!(f, "more than {limit} is too large"),
            CallFailure::Other(words) => f.write_str(words),
        }
    }
}

impl std::error::Error for CallFailure {}

/// Nothing in, nothing out.
pub fn do_nothing() {}

/// Nothing out, or an error.
pub fn check_limit(value: u32, limit: u32) -> Result<(), CallFailure> {
    if value > limit { Err(CallFailure::TooLarge { limit }) } else { Ok(()) }
}

/// Always the error that is asked for.
pub fn fail(words: &str) -> Result<Vec<u8>, CallFailure> {
    Err(CallFailure::Other(words.to_owned()))
}

/// The standard library's box for any error.
pub fn parse_number(text: &str) -> Result<i64, Box<dyn std::error::Error + Send + Sync>> {
    Ok(text.trim().parse()?)
}

/// A panic with a message.
pub fn panic_with(words: &str) -> String {
    panic!("{words}")
}

/// A panic out of the standard library.
pub fn item(values: &[u32], place: u32) -> u32 {
    values[place as usize]
}

/// A panic where an answer is text or an error, too.
pub fn panic_if(condition: bool, text: &str) -> Result<String, CallFailure> {
    assert!(!condition, "told to panic");
    Ok(text.to_uppercase())
}

/// Text on standard output must not get between the bytes of an answer.
pub fn print_and_return(text: &str) -> String {
    // Only a little text: inside a host, standard output may be a pipe that does not wait for its reader.
    println!("{text:.20}");
    eprintln!("conformance says: {text:.20}");
    text.chars().rev().collect()
}

/// Keeps a processor busy: `rounds` steps of a generator (SplitMix64), a million at the most, whose last number comes
/// back.
pub fn churn(seed: u64, rounds: u32) -> u64 {
    let mut state = seed;
    let mut last = 0;
    for _ in 0..rounds.min(1_000_000) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // Marks every value as used: otherwise the compiler would keep only the last round.
        last = black_box(mixed ^ (mixed >> 31));
    }
    last
}

/// Does not come back from `really`: it, or its process, has to be ended. Wasm cannot park, so that it turns there. From `deeply`
/// it comes back as little: it calls itself until the stack overflows. `deep` takes 2 MB of stack.
pub fn hang_on(word: &str) -> u32 {
    let levels = match word {
        "deeply" => u64::MAX,
        "deep" => 4_000,
        _ => 0,
    };
    if levels > 0 {
        return deeper(0, levels) as u32;
    }
    if word == "really" {
        loop {
            if cfg!(target_family = "wasm") { std::hint::spin_loop() } else { std::thread::park() }
        }
    }
    word.len() as u32
}

fn deeper(level: u64, levels: u64) -> u64 {
    let frame = black_box([level; 64]);
    if level == levels {
        return level;
    }
    // Frames are used after the call, so that it cannot become a loop.
    deeper(frame[0] + 1, levels) + black_box(frame)[63] - level
}

static CALLS: AtomicU64 = AtomicU64::new(0);

/// How often this instance of the library was asked: a fresh one starts again at 1.
pub fn count_calls() -> u64 {
    CALLS.fetch_add(1, Ordering::Relaxed) + 1
}
