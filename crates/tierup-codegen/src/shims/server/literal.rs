//! Values as Rust expressions.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use tierup_model::{DefinitionKind, Interface, Payload, Type};

use crate::abi::Value;
use crate::rust;

/// The value, owned. It must be of the type; a value that was decoded as this type always is.
pub(super) fn literal(value: &Value, ty: &Type, interface: &Interface) -> TokenStream {
    match (value, ty) {
        (Value::Bool(value), _) => quote!(#value),
        (Value::Integer(value), _) => {
            let digits = Literal::u128_unsuffixed(value.unsigned_abs());
            signed(*value < 0, &digits)
        }
        (Value::F32(value), _) if value.is_finite() => {
            signed(value.is_sign_negative(), &Literal::f32_unsuffixed(value.abs()))
        }
        (Value::F64(value), _) if value.is_finite() => {
            signed(value.is_sign_negative(), &Literal::f64_unsuffixed(value.abs()))
        }
        (Value::F32(value), _) => {
            let bits = value.to_bits();
            quote!(f32::from_bits(#bits))
        }
        (Value::F64(value), _) => {
            let bits = value.to_bits();
            quote!(f64::from_bits(#bits))
        }
        (Value::Text(value), _) => quote!(#value.to_owned()),
        (Value::Bytes(value), _) => {
            let bytes = Literal::byte_string(value);
            quote!(#bytes.to_vec())
        }
        (Value::Optional(Some(value)), Type::Optional(inner)) => {
            let value = literal(value, inner, interface);
            quote!(Some(#value))
        }
        (Value::List(values), Type::List(inner)) => {
            let values = values.iter().map(|value| literal(value, inner, interface));
            quote!(Vec::from([#(#values),*]))
        }
        (Value::Map(values), Type::Map(inner)) => {
            let entries = values.iter().map(|(key, value)| {
                let value = literal(value, inner, interface);
                quote!((#key.to_owned(), #value))
            });
            quote!([#(#entries),*].into_iter().collect())
        }
        (Value::Record(values), Type::Defined(index)) => {
            let definition = &interface.definitions[*index];
            let path = rust::tokens(&definition.path);
            let DefinitionKind::Record(fields) = &definition.kind else { return quote!() };
            let fields = fields.iter().zip(values).map(|(field, value)| {
                let (name, value) = (rust::identifier(&field.name), literal(value, &field.ty, interface));
                quote!(#name: #value)
            });
            quote!(#path { #(#fields),* })
        }
        (Value::Enum(number, values), Type::Defined(index)) => case(*number, values, *index, interface),
        (Value::Optional(_), _) => quote!(None),
        (Value::List(_) | Value::Map(_) | Value::Record(_) | Value::Enum(..), _) => quote!(),
    }
}

fn case(number: u8, values: &[Value], index: usize, interface: &Interface) -> TokenStream {
    let definition = &interface.definitions[index];
    let path = rust::tokens(&definition.path);
    let DefinitionKind::Enum(cases) = &definition.kind else { return quote!() };
    let case = &cases[usize::from(number)];
    let name = rust::identifier(&case.name);
    match &case.payload {
        Payload::None => quote!(#path::#name),
        Payload::Tuple(types) => {
            let values = types.iter().zip(values).map(|((ty, _), value)| literal(value, ty, interface));
            quote!(#path::#name(#(#values),*))
        }
        Payload::Named(fields) => {
            let fields = fields.iter().zip(values).map(|(field, value)| {
                let (name, value) = (rust::identifier(&field.name), literal(value, &field.ty, interface));
                quote!(#name: #value)
            });
            quote!(#path::#name { #(#fields),* })
        }
    }
}

fn signed(negative: bool, digits: &Literal) -> TokenStream {
    if negative { quote!(-#digits) } else { quote!(#digits) }
}
