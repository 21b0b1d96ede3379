//! `2:bindgen`: a Wasm module bound by wasm-bindgen.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use tierup_codegen::shims::{WasmFeatures, build_wasm, is_direct, manifest};
use tierup_codegen::{Converter, Files, Project, Recipe, Step, rust};
use tierup_model::{Function, Type};
use wasm_bindgen_cli_support::Bindgen;

/// The crate `node-bindgen/`, its build, and the bound module's place in the package.
pub(crate) fn recipe(project: &Project) -> Recipe {
    // The library in the module and the generator in this program must be of one version.
    let manifest = manifest(
        &project.interface,
        "tierup-node-bindgen",
        r#"[lib]
crate-type = ["cdylib"]

[dependencies]
tierup-calls = { path = "../calls" }
wasm-bindgen = "=0.2.130""#,
    );
    let files = Files::new()
        .with("node-bindgen/Cargo.toml", manifest)
        .with("node-bindgen/src/lib.rs", library(&project.interface.functions));
    let bind = Step::Convert {
        from: "target/wasm32-unknown-unknown/wasm/tierup_node_bindgen.wasm".into(),
        into: "node/artifacts/bindgen".into(),
        converter: Converter::new(bind),
    };
    Recipe { files, steps: vec![Step::Run(build_wasm("tierup-node-bindgen", WasmFeatures::Vectors)), bind] }
}

/// What the command `wasm-bindgen --target nodejs` does.
fn bind(module: &[u8]) -> Result<Files, String> {
    let mut output = Bindgen::new()
        .input_bytes("bindgen", module.to_vec())
        .nodejs(true)
        .and_then(|bindgen| {
            // A trapped instance goes on answering, with its memory as the trap left it: the host must be able
            // to put a fresh one in its place.
            bindgen.typescript(false).remove_name_section(true).reset_state_function(true).generate_output()
        })
        .map_err(|error| format!("wasm-bindgen: {error:#}"))?;
    let wasm = output.wasm_mut().emit_wasm();
    Ok(Files::new().with("bindgen.js", output.js()).with("bindgen_bg.wasm", wasm))
}

fn library(functions: &[Function]) -> String {
    let exports = functions.iter().enumerate().filter(|(_, function)| is_direct(function)).map(export);
    let tokens = quote! {
        #![allow(unused_imports, dead_code)]

        use tierup_calls::{Outcome, direct};
        use wasm_bindgen::prelude::*;

        /// The hash of the interface that this module was made from.
        #[wasm_bindgen]
        pub fn abi() -> String {
            format!("{:016x}", tierup_calls::ABI)
        }

        /// Calls a function with encoded arguments; the answer's bytes. A panic traps.
        #[wasm_bindgen]
        pub fn call(function: u32, arguments: &[u8]) -> Vec<u8> {
            let mut answer = Vec::new();
            tierup_calls::call(function, arguments, &mut answer);
            answer
        }

        /// After a trap: what the panic said. The instance is then to be thrown away.
        #[wasm_bindgen(js_name = lastPanic)]
        pub fn last_panic() -> Option<String> {
            tierup_calls::guard::take_last_panic()
        }

        fn value<T>(outcome: Outcome<T>) -> Result<T, JsError> {
            match outcome {
                Outcome::Ok(value) => Ok(value),
                // Panics do not come back here: they trap.
                Outcome::Error(message) | Outcome::Panic(message) => Err(JsError::new(&message)),
            }
        }

        #(#exports)*
    };
    rust::header("Your functions as a Wasm module for JavaScript.") + &rust::format(tokens)
}

fn export((number, function): (usize, &Function)) -> TokenStream {
    let name = format_ident!("f{number}");
    let bindings: Vec<_> = (0..function.parameters.len()).map(|number| format_ident!("argument{number}")).collect();
    let types = function.parameters.iter().map(|parameter| match parameter.ty {
        Type::Text => quote!(&str),
        _ => quote!(&[u8]),
    });
    let output = match function.output.ty {
        None => quote!(()),
        Some(Type::Text) => quote!(String),
        Some(_) => quote!(Vec<u8>),
    };
    let docs = format!("`{}`", function.path.trim_start_matches("::"));
    quote! {
        #[doc = #docs]
        #[wasm_bindgen]
        pub fn #name(#(#bindings: #types),*) -> Result<#output, JsError> {
            value(direct::#name(#(#bindings),*))
        }
    }
}
