//! The memory for arguments and answers, and the four words that tell JavaScript where it is.
//!
//! Made by tierup; the same in every module.

use std::cell::RefCell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};

use wasm_bindgen::prelude::*;

/// The size of the largest buffer that is kept after a call.
const KEPT: usize = 1 << 20;

/// What JavaScript reads, in this order. Calling a function for it would take longer than many users' functions.
/// Atomic because every static must be; in a module with one thread these are ordinary loads and stores.
#[repr(C)]
struct Desk {
    room: AtomicPtr<u8>,
    capacity: AtomicUsize,
    answer: AtomicPtr<u8>,
    length: AtomicUsize,
}

static DESK: Desk = Desk {
    room: AtomicPtr::new(ptr::null_mut()),
    capacity: AtomicUsize::new(0),
    answer: AtomicPtr::new(ptr::null_mut()),
    length: AtomicUsize::new(0),
};

thread_local! {
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Where the four words are.
#[wasm_bindgen]
pub fn desk() -> *const u8 {
    (&raw const DESK).cast()
}

/// Makes room for `capacity` bytes of arguments. What was there is lost.
#[wasm_bindgen(js_name = makeRoom)]
pub fn make_room(capacity: usize) {
    ROOM.with_borrow_mut(|room| {
        room.clear();
        room.resize(capacity, 0);
        publish_room(room);
    });
}

/// Answers a call with the result of `call` for the first `length` bytes of the room. The answer is valid until the next call.
pub fn serve<T>(length: usize, call: impl FnOnce(&[u8], &mut Vec<u8>) -> T) -> T {
    ROOM.with_borrow_mut(|room| {
        ANSWER.with_borrow_mut(|answer| {
            answer.clear();
            answer.shrink_to(KEPT);
            let outcome = call(&room[..length], answer);
            DESK.answer.store(answer.as_mut_ptr(), Relaxed);
            DESK.length.store(answer.len(), Relaxed);
            if room.len() > KEPT {
                room.truncate(KEPT);
                room.shrink_to_fit();
                publish_room(room);
            }
            outcome
        })
    })
}

fn publish_room(room: &mut Vec<u8>) {
    DESK.room.store(room.as_mut_ptr(), Relaxed);
    DESK.capacity.store(room.len(), Relaxed);
}
