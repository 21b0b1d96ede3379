//! Reads arguments, calls your functions, writes answers.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

#![allow(deprecated, unused_imports, unused_variables, non_snake_case, clippy::all)]
mod answer;
pub mod guard;
mod outcome;
mod place;
pub mod wire;
use answer::{write_error, write_ok};
use wire::{Malformed, Read, Reader, Write};
pub use answer::{call, write_panic};
pub use outcome::{Failed, Outcome};
/// The hash of the interface that this crate was made from. The host compares it before it calls.
pub const ABI: u64 = 5542978091031955311u64;
/// Whether calls can be answered: always, unlike in the sandbox, which has the same entry points.
pub fn ready() -> Result<(), String> {
    alternative::ready()
}
fn dispatch(
    function: u32,
    arguments: &[u8],
    answer: &mut Vec<u8>,
) -> Result<(), Malformed> {
    match function {
        0u32 => {
            match alternative::chosen() {
                0u32 => call_draw(arguments, answer),
                1u32 => call_alternative_1(arguments, answer),
                2u32 => call_alternative_2(arguments, answer),
                _ => panic!("{}", alternative::unknown()),
            }
        }
        _ => Err(Malformed::Function(function)),
    }
}
/// The implementation of the function that this process calls.
pub mod alternative {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    /// The keys of `[function.alternatives]`. The first is number 1; 0 is the exported function.
    const NAMES: &[&str] = &["by-hand", "plain"];
    /// The environment was not read yet.
    const UNREAD: u32 = u32::MAX;
    static CHOSEN: AtomicU32 = AtomicU32::new(UNREAD);
    pub(crate) fn chosen() -> u32 {
        match CHOSEN.load(Relaxed) {
            UNREAD => read(),
            number => number,
        }
    }
    /// Chooses by number, where there is no environment: in a Wasm module.
    pub fn choose(number: u32) {
        CHOSEN.store(number, Relaxed);
    }
    /// `TIERUP_TIER=3:native#NAME`.
    #[cold]
    fn read() -> u32 {
        let tier = std::env::var("TIERUP_TIER").unwrap_or_default();
        let place = |name: &str| {
            NAMES.iter().position(|known| *known == name).unwrap_or(NAMES.len())
        };
        let number = tier.split_once('#').map_or(0, |(_, name)| place(name) as u32 + 1);
        choose(number);
        number
    }
    pub(crate) fn ready() -> Result<(), String> {
        if chosen() as usize <= NAMES.len() { Ok(()) } else { Err(unknown()) }
    }
    #[cold]
    pub(crate) fn unknown() -> String {
        format!(
            "TIERUP_TIER names no alternative of this build: after `#` comes one of {}",
            NAMES.join(", ")
        )
    }
}
const _: () = {
    const fn signature<E: ::std::fmt::Display>(
        _: fn(&str) -> ::std::result::Result<Vec<u8>, E>,
    ) {}
    signature(::sample::draw)
};
const _: () = {
    const fn signature<E: ::std::fmt::Display>(
        _: fn(&str) -> ::std::result::Result<Vec<u8>, E>,
    ) {}
    signature(::sample::by_hand)
};
const _: () = {
    const fn signature<E: ::std::fmt::Display>(
        _: fn(&str) -> ::std::result::Result<Vec<u8>, E>,
    ) {}
    signature(::sample::plain)
};
fn call_draw(arguments: &[u8], answer: &mut Vec<u8>) -> Result<(), Malformed> {
    let mut from = Reader::new(arguments);
    let argument0: &str = from.read()?;
    from.finish()?;
    match ::sample::draw(argument0) {
        Ok(value) => write_ok(&value, answer),
        Err(error) => write_error(&error, answer),
    };
    Ok(())
}
fn call_alternative_1(arguments: &[u8], answer: &mut Vec<u8>) -> Result<(), Malformed> {
    let mut from = Reader::new(arguments);
    let argument0: &str = from.read()?;
    from.finish()?;
    match ::sample::by_hand(argument0) {
        Ok(value) => write_ok(&value, answer),
        Err(error) => write_error(&error, answer),
    };
    Ok(())
}
fn call_alternative_2(arguments: &[u8], answer: &mut Vec<u8>) -> Result<(), Malformed> {
    let mut from = Reader::new(arguments);
    let argument0: &str = from.read()?;
    from.finish()?;
    match ::sample::plain(argument0) {
        Ok(value) => write_ok(&value, answer),
        Err(error) => write_error(&error, answer),
    };
    Ok(())
}
/// Functions that take and give only text and bytes, without the encoding. They never unwind.
pub mod direct {
    use super::{Outcome, guard};
    fn outcome<T>(call: impl FnOnce() -> Result<T, String>) -> Outcome<T> {
        match guard::guarded(call) {
            Ok(Ok(value)) => Outcome::Ok(value),
            Ok(Err(error)) => Outcome::Error(error),
            Err(panic) => Outcome::Panic(panic),
        }
    }
    ///`sample::draw`
    pub fn f0(argument0: &str) -> Outcome<Vec<u8>> {
        match super::alternative::chosen() {
            0 => {}
            1u32 => return f0_1(argument0),
            2u32 => return f0_2(argument0),
            _ => return Outcome::Panic(super::alternative::unknown()),
        }
        outcome(|| {
            match ::sample::draw(argument0) {
                Ok(value) => Ok(Vec::from(value)),
                Err(error) => Err(error.to_string()),
            }
        })
    }
    ///`sample::by_hand`
    pub fn f0_1(argument0: &str) -> Outcome<Vec<u8>> {
        outcome(|| {
            match ::sample::by_hand(argument0) {
                Ok(value) => Ok(Vec::from(value)),
                Err(error) => Err(error.to_string()),
            }
        })
    }
    ///`sample::plain`
    pub fn f0_2(argument0: &str) -> Outcome<Vec<u8>> {
        outcome(|| {
            match ::sample::plain(argument0) {
                Ok(value) => Ok(Vec::from(value)),
                Err(error) => Err(error.to_string()),
            }
        })
    }
}
