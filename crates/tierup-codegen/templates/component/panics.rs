//! Tells the host a panic's message. In Wasm a panic cannot be caught, and the trap that follows has no message.

use std::panic;
use std::sync::Once;

use crate::bindings::panicked;
use crate::place;

/// Reports panics from here on.
pub fn report() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        panic::set_hook(Box::new(|info| {
            let said = info.payload_as_str().unwrap_or("panicked");
            match info.location() {
                Some(at) => panicked(&format!("{said}, at {}:{}:{}", place::shown(at.file()), at.line(), at.column())),
                None => panicked(said),
            }
        }));
    });
}
