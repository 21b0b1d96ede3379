//! `lib.rs` of the guest: wit-bindgen's trait, implemented by calls of the user's functions.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{Function, Interface, Parameter, Passing};

use super::INTERFACE;
use super::bindings::value_name;
use super::conversions::{Leaves, lend, lift, lower, wit_type};
use super::definitions::conversions;
use super::names::{FunctionNames, Names};
use crate::rust;

pub(super) fn library(interface: &Interface, names: &Names) -> String {
    let package = rust::identifier(&value_name(&names.package));
    let module = rust::identifier(INTERFACE);
    let functions = interface.functions.iter().zip(&names.functions).map(|(item, own)| function(item, own, names));
    let definitions =
        interface.definitions.iter().zip(&names.definitions).map(|(item, own)| conversions(item, own, names));
    let tokens = quote! {
        // Some types cross in only one direction, and the user's deprecated functions are no concern of this crate.
        #![allow(dead_code, deprecated, clippy::all)]

        mod bindings;
        mod panics;
        mod place;

        use bindings::exports::tierup::#package::#module as wit;

        struct Library;

        bindings::export!(Library with_types_in bindings);

        impl wit::Guest for Library {
            #(#functions)*
        }

        #(#definitions)*

        /// A map's entries in the order of all variants' answers, whatever the map's own order.
        fn sorted<T>(mut entries: Vec<(String, T)>) -> Vec<(String, T)> {
            entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
            entries
        }
    };
    rust::header("Your functions as a component: what wit/world.wit says, in Rust.") + &rust::format(tokens)
}

fn function(function: &Function, own: &FunctionNames, names: &Names) -> TokenStream {
    let name = rust::identifier(&value_name(&own.name));
    let path = rust::tokens(&function.path);
    let bindings: Vec<Ident> = (0..function.parameters.len()).map(|number| format_ident!("argument{number}")).collect();
    let types = function.parameters.iter().map(|parameter| wit_type(&parameter.ty, names));
    let values = function.parameters.iter().zip(&bindings).map(|(item, binding)| argument(item, binding, names));
    let arguments = function.parameters.iter().zip(&bindings).map(|(parameter, binding)| match parameter.passing {
        Passing::Value => quote!(#binding),
        Passing::Lent { .. } => quote!(&#binding),
    });
    let output = function.output.ty.as_ref().map_or(quote!(()), |ty| wit_type(ty, names));
    let leaves = Leaves::parse(&function.output.rust);
    let lowered = |value| function.output.ty.as_ref().map_or(quote!(()), |ty| lower(ty, value, leaves, names));
    let call = quote!(#path(#(#arguments),*));
    let (output, answer) = if function.output.fallible {
        let pattern = function.output.ty.as_ref().map_or(quote!(()), |_| quote!(value));
        let value = lowered(quote!(value));
        let answer = quote! {
            match #call {
                Ok(#pattern) => Ok(#value),
                Err(error) => Err(error.to_string()),
            }
        };
        (quote!(-> Result<#output, String>), answer)
    } else if function.output.ty.is_none() {
        (quote!(), call)
    } else {
        (quote!(-> #output), lowered(call))
    };
    quote! {
        fn #name(#(#bindings: #types),*) #output {
            panics::report();
            #(#values)*
            #answer
        }
    }
}

/// Converts wit-bindgen's arguments to those that the function takes. Empty where they are the same.
fn argument(parameter: &Parameter, binding: &Ident, names: &Names) -> TokenStream {
    let owned = match &parameter.passing {
        Passing::Value => &parameter.rust,
        Passing::Lent { owned } => owned,
    };
    let value = match Leaves::parse(owned) {
        Leaves::Owned => lift(&parameter.ty, quote!(#binding), names),
        Leaves::Borrowed => lend(&parameter.ty, quote!(#binding)),
    };
    if *binding == value.to_string() {
        return quote!();
    }
    let ty = rust::tokens(owned);
    quote!(let #binding: #ty = #value;)
}
