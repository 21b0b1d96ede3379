//! Code that writes an answer in the byte encoding, so that its hash can be compared. It serves the golden call of a
//! server that contains nothing else of tierup.

use std::collections::BTreeSet;

use heck::ToSnakeCase;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{Definition, DefinitionKind, Field, Integer, Interface, Payload, Type};

use crate::rust;

/// The statements that append `value` (a reference to a `ty`) to `to`.
pub(super) fn statements(ty: &Type, value: &TokenStream, interface: &Interface) -> TokenStream {
    match ty {
        Type::Bool => quote!(to.push(u8::from(*#value));),
        Type::Integer(Integer::Usize) => quote!(to.extend_from_slice(&(*#value as u64).to_le_bytes());),
        Type::Integer(Integer::Isize) => quote!(to.extend_from_slice(&(*#value as i64).to_le_bytes());),
        Type::Integer(_) => quote!(to.extend_from_slice(&#value.to_le_bytes());),
        Type::F32 | Type::F64 => quote!(to.extend_from_slice(&#value.to_bits().to_le_bytes());),
        Type::Text => quote! {
            count(#value.len(), to);
            to.extend_from_slice(#value.as_bytes());
        },
        Type::Bytes => quote! {
            count(#value.len(), to);
            to.extend_from_slice(#value);
        },
        Type::Optional(inner) => {
            let some = statements(inner, &quote!(value), interface);
            quote! {
                match #value {
                    None => to.push(0),
                    Some(value) => {
                        to.push(1);
                        #some
                    }
                }
            }
        }
        Type::List(inner) => {
            let item = statements(inner, &quote!(item), interface);
            quote! {
                count(#value.len(), to);
                for item in #value.iter() {
                    #item
                }
            }
        }
        Type::Map(inner) => {
            let item = statements(inner, &quote!(item), interface);
            quote! {
                count(#value.len(), to);
                let mut entries: Vec<_> = #value.iter().collect();
                entries.sort_unstable_by_key(|(key, _)| *key);
                for (key, item) in entries {
                    count(key.len(), to);
                    to.extend_from_slice(key.as_bytes());
                    #item
                }
            }
        }
        Type::Defined(index) => {
            let name = name(&interface.definitions[*index]);
            quote!(#name(#value, to);)
        }
    }
}

/// The functions that [`statements`] for `ty` call.
pub(super) fn functions(ty: &Type, interface: &Interface) -> Vec<TokenStream> {
    let mut used = BTreeSet::new();
    collect(ty, interface, &mut used);
    let definitions = used.into_iter().map(|index| function(&interface.definitions[index], interface));
    let count = quote! {
        fn count(count: usize, to: &mut Vec<u8>) {
            to.extend_from_slice(&(count as u32).to_le_bytes());
        }
    };
    definitions.chain(counts(ty, interface).then_some(count)).collect()
}

fn name(definition: &Definition) -> Ident {
    format_ident!("encode_{}", definition.name.to_snake_case())
}

fn function(definition: &Definition, interface: &Interface) -> TokenStream {
    let name = name(definition);
    let path = rust::tokens(&definition.path);
    let body = match &definition.kind {
        DefinitionKind::Record(fields) => {
            let (pattern, write) = fields_of(fields, interface);
            quote! {
                let #path #pattern = value;
                #write
            }
        }
        DefinitionKind::Enum(cases) => {
            let arms = cases.iter().enumerate().map(|(number, case)| {
                let number = Literal::usize_unsuffixed(number);
                let case_name = rust::identifier(&case.name);
                let (pattern, write) = match &case.payload {
                    Payload::None => (quote!(), quote!()),
                    Payload::Tuple(types) => {
                        let bindings: Vec<_> = (0..types.len()).map(|index| format_ident!("field_{index}")).collect();
                        let writes = types
                            .iter()
                            .zip(&bindings)
                            .map(|((ty, _), name)| statements(ty, &quote!(#name), interface));
                        (quote!((#(#bindings),*)), quote!(#(#writes)*))
                    }
                    Payload::Named(fields) => fields_of(fields, interface),
                };
                quote! {
                    #path::#case_name #pattern => {
                        to.push(#number);
                        #write
                    }
                }
            });
            quote! {
                match value {
                    #(#arms)*
                }
            }
        }
    };
    quote! {
        fn #name(value: &#path, to: &mut Vec<u8>) {
            #body
        }
    }
}

fn fields_of(fields: &[Field], interface: &Interface) -> (TokenStream, TokenStream) {
    let names = fields.iter().map(|field| rust::identifier(&field.name));
    let bindings: Vec<_> = fields.iter().map(|field| format_ident!("field_{}", field.name)).collect();
    let writes = fields.iter().zip(&bindings).map(|(field, name)| statements(&field.ty, &quote!(#name), interface));
    (quote!({ #(#names: #bindings),* }), quote!(#(#writes)*))
}

/// Every definition that a type is made of.
fn collect(ty: &Type, interface: &Interface, used: &mut BTreeSet<usize>) {
    match ty {
        Type::Optional(inner) | Type::List(inner) | Type::Map(inner) => collect(inner, interface, used),
        Type::Defined(index) => {
            used.insert(*index);
            parts(*index, interface).into_iter().for_each(|part| collect(part, interface, used));
        }
        _ => {}
    }
}

/// Whether something in a type has a length.
fn counts(ty: &Type, interface: &Interface) -> bool {
    match ty {
        Type::Text | Type::Bytes | Type::List(_) | Type::Map(_) => true,
        Type::Optional(inner) => counts(inner, interface),
        Type::Defined(index) => parts(*index, interface).into_iter().any(|part| counts(part, interface)),
        _ => false,
    }
}

fn parts(index: usize, interface: &Interface) -> Vec<&Type> {
    match &interface.definitions[index].kind {
        DefinitionKind::Record(fields) => fields.iter().map(|field| &field.ty).collect(),
        DefinitionKind::Enum(cases) => cases.iter().flat_map(|case| case.payload.types()).collect(),
    }
}
