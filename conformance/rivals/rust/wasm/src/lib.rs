//! The functions as Wasm exports that any runtime can call: arguments go to `rivals_in`'s memory, an answer is a pointer
//! to its place and its length, four bytes each. The same shape as tierup's byte ABI, without its codec.

use std::cell::UnsafeCell;

/// A module runs one call at a time, in one thread.
struct Kept<T>(UnsafeCell<T>);

unsafe impl<T> Sync for Kept<T> {}

static INPUT: Kept<Vec<u8>> = Kept(UnsafeCell::new(Vec::new()));
static OUTPUT: Kept<Vec<u8>> = Kept(UnsafeCell::new(Vec::new()));
static ANSWER: Kept<[u32; 2]> = Kept(UnsafeCell::new([0; 2]));

/// Room for `capacity` bytes of argument, valid until it is asked for again.
#[unsafe(no_mangle)]
pub extern "C" fn rivals_in(capacity: usize) -> *mut u8 {
    let input = unsafe { &mut *INPUT.0.get() };
    input.resize(capacity, 0);
    input.as_mut_ptr()
}

fn input(length: usize) -> &'static [u8] {
    unsafe { &(&*INPUT.0.get())[..length] }
}

fn answer(bytes: Vec<u8>) -> *const u32 {
    let (output, answer) = unsafe { (&mut *OUTPUT.0.get(), &mut *ANSWER.0.get()) };
    *output = bytes;
    // Addresses of wasm32.
    *answer = [output.as_ptr() as u32, output.len() as u32];
    answer.as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn echo_text(length: usize) -> *const u32 {
    let text = std::str::from_utf8(input(length)).expect("the caller encodes text as UTF-8");
    answer(crossings::echo_text(text).into_bytes())
}

#[unsafe(no_mangle)]
pub extern "C" fn echo_bytes(length: usize) -> *const u32 {
    answer(crossings::echo_bytes(input(length)))
}

#[unsafe(no_mangle)]
pub extern "C" fn sort_and_hash(seed: u64, count: u32) -> u64 {
    crossings::sort_and_hash(seed, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn write_numbers(seed: u64, count: u32) -> u64 {
    crossings::write_numbers(seed, count)
}
