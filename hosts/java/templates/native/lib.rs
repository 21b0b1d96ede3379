//! Your functions for Java: bytes in, bytes out, for foreign functions (Java 22 and newer) and for JNI below.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

#[cfg(not(panic = "unwind"))]
compile_error!("build with panic=unwind: a panic would otherwise end the host's process");

mod jni;

use std::alloc::{self, Layout};
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ptr;

/// A buffer that has grown beyond this is given back after the call.
const KEPT: usize = 1 << 20;

thread_local! {
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The hash of the interface that this was made from.
#[unsafe(no_mangle)]
pub extern "C" fn tierup_abi() -> u64 {
    tierup_calls::ABI
}

/// Calls a function with encoded arguments. Never unwinds. A short answer is copied into the caller's room, and its
/// length comes back, so that it takes no second call. Of a long one -1 comes back, and in the room stands where it is:
/// three numbers, with which it is to be given back by [`tierup_free`].
///
/// # Safety
/// `arguments` is `length` bytes to be read, `room` is `capacity` bytes to be written, at least 24, both until this
/// returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tierup_call(
    function: u32,
    arguments: *const u8,
    length: usize,
    room: *mut u8,
    capacity: usize,
) -> i64 {
    // SAFETY: the caller's promise; of no bytes the pointer may be null.
    let arguments = if length == 0 { &[] } else { unsafe { std::slice::from_raw_parts(arguments, length) } };
    let mut answer = ANSWER.take();
    answer.clear();
    tierup_calls::call(function, arguments, &mut answer);
    if answer.len() <= capacity {
        let length = answer.len();
        // SAFETY: the caller's promise, and the room is nobody else's.
        unsafe { ptr::copy_nonoverlapping(answer.as_ptr(), room, length) };
        answer.shrink_to(KEPT);
        ANSWER.set(answer);
        return length as i64;
    }
    let mut answer = ManuallyDrop::new(answer);
    let place = [answer.as_mut_ptr() as u64, answer.len() as u64, answer.capacity() as u64];
    // SAFETY: the room has 24 bytes, wherever they begin.
    unsafe { ptr::write_unaligned(room.cast::<[u64; 3]>(), place) };
    -1
}

/// Memory for arguments that are too long for a buffer of the caller's, or null. [`tierup_free`] takes it back.
#[unsafe(no_mangle)]
pub extern "C" fn tierup_allocate(length: usize) -> *mut u8 {
    match Layout::array::<u8>(length) {
        // SAFETY: the layout is not of size zero.
        Ok(layout) if length > 0 => unsafe { alloc::alloc(layout) },
        _ => ptr::null_mut(),
    }
}

/// Copies bytes between memory of the caller's and memory of ours.
///
/// # Safety
/// Both are `length` bytes long and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tierup_copy(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: the caller's promise.
    unsafe { ptr::copy_nonoverlapping(from, to, length) };
}

/// Gives back an answer, or what [`tierup_allocate`] gave (whose length in use is 0).
///
/// # Safety
/// The three numbers of a vector that [`tierup_call`] took apart, or what was allocated with this capacity; once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tierup_free(data: *mut u8, length: usize, capacity: usize) {
    // SAFETY: the caller's promise; a vector of bytes has the layout that `tierup_allocate` asks for.
    drop(unsafe { Vec::from_raw_parts(data, length, capacity) });
}
