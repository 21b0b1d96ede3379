//! The Wasm tools that only `2:bindgen` and `2:component` need, as a separate program that is built when one of them is
//! first requested. They would take a third of tierup's compile time, and most projects never need them.
//!
//! This module holds the program as data: its sources and its commands. `tierup-runner` builds it in the user's cache
//! and runs it.

use crate::Files;

/// The name of the program.
pub const WASM_TOOL: &str = "tierup-wasm";

/// What the program does with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WasmTool {
    /// WIT becomes `bindings.rs`, as wit-bindgen writes it for a guest.
    Bindings,
    /// A module becomes `bindgen.js` and `bindgen_bg.wasm`, as wasm-bindgen writes them for Node.
    Bind,
    /// A core module becomes a component, which then becomes `component.js` and core modules, as jco writes them.
    Transpile,
}

impl WasmTool {
    /// The program's first argument.
    pub fn word(self) -> &'static str {
        match self {
            WasmTool::Bindings => "bindings",
            WasmTool::Bind => "bind",
            WasmTool::Transpile => "transpile",
        }
    }

    /// The program's sources and its lock file, which are valid no matter where tierup itself came from.
    pub fn sources() -> Files {
        SOURCES.iter().fold(Files::new(), |files, (name, text)| files.with(*name, *text))
    }
}

const SOURCES: [(&str, &str); 7] = [
    ("Cargo.lock", include_str!("../../../tools/wasm/Cargo.lock")),
    ("Cargo.toml", include_str!("../../../tools/wasm/Cargo.toml")),
    ("src/bind.rs", include_str!("../../../tools/wasm/src/bind.rs")),
    ("src/bindings.rs", include_str!("../../../tools/wasm/src/bindings.rs")),
    ("src/component.rs", include_str!("../../../tools/wasm/src/component.rs")),
    ("src/main.rs", include_str!("../../../tools/wasm/src/main.rs")),
    ("src/transpile.rs", include_str!("../../../tools/wasm/src/transpile.rs")),
];

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use super::*;

    /// A file that is missing here would be missing in every user's cache.
    #[test]
    fn every_source_is_in() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/wasm");
        let names = |folder: &str| {
            let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
            let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
            files.map(|file| file.file_name().into_string().unwrap()).collect::<Vec<_>>()
        };
        let own = names(&format!("{folder}/src")).into_iter().map(|name| format!("src/{name}"));
        let there: BTreeSet<String> = names(folder).into_iter().chain(own).collect();
        let embedded: BTreeSet<String> = WasmTool::sources().iter().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(embedded, there);
    }
}
