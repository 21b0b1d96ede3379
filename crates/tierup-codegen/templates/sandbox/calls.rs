//! The entry points, which are those of the crate `tierup-calls`: a host's library can be built with either.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::ended::content;
use crate::instance::{Arguments, Instance};
use crate::limits::Limits;
use crate::outcome::{Failed, Outcome};
use crate::{clock, module, seat};

/// Whether calls can be answered, or why not. A host asks this when it loads the library; if not, the first call does.
pub fn ready() -> Result<(), String> {
    caught(|| module::loaded().map(|_| ()).map_err(Failed::panic)).map_err(|failed| failed.message)
}

/// Calls a function by number and appends the answer: a tag and the value, or a tag and a message.
/// Never unwinds.
pub fn call(function: u32, arguments: &[u8], answer: &mut Vec<u8>) {
    let start = answer.len();
    let ended = answered(|instance, limits| {
        instance.call(limits, function, &Arguments::Encoded(arguments), |bytes| answer.extend_from_slice(bytes))
    });
    if let Err(failed) = ended {
        answer.truncate(start);
        failed.write(answer);
    }
}

/// Appends the answer for a panic that its caller could not catch.
pub fn write_panic(message: &str, answer: &mut Vec<u8>) {
    Failed::panic(message).write(answer);
}

/// A function that returns text, without the byte encoding.
#[allow(dead_code, reason = "not every crate has one")]
pub(crate) fn text(function: u32, arguments: &[&[u8]]) -> Outcome<String> {
    direct(function, arguments, |value| String::from_utf8(content(value)?.to_vec()).ok())
}

/// A function that returns bytes, without the byte encoding.
#[allow(dead_code, reason = "not every crate has one")]
pub(crate) fn bytes(function: u32, arguments: &[&[u8]]) -> Outcome<Vec<u8>> {
    direct(function, arguments, |value| content(value).map(<[u8]>::to_vec))
}

/// A function that returns nothing, without the byte encoding.
#[allow(dead_code, reason = "not every crate has one")]
pub(crate) fn nothing(function: u32, arguments: &[&[u8]]) -> Outcome<()> {
    direct(function, arguments, |value| value.is_empty().then_some(()))
}

fn direct<T>(function: u32, arguments: &[&[u8]], value: impl FnOnce(&[u8]) -> Option<T>) -> Outcome<T> {
    let ended = answered(|instance, limits| {
        instance.call(limits, function, &Arguments::Pieces(arguments), |answer| Outcome::read(answer, value))
    });
    ended.unwrap_or_else(Outcome::from)
}

fn answered<T>(call: impl FnOnce(&mut Instance, &Limits) -> Result<T, Failed>) -> Result<T, Failed> {
    caught(|| {
        let loaded = module::loaded().map_err(Failed::panic)?;
        if let Some(timeout) = loaded.limits.timeout {
            clock::run(&loaded.engine, timeout).map_err(Failed::panic)?;
        }
        seat::with(loaded, |instance| call(instance, &loaded.limits))
    })
}

/// A panic of wasmtime or of this crate must not unwind into the host.
fn caught<T>(run: impl FnOnce() -> Result<T, Failed>) -> Result<T, Failed> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let said = payload.downcast_ref::<&'static str>().copied();
        let said = said.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        Err(Failed::panic(format!("the Wasm sandbox failed, which is an error in tierup: {said}")))
    })
}
