//! Keeps a panic of the user's code from harming whoever called it.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use crate::place;

thread_local! {
    /// Guarded calls in progress on this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// What the last panic inside a guarded call said.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `call`; a panic comes back as its message and place.
///
/// Where panics abort (Wasm), this does not return: the message is then to be had from [`take_last_panic`].
pub fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    install_hook();
    DEPTH.set(DEPTH.get() + 1);
    let outcome = panic::catch_unwind(AssertUnwindSafe(call));
    DEPTH.set(DEPTH.get() - 1);
    outcome.map_err(|payload| {
        discard(payload);
        take_last_panic().unwrap_or_else(|| "panicked".to_owned())
    })
}

/// The message of the last panic on this thread that nobody has asked for yet.
pub fn take_last_panic() -> Option<String> {
    LAST.with(|last| last.try_borrow_mut().ok().and_then(|mut last| last.take()))
}

/// A panic inside a guarded call is an answer, not news for standard error; any other panic
/// (in a thread that the function started) goes on to whatever hook there was.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if DEPTH.try_with(Cell::get).unwrap_or(0) == 0 {
                return previous(info);
            }
            let message = message(info);
            // Neither may panic again: a panic inside the hook aborts the process.
            let _ = LAST.try_with(|last| last.try_borrow_mut().map(|mut last| *last = Some(message)));
        }));
    });
}

fn message(info: &PanicHookInfo<'_>) -> String {
    let said = info.payload_as_str().unwrap_or("panicked");
    match info.location() {
        Some(at) => format!("{said}, at {}:{}:{}", place::shown(at.file()), at.line(), at.column()),
        None => said.to_owned(),
    }
}

/// Drops a panic's payload, whose own `drop` may panic in turn.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(again) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
}
