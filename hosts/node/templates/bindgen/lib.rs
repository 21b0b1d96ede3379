//! Your functions as a Wasm module for JavaScript, bound by wasm-bindgen.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.
//!
//! A call passes only numbers. Text and bytes, for which wasm-bindgen would allocate memory at every call, are on the [`desk`],
//! which is kept.

mod desk;
mod direct;

use wasm_bindgen::prelude::*;

/// The hash of the interface that this module was made from.
#[wasm_bindgen]
pub fn abi() -> String {
    format!("{:016x}", tierup_calls::ABI)
}

/// The memory of this instance. The module already exports it as `memory`, but only for its bindings.
#[wasm_bindgen(js_name = instanceMemory)]
pub fn memory() -> JsValue {
    wasm_bindgen::memory()
}

/// Calls a function with the first `length` bytes of the room; its answer, encoded, is then on the desk.
/// A panic traps.
#[wasm_bindgen]
pub fn call(function: u32, length: usize) {
    desk::serve(length, |arguments, answer| tierup_calls::call(function, arguments, answer));
}

/// After a trap: the panic's message. The instance must not be used again.
#[wasm_bindgen(js_name = lastPanic)]
pub fn last_panic() -> Option<String> {
    tierup_calls::guard::take_last_panic()
}
