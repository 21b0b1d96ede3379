//! The file `health.rs`: `/livez`, and `/readyz` with the golden call in it.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{Function, Interface, Type};

use super::{encode, handler::pace, literal::literal};
use crate::{Health, Project, abi::Value, rust, shims::lend};

pub(super) fn health(project: &Project, header: fn(&str) -> String) -> String {
    let livez = quote! {
        /// The server runs.
        pub async fn livez() -> &'static str {
            "ok"
        }
    };
    // `routes.rs` reports problems with the golden call.
    let items: Vec<_> = match golden_arguments(project).unwrap_or_default() {
        Some((health, values)) => with_golden_call(project, health, &values, livez),
        None => {
            let readyz = quote! {
                /// There is no golden call to try, so a server that runs is ready.
                pub async fn readyz() -> &'static str {
                    "ok"
                }
            };
            vec![livez, readyz]
        }
    };
    let items: Vec<_> = items.into_iter().map(rust::format).collect();
    header("`/livez`: does the server run? `/readyz`: does it answer rightly?") + &items.join("\n")
}

fn with_golden_call(project: &Project, health: &Health, values: &[Value], livez: TokenStream) -> Vec<TokenStream> {
    let interface = &project.interface;
    let function = &interface.functions[health.function];
    let right = &health.sha256;
    let what = match function.output.ty {
        Some(Type::Text | Type::Bytes) => "the golden call's answer",
        _ => "the golden call's answer in its byte encoding",
    };
    let golden_docs = format!(" The SHA-256 of {what}.");
    let call = call(function, values, interface);
    let pace = pace(project.routes.iter().any(|route| route.function == health.function && route.blocking));
    let digest = digest(function.output.ty.as_ref(), interface);
    let mut items = vec![
        quote! {
            use axum::http::StatusCode;
            use sha2::{Digest as _, Sha256};
            use crate::call::Pace;
            use crate::problem::Problem;
        },
        quote! {
            /// SHA-256 of each correct answer.
            const RIGHT: &[&str] = &[#(#right),*];
        },
    ];
    items.push(livez);
    items.extend([
        quote! {
            /// 200 if the function answers the golden call correctly, otherwise 503.
            pub async fn readyz() -> Result<&'static str, Problem> {
                static PACE: Pace = #pace;
                match PACE.try_out(golden).await {
                    Ok(Ok(digest)) if RIGHT.contains(&digest.as_str()) => Ok("ok"),
                    Ok(Ok(digest)) => Err(not_ready(&format!("the golden call's answer is wrong: its SHA-256 is {digest}"))),
                    Ok(Err(error)) => Err(not_ready(&format!("the golden call failed: {error}"))),
                    Err(busy) if busy.is_busy() => Err(busy),
                    Err(_) => Err(not_ready("the golden call panicked")),
                }
            }
        },
        quote! {
            fn not_ready(reason: &str) -> Problem {
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {reason}"))
            }
        },
        quote! {
            #[doc = #golden_docs]
            fn golden() -> Result<String, String> {
                #call
                let digest = #digest;
                Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
            }
        },
    ]);
    if let Some(ty) = function.output.ty.as_ref().filter(|ty| !matches!(ty, Type::Text | Type::Bytes)) {
        items.extend(encode::functions(ty, interface));
    }
    items
}

/// The SHA-256 of an answer of this type.
fn digest(output: Option<&Type>, interface: &Interface) -> TokenStream {
    match output {
        None => quote!(Sha256::digest(b"")),
        Some(Type::Text | Type::Bytes) => quote!(Sha256::digest(&answer)),
        Some(ty) => {
            let write = encode::statements(ty, &quote!(answer), interface);
            quote! {{
                let mut bytes = Vec::new();
                let (answer, to) = (&answer, &mut bytes);
                #write
                Sha256::digest(&bytes)
            }}
        }
    }
}

fn call(function: &Function, values: &[Value], interface: &Interface) -> TokenStream {
    let bindings: Vec<Ident> = (0..values.len()).map(|number| format_ident!("argument{number}")).collect();
    let lets = function.parameters.iter().zip(values).zip(&bindings).map(|((parameter, value), binding)| {
        let ty = rust::tokens(&lend::owned(parameter));
        let value = literal(value, &parameter.ty, interface);
        quote!(let #binding: #ty = #value;)
    });
    let handed = function.parameters.iter().zip(&bindings).map(|(parameter, name)| lend::hand_over(parameter, name));
    let path = rust::tokens(&function.path);
    let failed = function.output.fallible.then(|| quote!(.map_err(|error| error.to_string())?));
    let bind = function.output.ty.as_ref().map(|_| quote!(let answer =));
    quote! {
        #(#lets)*
        #bind #path(#(#handed),*) #failed;
    }
}

/// The golden call's arguments; `None` if the project has no golden call.
///
/// # Errors
/// If the bytes are not the function's arguments.
pub(super) fn golden_arguments(project: &Project) -> Result<Option<(&Health, Vec<Value>)>, String> {
    let Some(health) = &project.health else { return Ok(None) };
    let function = &project.interface.functions[health.function];
    let mut rest = health.arguments.as_slice();
    let values: Result<Vec<_>, _> = function
        .parameters
        .iter()
        .map(|parameter| Value::decode_prefix(&parameter.ty, &project.interface, &mut rest))
        .collect();
    let values = values.map_err(|error| format!("the golden call's arguments cannot be read: {error}"))?;
    match rest {
        [] => Ok(Some((health, values))),
        rest => Err(format!("{} bytes follow the golden call's arguments", rest.len())),
    }
}
