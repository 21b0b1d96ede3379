//! Counts what a thread allocates, as `crates/tierup-parity/tests/memory.rs` does.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    static HAS: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(bytes: usize, sign: isize) {
    // A thread that ends frees memory, too.
    let _ = HAS.try_with(|has| {
        has.set(has.get() + bytes.cast_signed() * sign);
        let _ = MOST.try_with(|most| most.set(most.get().max(has.get())));
    });
}

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(layout.size(), -1);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, 1);
        count(layout.size(), -1);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What this work returns, and the most bytes that its thread had in addition at one time.
pub fn most_taken<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HAS.get();
    MOST.set(before);
    let result = work();
    (result, (MOST.get() - before).unsigned_abs())
}
