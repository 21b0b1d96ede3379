//! Forks: a child has only the thread that forked. So no other thread may hold a lock at that moment, and the work of
//! the parent's threads starts anew in the child.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use std::sync::{Mutex, MutexGuard, PoisonError};

static QUIET: Mutex<()> = Mutex::new(());

/// Delays forks while wasmtime uses its registries of types and code, which have locks. Calls do not use them.
pub fn none_meanwhile() -> MutexGuard<'static, ()> {
    QUIET.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registers the fork handlers: from here on, [`none_meanwhile`] delays forks, and children start anew.
#[cfg(unix)]
pub fn watch() -> Result<(), String> {
    // SAFETY: the three functions live as long as the process, as this library is never unloaded: `pin.rs`.
    match unsafe { libc::pthread_atfork(Some(unix::before), Some(unix::in_parent), Some(unix::in_child)) } {
        0 => Ok(()),
        error => Err(format!("cannot watch for forks: {}", std::io::Error::from_raw_os_error(error))),
    }
}

#[cfg(not(unix))]
pub fn watch() -> Result<(), String> {
    Ok(())
}

#[cfg(unix)]
mod unix {
    use std::cell::UnsafeCell;
    use std::sync::MutexGuard;

    use super::none_meanwhile;
    use crate::{clock, seat};

    struct Held(UnsafeCell<Option<MutexGuard<'static, ()>>>);

    // SAFETY: only the lock's holder uses it, between `before` and the two others, all on the thread that forks.
    unsafe impl Sync for Held {}

    static HELD: Held = Held(UnsafeCell::new(None));

    pub unsafe extern "C" fn before() {
        let guard = none_meanwhile();
        // SAFETY: this thread holds the lock.
        unsafe { *HELD.0.get() = Some(guard) };
    }

    pub unsafe extern "C" fn in_parent() {
        // SAFETY: `before` took the lock on this thread.
        drop(unsafe { (*HELD.0.get()).take() });
    }

    pub unsafe extern "C" fn in_child() {
        clock::is_gone();
        seat::others_are_gone();
        // SAFETY: `before` took the lock on the thread that forked, which is the child's only thread.
        drop(unsafe { (*HELD.0.get()).take() });
    }
}
