//! Your functions for Go, with C's calling convention: bytes in, bytes out.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

#[cfg(not(panic = "unwind"))]
compile_error!("build with panic=unwind: a panic would otherwise end the host's process");

mod direct;

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ptr;

/// The size of the largest buffer that is kept after a call.
const KEPT: usize = 1 << 20;

thread_local! {
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// An answer. If `data` is null it is in the caller's buffer; otherwise it must be freed with [`free`].
#[repr(C)]
pub struct Answer {
    data: *mut u8,
    length: usize,
    capacity: usize,
}

/// The hash of the interface that this code was generated from.
#[unsafe(export_name = "tierup_{{symbol}}_abi")]
pub extern "C" fn abi() -> u64 {
    tierup_calls::ABI
}

/// Calls a function with encoded arguments. Never unwinds.
///
/// # Safety
/// As for [`lent`] and [`copied`].
#[unsafe(export_name = "tierup_{{symbol}}_call")]
pub unsafe extern "C" fn call(
    function: u32,
    arguments: *const u8,
    length: usize,
    room: *mut u8,
    capacity: usize,
) -> Answer {
    // SAFETY: the caller's promise.
    let arguments = unsafe { lent(arguments, length) };
    let mut answer = ANSWER.take();
    answer.clear();
    tierup_calls::call(function, arguments, &mut answer);
    // SAFETY: the caller's promise.
    match unsafe { copied(&answer, room, capacity) } {
        Some(short) => {
            answer.shrink_to(KEPT);
            ANSWER.set(answer);
            short
        }
        None => handed_over(answer),
    }
}

/// An argument, in place.
///
/// # Safety
/// `data` points to `length` bytes that stay readable until the call returns. It may be anything if `length` is 0.
unsafe fn lent<'a>(data: *const u8, length: usize) -> &'a [u8] {
    // SAFETY: the caller's promise.
    if length == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, length) } }
}

/// Copies a short answer into the caller's buffer, so that no second call has to free it.
///
/// # Safety
/// `room` points to `capacity` bytes that are writable until the call returns, and that nothing else uses.
unsafe fn copied(answer: &[u8], room: *mut u8, capacity: usize) -> Option<Answer> {
    let length = answer.len();
    (length <= capacity).then(|| {
        // SAFETY: the caller's promise, and the answer fits.
        unsafe { ptr::copy_nonoverlapping(answer.as_ptr(), room, length) };
        Answer { data: ptr::null_mut(), length, capacity: 0 }
    })
}

/// A long answer, without a copy.
fn handed_over(answer: Vec<u8>) -> Answer {
    let mut answer = ManuallyDrop::new(answer);
    Answer { data: answer.as_mut_ptr(), length: answer.len(), capacity: answer.capacity() }
}

/// Frees an answer.
///
/// # Safety
/// `answer` was returned by a call, its `data` is not null, and it was not freed before.
#[unsafe(export_name = "tierup_{{symbol}}_free")]
pub unsafe extern "C" fn free(answer: Answer) {
    // SAFETY: these are the parts of the vector that `handed_over` took apart.
    drop(unsafe { Vec::from_raw_parts(answer.data, answer.length, answer.capacity) });
}
