//! The crate `tierup-calls`: reads arguments, calls the user's functions, writes answers.
//! Every other shim in Rust stands on it, so that types and calls are generated in one place.

mod alternatives;
mod definitions;
mod functions;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use tierup_model::{Function, Type};

use super::manifest;
use crate::{Files, Project, abi, rust};

/// The crate, below `calls/`.
pub fn calls(project: &Project) -> Files {
    let interface = &project.interface;
    let dependency = rust::dependency(interface, &project.crate_folder);
    let manifest = manifest(interface, "tierup-calls", &format!("[dependencies]\n{dependency}\n"));
    Files::new()
        .with("calls/Cargo.toml", manifest)
        .with("calls/src/wire.rs", include_str!("../../templates/calls/wire.rs"))
        .with("calls/src/guard.rs", include_str!("../../templates/calls/guard.rs"))
        .with("calls/src/place.rs", include_str!("../../templates/calls/place.rs"))
        .with("calls/src/lib.rs", library(project))
}

/// Whether a function has a fast path: it takes and returns only text and bytes, which hosts hand over
/// unchanged, without the byte encoding.
pub fn is_direct(function: &Function) -> bool {
    let plain = |ty: &Type| matches!(ty, Type::Text | Type::Bytes);
    function.parameters.iter().all(|parameter| plain(&parameter.ty)) && function.output.ty.as_ref().is_none_or(plain)
}

fn library(project: &Project) -> String {
    let interface = &project.interface;
    let abi = abi::hash(interface);
    let others = &interface.alternatives;
    let all = || interface.functions.iter().chain(others.iter().map(|other| &other.function));
    let assertions = all().map(functions::assertion);
    let names = alternatives::readers(interface, others);
    let arms = interface.functions.iter().zip(&names).zip(0u32..).map(|((_, name), number)| match others.is_empty() {
        true => quote!(#number => #name(arguments, answer)),
        false => alternatives::arm(number, &names),
    });
    let readers = all().zip(&names).map(|(function, name)| functions::reader(name, function));
    let direct: TokenStream = interface
        .functions
        .iter()
        .enumerate()
        .filter(|(_, function)| is_direct(function))
        .map(|(number, function)| {
            let name = format_ident!("f{number}");
            let directs: Vec<_> = (1..=others.len()).map(|other| format_ident!("{name}_{other}")).collect();
            let calls = others.iter().zip(&directs).map(|(other, name)| functions::direct(name, &other.function, &[]));
            let calls: TokenStream = calls.collect();
            let exported = functions::direct(&name, function, &directs);
            quote!(#exported #calls)
        })
        .collect();
    let alternative = (!others.is_empty()).then(|| alternatives::module(others));
    let ready = match others.is_empty() {
        true => quote!(Ok(())),
        false => quote!(alternative::ready()),
    };
    let definitions = interface.definitions.iter().map(definitions::codec);
    // The compiler warns of what nobody calls.
    let write_error = interface.functions.iter().any(|function| function.output.fallible).then(|| {
        quote! {
            fn write_error(error: &(impl std::fmt::Display + ?Sized), answer: &mut Vec<u8>) {
                write_message(ERROR, &error.to_string(), answer);
            }
        }
    });

    let tokens = quote! {
        // This crate must not warn about the path of a user's record or about a user's deprecated function.
        #![allow(deprecated, unused_imports, unused_variables, non_snake_case, clippy::all)]

        pub mod guard;
        mod place;
        pub mod wire;

        use wire::{Malformed, Read, Reader, Write};

        /// The interface that this crate was made from: compared by the host before it calls.
        pub const ABI: u64 = #abi;

        const OK: u8 = 0;
        const ERROR: u8 = 1;
        const PANIC: u8 = 2;
        const REFUSED: u8 = 3;

        /// How a direct call ended.
        pub enum Outcome<T> {
            Ok(T),
            /// The function's own error, as it displays itself.
            Error(String),
            /// A panic's message and place.
            Panic(String),
        }

        /// A call without a value.
        #[derive(Debug)]
        pub struct Failed {
            /// The first byte of such an answer.
            pub tag: u8,
            pub message: String,
        }

        impl<T> Outcome<T> {
            /// The value, or the tag and the message of the answer.
            pub fn into_result(self) -> Result<T, Failed> {
                let (tag, message) = match self {
                    Outcome::Ok(value) => return Ok(value),
                    Outcome::Error(message) => (ERROR, message),
                    Outcome::Panic(message) => (PANIC, message),
                };
                Err(Failed { tag, message })
            }
        }

        /// Whether calls can be answered. Of the function itself always, unlike in the sandbox, which has the same entry points.
        pub fn ready() -> Result<(), String> {
            #ready
        }

        /// Calls a function by number and appends the answer: a tag and the value, or a tag and a message.
        /// Never unwinds.
        pub fn call(function: u32, arguments: &[u8], answer: &mut Vec<u8>) {
            let start = answer.len();
            let outcome = guard::guarded(|| dispatch(function, arguments, answer));
            let (tag, message) = match outcome {
                Ok(Ok(())) => return,
                Ok(Err(malformed)) => (REFUSED, malformed.to_string()),
                Err(panic) => (PANIC, panic),
            };
            answer.truncate(start);
            write_message(tag, &message, answer);
        }

        /// Appends an answer that is a message.
        fn write_message(tag: u8, message: &str, answer: &mut Vec<u8>) {
            answer.push(tag);
            message.write(answer);
        }

        /// Appends the answer of a panic, for who could not catch it.
        pub fn write_panic(message: &str, answer: &mut Vec<u8>) {
            write_message(PANIC, message, answer);
        }

        fn write_ok(value: &(impl Write + ?Sized), answer: &mut Vec<u8>) {
            answer.push(OK);
            value.write(answer);
        }

        #write_error

        fn dispatch(function: u32, arguments: &[u8], answer: &mut Vec<u8>) -> Result<(), Malformed> {
            match function {
                #(#arms,)*
                _ => Err(Malformed::Function(function)),
            }
        }

        #alternative

        #(#assertions)*
        #(#readers)*

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

            #direct
        }

        #(#definitions)*
    };
    rust::header("Reads arguments, calls your functions, writes answers.") + &rust::format(tokens)
}
