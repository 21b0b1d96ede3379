//! `bind`: does the same as the command `wasm-bindgen --target nodejs`.
//!
//! In: a module that was built with wasm-bindgen. Out: `bindgen.js` and `bindgen_bg.wasm`.

use wasm_bindgen_cli_support::Bindgen;

use crate::Files;

pub(crate) fn bind(module: &[u8]) -> Result<Files, String> {
    let mut output = Bindgen::new()
        .input_bytes("bindgen", module.to_vec())
        .nodejs(true)
        .and_then(|bindgen| {
            // A trapped instance would go on answering with its memory as the trap left it, so the host must be able to
            // replace it with a fresh one.
            bindgen.typescript(false).remove_name_section(true).reset_state_function(true).generate_output()
        })
        .map_err(|error| format!("wasm-bindgen: {error:#}"))?;
    let wasm = output.wasm_mut().emit_wasm();
    Ok(vec![("bindgen.js".to_owned(), output.js().into()), ("bindgen_bg.wasm".to_owned(), wasm)])
}
