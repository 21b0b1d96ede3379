//! From the core module that cargo builds to a component.

use wasmparser::{Parser, Payload};
use wit_component::ComponentEncoder;

/// The one import that a component of tierup's has: it is told a panic's message and place.
const PANICKED: &str = "panicked";

/// Wraps a core module as a component, and validates it.
///
/// # Errors
/// If the module needs other imports from its host: a reason to show to users, which names the import.
pub(crate) fn componentize(core: &[u8]) -> Result<Vec<u8>, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_with_another_import_is_refused() {
        // (module (import "wasi_snapshot_preview1" "fd_write" (func (param i32))))
        let mut module =
            b"\0asm\x01\0\0\0\x01\x05\x01\x60\x01\x7f\0\x02\x23\x01\x16wasi_snapshot_preview1\x08fd_write\0\0".to_vec();
        let refused = |module: &[u8]| componentize(module).expect_err("refused");
        assert_eq!(refused(&module), "needs WASI (`fd_write` of `wasi_snapshot_preview1`)");
        module.truncate(20);
        assert!(refused(&module).starts_with("not a Wasm module: "));
    }
}
