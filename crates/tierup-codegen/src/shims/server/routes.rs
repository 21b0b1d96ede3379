//! The file `routes.rs`: a router, a handler for each route, and what they share.

use std::{
    collections::{BTreeMap, HashSet},
    iter,
};

use heck::{AsSnakeCase, ToSnakeCase};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{DefinitionKind, Field, Interface, Type};

use super::{
    Needs,
    arguments::{self, ParameterPlace},
    capture, check,
    handler::handler,
    refusal, request_line,
};
use crate::{
    Project, Route, rust,
    shims::{json, lend},
};

pub(super) fn routes(project: &Project, header: fn(&str) -> String) -> String {
    let head = header("The routes, and what answers them.");
    if let Err(refusal) = check(project) {
        let problem = refusal.to_string();
        return head + &rust::format(quote!(compile_error!(#problem);));
    }
    let names = handler_names(&project.routes);
    let mut items = vec![router(project, &names)];
    items.extend(project.routes.iter().zip(&names).map(|(route, name)| handler(project, route, name)));
    items.extend(parameter_enums(project));
    if project.routes.iter().any(|route| answer_type(project, route).is_some()) {
        items.push(quote! {
            fn reply(content_type: &'static str, body: impl Into<Body>) -> Response {
                ([(CONTENT_TYPE, HeaderValue::from_static(content_type))], body.into()).into_response()
            }
        });
    }
    let parts: Vec<_> = iter::once(imports(&Needs::of(project))).chain(items.into_iter().map(rust::format)).collect();
    head + &parts.join("\n")
}

const IMPORTS: &str = "\
#![allow(unused_imports)]

use std::borrow::Cow;

use axum::Router;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{delete, get, head, options, patch, post, put};

";

/// The imports. The compiler finds out which names the handlers use; only modules that exist can be named.
fn imports(needs: &Needs) -> String {
    let inside = [
        ("bodies", needs.members),
        ("body::RawBody", needs.bodies),
        ("call::Pace", true),
        ("health", true),
        ("json", needs.json),
        ("json_body::JsonBody", needs.json_bodies),
        ("problem::{self, Problem, Words}", true),
        ("settings::Limits", true),
        ("target::Target", needs.parameters),
        ("text::{self, FromText}", needs.parameters),
    ];
    let inside = inside.into_iter().filter(|(_, exists)| *exists).map(|(name, _)| format!("use crate::{name};\n"));
    IMPORTS.to_owned() + &inside.collect::<String>()
}

fn answer_type<'a>(project: &'a Project, route: &Route) -> Option<&'a Type> {
    project.interface.functions[route.function].output.ty.as_ref()
}

/// Routes by address. As in axum, the position of a capture counts, not its name.
fn addresses<'a>(routes: &'a [Route], names: &'a [Ident]) -> Vec<(String, Vec<(&'a Route, &'a Ident)>)> {
    let mut addresses: Vec<(String, Vec<_>)> = Vec::new();
    let mut known = BTreeMap::new();
    for (route, name) in routes.iter().zip(names) {
        let index = *known.entry(refusal::shape(&route.path)).or_insert(addresses.len());
        if index == addresses.len() {
            addresses.push((encoded(&route.path), vec![]));
        }
        addresses[index].1.push((route, name));
    }
    addresses
}

/// A path as it comes over the wire, where only captures keep their braces.
fn encoded(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        if capture(segment).is_some() {
            return segment.to_owned();
        }
        let byte = |byte: u8| match byte {
            b'!'..=b'~' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        };
        segment.bytes().map(byte).collect()
    });
    segments.collect::<Vec<String>>().join("/")
}

fn router(project: &Project, names: &[Ident]) -> TokenStream {
    let routes = addresses(&project.routes, names).into_iter().map(|(path, routes)| {
        let mut methods = routes.iter().map(|(route, name)| {
            let method = rust::identifier(&route.method.to_lowercase());
            quote!(#method(#name))
        });
        let first = methods.next();
        quote!(.route(#path, #first #(.#methods)*))
    });
    let Needs { livez, readyz, .. } = Needs::of(project);
    let livez = livez.then(|| quote!(.route("/livez", get(health::livez))));
    let readyz = readyz.then(|| quote!(.route("/readyz", get(health::readyz))));
    quote! {
        /// Everything that this server answers.
        pub fn router(limits: Limits) -> Router {
            Router::new()
                #(#routes)*
                #livez
                #readyz
                .fallback(problem::not_found)
                .with_state(limits)
        }
    }
}

/// `GET /shapes/{id}` is answered by `get_shapes_id`.
fn handler_names(routes: &[Route]) -> Vec<Ident> {
    let mut taken = HashSet::new();
    let name = |route: &Route| {
        let path = route.path.replace(|character: char| !character.is_ascii_alphanumeric(), " ");
        let path = if path.trim().is_empty() { "root".to_owned() } else { path.to_snake_case() };
        let name = format!("{}_{path}", AsSnakeCase(&route.method));
        let mut numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = iter::once(name.clone()).chain(&mut numbered).find(|name| taken.insert(name.clone()));
        format_ident!("{}", free.unwrap_or(name))
    };
    routes.iter().map(name).collect()
}

/// Plain enums that paths and queries carry, by the names of their cases.
fn parameter_enums(project: &Project) -> impl Iterator<Item = TokenStream> {
    let Project { interface, routes, .. } = project;
    let mut seen = HashSet::new();
    let parameters = routes.iter().flat_map(|route| {
        let parameters = interface.functions[route.function].parameters.iter();
        parameters.filter(|parameter| {
            matches!(ParameterPlace::find(route, &parameter.name), ParameterPlace::Path(_) | ParameterPlace::Query(_))
        })
    });
    let definitions = parameters.filter_map(move |parameter| {
        let leaf = match &parameter.ty {
            Type::Optional(inner) => inner,
            leaf => leaf,
        };
        match leaf {
            Type::Defined(index) if seen.insert(*index) => Some(*index),
            _ => None,
        }
    });
    definitions.filter_map(|index| from_text(interface, index))
}

fn from_text(interface: &Interface, index: usize) -> Option<TokenStream> {
    let definition = &interface.definitions[index];
    let DefinitionKind::Enum(cases) = &definition.kind else { return None };
    let path = rust::tokens(&definition.path);
    let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    let idents = names.iter().map(|name| rust::identifier(name));
    let what = format!("one of {}", names.join(", "));
    Some(quote! {
        impl FromText for #path {
            fn from_text(text: Cow<'_, [u8]>) -> Result<Self, String> {
                match str::from_utf8(&text) {
                    #(Ok(#names) => Ok(Self::#idents),)*
                    _ => Err(text::must_be(#what, &text)),
                }
            }
        }
    })
}

/// The file `bodies.rs`: readers of bodies that fill several parameters, one for each such route.
pub(super) fn bodies(project: &Project, header: fn(&str) -> String) -> String {
    let head = quote! {
        use crate::json::{Problem, Reader, given};
    };
    let names = handler_names(&project.routes);
    let with_members = project.routes.iter().zip(&names).filter(|(route, _)| !route.members().is_empty());
    let readers = with_members.map(|(route, name)| {
        // An object is read like a record with these fields.
        let members = arguments::members(route, &project.interface.functions[route.function]);
        let fields: Vec<Field> = members
            .map(|parameter| Field {
                name: parameter.name.clone(),
                docs: String::new(),
                ty: parameter.ty.clone(),
                rust: lend::owned(parameter),
            })
            .collect();
        let types = fields.iter().map(|field| rust::tokens(&field.rust));
        let (read, values) = json::read_object(project, &fields);
        let docs = format!(" The body of `{}`.", request_line(route));
        quote! {
            #[doc = #docs]
            pub fn #name(from: &mut Reader<'_>) -> Result<(#(#types,)*), Problem> {
                #read
                Ok((#(#values,)*))
            }
        }
    });
    let items: Vec<_> = std::iter::once(head).chain(readers).map(rust::format).collect();
    header("Bodies that fill several parameters: objects whose members are called like them.") + &items.join("\n")
}
