//! The pair of functions that convert a record or an enum: `shape_in` makes the user's of wit-bindgen's, `shape_out`
//! the other way. Records are taken apart and built without `..`, so that a field which the model missed does not
//! compile.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{Case, Definition, DefinitionKind, Field, Payload, Type};

use super::NO_FIELD;
use super::bindings::{case_name, value_name};
use super::conversions::{Leaves, lift, lower, stem, type_ident};
use super::names::{DefinitionNames, MemberNames, Names};
use crate::rust;

pub(super) fn conversions(definition: &Definition, own: &DefinitionNames, names: &Names) -> TokenStream {
    let path = rust::tokens(&definition.path);
    let stem = stem(own);
    let (into_user, into_wit) = (format_ident!("{stem}_in"), format_ident!("{stem}_out"));
    let name = type_ident(own);
    let arms: Vec<Sides> = match &definition.kind {
        DefinitionKind::Record(fields) => {
            let Sides { wit, user } = record(fields, own, names);
            vec![Sides { wit: wit.behind(quote!(wit::#name)), user: user.behind(quote!(#path)) }]
        }
        DefinitionKind::Enum(cases) => {
            let cases = cases.iter().zip(&own.members);
            let arm = |(item, member): (&Case, &MemberNames)| {
                let Sides { wit, user } = case(item, member, names);
                let (wit_case, user_case) = (rust::identifier(&case_name(&member.name)), rust::identifier(&item.name));
                Sides { wit: wit.behind(quote!(wit::#name::#wit_case)), user: user.behind(quote!(#path::#user_case)) }
            };
            cases.map(arm).collect()
        }
    };
    let lifts = arms.iter().map(|Sides { wit, user }| arrow(wit, user));
    let lowers = arms.iter().map(|Sides { wit, user }| arrow(user, wit));
    quote! {
        fn #into_user(value: wit::#name) -> #path {
            match value {
                #(#lifts,)*
            }
        }

        fn #into_wit(value: #path) -> wit::#name {
            match value {
                #(#lowers,)*
            }
        }
    }
}

/// A record or case as wit-bindgen has it and as the user has it.
struct Sides {
    wit: Side,
    user: Side,
}

/// A pattern that takes it apart and binds `field0`, `field1`…, and an expression that builds it from the other side's
/// bindings.
struct Side {
    pattern: TokenStream,
    value: TokenStream,
}

impl Side {
    /// The same side with the name of the type or case in front.
    fn behind(self, name: TokenStream) -> Side {
        let Side { pattern, value } = self;
        Side { pattern: quote!(#name #pattern), value: quote!(#name #value) }
    }
}

fn arrow(from: &Side, to: &Side) -> TokenStream {
    let (pattern, value) = (&from.pattern, &to.value);
    quote!(#pattern => #value)
}

fn record(fields: &[Field], own: &DefinitionNames, names: &Names) -> Sides {
    if fields.is_empty() {
        let name = rust::identifier(&value_name(NO_FIELD));
        return Sides {
            wit: Side { pattern: quote!({ #name: _ }), value: quote!({ #name: false }) },
            user: Side { pattern: quote!({}), value: quote!({}) },
        };
    }
    let bindings = bindings(fields.len());
    let wit_names: Vec<Ident> = own.members.iter().map(|member| rust::identifier(&value_name(&member.name))).collect();
    let user_names: Vec<Ident> = fields.iter().map(|field| rust::identifier(&field.name)).collect();
    let (lifted, lowered) = values(fields.iter().map(|field| &field.ty), &bindings, names);
    Sides {
        wit: Side { pattern: quote!({ #(#wit_names: #bindings),* }), value: quote!({ #(#wit_names: #lowered),* }) },
        user: Side { pattern: quote!({ #(#user_names: #bindings),* }), value: quote!({ #(#user_names: #lifted),* }) },
    }
}

fn case(case: &Case, member: &MemberNames, names: &Names) -> Sides {
    match (&case.payload, &member.payload) {
        (Payload::Named(fields), Some(payload)) => {
            let name = type_ident(payload);
            let Sides { wit, user } = record(fields, payload, names);
            let Side { pattern, value } = wit.behind(quote!(wit::#name));
            Sides { wit: Side { pattern: quote!((#pattern)), value: quote!((#value)) }, user }
        }
        (Payload::Tuple(types), _) => {
            let bindings = bindings(types.len());
            let (lifted, lowered) = values(types.iter().map(|(ty, _)| ty), &bindings, names);
            let user = Side { pattern: quote!((#(#bindings),*)), value: quote!((#(#lifted),*)) };
            // WIT's case carries one value, which is a tuple where there are several.
            let wit = match types.len() {
                1 => Side { pattern: quote!((#(#bindings),*)), value: quote!((#(#lowered),*)) },
                _ => Side { pattern: quote!(((#(#bindings),*))), value: quote!(((#(#lowered),*))) },
            };
            Sides { wit, user }
        }
        _ => Sides {
            wit: Side { pattern: quote!(), value: quote!() },
            user: Side { pattern: quote!(), value: quote!() },
        },
    }
}

/// The bound fields, as the user's values and as wit-bindgen's.
fn values<'a>(
    types: impl Iterator<Item = &'a Type>,
    bindings: &[Ident],
    names: &Names,
) -> (Vec<TokenStream>, Vec<TokenStream>) {
    let both = |(ty, binding): (&Type, &Ident)| {
        (lift(ty, quote!(#binding), names), lower(ty, quote!(#binding), Leaves::Owned, names))
    };
    types.zip(bindings).map(both).unzip()
}

fn bindings(count: usize) -> Vec<Ident> {
    (0..count).map(|number| format_ident!("field{number}")).collect()
}
