//! Your functions as a Wasm module that any runtime can call: bytes in, bytes out.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.
//!
//! One call is one crossing. The host asks for room with [`tierup_in`], writes the arguments there, and calls
//! [`tierup_call`], whose answer stays valid until the next call. An instance serves one call at a time.

use std::cell::RefCell;

/// A buffer that has grown beyond this is given back after the call.
const KEPT: usize = 1 << 20;

/// The place for an answer's length, in front of it.
const LENGTH: usize = 4;

thread_local! {
    static ARGUMENTS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static PANIC: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The hash of the interface that this module was made from.
#[unsafe(no_mangle)]
pub extern "C" fn tierup_abi() -> u64 {
    tierup_calls::ABI
}

/// Returns room for `capacity` bytes of arguments; the last answer becomes invalid. Room of up to [`KEPT`] bytes serves
/// later calls too, until more is asked for.
#[unsafe(no_mangle)]
pub extern "C" fn tierup_in(capacity: usize) -> *mut u8 {
    ANSWER.with_borrow_mut(|answer| {
        answer.clear();
        answer.shrink_to(KEPT);
    });
    ARGUMENTS.with_borrow_mut(|arguments| {
        // The length only grows, so that room which was there before is not zeroed again.
        if arguments.len() < capacity {
            arguments.resize(capacity, 0);
        }
        arguments.as_mut_ptr()
    })
}

/// Calls a function with the first `length` bytes of the arguments.
/// The result points to the answer: its length as a little-endian `u32`, then its bytes.
#[unsafe(no_mangle)]
pub extern "C" fn tierup_call(function: u32, length: usize) -> *const u8 {
    ARGUMENTS.with_borrow_mut(|arguments| {
        ANSWER.with_borrow_mut(|answer| {
            answer.resize(LENGTH, 0);
            tierup_calls::call(function, &arguments[..length], answer);
            if arguments.len() > KEPT {
                arguments.truncate(KEPT);
                arguments.shrink_to_fit();
            }
            finish(answer)
        })
    })
}

/// After a trap: the answer that the panic left, or 0 without a panic. The host then throws the instance away.
#[unsafe(no_mangle)]
pub extern "C" fn tierup_last_panic() -> *const u8 {
    let Some(message) = tierup_calls::guard::take_last_panic() else { return std::ptr::null() };
    PANIC.with_borrow_mut(|answer| {
        answer.clear();
        answer.resize(LENGTH, 0);
        tierup_calls::write_panic(&message, answer);
        finish(answer)
    })
}

fn finish(answer: &mut [u8]) -> *const u8 {
    let length = (answer.len() - LENGTH) as u32;
    answer[..LENGTH].copy_from_slice(&length.to_le_bytes());
    answer.as_ptr()
}
