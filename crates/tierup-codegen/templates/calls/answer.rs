//! Calls a function by its number, and writes answers: a tag and the value, or a tag and a message.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use crate::outcome::{ERROR, OK, PANIC, REFUSED};
use crate::{dispatch, guard, wire::Write};

/// Calls a function by number and appends the answer: a tag and the value, or a tag and a message.
/// Never unwinds.
pub fn call(function: u32, arguments: &[u8], answer: &mut Vec<u8>) {
    let start = answer.len();
    let outcome = guard::guarded(|| dispatch(function, arguments, answer));
    let (tag, message) = match outcome {
        Ok(Ok(())) => return,
        Ok(Err(malformed)) => (REFUSED, malformed.to_string()),
        Err(panic) => (PANIC, panic),
    };
    answer.truncate(start);
    write_message(tag, &message, answer);
}

/// Appends the answer of a panic that its caller could not catch.
pub fn write_panic(message: &str, answer: &mut Vec<u8>) {
    write_message(PANIC, message, answer);
}

pub(crate) fn write_ok(value: &(impl Write + ?Sized), answer: &mut Vec<u8>) {
    answer.push(OK);
    value.write(answer);
}

#[allow(dead_code, reason = "not every crate has a function that returns errors")]
pub(crate) fn write_error(error: &(impl std::fmt::Display + ?Sized), answer: &mut Vec<u8>) {
    write_message(ERROR, &error.to_string(), answer);
}

/// Appends an answer that is a message.
fn write_message(tag: u8, message: &str, answer: &mut Vec<u8>) {
    answer.push(tag);
    message.write(answer);
}
