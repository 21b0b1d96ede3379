//! Your functions for Java: bytes in, bytes out, for foreign functions (Java 22 and newer) and for JNI (older Java).
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

#[cfg(not(panic = "unwind"))]
compile_error!("build with panic=unwind: a panic would otherwise end the host's process");

mod jni;

use std::alloc::{self, Layout};
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ptr;

/// The size of the largest buffer that is kept after a call.
const KEPT: usize = 1 << 20;

thread_local! {
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The hash of the interface that this code was generated from.
#[unsafe(no_mangle)]
pub extern "C" fn tierup_abi() -> u64 {
    tierup_calls::ABI
}

/// Calls a function with encoded arguments. Never unwinds. A short answer is copied into `room`, so that no second call
/// is needed, and its length is returned. For a long one this returns -1, and `room` begins with its address, length
/// and capacity, with which [`tierup_free`] frees it.
///
/// # Safety
/// `arguments` points to `length` readable bytes, and `room` to `capacity` writable ones, at least 24. Both stay valid
/// until this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tierup_call(
    function: u32,
    arguments: *const u8,
    length: usize,
    room: *mut u8,
    capacity: usize,
) -> i64 {
    // SAFETY: the caller's promise; without bytes, the pointer may be null.
    let arguments = if length == 0 { &[] } else { unsafe { std::slice::from_raw_parts(arguments, length) } };
    let mut answer = ANSWER.take();
    answer.clear();
    tierup_calls::call(function, arguments, &mut answer);
    if answer.len() <= capacity {
        let length = answer.len();
        // SAFETY: the caller's promise, and nothing else uses `room`.
        unsafe { ptr::copy_nonoverlapping(answer.as_ptr(), room, length) };
        answer.shrink_to(KEPT);
        ANSWER.set(answer);
        return length as i64;
    }
    let mut answer = ManuallyDrop::new(answer);
    let place = [answer.as_mut_ptr() as u64, answer.len() as u64, answer.capacity() as u64];
    // SAFETY: `room` has 24 bytes, at any alignment.
    unsafe { ptr::write_unaligned(room.cast::<[u64; 3]>(), place) };
    -1
}

/// Memory for arguments that are too long for the caller's buffer, or null. [`tierup_free`] frees it.
#[unsafe(no_mangle)]
pub extern "C" fn tierup_allocate(length: usize) -> *mut u8 {
    match Layout::array::<u8>(length) {
        // SAFETY: the layout's size is not zero.
        Ok(layout) if length > 0 => unsafe { alloc::alloc(layout) },
        _ => ptr::null_mut(),
    }
}

/// Copies bytes between the caller's memory and Rust's.
///
/// # Safety
/// Both are `length` bytes long and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tierup_copy(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: the caller's promise.
    unsafe { ptr::copy_nonoverlapping(from, to, length) };
}

/// Frees an answer, or memory of [`tierup_allocate`] with 0 as its `length`.
///
/// # Safety
/// `data`, `length` and `capacity` are of a long answer of [`tierup_call`], or of allocated memory. Each is freed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tierup_free(data: *mut u8, length: usize, capacity: usize) {
    // SAFETY: the caller's promise; a vector of bytes has the layout that `tierup_allocate` uses.
    drop(unsafe { Vec::from_raw_parts(data, length, capacity) });
}
