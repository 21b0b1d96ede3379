//! Code for each function: the assertion of its signature, its reader, its direct call.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{Function, Parameter, Passing, Type};

use crate::rust;

/// Does not compile if the signature differs from what the model read. Aliases and private error paths pass.
pub(super) fn assertion(function: &Function) -> TokenStream {
    let path = rust::tokens(&function.path);
    // An answer that borrows from an argument needs a named lifetime. Any such function also has a signature with one
    // lifetime for all references.
    let borrows = named_lifetimes(&function.output.rust).contains("'a");
    let spell = |spelled: &str| match borrows {
        true => rust::tokens(&named_lifetimes(spelled)),
        false => rust::tokens(spelled),
    };
    let parameters = function.parameters.iter().map(|parameter| spell(&parameter.rust));
    let output = spell(&function.output.rust);
    let binder = borrows.then(|| quote!(for<'a>));
    if function.output.fallible {
        quote! {
            const _: () = {
                const fn signature<E: ::std::fmt::Display>(
                    _: #binder fn(#(#parameters),*) -> ::std::result::Result<#output, E>,
                ) {}
                signature(#path)
            };
        }
    } else {
        quote! {
            const _: #binder fn(#(#parameters),*) -> #output = #path;
        }
    }
}

/// The type with every elided lifetime called `'a`.
fn named_lifetimes(spelled: &str) -> String {
    spelled.replace('&', "&'a ").replace("&'a 'static", "&'static")
}

/// Reads the arguments, calls, writes the answer.
pub(super) fn reader(name: &Ident, function: &Function) -> TokenStream {
    let path = rust::tokens(&function.path);
    let bindings: Vec<Ident> = (0..function.parameters.len()).map(|number| format_ident!("argument{number}")).collect();
    let reads = function.parameters.iter().zip(&bindings).map(|(parameter, binding)| {
        let ty = rust::tokens(owned_type(parameter));
        quote!(let #binding: #ty = from.read()?;)
    });
    let arguments = function.parameters.iter().zip(&bindings).map(|(parameter, binding)| hand_over(parameter, binding));
    let call = quote!(#path(#(#arguments),*));
    let answer = if function.output.fallible {
        quote! {
            match #call {
                Ok(value) => write_ok(&value, answer),
                Err(error) => write_error(&error, answer),
            }
        }
    } else {
        quote!(write_ok(&#call, answer))
    };
    let binding = if reads.len() == 0 { quote!(from) } else { quote!(mut from) };
    quote! {
        fn #name(arguments: &[u8], answer: &mut Vec<u8>) -> Result<(), Malformed> {
            let #binding = Reader::new(arguments);
            #(#reads)*
            from.finish()?;
            #answer;
            Ok(())
        }
    }
}

/// Text and bytes in, text or bytes out.
///
/// Each alternative is a branch in front of the call.
pub(super) fn direct(name: &Ident, function: &Function, alternatives: &[Ident]) -> TokenStream {
    let path = rust::tokens(&function.path);
    let bindings: Vec<Ident> = (0..function.parameters.len()).map(|number| format_ident!("argument{number}")).collect();
    let types = function.parameters.iter().map(|parameter| match parameter.ty {
        Type::Text => quote!(&str),
        _ => quote!(&[u8]),
    });
    let (output, owned) = match function.output.ty {
        None => (quote!(()), quote!(value)),
        // `Into` leaves owned values unchanged and copies borrowed ones.
        Some(Type::Text) => (quote!(String), quote!(String::from(value))),
        Some(_) => (quote!(Vec<u8>), quote!(Vec::from(value))),
    };
    let conversions = function.parameters.iter().zip(&bindings).map(|(parameter, binding)| {
        let ty = owned_type(parameter);
        if ty.starts_with('&') {
            return quote!();
        }
        let ty = rust::tokens(ty);
        quote!(let #binding: #ty = #binding.into();)
    });
    let arguments = function.parameters.iter().zip(&bindings).map(|(parameter, binding)| hand_over(parameter, binding));
    let call = quote!(#path(#(#arguments),*));
    let value = if function.output.fallible {
        quote! {
            match #call {
                Ok(value) => Ok(#owned),
                Err(error) => Err(error.to_string()),
            }
        }
    } else {
        quote! {
            let value = #call;
            Ok(#owned)
        }
    };
    let docs = format!("`{}`", function.path.trim_start_matches("::"));
    let numbers = 1u32..;
    let passed = quote!(#(#bindings),*);
    let chosen = (!alternatives.is_empty()).then(|| {
        quote! {
            match super::alternative::chosen() {
                0 => {}
                #(#numbers => return #alternatives(#passed),)*
                _ => return Outcome::Panic(super::alternative::unknown()),
            }
        }
    });
    quote! {
        #[doc = #docs]
        pub fn #name(#(#bindings: #types),*) -> Outcome<#output> {
            #chosen
            outcome(|| {
                #(#conversions)*
                #value
            })
        }
    }
}

/// The type of the value that the caller holds.
fn owned_type(parameter: &Parameter) -> &str {
    match &parameter.passing {
        Passing::Value => &parameter.rust,
        Passing::Lent { owned } => owned,
    }
}

/// The argument as the function takes it.
fn hand_over(parameter: &Parameter, binding: &Ident) -> TokenStream {
    match parameter.passing {
        Passing::Value => quote!(#binding),
        Passing::Lent { .. } => quote!(&#binding),
    }
}
