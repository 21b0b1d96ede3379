//! Your functions as an extension of PHP: the glue in `c/glue.c` defines PHP's functions.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

#[cfg(not(panic = "unwind"))]
compile_error!("build with panic=unwind: a panic would otherwise end the host's process");

mod direct;
mod entries;

use std::ffi::c_void;

unsafe extern "C" {
    fn tierup_module(
        entries: &'static entries::Entries,
        is_utf8: unsafe extern "C" fn(*const u8, usize) -> bool,
    ) -> *mut c_void;
}

/// PHP calls this when it loads the extension.
#[unsafe(no_mangle)]
pub extern "C" fn get_module() -> *mut c_void {
    // SAFETY: PHP loads extensions in its first thread, before it starts others.
    unsafe { tierup_module(&entries::ENTRIES, is_utf8) }
}

/// Whether bytes are valid UTF-8.
///
/// # Safety
/// The bytes must be readable, and must not change, until this returns.
unsafe extern "C" fn is_utf8(data: *const u8, length: usize) -> bool {
    // SAFETY: the caller's promise; even an empty PHP string has an address.
    std::str::from_utf8(unsafe { std::slice::from_raw_parts(data, length) }).is_ok()
}
