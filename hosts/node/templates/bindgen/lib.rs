//! Your functions as a Wasm module for JavaScript, bound by wasm-bindgen.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.
//!
//! Only numbers cross at a call. Text and bytes, which wasm-bindgen would put into memory of their own and take
//! out again at every call, lie on the [`desk`], which stays where it is.

mod desk;
mod direct;

use wasm_bindgen::prelude::*;

/// The hash of the interface that this module was made from.
#[wasm_bindgen]
pub fn abi() -> String {
    format!("{:016x}", tierup_calls::ABI)
}

/// The memory of this instance. Not `memory`, under which the module has it already, for its bindings alone.
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

/// After a trap: what the panic said. The instance is then to be thrown away.
#[wasm_bindgen(js_name = lastPanic)]
pub fn last_panic() -> Option<String> {
    tierup_calls::guard::take_last_panic()
}
