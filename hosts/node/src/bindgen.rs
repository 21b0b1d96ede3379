//! `2:bindgen`: a Wasm module bound by wasm-bindgen.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::shims::{Library, WasmRuntime};
use tierup_codegen::{Converter, Files, Project, Recipe, Step, WasmTool, rust};
use tierup_model::Type;

use crate::names;

/// wasm-bindgen must have the same version in the module and in the generator (`tools/wasm/Cargo.toml`).
const VERSION: &str = "0.2.130";

/// The crate `node-bindgen/`, its build, and where the bound module is put in the package.
pub(crate) fn recipe(project: &Project) -> Recipe {
    let library = Library::dynamic("tierup-node-bindgen", &project.interface);
    let dependencies =
        format!("[dependencies]\ntierup-calls = {{ path = \"../calls\" }}\nwasm-bindgen = \"={VERSION}\"");
    let manifest = library.manifest(&project.interface, &dependencies);
    let files = Files::new()
        .with("node-bindgen/Cargo.toml", manifest)
        .with("node-bindgen/src/lib.rs", include_str!("../templates/bindgen/lib.rs"))
        .with("node-bindgen/src/desk.rs", include_str!("../templates/bindgen/desk.rs"))
        .with("node-bindgen/src/direct.rs", direct(&names::named(&project.interface)));
    let bind = Step::Convert {
        from: library.built_wasm(WasmRuntime::MachineCode),
        into: "node/artifacts/bindgen".into(),
        converter: Converter::by_tool(WasmTool::Bind, Ok),
    };
    Recipe { files, steps: vec![Step::Run(library.build_wasm(WasmRuntime::MachineCode)), bind] }
}

/// Fast paths: they pass text and bytes without the byte encoding.
fn direct(named: &Named<'_>) -> String {
    let exports = named.functions.iter().filter(|function| function.is_direct()).map(export);
    let tokens = quote! {
        #![allow(unused_imports, dead_code)]

        use tierup_calls::{Outcome, direct};
        use wasm_bindgen::prelude::*;

        use crate::desk;

        // The kinds of values that a call leaves on the desk.
        const NOTHING: u32 = 0;
        const TEXT: u32 = 1;
        const BYTES: u32 = 2;
        const ERROR: u32 = 3;

        /// The arguments that are still to be read: they lie one behind the other.
        struct Arguments<'a>(&'a [u8]);

        impl<'a> Arguments<'a> {
            fn bytes(&mut self, length: usize) -> &'a [u8] {
                let (bytes, rest) = self.0.split_at(length);
                self.0 = rest;
                bytes
            }

            fn text(&mut self, length: usize) -> &'a str {
                std::str::from_utf8(self.bytes(length)).expect("the package writes UTF-8")
            }
        }

        /// Puts the bytes of what a function gave in the answer's place; `kind` is what they are.
        fn finish<T>(outcome: Outcome<T>, kind: u32, bytes: impl FnOnce(T) -> Vec<u8>, answer: &mut Vec<u8>) -> u32 {
            let (kind, bytes) = match outcome {
                Outcome::Ok(value) => (kind, bytes(value)),
                // A panic does not return: it traps.
                Outcome::Error(message) | Outcome::Panic(message) => (ERROR, message.into_bytes()),
            };
            *answer = bytes;
            kind
        }

        #(#exports)*
    };
    rust::header("Functions that take and give only text and bytes.") + &rust::format(tokens)
}

/// A function's export, which takes the length of each argument and returns the kind of the answer.
fn export(function: &NamedFunction<'_>) -> TokenStream {
    let name = format_ident!("f{}", function.number);
    let lengths: Vec<_> = (0..function.parameters.len()).map(|number| format_ident!("length{number}")).collect();
    let values = function.parameters.iter().zip(&lengths).map(|(parameter, length)| match parameter.ty {
        Type::Text => quote!(arguments.text(#length)),
        _ => quote!(arguments.bytes(#length)),
    });
    let (kind, bytes) = match function.output {
        None => (quote!(NOTHING), quote!(|()| Vec::new())),
        Some(Type::Text) => (quote!(TEXT), quote!(String::into_bytes)),
        Some(_) => (quote!(BYTES), quote!(std::convert::identity)),
    };
    let (length, binding, arguments) = match lengths.is_empty() {
        true => (quote!(0), quote!(_), None),
        false => (quote!(#(#lengths)+*), quote!(bytes), Some(quote!(let mut arguments = Arguments(bytes);))),
    };
    let docs = format!("`{}`", function.rust.path.trim_start_matches("::"));
    quote! {
        #[doc = #docs]
        #[wasm_bindgen]
        pub fn #name(#(#lengths: usize),*) -> u32 {
            desk::serve(#length, |#binding, answer| {
                #arguments
                finish(direct::#name(#(#values),*), #kind, #bytes, answer)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use tierup_codegen::WasmTool;

    #[test]
    fn the_generator_has_the_linked_version() {
        let sources = WasmTool::Bind.program().sources();
        let manifest = std::str::from_utf8(sources.get("Cargo.toml").unwrap()).unwrap();
        assert!(manifest.contains(&format!("wasm-bindgen-cli-support = \"={}\"", super::VERSION)), "{manifest}");
    }
}
