//! `3:native`: a library of NIFs, made with rustler. `2:core` is the same library, whose calls run in an embedded sandbox.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use tierup_codegen::named::NamedFunction;
use tierup_codegen::shims::{self, Library};
use tierup_codegen::{Artifact, Files, Machine, Project, Recipe, abi, rust};
use tierup_model::{Interface, Type};

use crate::names;

/// A program can have only one global allocator, and the generated crate has one by default. This is the compiler's
/// error if the user's crate or one of its dependencies has another one, before any code is generated. (The sandbox's
/// library does not contain the user's code.)
const TWO_ALLOCATORS: &str = "conflicts with global allocator in";

/// `3:native`: the crate `beam-native/`, its build, and where the library is put in the package.
pub(crate) fn recipe(project: &Project, machine: &Machine) -> Recipe {
    let library = Library::dynamic("tierup-beam-native", &project.interface);
    let files = files(project, &library, "beam-native", shims::CALLS, "Nif");
    let artifact = Artifact::library(&library, machine).without_default_features_on(TWO_ALLOCATORS);
    finished(artifact, &files, format!("beam/priv/native-{}.so", abi::hash_text(&project.interface)))
}

/// `2:core`: the same in `beam-core/`, with the sandbox.
pub(crate) fn sandboxed(project: &Project, machine: &Machine) -> Recipe {
    let library = Library::dynamic("tierup-beam-core", &project.interface);
    let files = files(project, &library, "beam-core", shims::CALLS_IN_SANDBOX, "SandboxNif");
    let artifact = Artifact::sandboxed(project, &library, machine);
    finished(artifact, &files, format!("beam/priv/core-{}.so", abi::hash_text(&project.interface)))
}

/// The recipe that copies the library to its place.
fn finished(artifact: Artifact, files: &Files, place: String) -> Recipe {
    let mut recipe = artifact.copied(place);
    files.iter().for_each(|(name, content)| recipe.files.add(name, content));
    recipe
}

/// The crate's files. Its functions become those of an Elixir module.
fn files(project: &Project, library: &Library, folder: &str, calls: &str, module: &str) -> Files {
    let manifest = library.manifest(
        &project.interface,
        &format!(
            r#"[features]
# The global allocator (src/lib.rs). `tierup build` leaves it out where your crate has one.
default = ["mimalloc"]

[dependencies]
# Exactly this version: the library's entry is made of parts of rustler that its documentation leaves out.
rustler = {{ version = "=0.39.0", default-features = false, features = ["nif_version_2_15"] }}
corosensei = "0.3"
mimalloc = {{ version = "0.1", default-features = false, features = ["local_dynamic_tls"], optional = true }}
{calls}"#
        ),
    );
    let build_script = "//! Keeps the library in memory when its module is purged: threads of yours may still run in it.\n\n\
                        fn main() {\n    println!(\"cargo::rerun-if-changed=build.rs\");\n    \
                        if std::env::var(\"CARGO_CFG_TARGET_OS\").as_deref() == Ok(\"linux\") {\n        \
                        println!(\"cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete\");\n    }\n}\n";
    let mut files = Files::new();
    files.extend_below(
        folder,
        Files::new()
            .with("Cargo.toml", manifest)
            .with("build.rs", build_script)
            .with("src/lib.rs", include_str!("../templates/native/lib.rs"))
            .with("src/mark.rs", include_str!("../templates/native/mark.rs"))
            .with("src/stack.rs", include_str!("../templates/native/stack.rs"))
            .with("src/direct.rs", direct(&project.interface, module)),
    );
    files
}

/// Fast paths: they pass text and bytes as the BEAM has them, without the byte encoding.
fn direct(interface: &Interface, module: &str) -> String {
    let named = names::named(interface);
    let arms = named.functions.iter().filter(|function| function.is_direct()).map(arm);
    let module = format!("Elixir.{}.Tierup.{module}", names::module(&interface.package));
    let module = std::ffi::CString::new(module).unwrap_or_default();
    let module = Literal::c_string(&module);
    let tokens = quote! {
        #![allow(unused_imports, unused_variables)]

        use std::ffi::CStr;

        use rustler::{Env, Term};
        use tierup_calls::direct;

        use crate::{answered, lent, refused, stack, text};

        /// The module whose functions these are.
        pub const MODULE: &CStr = #module;

        /// Calls a function with its arguments in order. `None` if it has no fast path or other arguments.
        pub fn call<'a>(env: Env<'a>, function: u32, arguments: &[Term<'a>]) -> Option<Term<'a>> {
            Some(match (function, arguments) {
                #(#arms)*
                _ => return None,
            })
        }
    };
    rust::header("Functions that take and give only text and bytes.") + &rust::format(tokens)
}

fn arm(function: &NamedFunction<'_>) -> TokenStream {
    let number = Literal::u32_unsuffixed(u32::try_from(function.number).unwrap_or(u32::MAX));
    let called = format_ident!("f{}", function.number);
    let bindings: Vec<_> = (0..function.parameters.len()).map(|number| format_ident!("argument{number}")).collect();
    let lent = function.parameters.iter().zip(&bindings).map(|(parameter, binding)| {
        let bytes = quote!(let #binding = lent(*#binding)?;);
        match parameter.ty {
            Type::Text => quote!(#bytes let Some(#binding) = text(#binding) else { return Some(refused(env)) };),
            _ => bytes,
        }
    });
    let outcome = quote!(stack::roomy(|| direct::#called(#(#bindings),*)));
    let answer = match function.output {
        Some(_) => quote!(answered(env, #outcome)),
        None => quote!(crate::answered_nothing(env, #outcome)),
    };
    quote! {
        (#number, [#(#bindings),*]) => {
            #(#lent)*
            #answer
        }
    }
}
