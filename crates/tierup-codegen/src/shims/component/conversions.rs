//! Expressions that convert between wit-bindgen's types and the user's. Types that both spell alike (numbers, text,
//! bytes, lists of them) need no conversion.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{Integer, Type};

use super::bindings::{type_name, value_name};
use super::names::{DefinitionNames, Names};
use crate::rust;

/// Whether text and bytes in the user's type are owned, as they are in wit-bindgen's, or borrowed.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Leaves {
    Owned,
    Borrowed,
}

impl Leaves {
    /// By how Rust spells the type, without a reference around the whole.
    pub(super) fn parse(spelled: &str) -> Leaves {
        if spelled.contains('&') { Leaves::Borrowed } else { Leaves::Owned }
    }
}

/// The type that wit-bindgen has for a value.
pub(super) fn wit_type(ty: &Type, names: &Names) -> TokenStream {
    match ty {
        Type::Bool => quote!(bool),
        Type::Integer(Integer::Usize) => quote!(u64),
        Type::Integer(Integer::Isize) => quote!(i64),
        Type::Integer(integer) => rust::tokens(integer.rust()),
        Type::F32 => quote!(f32),
        Type::F64 => quote!(f64),
        Type::Text => quote!(String),
        Type::Bytes => quote!(Vec<u8>),
        Type::Optional(inner) => in_brackets(quote!(Option), wit_type(inner, names)),
        Type::List(inner) => in_brackets(quote!(Vec), wit_type(inner, names)),
        Type::Map(inner) => {
            let inner = wit_type(inner, names);
            quote!(Vec<(String, #inner)>)
        }
        Type::Defined(index) => {
            let name = type_ident(&names.definitions[*index]);
            quote!(wit::#name)
        }
    }
}

fn in_brackets(outer: TokenStream, inner: TokenStream) -> TokenStream {
    quote!(#outer<#inner>)
}

/// The user's value for `value`, an owned one of wit-bindgen's.
pub(super) fn lift(ty: &Type, value: TokenStream, names: &Names) -> TokenStream {
    let each = |inner: &Type| closure(inner, lift(inner, quote!(value), names), names, "in");
    match ty {
        _ if is_same(ty) => value,
        Type::Optional(inner) => {
            let inner = each(inner);
            quote!(#value.map(#inner))
        }
        Type::List(inner) => {
            let inner = each(inner);
            quote!(#value.into_iter().map(#inner).collect())
        }
        Type::Map(inner) => {
            let inner = lift(inner, quote!(value), names);
            quote!(#value.into_iter().map(|(key, value)| (key, #inner)).collect())
        }
        Type::Defined(index) => {
            let name = format_ident!("{}_in", stem(&names.definitions[*index]));
            quote!(#name(#value))
        }
        // The host refuses a value that does not fit before it calls.
        _ => quote!(#value.try_into().expect("a size does not fit this machine")),
    }
}

/// The user's value that borrows its text or bytes from `value`, a place or a reference.
pub(super) fn lend(ty: &Type, value: TokenStream) -> TokenStream {
    let each = |inner: &Type| lend(inner, quote!(value));
    match ty {
        Type::Bytes => quote!(#value.as_slice()),
        Type::Optional(inner) => {
            let inner = each(inner);
            quote!(#value.as_ref().map(|value| #inner))
        }
        Type::List(inner) => {
            let inner = each(inner);
            quote!(#value.iter().map(|value| #inner).collect())
        }
        Type::Map(inner) => {
            let inner = each(inner);
            quote!(#value.iter().map(|(key, value)| (key.clone(), #inner)).collect())
        }
        // Inside a type, only text and bytes can be borrowed.
        _ => quote!(#value.as_str()),
    }
}

/// wit-bindgen's value for `value`, an owned one of the user's.
pub(super) fn lower(ty: &Type, value: TokenStream, leaves: Leaves, names: &Names) -> TokenStream {
    let each = |inner: &Type| closure(inner, lower(inner, quote!(value), leaves, names), names, "out");
    match ty {
        _ if leaves == Leaves::Owned && is_same(ty) => value,
        Type::Text => quote!(String::from(#value)),
        Type::Bytes => quote!(Vec::from(#value)),
        Type::Integer(Integer::Usize) => quote!(#value as u64),
        Type::Integer(Integer::Isize) => quote!(#value as i64),
        Type::Optional(inner) => {
            let inner = each(inner);
            quote!(#value.map(#inner))
        }
        Type::List(inner) => {
            let inner = each(inner);
            quote!(#value.into_iter().map(#inner).collect())
        }
        Type::Map(inner) => {
            let inner = lower(inner, quote!(value), leaves, names);
            quote!(sorted(#value.into_iter().map(|(key, value)| (key, #inner)).collect()))
        }
        Type::Defined(index) => {
            let name = format_ident!("{}_out", stem(&names.definitions[*index]));
            quote!(#name(#value))
        }
        _ => value,
    }
}

/// The argument for `map`: a closure, or for a definition just the name of its function.
fn closure(ty: &Type, body: TokenStream, names: &Names, direction: &str) -> TokenStream {
    let Type::Defined(index) = ty else { return quote!(|value| #body) };
    let name = format_ident!("{}_{direction}", stem(&names.definitions[*index]));
    quote!(#name)
}

/// Whether wit-bindgen's type is the user's own.
fn is_same(ty: &Type) -> bool {
    match ty {
        Type::Map(_) | Type::Defined(_) | Type::Integer(Integer::Usize | Integer::Isize) => false,
        Type::Optional(inner) | Type::List(inner) => is_same(inner),
        _ => true,
    }
}

/// The name of a definition's conversions, without `_in` and `_out`.
pub(super) fn stem(own: &DefinitionNames) -> String {
    // wit-bindgen calls a type `type` `type_`: with the suffix there would be two underscores.
    value_name(&own.name).trim_end_matches('_').to_owned()
}

pub(super) fn type_ident(own: &DefinitionNames) -> Ident {
    rust::identifier(&type_name(&own.name))
}
