//! The Wasm tools that few projects need, as separate programs that are built when one is first requested. Within
//! tierup, they would take most of its compile time.
//!
//! This module holds the programs as data: their sources and their commands. `tierup-runner` builds them in the user's
//! cache and runs them.

use crate::Files;

/// A program's work on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WasmTool {
    /// WIT becomes `bindings.rs`, as wit-bindgen writes it for a guest.
    Bindings,
    /// A module becomes `bindgen.js` and `bindgen_bg.wasm`, as wasm-bindgen writes them for Node.
    Bind,
    /// A core module becomes a component, which then becomes `component.js` and core modules, as jco writes them.
    Transpile,
    /// A core module becomes `core.cwasm` and `core-timed.cwasm`, machine code for wasmtime's runtime.
    Precompile,
}

impl WasmTool {
    /// The program's first argument.
    pub fn word(self) -> &'static str {
        match self {
            WasmTool::Bindings => "bindings",
            WasmTool::Bind => "bind",
            WasmTool::Transpile => "transpile",
            WasmTool::Precompile => "precompile",
        }
    }

    /// The program that does this work.
    pub fn program(self) -> &'static ToolProgram {
        match self {
            WasmTool::Bindings | WasmTool::Bind | WasmTool::Transpile => &BINDINGS,
            WasmTool::Precompile => &PRECOMPILER,
        }
    }
}

/// A program with Wasm tools.
#[derive(Debug)]
pub struct ToolProgram {
    pub name: &'static str,
    /// Its description for people: `the Wasm tools`.
    pub title: &'static str,
    /// The variants that need it.
    pub serves: &'static str,
    /// The tiers and variants that work without it, for `--tiers`.
    pub others: &'static str,
    sources: &'static [(&'static str, &'static str)],
}

impl ToolProgram {
    /// The program's sources and its lock file, which are valid no matter where tierup itself came from.
    pub fn sources(&self) -> Files {
        self.sources.iter().fold(Files::new(), |files, (name, text)| files.with(*name, *text))
    }
}

static BINDINGS: ToolProgram = ToolProgram {
    name: "tierup-wasm",
    title: "the Wasm tools",
    serves: "2:bindgen and 2:component",
    others: "1,2:core,3",
    sources: &[
        ("Cargo.lock", include_str!("../../../tools/wasm/Cargo.lock")),
        ("Cargo.toml", include_str!("../../../tools/wasm/Cargo.toml")),
        ("src/bind.rs", include_str!("../../../tools/wasm/src/bind.rs")),
        ("src/bindings.rs", include_str!("../../../tools/wasm/src/bindings.rs")),
        ("src/component.rs", include_str!("../../../tools/wasm/src/component.rs")),
        ("src/main.rs", include_str!("../../../tools/wasm/src/main.rs")),
        ("src/transpile.rs", include_str!("../../../tools/wasm/src/transpile.rs")),
    ],
};

static PRECOMPILER: ToolProgram = ToolProgram {
    name: "tierup-precompile",
    title: "the compiler of Wasm modules",
    serves: "2:core in hosts without a Wasm runtime",
    others: "1,3",
    sources: &[
        ("Cargo.lock", include_str!("../../../tools/precompile/Cargo.lock")),
        ("Cargo.toml", include_str!("../../../tools/precompile/Cargo.toml")),
        ("src/main.rs", include_str!("../../../tools/precompile/src/main.rs")),
        ("src/settings.rs", include_str!("../../../tools/precompile/src/settings.rs")),
    ],
};

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use super::*;

    /// A file that is missing here would be missing in every user's cache.
    #[test]
    fn every_source_file_is_included() {
        for (program, folder) in [(&BINDINGS, "wasm"), (&PRECOMPILER, "precompile")] {
            let folder = format!("{}/../../tools/{folder}", env!("CARGO_MANIFEST_DIR"));
            let names = |folder: &str| {
                let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
                let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
                files.map(|file| file.file_name().into_string().unwrap()).collect::<Vec<_>>()
            };
            let own = names(&format!("{folder}/src")).into_iter().map(|name| format!("src/{name}"));
            let there: BTreeSet<String> = names(&folder).into_iter().chain(own).collect();
            let embedded: BTreeSet<String> = program.sources().iter().map(|(name, _)| name.to_owned()).collect();
            assert_eq!(embedded, there);
        }
    }
}
