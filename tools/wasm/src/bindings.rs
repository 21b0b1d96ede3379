//! `bindings`: Rust bindings for a component's guest, as the macro of wit-bindgen would make them.
//!
//! In: a WIT package with one world. Out: `bindings.rs`.

use wit_bindgen_core::{Files as Generated, WorldGenerator, wit_parser::Resolve};
use wit_bindgen_rust::Opts;

use crate::Files;

pub(crate) fn bindings(wit: &[u8]) -> Result<Files, String> {
    let text = std::str::from_utf8(wit).map_err(|error| format!("the WIT is not UTF-8: {error}"))?;
    let mut resolve = Resolve::default();
    let package = resolve.push_str("world.wit", text).map_err(|error| format!("not a WIT package: {error:#}"))?;
    let world = resolve.select_world(&[package], None).map_err(|error| format!("not one world: {error:#}"))?;
    let options = Opts {
        format: true,
        runtime_path: Some("wit_bindgen::rt".to_owned()),
        // These helpers are for bindings in a library that others link.
        disable_custom_section_link_helpers: true,
        ..Opts::default()
    };
    let mut files = Generated::default();
    let generated = options.build().generate(&mut resolve, world, &mut files);
    generated.map_err(|error| format!("wit-bindgen: {error:#}"))?;
    let (_, content) = files.iter().next().ok_or("wit-bindgen wrote nothing")?;
    Ok(vec![("bindings.rs".to_owned(), content.to_vec())])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words to which tierup's shims and wit-bindgen append `_` in Rust identifiers.
    const ESCAPED: &str = include_str!("../../../crates/tierup-codegen/src/shims/component/escaped.txt");

    #[test]
    fn tierup_escapes_the_words_that_wit_bindgen_escapes() {
        for word in ESCAPED.split_whitespace() {
            assert_eq!(wit_bindgen_rust::to_rust_ident(word), format!("{word}_"));
        }
        // Every other reserved word, and some names that are not reserved.
        for word in ["gen", "union", "raw", "safe", "auto", "default", "static-x", "guest", "a1-b"] {
            assert_eq!(wit_bindgen_rust::to_rust_ident(word), word.replace('-', "_"));
        }
    }

    #[test]
    fn a_world_is_bound() {
        let wit = "package tierup:hot;\ninterface functions { f: func(a: u8); }\nworld library { export functions; }\n";
        let files = bindings(wit.as_bytes()).expect("bound");
        assert_eq!(files[0].0, "bindings.rs");
        assert!(String::from_utf8_lossy(&files[0].1).contains("pub trait Guest"));
    }

    #[test]
    fn text_that_is_not_wit_is_refused() {
        assert!(bindings(b"world").expect_err("no WIT").starts_with("not a WIT package: "));
    }
}
