//! Passes arguments that a shim has read as owned values (from a request, from a command line) to a function that
//! takes them borrowed.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use tierup_model::{Parameter, Passing, Type};

/// The type of the value that the shim holds for a parameter: the owned form of a borrowed type.
pub(super) fn owned(parameter: &Parameter) -> String {
    let ty = match &parameter.passing {
        Passing::Value => &parameter.rust,
        Passing::Lent { owned } => owned,
    };
    ty.replace("&str", "String").replace("&[u8]", "Vec<u8>")
}

/// The argument as the function takes it.
pub(super) fn hand_over(parameter: &Parameter, binding: &Ident) -> TokenStream {
    match &parameter.passing {
        Passing::Lent { owned } if owned.contains('&') => {
            let value = borrow(&parameter.ty, quote!(#binding));
            quote!(&#value)
        }
        Passing::Lent { .. } => quote!(&#binding),
        Passing::Value if !parameter.rust.contains('&') => quote!(#binding),
        Passing::Value => match parameter.ty {
            Type::Text | Type::Bytes => quote!(&#binding),
            _ => borrow(&parameter.ty, quote!(#binding)),
        },
    }
}

/// A value in which text and bytes are borrowed, from one that owns them.
fn borrow(ty: &Type, owner: TokenStream) -> TokenStream {
    match ty {
        Type::Text => quote!(#owner.as_str()),
        Type::Bytes => quote!(#owner.as_slice()),
        Type::Optional(inner) if matches!(**inner, Type::Text | Type::Bytes) => quote!(#owner.as_deref()),
        Type::Optional(inner) => {
            let inner = borrow(inner, quote!(item));
            quote!(#owner.as_ref().map(|item| #inner))
        }
        Type::List(inner) => {
            let inner = borrow(inner, quote!(item));
            // The type is named, because a slice (`&[&str]`) does not determine the collection.
            quote!(#owner.iter().map(|item| #inner).collect::<Vec<_>>())
        }
        Type::Map(inner) => {
            let inner = borrow(inner, quote!(item));
            quote!(#owner.iter().map(|(key, item)| (key.clone(), #inner)).collect())
        }
        Type::Bool | Type::Integer(_) | Type::F32 | Type::F64 | Type::Defined(_) => quote!(#owner.clone()),
    }
}
