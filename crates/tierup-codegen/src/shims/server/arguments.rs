//! From a request to a function's arguments: what reads each parameter, and how the function is handed it.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use tierup_model::{Parameter, Passing, Type};

use super::{captures, is_raw};
use crate::{Route, rust};

/// Where a route finds a parameter.
pub(super) enum Place<'a> {
    /// A segment of the path, counted from 0.
    Path(usize),
    /// A key in the query.
    Query(&'a str),
    Body,
    /// Nowhere: it is optional.
    Absent,
}

impl<'a> Place<'a> {
    pub(super) fn of(route: &'a Route, parameter: &str) -> Self {
        let capture = captures(&route.path).into_iter().find(|(_, name)| *name == parameter);
        let query = route.query.iter().find(|(_, filled)| filled == parameter);
        match (capture, query) {
            (Some((index, _)), _) => Place::Path(index),
            (None, Some((key, _))) => Place::Query(key),
            (None, None) if route.body.as_deref() == Some(parameter) => Place::Body,
            (None, None) => Place::Absent,
        }
    }
}

/// The statements that bind one parameter, owned.
pub(super) fn read(route: &Route, parameter: &Parameter, binding: &Ident) -> TokenStream {
    let name = &parameter.name;
    let ty = rust::tokens(&owned(parameter));
    let optional = matches!(parameter.ty, Type::Optional(_));
    let value = match Place::of(route, name) {
        Place::Path(index) => {
            let index = Literal::usize_unsuffixed(index);
            let value = quote!(target.segment(#index, #name, &WORDS)?);
            if optional { quote!(Some(#value)) } else { value }
        }
        Place::Query(key) if optional => quote!(target.query_if_given(#key, &WORDS)?),
        Place::Query(key) => quote!(target.query(#key, &WORDS)?),
        Place::Body if !is_raw(&parameter.ty) => quote!(body.parse(#name, &WORDS)?),
        Place::Body => raw_body(parameter),
        Place::Absent => quote!(None),
    };
    let limit = route.max_bytes.iter().find(|(limited, _)| limited == name).map(|(_, most)| {
        let most = Literal::u64_unsuffixed(*most);
        if optional {
            quote! {
                if let Some(value) = &#binding {
                    WORDS.at_most(#most, #name, value)?;
                }
            }
        } else {
            quote!(WORDS.at_most(#most, #name, &#binding)?;)
        }
    });
    quote! {
        let #binding: #ty = #value;
        #limit
    }
}

fn raw_body(parameter: &Parameter) -> TokenStream {
    let name = &parameter.name;
    let (leaf, optional) = match &parameter.ty {
        Type::Optional(inner) => (&**inner, true),
        leaf => (leaf, false),
    };
    let value = match leaf {
        Type::Text => quote!(body.text(#name, &WORDS)?),
        _ => quote!(body.bytes()),
    };
    if optional { quote!(if body.is_empty() { None } else { Some(#value) }) } else { value }
}

/// The type of the value that the server holds for a parameter: what is borrowed has its owner here.
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
            quote!(#owner.iter().map(|item| #inner).collect())
        }
        Type::Map(inner) => {
            let inner = borrow(inner, quote!(item));
            quote!(#owner.iter().map(|(key, item)| (key.clone(), #inner)).collect())
        }
        Type::Bool | Type::Integer(_) | Type::F32 | Type::F64 | Type::Defined(_) => quote!(#owner.clone()),
    }
}
