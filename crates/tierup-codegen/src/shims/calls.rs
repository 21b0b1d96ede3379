//! The crate `tierup-calls`: reads arguments, calls the user's functions, writes answers.
//! Every other shim in Rust stands on it, so that types and calls are generated in one place.

mod alternatives;
mod definitions;
mod functions;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{Function, Interface, Type};

use super::manifest;
use crate::{Files, Project, abi, rust, source};

/// The crate, below `calls/`.
pub fn calls(project: &Project) -> Files {
    let interface = &project.interface;
    let dependency = rust::dependency(interface, &project.crate_folder);
    let manifest = manifest(interface, "tierup-calls", &format!("[dependencies]\n{dependency}\n"));
    Files::new()
        .with("calls/Cargo.toml", manifest)
        .with("calls/src/answer.rs", include_str!("../../templates/calls/answer.rs"))
        .with("calls/src/guard.rs", include_str!("../../templates/calls/guard.rs"))
        .with("calls/src/outcome.rs", outcome(false))
        .with("calls/src/place.rs", include_str!("../../templates/calls/place.rs"))
        .with("calls/src/wire.rs", include_str!("../../templates/calls/wire.rs"))
        .with("calls/src/lib.rs", library(project))
}

/// Whether a function has a fast path: it takes and returns only text and bytes, which hosts hand over
/// unchanged, without the byte encoding.
pub fn is_direct(function: &Function) -> bool {
    let plain = |ty: &Type| matches!(ty, Type::Text | Type::Bytes);
    function.parameters.iter().all(|parameter| plain(&parameter.ty)) && function.output.ty.as_ref().is_none_or(plain)
}

/// How a call ended, for this crate and for the sandbox, which alone ends calls at a time-out.
pub(super) fn outcome(is_late: bool) -> String {
    let late = |text| if is_late { text } else { "" };
    source::fill(
        include_str!("../../templates/calls/outcome.rs"),
        &[
            ("arm", late("            Outcome::Late(message) => (LATE, message),\n")),
            ("case", late("    /// The call was ended at its time-out.\n    Late(String),\n")),
            ("tag", late("pub(crate) const LATE: u8 = 4;\n")),
        ],
    )
}

fn library(project: &Project) -> String {
    let interface = &project.interface;
    let abi = abi::hash(interface);
    let others = &interface.alternatives;
    let all = || interface.functions.iter().chain(others.iter().map(|other| &other.function));
    let assertions = all().map(functions::assertion);
    let names = alternatives::readers(interface, others);
    let readers = all().zip(&names).map(|(function, name)| functions::reader(name, function));
    let dispatch = dispatch(interface, &names);
    let direct = direct(interface);
    let alternative = (!others.is_empty()).then(|| alternatives::module(others));
    let ready = match others.is_empty() {
        true => quote!(Ok(())),
        false => quote!(alternative::ready()),
    };
    let definitions = interface.definitions.iter().map(definitions::codec);
    let tokens = quote! {
        // This crate must not warn about the path of a user's record or about a user's deprecated function.
        #![allow(deprecated, unused_imports, unused_variables, non_snake_case, clippy::all)]

        mod answer;
        pub mod guard;
        mod outcome;
        mod place;
        pub mod wire;

        use answer::{write_error, write_ok};
        use wire::{Malformed, Read, Reader, Write};

        pub use answer::{call, write_panic};
        pub use outcome::{Failed, Outcome};

        /// The hash of the interface that this crate was made from. The host compares it before it calls.
        pub const ABI: u64 = #abi;

        /// Whether calls can be answered: always, unlike in the sandbox, which has the same entry points.
        pub fn ready() -> Result<(), String> {
            #ready
        }

        #dispatch
        #alternative

        #(#assertions)*
        #(#readers)*

        #direct

        #(#definitions)*
    };
    rust::header("Reads arguments, calls your functions, writes answers.") + &rust::format(tokens)
}

/// The function that calls another by its number. `readers`: those of the exported functions, then of the alternatives.
fn dispatch(interface: &Interface, readers: &[Ident]) -> TokenStream {
    let arms = interface.functions.iter().zip(readers).zip(0u32..).map(|((_, reader), number)| {
        match interface.alternatives.is_empty() {
            true => quote!(#number => #reader(arguments, answer)),
            false => alternatives::arm(number, readers),
        }
    });
    quote! {
        fn dispatch(function: u32, arguments: &[u8], answer: &mut Vec<u8>) -> Result<(), Malformed> {
            match function {
                #(#arms,)*
                _ => Err(Malformed::Function(function)),
            }
        }
    }
}

/// The module of the functions with a fast path, and of their alternatives.
fn direct(interface: &Interface) -> TokenStream {
    let others = &interface.alternatives;
    let numbered = interface.functions.iter().enumerate().filter(|(_, function)| is_direct(function));
    let functions = numbered.map(|(number, function)| {
        let name = format_ident!("f{number}");
        let directs: Vec<_> = (1..=others.len()).map(|other| format_ident!("{name}_{other}")).collect();
        let calls = others.iter().zip(&directs).map(|(other, name)| functions::direct(name, &other.function, &[]));
        let exported = functions::direct(&name, function, &directs);
        quote!(#exported #(#calls)*)
    });
    quote! {
        /// Functions that take and give only text and bytes, without the encoding. They never unwind.
        pub mod direct {
            use super::{Outcome, guard};

            fn outcome<T>(call: impl FnOnce() -> Result<T, String>) -> Outcome<T> {
                match guard::guarded(call) {
                    Ok(Ok(value)) => Outcome::Ok(value),
                    Ok(Err(error)) => Outcome::Error(error),
                    Err(panic) => Outcome::Panic(panic),
                }
            }

            #(#functions)*
        }
    }
}
