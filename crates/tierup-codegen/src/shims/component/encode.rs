//! From the core module that cargo builds to a component.

use wasmparser::{Parser, Payload};
use wit_component::ComponentEncoder;

use super::PANICKED;

/// Wraps a core module as a component, and validates it.
///
/// # Errors
/// What the module wants from its host beside what a component of ours may: a reason to show to users, naming the
/// import.
pub fn componentize(core: &[u8]) -> Result<Vec<u8>, String> {
    if let Some((module, name)) = foreign_import(core).map_err(|error| format!("not a Wasm module: {error}"))? {
        return Err(match module.as_str() {
            wasi if wasi.starts_with("wasi") => format!("needs WASI (`{name}` of `{module}`)"),
            bindgen if bindgen.starts_with("__wbindgen") => {
                "needs JavaScript through wasm-bindgen, which a component cannot have".to_owned()
            }
            _ => format!("needs `{name}` of `{module}`, which nothing provides"),
        });
    }
    let encode = || ComponentEncoder::default().validate(true).module(core)?.encode();
    encode().map_err(|error| format!("no component can be made of it: {error:#}"))
}

/// The first import that is not [`PANICKED`].
fn foreign_import(core: &[u8]) -> Result<Option<(String, String)>, wasmparser::BinaryReaderError> {
    for payload in Parser::new(0).parse_all(core) {
        let Payload::ImportSection(section) = payload? else { continue };
        for import in section.into_imports() {
            let import = import?;
            if (import.module, import.name) != ("$root", PANICKED) {
                return Ok(Some((import.module.to_owned(), import.name.to_owned())));
            }
        }
    }
    Ok(None)
}
