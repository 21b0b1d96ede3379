//! Tells the host what a panic said. In Wasm a panic cannot be caught: the trap that follows says nothing.

use std::panic;
use std::sync::Once;

use crate::bindings::panicked;

/// Reports panics from here on.
pub fn report() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        panic::set_hook(Box::new(|info| {
            let said = info.payload_as_str().unwrap_or("panicked");
            match info.location() {
                Some(place) => panicked(&format!("{said}, at {}:{}:{}", place.file(), place.line(), place.column())),
                None => panicked(said),
            }
        }));
    });
}
