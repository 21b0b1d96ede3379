//! From a request to a function's arguments: the code that reads each parameter.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{Function, Parameter, Type};

use super::{captures, is_raw};
use crate::shims::lend::owned;
use crate::{Keys, Route, rust};

/// Where a route finds a parameter.
pub(super) enum ParameterPlace<'a> {
    /// A segment of the path, counted from 0.
    Path(usize),
    /// A key in the query.
    Query(&'a str),
    Body,
    /// A member of the object that is the body.
    Member,
    /// Nowhere: it is optional.
    Absent,
}

impl<'a> ParameterPlace<'a> {
    pub(super) fn find(route: &'a Route, parameter: &str) -> Self {
        let capture = captures(&route.path).into_iter().find(|(_, name)| *name == parameter);
        let query = route.query.iter().find(|(_, filled)| filled == parameter);
        match (capture, query) {
            (Some((index, _)), _) => ParameterPlace::Path(index),
            (None, Some((key, _))) => ParameterPlace::Query(key),
            (None, None) if route.whole_body() == Some(parameter) => ParameterPlace::Body,
            (None, None) if route.members().iter().any(|name| name == parameter) => ParameterPlace::Member,
            (None, None) => ParameterPlace::Absent,
        }
    }
}

/// The variable for a parameter; it differs from the variables that every handler has.
pub(super) fn binding(name: &str) -> Ident {
    match name {
        "target" | "body" | "answer" | "error" | "value" | "reply" => format_ident!("the_{name}"),
        _ => rust::identifier(name),
    }
}

/// The expression that tells the generated JSON code which names a route uses.
pub(super) fn keys(route: &Route) -> TokenStream {
    match route.keys {
        Keys::SnakeCase => quote!(json::Keys::SnakeCase),
        Keys::CamelCase => quote!(json::Keys::CamelCase),
    }
}

/// The statements that bind one parameter, owned.
pub(super) fn read(route: &Route, parameter: &Parameter, binding: &Ident) -> TokenStream {
    let name = &parameter.name;
    let ty = rust::tokens(&owned(parameter));
    let value = match ParameterPlace::find(route, name) {
        // All members are bound by one statement.
        ParameterPlace::Member => None,
        place => Some(value(place, route, parameter)),
    };
    let bind = value.map(|value| quote!(let #binding: #ty = #value;));
    let limit = limit(route, parameter, binding);
    quote! {
        #bind
        #limit
    }
}

/// The statement that binds all parameters that are members of the body.
pub(super) fn read_members(route: &Route, function: &Function, reader: &Ident) -> Option<TokenStream> {
    let bindings: Vec<Ident> = members(route, function).map(|parameter| binding(&parameter.name)).collect();
    let keys = keys(route);
    (!bindings.is_empty()).then(|| quote!(let (#(#bindings,)*) = body.read(bodies::#reader, #keys, &WORDS)?;))
}

/// The parameters that are members of the body, in the function's order.
pub(super) fn members<'a>(route: &'a Route, function: &'a Function) -> impl Iterator<Item = &'a Parameter> {
    function
        .parameters
        .iter()
        .filter(|parameter| matches!(ParameterPlace::find(route, &parameter.name), ParameterPlace::Member))
}

fn value(place: ParameterPlace<'_>, route: &Route, parameter: &Parameter) -> TokenStream {
    let name = &parameter.name;
    let optional = matches!(parameter.ty, Type::Optional(_));
    match place {
        ParameterPlace::Path(index) => {
            let index = Literal::usize_unsuffixed(index);
            let value = quote!(target.segment(#index, #name, &WORDS)?);
            if optional { quote!(Some(#value)) } else { value }
        }
        ParameterPlace::Query(key) if optional => quote!(target.query_if_given(#key, &WORDS)?),
        ParameterPlace::Query(key) => quote!(target.query(#key, &WORDS)?),
        ParameterPlace::Body if !is_raw(&parameter.ty) => {
            let keys = keys(route);
            quote!(body.parse(#name, #keys, &WORDS)?)
        }
        ParameterPlace::Body => raw_body(parameter),
        ParameterPlace::Absent | ParameterPlace::Member => quote!(None),
    }
}

fn limit(route: &Route, parameter: &Parameter, binding: &Ident) -> Option<TokenStream> {
    let name = &parameter.name;
    route.max_bytes.iter().find(|(limited, _)| limited == name).map(|(_, most)| {
        let most = Literal::u64_unsuffixed(*most);
        if matches!(parameter.ty, Type::Optional(_)) {
            quote! {
                if let Some(value) = &#binding {
                    WORDS.at_most(#most, #name, value)?;
                }
            }
        } else {
            quote!(WORDS.at_most(#most, #name, &#binding)?;)
        }
    })
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
