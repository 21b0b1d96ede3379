//! Counts what a thread allocates, for tests and for `fuzz/`, which includes this file.

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
    let has = HAS.get() + bytes.cast_signed() * sign;
    HAS.set(has);
    MOST.set(MOST.get().max(has));
}

#[expect(unsafe_code, reason = "an allocator is unsafe to write; this one passes on to the system's")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(layout.size(), -1);
        unsafe { System.dealloc(pointer, layout) }
    }

    /// Counts like an allocator that cannot grow in place: the old and the new block exist together for a moment.
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, 1);
        count(layout.size(), -1);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// How much memory some work took on its thread, in bytes.
pub(crate) struct Taken {
    /// The largest amount allocated in addition at one time.
    pub(crate) most: usize,
    /// The amount still allocated after the work, including its result.
    pub(crate) kept: usize,
}

/// Returns the result of this work, and the memory that it took.
pub(crate) fn taken<T>(work: impl FnOnce() -> T) -> (T, Taken) {
    let before = HAS.get();
    MOST.set(before);
    let result = work();
    let [most, kept] = [MOST.get(), HAS.get()].map(|bytes| (bytes - before).unsigned_abs());
    (result, Taken { most, kept })
}
