//! The functions with C's way to call: what ctypes, cffi, cgo, purego, FFM and JNA bind.
//!
//! Each answers 0, or 1 after a panic. Text comes in and goes out as UTF-8; what it is not is made sure of by the caller.

use std::panic::catch_unwind;

/// Memory of Rust's, to be given back with `rivals_release`.
#[repr(C)]
pub struct Answer {
    bytes: *mut u8,
    length: usize,
    capacity: usize,
}

impl Answer {
    fn of(bytes: Vec<u8>) -> Self {
        let mut bytes = std::mem::ManuallyDrop::new(bytes);
        Self { bytes: bytes.as_mut_ptr(), length: bytes.len(), capacity: bytes.capacity() }
    }
}

/// # Safety
/// `text` is `length` bytes of UTF-8, `answer` is memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rivals_echo_text(text: *const u8, length: usize, answer: *mut Answer) -> i32 {
    let text = unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(text, length)) };
    let Ok(value) = catch_unwind(|| crossings::echo_text(text)) else { return 1 };
    unsafe { answer.write(Answer::of(value.into_bytes())) };
    0
}

/// # Safety
/// `bytes` has `length` bytes, `answer` is memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rivals_echo_bytes(bytes: *const u8, length: usize, answer: *mut Answer) -> i32 {
    let bytes = unsafe { std::slice::from_raw_parts(bytes, length) };
    let Ok(value) = catch_unwind(|| crossings::echo_bytes(bytes)) else { return 1 };
    unsafe { answer.write(Answer::of(value)) };
    0
}

/// # Safety
/// `answer` was filled by a function of this file, and is given back once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rivals_release(answer: *const Answer) {
    let answer = unsafe { &*answer };
    drop(unsafe { Vec::from_raw_parts(answer.bytes, answer.length, answer.capacity) });
}

/// # Safety
/// `hash` is memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rivals_sort_and_hash(seed: u64, count: u32, hash: *mut u64) -> i32 {
    let Ok(value) = catch_unwind(|| crossings::sort_and_hash(seed, count)) else { return 1 };
    unsafe { hash.write(value) };
    0
}

/// # Safety
/// `hash` is memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rivals_write_numbers(seed: u64, count: u32, hash: *mut u64) -> i32 {
    let Ok(value) = catch_unwind(|| crossings::write_numbers(seed, count)) else { return 1 };
    unsafe { hash.write(value) };
    0
}
