//! Your functions for Go, with C's way to call: bytes in, bytes out.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

#[cfg(not(panic = "unwind"))]
compile_error!("build with panic=unwind: a panic would otherwise end the host's process");

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ptr;

/// A buffer that has grown beyond this is given back after the call.
const KEPT: usize = 1 << 20;

thread_local! {
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// An answer: in the caller's room where `data` is null, else to be given back with [`free`].
#[repr(C)]
pub struct Answer {
    data: *mut u8,
    length: usize,
    capacity: usize,
}

/// The hash of the interface that this was made from.
#[unsafe(export_name = "tierup_SYMBOL_abi")]
pub extern "C" fn abi() -> u64 {
    tierup_calls::ABI
}

/// Calls a function with encoded arguments. Never unwinds. A short answer is copied into the caller's room, so that it
/// takes no second call; a long one is handed over as it is.
///
/// # Safety
/// `arguments` is `length` bytes to be read, `room` is `capacity` bytes to be written, both until this returns.
#[unsafe(export_name = "tierup_SYMBOL_call")]
pub unsafe extern "C" fn call(
    function: u32,
    arguments: *const u8,
    length: usize,
    room: *mut u8,
    capacity: usize,
) -> Answer {
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
        return Answer { data: ptr::null_mut(), length, capacity: 0 };
    }
    let mut answer = ManuallyDrop::new(answer);
    Answer { data: answer.as_mut_ptr(), length: answer.len(), capacity: answer.capacity() }
}

/// Gives an answer back.
///
/// # Safety
/// What [`call`] returned, once, with data that is not null.
#[unsafe(export_name = "tierup_SYMBOL_free")]
pub unsafe extern "C" fn free(answer: Answer) {
    // SAFETY: these are the parts of the vector that `call` took apart.
    drop(unsafe { Vec::from_raw_parts(answer.data, answer.length, answer.capacity) });
}
