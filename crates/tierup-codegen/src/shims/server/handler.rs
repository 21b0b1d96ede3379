//! The handler of a route: reads the arguments, calls, answers.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{Function, Type};

use super::arguments::{self, ParameterPlace, binding, keys};
use super::{is_raw, request_line};
use crate::shims::lend;
use crate::{Project, Route, RouteMessages, rust};

/// Answers one route.
pub(super) fn handler(project: &Project, route: &Route, name: &Ident) -> TokenStream {
    let function = &project.interface.functions[route.function];
    let docs = match function.docs.as_str() {
        "" => format!("`{}`", request_line(route)),
        docs => format!("`{}`\n\n{docs}", request_line(route)),
    };
    let docs = docs.lines().map(|line| {
        let line = if line.is_empty() { String::new() } else { format!(" {line}") };
        quote!(#[doc = #line])
    });
    let places = || function.parameters.iter().map(|parameter| ParameterPlace::find(route, &parameter.name));
    let target = places()
        .any(|place| matches!(place, ParameterPlace::Path(_) | ParameterPlace::Query(_)))
        .then(|| quote!(target: Target,));
    let body = route.body.is_some().then(|| match whole_body(route, function).is_some_and(is_raw) {
        true => quote!(body: RawBody),
        false => quote!(body: JsonBody),
    });
    let members = arguments::read_members(route, function, name);
    let words = uses_words(route, function).then(|| words(&route.messages));
    let bindings: Vec<Ident> = function.parameters.iter().map(|parameter| binding(&parameter.name)).collect();
    let check = check_query(route, function);
    let reads =
        function.parameters.iter().zip(&bindings).map(|(parameter, name)| arguments::read(route, parameter, name));
    let call = call(route, function, &bindings);
    let answer = answer(route, function);
    let pace = pace(route.blocking);
    quote! {
        #(#docs)*
        async fn #name(#target #body) -> Result<Response, Problem> {
            static PACE: Pace = #pace;
            #words
            #check
            #members
            #(#reads)*
            #call
            #answer
        }
    }
}

/// For a route that reads its query: refuses a query that is malformed anywhere, so that the answer does not depend on
/// which parameters the route reads. Only parameters of bytes may hold arbitrary bytes.
fn check_query(route: &Route, function: &Function) -> Option<TokenStream> {
    let in_query =
        function.parameters.iter().filter_map(|parameter| match ParameterPlace::find(route, &parameter.name) {
            ParameterPlace::Query(key) => Some((key, &parameter.ty)),
            _ => None,
        });
    let in_query: Vec<_> = in_query.collect();
    let any_bytes = |ty: &Type| match ty {
        Type::Optional(inner) => **inner == Type::Bytes,
        ty => *ty == Type::Bytes,
    };
    let binary = in_query.iter().filter(|(_, ty)| any_bytes(ty)).map(|(key, _)| key);
    (!in_query.is_empty()).then(|| quote!(target.check_query(&[#(#binary),*], &WORDS)?;))
}

/// The type of the parameter that the whole body fills.
pub(super) fn whole_body<'a>(route: &Route, function: &'a Function) -> Option<&'a Type> {
    let parameter = function.parameters.iter().find(|parameter| route.whole_body() == Some(&parameter.name));
    parameter.map(|parameter| &parameter.ty)
}

/// The expression that chooses where a function's calls run.
pub(super) fn pace(blocking: bool) -> TokenStream {
    if blocking { quote!(Pace::blocking()) } else { quote!(Pace::new()) }
}

/// Whether a handler reports bad input.
fn uses_words(route: &Route, function: &Function) -> bool {
    let read = |place| {
        matches!(
            place,
            ParameterPlace::Path(_) | ParameterPlace::Query(_) | ParameterPlace::Body | ParameterPlace::Member
        )
    };
    let plain_bytes = |name: &str| {
        let ty = function.parameters.iter().find(|parameter| parameter.name == name).map(|parameter| &parameter.ty);
        matches!(ty, Some(Type::Bytes)) && route.whole_body() == Some(name) && route.max_bytes.is_empty()
    };
    let mut parameters = function.parameters.iter().filter(|parameter| !plain_bytes(&parameter.name));
    function.output.fallible || parameters.any(|parameter| read(ParameterPlace::find(route, &parameter.name)))
}

fn words(messages: &RouteMessages) -> TokenStream {
    let own = [
        ("missing", &messages.missing),
        ("too_long", &messages.too_long),
        ("malformed", &messages.malformed),
        ("failed", &messages.failed),
    ];
    let own: Vec<_> = own
        .into_iter()
        .filter_map(|(name, words)| {
            let (name, words) = (format_ident!("{name}"), words.as_ref()?);
            Some(quote!(#name: Some(#words)))
        })
        .collect();
    match own.as_slice() {
        [] => quote!(
            const WORDS: Words = Words::NONE;
        ),
        own if own.len() == 4 => quote!(const WORDS: Words = Words { #(#own),* };),
        own => quote!(const WORDS: Words = Words { #(#own,)* ..Words::NONE };),
    }
}

/// All of the user's code (the function, its error's `Display`) runs inside the call, where a panic is caught.
fn call(route: &Route, function: &Function, bindings: &[Ident]) -> TokenStream {
    let path = rust::tokens(&function.path);
    let arguments = function.parameters.iter().zip(bindings).map(|(parameter, name)| lend::hand_over(parameter, name));
    let call = quote!(#path(#(#arguments),*));
    let bind = function.output.ty.as_ref().map(|_| quote!(let answer =));
    if !function.output.fallible {
        return match convert(route, function, call) {
            Ok(call) => quote!(#bind PACE.call(move || #call).await?;),
            Err(_) if bindings.is_empty() => quote!(#bind PACE.call(#path).await?;),
            Err(call) => quote!(#bind PACE.call(move || #call).await?;),
        };
    }
    let convert = convert(route, function, quote!(value)).ok().map(|value| quote!(.map(|value| #value)));
    quote! {
        let answer = PACE.call(move || #call #convert.map_err(|error| error.to_string())).await?;
        #bind answer.map_err(|error| WORDS.failed(error))?;
    }
}

/// The expression that converts an answer for sending; `Err` with the answer itself where it is sent unchanged.
fn convert(route: &Route, function: &Function, value: TokenStream) -> Result<TokenStream, TokenStream> {
    let borrowed = function.output.rust.contains('&');
    match &function.output.ty {
        Some(Type::Text) if borrowed => Ok(quote!(#value.to_owned())),
        Some(Type::Bytes) if borrowed => Ok(quote!(#value.to_vec())),
        Some(Type::Text | Type::Bytes) | None => Err(value),
        Some(_) => {
            let keys = keys(route);
            Ok(quote!(json::to_string(&#value, #keys)))
        }
    }
}

fn answer(route: &Route, function: &Function) -> TokenStream {
    let default = match &function.output.ty {
        None => return quote!(Ok(StatusCode::NO_CONTENT.into_response())),
        Some(Type::Text) => "text/plain; charset=utf-8",
        Some(Type::Bytes) => "application/octet-stream",
        Some(_) => "application/json",
    };
    let content_type = route.content_type.as_deref().unwrap_or(default);
    quote!(Ok(reply(#content_type, answer)))
}
