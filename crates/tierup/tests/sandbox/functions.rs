//! Functions that would harm a process without a sandbox.

pub fn shout(text: &str) -> String {
    text.to_uppercase()
}

pub fn reversed(bytes: &[u8], tail: &str) -> Result<Vec<u8>, String> {
    if bytes.is_empty() {
        return Err("nothing to reverse".to_owned());
    }
    Ok(bytes.iter().rev().copied().chain(tail.bytes()).collect())
}

pub fn panic_with(words: &str) -> String {
    panic!("{words}")
}

pub fn forget(_text: &str) {}

/// Recurses with stack frames in Wasm's own memory (`on_heap`), or only on the native stack.
pub fn recurse(depth: u32, on_heap: bool) -> u32 {
    if depth == 0 {
        return 0;
    }
    if on_heap {
        let room = std::hint::black_box([depth; 64]);
        return recurse(depth - 1, on_heap) + room[0] / depth;
    }
    std::hint::black_box(recurse(depth - 1, on_heap)) + 1
}

pub fn spin(forever: bool) -> u32 {
    while forever {
        std::hint::spin_loop();
    }
    7
}

/// Allocates so many MiB of ones, and returns their sum.
pub fn fill(mebibytes: u32) -> u64 {
    let all = std::hint::black_box(vec![1_u8; (mebibytes as usize) << 20]);
    all.iter().map(|byte| u64::from(*byte)).sum()
}
