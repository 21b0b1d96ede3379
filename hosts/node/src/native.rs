//! `3:native` and `3:async`: an addon made with napi-rs.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::shims::Library;
use tierup_codegen::{Artifact, Files, Machine, Os, Project, Recipe, Step, rust};
use tierup_model::Type;

use crate::names;

/// The crate `node-native/`, its build, and where the addon is put in the package.
pub(crate) fn recipe(project: &Project, machine: &Machine) -> Recipe {
    let library = Library::dynamic("tierup-node-native", &project.interface);
    let manifest = library.manifest(
        &project.interface,
        r#"[dependencies]
napi = { version = "3.16", default-features = false, features = ["napi4", "dyn-symbols"] }
napi-derive = { version = "3.7", default-features = false }
tierup-calls = { path = "../calls" }

[build-dependencies]
napi-build = "2.6""#,
    );
    let build_script = include_str!("../templates/native/build.rs");
    let files = Files::new()
        .with("node-native/Cargo.toml", manifest)
        .with("node-native/build.rs", build_script)
        .with("node-native/src/lib.rs", include_str!("../templates/native/lib.rs"))
        .with("node-native/src/direct.rs", direct(&names::named(&project.interface)));
    let mut recipe = Artifact::library(&library, machine).copied("node/artifacts/native.node");
    recipe.files = files;
    if machine.os == Os::Windows {
        recipe = for_windows(recipe);
    }
    recipe
}

/// On Windows, napi-build needs Node's library. An empty one suffices, as `dyn-symbols` finds Node's functions when the
/// addon is loaded. `exports.def` is for the build script.
fn for_windows(mut recipe: Recipe) -> Recipe {
    for (name, content) in [
        ("libnode.dll", ""),
        ("libnode.a", "!<arch>\n"),
        ("exports.def", "EXPORTS\n    napi_register_module_v1\n"),
        // The path starts at the folder above the one with this file.
        ("config.toml", "[env]\nLIBNODE_PATH = { value = \"windows\", relative = true }\n"),
    ] {
        recipe.files.add(format!("node-native/windows/{name}"), content);
    }
    for command in recipe.steps.iter_mut().flat_map(Step::commands_mut) {
        command.arguments.extend(["--config", "node-native/windows/config.toml"].map(str::to_owned));
    }
    recipe
}

/// Fast paths: they pass text and bytes as Node has them, without the byte encoding.
fn direct(named: &Named<'_>) -> String {
    let exports = named.functions.iter().filter(|function| function.is_direct()).map(export);
    let tokens = quote! {
        #![allow(unused_imports, dead_code)]

        use napi::bindgen_prelude::{BufferSlice, Either, Env, Error, Result};
        use napi_derive::napi;
        use tierup_calls::{Outcome, direct};

        /// The value, or an exception whose `code` tells an error of the function's from a panic.
        fn value<T>(outcome: Outcome<T>) -> Result<T, &'static str> {
            match outcome {
                Outcome::Ok(value) => Ok(value),
                Outcome::Error(message) => Err(Error::new("TIERUP_ERR", message)),
                Outcome::Panic(message) => Err(Error::new("TIERUP_PANIC", message)),
            }
        }

        /// Bytes in the host's own memory.
        fn hand_over<'env>(
            env: &'env Env,
            bytes: Vec<u8>,
            small: BufferSlice<'env>,
        ) -> Result<Either<u32, BufferSlice<'env>>, &'static str> {
            crate::hand_over(env, &bytes, small).map_err(|error| Error::new("TIERUP_TRANSPORT", error.reason))
        }

        #(#exports)*
    };
    rust::header("Functions that take and give only text and bytes.") + &rust::format(tokens)
}

fn export(function: &NamedFunction<'_>) -> TokenStream {
    let name = format_ident!("f{}", function.number);
    let js_name = name.to_string();
    let bindings: Vec<_> = (0..function.parameters.len()).map(|number| format_ident!("argument{number}")).collect();
    let types = function.parameters.iter().map(|parameter| match parameter.ty {
        Type::Text => quote!(String),
        _ => quote!(&[u8]),
    });
    let arguments = function.parameters.iter().zip(&bindings).map(|(parameter, binding)| match parameter.ty {
        Type::Text => quote!(&#binding),
        _ => quote!(#binding),
    });
    let docs = format!("`{}`", function.rust.path.trim_start_matches("::"));
    let call = quote!(value(direct::#name(#(#arguments),*)));
    match function.output {
        Some(Type::Bytes) => quote! {
            #[doc = #docs]
            #[napi(js_name = #js_name)]
            pub fn #name<'env>(
                env: &'env Env,
                #(#bindings: #types,)*
                small: BufferSlice<'env>,
            ) -> Result<Either<u32, BufferSlice<'env>>, &'static str> {
                hand_over(env, #call?, small)
            }
        },
        text_or_unit => {
            let output = if text_or_unit.is_some() { quote!(String) } else { quote!(()) };
            quote! {
                #[doc = #docs]
                #[napi(js_name = #js_name)]
                pub fn #name(#(#bindings: #types),*) -> Result<#output, &'static str> {
                    #call
                }
            }
        }
    }
}
