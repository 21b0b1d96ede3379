//! The library's allocator: memory of medium size is the BEAM's, all else glibc's.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.
//!
//! The BEAM sets glibc's `M_TRIM_THRESHOLD` when it starts, which also keeps `M_MMAP_THRESHOLD` at 128 KiB (mallopt(3)). In its process,
//! glibc then gives back memory that was just freed, and takes it anew for the next call, with a page fault for each 4 KiB. The
//! BEAM's own allocator keeps it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::ptr;

use rustler::sys::{enif_alloc, enif_free};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// What is smaller stays with glibc, whose threads have caches of their own: dirty schedulers share one lock of the BEAM's.
const LEAST: usize = 32 << 10;
/// What is larger takes longer to fill than to map, and would be kept for a long time.
const MOST: usize = 4 << 20;
/// How the BEAM aligns memory.
const ALIGNMENT: usize = 8;

struct Allocator;

/// Who has the memory of a layout. It says the same when the memory is freed, so nothing else has to be remembered.
fn is_the_beams(layout: &Layout) -> bool {
    (LEAST..=MOST).contains(&layout.size()) && layout.align() <= ALIGNMENT
}

// SAFETY: a layout decides which allocator its memory belongs to. Both are thread-safe, do not unwind, and answer null where
// there is no memory. The BEAM's functions are linked when the library is loaded, before any of its code runs.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_the_beams(&layout) {
            // SAFETY: any size is allowed.
            unsafe { enif_alloc(layout.size()).cast() }
        } else {
            // SAFETY: the caller's.
            unsafe { System.alloc(layout) }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !is_the_beams(&layout) {
            // SAFETY: the caller's.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: the caller's.
        let memory = unsafe { self.alloc(layout) };
        if !memory.is_null() {
            // SAFETY: it has this size.
            unsafe { ptr::write_bytes(memory, 0, layout.size()) };
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if is_the_beams(&layout) {
            // SAFETY: it was allocated with this layout, so by the BEAM.
            unsafe { enif_free(memory.cast::<c_void>()) };
        } else {
            // SAFETY: it was allocated with this layout, so by glibc.
            unsafe { System.dealloc(memory, layout) };
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller guarantees that the size is valid for this alignment.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        if !is_the_beams(&layout) && !is_the_beams(&new) {
            // SAFETY: it was allocated with this layout, so by glibc.
            return unsafe { System.realloc(memory, layout, size) };
        }
        // `enif_realloc` would map large memory anew as it grows.
        // SAFETY: the size is not 0.
        let moved = unsafe { self.alloc(new) };
        if !moved.is_null() {
            // SAFETY: both have so many bytes, and they are apart.
            unsafe { ptr::copy_nonoverlapping(memory, moved, layout.size().min(size)) };
            // SAFETY: it was allocated with this layout, and is not used any more.
            unsafe { self.dealloc(memory, layout) };
        }
        moved
    }
}
