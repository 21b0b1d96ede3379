//! Takes the time of calls whose arguments were read before.
//!
//! Made by tierup; changes here are lost at the next build.

use std::hint::black_box;
use std::time::{Duration, Instant};

use tierup_calls::guard::guarded;
use tierup_calls::wire::{Malformed, Reader};

/// The most calls between two readings of the clock: enough for the clock to cost a short call nothing. The bytes of
/// their arguments are limited too, so that large ones do not fill the memory.
const MOST_READY: u32 = 4096;
const MOST_BYTES: usize = 1 << 20;

/// Why no time was measured.
pub enum Failure {
    Malformed(Malformed),
    /// A panic's message and place.
    Panic(String),
}

impl Failure {
    pub fn unknown(function: u32) -> Failure {
        Failure::Malformed(Malformed::Function(function))
    }
}

/// How long `repeat` calls take. Arguments are read beforehand, a fresh copy for each call, as a function may keep
/// them. The time includes dropping the answers, as every caller has to do that.
pub fn repeated<'a, A>(
    arguments: &'a [u8],
    repeat: u32,
    read: impl Fn(&mut Reader<'a>) -> Result<A, Malformed>,
    call: impl Fn(A),
) -> Result<Duration, Failure> {
    let most = u32::try_from(MOST_BYTES / arguments.len().max(1)).unwrap_or(u32::MAX).clamp(1, MOST_READY);
    let mut elapsed = Duration::ZERO;
    let mut left = repeat;
    while left > 0 {
        let count = left.min(most);
        left -= count;
        let ready = (0..count).map(|_| {
            let mut from = Reader::new(arguments);
            let values = read(&mut from)?;
            from.finish()?;
            Ok(values)
        });
        let ready: Vec<A> = ready.collect::<Result<_, _>>().map_err(Failure::Malformed)?;
        elapsed += guarded(|| {
            let start = Instant::now();
            ready.into_iter().for_each(|values| call(black_box(values)));
            start.elapsed()
        })
        .map_err(Failure::Panic)?;
    }
    Ok(elapsed)
}
