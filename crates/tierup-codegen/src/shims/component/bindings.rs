//! The bindings that wit-bindgen generates from the WIT: the step that runs it, and the names that it gives. tierup's
//! build writes them instead of wit-bindgen's macro: the macro's dependencies take half a minute to compile.

use crate::{Converter, Step, WasmTool};

/// The version of wit-bindgen that writes the bindings (`tools/wasm/Cargo.toml`); the crate's runtime must have it too.
pub(super) const VERSION: &str = "0.61.1";

/// Writes `component/src/bindings.rs`.
pub(super) fn bind() -> Step {
    Step::Convert {
        from: "component/wit/world.wit".into(),
        into: "component/src".into(),
        converter: Converter::by_tool(WasmTool::Bindings, Ok),
    }
}

/// The words that wit-bindgen changes when they are names; `tools/wasm` tests that the list is complete.
const ESCAPED: &str = include_str!("escaped.txt");

/// The name that wit-bindgen gives to a function or a field.
pub(super) fn value_name(name: &str) -> String {
    match ESCAPED.split_whitespace().any(|word| word == name) {
        true => format!("{name}_"),
        false => heck::ToSnakeCase::to_snake_case(name),
    }
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
