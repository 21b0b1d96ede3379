//! Calls your functions again and again, and nothing else, while the time is taken.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

#![allow(deprecated, clippy::all)]
use std::hint::black_box;
use std::time::Duration;
use crate::repeated::{Failure, repeated};
/// How long `repeat` calls of a function take, by its number.
pub fn timed(function: u32, arguments: &[u8], repeat: u32) -> Result<Duration, Failure> {
    match function {
        0u32 => {
            repeated(
                arguments,
                repeat,
                |from| Ok((from.read()?,)),
                |(argument0,): (&str,)| {
                    black_box(::sample::draw(argument0));
                },
            )
        }
        1u32 => {
            repeated(
                arguments,
                repeat,
                |from| Ok((from.read()?,)),
                |(argument0,): (::sample::Order,)| {
                    black_box(::sample::echo(argument0));
                },
            )
        }
        2u32 => {
            repeated(
                arguments,
                repeat,
                |from| Ok((from.read()?,)),
                |(argument0,): (Vec<::sample::Item>,)| {
                    black_box(::sample::total(&argument0));
                },
            )
        }
        3u32 => {
            repeated(
                arguments,
                repeat,
                |from| Ok((
                    from.read()?,
                    from.read()?,
                    from.read()?,
                    from.read()?,
                    from.read()?,
                )),
                |
                    (
                        argument0,
                        argument1,
                        argument2,
                        argument3,
                        argument4,
                    ): (u16, Option<::sample::Color>, bool, f64, Option<&str>)|
                {
                    black_box(
                        ::sample::describe(
                            argument0,
                            argument1,
                            argument2,
                            argument3,
                            argument4,
                        ),
                    );
                },
            )
        }
        4u32 => {
            repeated(
                arguments,
                repeat,
                |from| Ok((from.read()?,)),
                |(argument0,): (&[u8],)| {
                    black_box(::sample::length(argument0));
                },
            )
        }
        5u32 => {
            repeated(
                arguments,
                repeat,
                |from| Ok((from.read()?,)),
                |(argument0,): (String,)| {
                    black_box(::sample::shout(argument0));
                },
            )
        }
        6u32 => {
            repeated(
                arguments,
                repeat,
                |_| Ok(()),
                |(): ()| {
                    black_box(::sample::nothing());
                },
            )
        }
        7u32 => {
            repeated(
                arguments,
                repeat,
                |from| Ok((from.read()?,)),
                |(argument0,): (u64,)| {
                    black_box(::sample::slow(argument0));
                },
            )
        }
        8u32 => {
            repeated(
                arguments,
                repeat,
                |from| Ok((from.read()?,)),
                |(argument0,): (&str,)| {
                    black_box(::sample::fail(argument0));
                },
            )
        }
        9u32 => {
            repeated(
                arguments,
                repeat,
                |from| Ok((from.read()?,)),
                |(argument0,): (Vec<&str>,)| {
                    black_box(::sample::join(&argument0));
                },
            )
        }
        10u32 => {
            repeated(
                arguments,
                repeat,
                |from| Ok((from.read()?,)),
                |(argument0,): (u32,)| {
                    black_box(::sample::fill(argument0));
                },
            )
        }
        11u32 => {
            repeated(
                arguments,
                repeat,
                |from| Ok((
                    from.read()?,
                    from.read()?,
                    from.read()?,
                    from.read()?,
                    from.read()?,
                )),
                |
                    (
                        argument0,
                        argument1,
                        argument2,
                        argument3,
                        argument4,
                    ): (
                        u16,
                        Vec<::sample::Item>,
                        Option<::sample::Color>,
                        Vec<&str>,
                        Vec<u8>,
                    )|
                {
                    black_box(
                        ::sample::arrange(
                            argument0,
                            &argument1,
                            argument2,
                            &argument3,
                            argument4,
                        ),
                    );
                },
            )
        }
        12u32 => {
            repeated(
                arguments,
                repeat,
                |from| Ok((from.read()?,)),
                |(argument0,): (&str,)| {
                    black_box(::sample::visit(argument0));
                },
            )
        }
        _ => Err(Failure::unknown(function)),
    }
}
