//! A C interface to the calls, for hosts whose extensions are written in C (Ruby, PHP): files for the host's own crate,
//! which depends on `tierup-calls` and compiles its glue with `cc`.
//!
//! `src/entries.rs` is a table of functions for the glue, which `c/tierup.h` declares. `src/direct.rs` and
//! `c/functions.h` differ between projects: they have the functions that take and return only text and bytes, which
//! cross without the byte encoding. For each of them, the macro `TIERUP_DIRECT(X)` of `c/functions.h` expands to
//! `X(number, count of parameters, output)`, and the array `tierup_parameters_NUMBER` has its parameters.

use std::fmt::Write as _;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use tierup_model::Type;

use crate::named::{Named, NamedFunction};
use crate::{Files, rust};

/// The files, relative to the host's crate.
pub fn c_interface(named: &Named<'_>) -> Files {
    Files::new()
        .with("src/entries.rs", include_str!("../templates/c/entries.rs"))
        .with("src/direct.rs", direct(named))
        .with("c/tierup.h", include_str!("../templates/c/tierup.h"))
        .with("c/functions.h", header(named))
}

fn functions<'n, 'a>(named: &'n Named<'a>) -> impl Iterator<Item = &'n NamedFunction<'a>> {
    named.functions.iter().filter(|function| function.is_direct())
}

/// Calls each function by its number, with its arguments in place.
fn direct(named: &Named<'_>) -> String {
    let arms = functions(named).map(arm);
    let tokens = quote! {
        #![allow(unused_imports, unused_variables, clippy::all)]

        use tierup_calls::direct;

        use crate::entries::{Answer, Bytes};

        /// Calls a function. Never unwinds.
        ///
        /// # Safety
        /// There are as many arguments as the function has parameters, all can be read and do not change until this
        /// returns, and those that are text are UTF-8.
        pub unsafe fn call(function: u32, arguments: *const Bytes) -> Answer {
            match function {
                #(#arms,)*
                _ => Answer::unknown(function),
            }
        }
    };
    rust::header("Functions that take and return only text and bytes.") + &rust::format(tokens)
}

fn arm(function: &NamedFunction<'_>) -> TokenStream {
    let (called, number) = (format_ident!("f{}", function.number), function.number as u32);
    let arguments = function.parameters.iter().enumerate().map(|(place, parameter)| {
        let read = if *parameter.ty == Type::Text { format_ident!("text") } else { format_ident!("lent") };
        quote!((*arguments.add(#place)).#read())
    });
    let bytes = match function.output {
        Some(Type::Text) => quote!(String::into_bytes),
        Some(_) => quote!(|bytes| bytes),
        None => quote!(|()| Vec::new()),
    };
    // SAFETY: the promise of `call`.
    quote!(#number => unsafe { Answer::of(direct::#called(#(#arguments),*), #bytes) })
}

/// `functions.h`.
fn header(named: &Named<'_>) -> String {
    let most = functions(named).map(|function| function.parameters.len()).max().unwrap_or(0).max(1);
    let mut text = format!(
        "// Functions that take and return only text and bytes.\n//\n// Made by tierup from the signatures in your crate; \
         changes here are lost at the next build.\n\n#define TIERUP_MOST_PARAMETERS {most}\n\n"
    );
    for function in functions(named) {
        let parameters = function.parameters.iter().map(|parameter| {
            let is_text = u8::from(*parameter.ty == Type::Text);
            format!("{{\"{}\", {is_text}}}", parameter.name)
        });
        // C has no empty arrays.
        let end = std::iter::once("{0, 0}".to_owned());
        let all: Vec<_> = parameters.chain(end).collect();
        let _ = writeln!(
            text,
            "static const tierup_parameter tierup_parameters_{}[] = {{{}}};",
            function.number,
            all.join(", ")
        );
    }
    text.push_str("\n#define TIERUP_DIRECT(X)");
    for function in functions(named) {
        let output = match function.output {
            Some(Type::Text) => "TIERUP_TEXT",
            Some(_) => "TIERUP_BYTES",
            None => "TIERUP_NOTHING",
        };
        let _ = write!(text, " \\\n  X({}, {}, {output})", function.number, function.parameters.len());
    }
    text + "\n"
}
