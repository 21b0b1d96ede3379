//! Rust bindings for the guest, written by wit-bindgen when tierup generates rather than by its macro when the
//! user builds: the macro's dependencies take half a minute to compile.

use wit_bindgen_core::{Files, WorldGenerator, wit_parser::Resolve};
use wit_bindgen_rust::Opts;

/// The version of wit-bindgen that writes the bindings, which the crate's runtime must have too.
pub(super) const VERSION: &str = "0.61.1";

/// The Rust module that binds a guest to `wit`.
///
/// # Panics
/// Where that is no WIT package with one world: an error in [`super::wit`], found by its tests.
pub(super) fn bindings(wit: &str) -> String {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("world.wit", wit).expect("generated WIT is valid");
    let world = resolve.select_world(&[package], None).expect("generated WIT has one world");
    let options = Opts {
        format: true,
        runtime_path: Some("wit_bindgen::rt".to_owned()),
        // They are for bindings in a library that others link.
        disable_custom_section_link_helpers: true,
        ..Opts::default()
    };
    let mut files = Files::default();
    options.build().generate(&mut resolve, world, &mut files).expect("wit-bindgen binds any WIT without resources");
    let (_, content) = files.iter().next().expect("wit-bindgen writes one file");
    String::from_utf8_lossy(content).into_owned()
}

/// The name that wit-bindgen gives to a function or a field.
pub(super) fn value_name(name: &str) -> String {
    wit_bindgen_rust::to_rust_ident(name)
}

/// The name that wit-bindgen gives to a type.
pub(super) fn type_name(name: &str) -> String {
    // Each interface's trait is called `Guest`.
    if name == "guest" { "Guest_".to_owned() } else { case_name(name) }
}

/// The name that wit-bindgen gives to a case.
pub(super) fn case_name(name: &str) -> String {
    heck::ToUpperCamelCase::to_upper_camel_case(name)
}
