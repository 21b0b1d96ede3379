//! Keeps a panic of the user's code from harming its caller.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, Location};
use std::sync::Once;

use crate::place;

thread_local! {
    /// Guarded calls in progress on this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The last panic inside a guarded call: the user's code may have caught it since.
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// A panic as the hook sees it.
struct Panic {
    said: String,
    at: Option<String>,
}

impl Panic {
    fn message(self) -> String {
        match self.at {
            Some(at) => format!("{}, at {at}", self.said),
            None => self.said,
        }
    }
}

/// Runs `call`; a panic comes back as its message and place.
///
/// Where panics abort (Wasm), this does not return; [`take_last_panic`] then has the message.
pub fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    install_hook();
    // The message that an earlier call left belongs to another caller.
    take_last();
    DEPTH.set(DEPTH.get() + 1);
    let outcome = panic::catch_unwind(AssertUnwindSafe(call));
    DEPTH.set(DEPTH.get() - 1);
    outcome.map_err(|payload| {
        let said = said(&*payload);
        discard(payload);
        // A rethrown panic (`resume_unwind`, as in rayon) skips the hook, so the hook's last panic may be another one,
        // which the user's code caught. Only the text tells them apart.
        match take_last() {
            Some(last) if last.said == said => last.message(),
            _ => said,
        }
    })
}

/// The message of the last panic on this thread, until it is asked for.
pub fn take_last_panic() -> Option<String> {
    take_last().map(Panic::message)
}

fn take_last() -> Option<Panic> {
    LAST.with(|last| last.try_borrow_mut().ok().and_then(|mut last| last.take()))
}

/// Keeps panics inside guarded calls, which become answers, off standard error. Any other panic (in a thread that the
/// function started) goes on to the previous hook.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if DEPTH.try_with(Cell::get).unwrap_or(0) == 0 {
                return previous(info);
            }
            let place = |at: &Location<'_>| format!("{}:{}:{}", place::shown(at.file()), at.line(), at.column());
            let panic =
                Panic { said: info.payload_as_str().unwrap_or(UNSAID).to_owned(), at: info.location().map(place) };
            // Neither may panic again: a panic inside the hook aborts the process.
            let _ = LAST.try_with(|last| last.try_borrow_mut().map(|mut last| *last = Some(panic)));
        }));
    });
}

/// The message for a payload that is no text.
const UNSAID: &str = "panicked";

fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&'static str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or(UNSAID).to_owned()
}

/// Drops a panic's payload, whose own `drop` may panic in turn.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(again) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
}
