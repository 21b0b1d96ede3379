//! Your functions with C's calling convention, for glue in C: a table with the interface's hash and four functions,
//! which never unwind. Their names are not visible outside this library, so that several of them can be in one process.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use std::mem::ManuallyDrop;

use tierup_calls::Outcome;

use crate::direct;

/// Bytes that the caller lends: they can be read, and do not change, until the call returns. If there are no bytes, the
/// pointer may be anything.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes {
    data: *const u8,
    length: usize,
}

/// An answer. The caller frees it once.
#[repr(C)]
pub struct Answer {
    data: *mut u8,
    length: usize,
    capacity: usize,
    /// 0: a value. 1: the function's error; 2: a panic; 4: the call timed out. The bytes are then a message in UTF-8.
    /// Encoded calls always have 0: their answer begins with its tag.
    ending: u32,
}

/// The functions that the glue can call.
#[repr(C)]
pub struct Entries {
    abi: u64,
    call: unsafe extern "C" fn(u32, Bytes) -> Answer,
    direct: unsafe extern "C" fn(u32, *const Bytes) -> Answer,
    free: unsafe extern "C" fn(Answer),
    ready: unsafe extern "C" fn() -> Answer,
}

/// The table.
pub static ENTRIES: Entries = Entries { abi: tierup_calls::ABI, call, direct: direct_call, free, ready };

/// Calls a function with encoded arguments.
///
/// # Safety
/// See [`Bytes::lent`].
unsafe extern "C" fn call(function: u32, arguments: Bytes) -> Answer {
    let mut answer = Vec::new();
    // SAFETY: the caller's promise.
    tierup_calls::call(function, unsafe { arguments.lent() }, &mut answer);
    Answer::new(answer, 0)
}

/// Calls a function that takes and returns nothing but text and bytes.
///
/// # Safety
/// The function is one of those, there is an argument for each of its parameters, [`Bytes::lent`] holds for each, and
/// texts are UTF-8.
unsafe extern "C" fn direct_call(function: u32, arguments: *const Bytes) -> Answer {
    // SAFETY: the caller's promise.
    unsafe { direct::call(function, arguments) }
}

/// Whether calls can be answered; otherwise the answer is a panic that says why not.
///
/// # Safety
/// Always safe; it is a part of the table.
unsafe extern "C" fn ready() -> Answer {
    match tierup_calls::ready() {
        Ok(()) => Answer::new(Vec::new(), 0),
        Err(reason) => Answer::new(reason.into_bytes(), 2),
    }
}

/// Frees an answer.
///
/// # Safety
/// It was returned by a call, and is freed once.
unsafe extern "C" fn free(answer: Answer) {
    // SAFETY: these are the parts of the vector that `Answer::new` took apart.
    drop(unsafe { Vec::from_raw_parts(answer.data, answer.length, answer.capacity) });
}

#[allow(dead_code, reason = "not every crate has functions of text and bytes alone")]
impl Bytes {
    /// The bytes, in place.
    ///
    /// # Safety
    /// They can be read, and do not change, until the call returns.
    pub unsafe fn lent<'a>(self) -> &'a [u8] {
        // SAFETY: the caller's promise.
        if self.length == 0 { &[] } else { unsafe { std::slice::from_raw_parts(self.data, self.length) } }
    }

    /// The text, in place.
    ///
    /// # Safety
    /// That of [`Bytes::lent`], and they are UTF-8.
    pub unsafe fn text<'a>(self) -> &'a str {
        // SAFETY: the caller's promise.
        unsafe { std::str::from_utf8_unchecked(self.lent()) }
    }
}

#[allow(dead_code, reason = "not every crate has functions of text and bytes alone")]
impl Answer {
    fn new(bytes: Vec<u8>, ending: u32) -> Answer {
        let mut bytes = ManuallyDrop::new(bytes);
        Answer { data: bytes.as_mut_ptr(), length: bytes.len(), capacity: bytes.capacity(), ending }
    }

    /// How a direct call ended.
    pub fn of<T>(outcome: Outcome<T>, bytes: impl FnOnce(T) -> Vec<u8>) -> Answer {
        match outcome.into_result() {
            Ok(value) => Answer::new(bytes(value), 0),
            Err(failed) => Answer::new(failed.message.into_bytes(), u32::from(failed.tag)),
        }
    }

    /// The answer for a function without a direct call. The glue and this library are generated together, so the glue
    /// never makes such a call.
    pub fn unknown(function: u32) -> Answer {
        Answer::new(format!("function {function} takes encoded arguments").into_bytes(), 2)
    }
}
