//! Keeps this library in memory for as long as the process lives: a host may unload its extensions while a thread, a
//! fork handler or a thread's destructor still runs code of this library.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

#[cfg(unix)]
pub fn pin() {
    use std::mem::MaybeUninit;

    static INSIDE: u8 = 0;
    let mut place = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the address is in this library, and there is room for the answer, for which zeros are a value.
    let place = unsafe {
        if libc::dladdr((&raw const INSIDE).cast(), place.as_mut_ptr()) == 0 {
            return;
        }
        place.assume_init()
    };
    if !place.dli_fname.is_null() {
        // The file is loaded already. A failure is ignored: then it is part of a program, or the system never unloads.
        // SAFETY: the name is a string of the loader's.
        unsafe { libc::dlopen(place.dli_fname, libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) };
    }
}

#[cfg(not(unix))]
pub fn pin() {}
