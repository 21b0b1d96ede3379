//! The parts of arguments: each argument, and each item, field and payload within it, with a path that names its place.
//!
//! In: a call's arguments. Out: calls of a visitor, such as ``titles[]`` with one title. All items of a list have the
//! same path, so a path names a place in the signature, not in one value.

use tierup_codegen::abi::Value;
use tierup_model::{Case, DefinitionKind, Function, Interface, Payload, Type};

/// Visits every part of a call's arguments, from the outside in. The value of an option is visited twice: as an option,
/// and, if it is there, as its value.
pub fn visit_parts(
    arguments: &[Value],
    function: &Function,
    interface: &Interface,
    visit: &mut dyn FnMut(&str, &Value, &Type),
) {
    for (value, parameter) in arguments.iter().zip(&function.parameters) {
        part(&parameter.name, value, &parameter.ty, interface, visit);
    }
}

fn part(path: &str, value: &Value, ty: &Type, interface: &Interface, visit: &mut dyn FnMut(&str, &Value, &Type)) {
    visit(path, value, ty);
    match (value, ty) {
        (Value::Optional(Some(value)), Type::Optional(ty)) => part(path, value, ty, interface, visit),
        (Value::List(values), Type::List(ty)) => {
            let path = of_item(path);
            values.iter().for_each(|value| part(&path, value, ty, interface, visit));
        }
        (Value::Map(values), Type::Map(ty)) => {
            let path = of_entry(path);
            values.values().for_each(|value| part(&path, value, ty, interface, visit));
        }
        (Value::Record(values), Type::Defined(index)) => {
            if let DefinitionKind::Record(fields) = &interface.definitions[*index].kind {
                for (value, field) in values.iter().zip(fields) {
                    part(&within(path, &field.name), value, &field.ty, interface, visit);
                }
            }
        }
        (Value::Enum(number, values), Type::Defined(index)) => {
            if let DefinitionKind::Enum(cases) = &interface.definitions[*index].kind
                && let Some(case) = cases.get(usize::from(*number))
            {
                for (value, (name, ty)) in values.iter().zip(payload(case)) {
                    part(&within(&within(path, &case.name), &name), value, ty, interface, visit);
                }
            }
        }
        _ => {}
    }
}

/// The most places of a signature: records of records can have a great many.
const MOST: usize = 500;

/// The places of a signature with their types, in its order; the first [`MOST`] if there are more. An option and its
/// value have the same path, one after the other.
pub fn places(function: &Function, interface: &Interface) -> Vec<(String, Type)> {
    let mut all = Vec::new();
    let mut add = |path: &str, ty: &Type| {
        all.push((path.to_owned(), ty.clone()));
        all.len() < MOST
    };
    function.parameters.iter().all(|parameter| types(&parameter.name, &parameter.ty, interface, &mut add));
    all
}

fn types(path: &str, ty: &Type, interface: &Interface, visit: &mut impl FnMut(&str, &Type) -> bool) -> bool {
    if !visit(path, ty) {
        return false;
    }
    match ty {
        Type::Optional(inner) => types(path, inner, interface, visit),
        Type::List(inner) => types(&of_item(path), inner, interface, visit),
        Type::Map(inner) => types(&of_entry(path), inner, interface, visit),
        Type::Defined(index) => match &interface.definitions[*index].kind {
            DefinitionKind::Record(fields) => {
                fields.iter().all(|field| types(&within(path, &field.name), &field.ty, interface, visit))
            }
            DefinitionKind::Enum(cases) => cases.iter().all(|case| {
                let path = within(path, &case.name);
                payload(case).iter().all(|(name, ty)| types(&within(&path, name), ty, interface, visit))
            }),
        },
        _ => true,
    }
}

/// The values that a case carries, by name or number.
fn payload(case: &Case) -> Vec<(String, &Type)> {
    match &case.payload {
        Payload::None => Vec::new(),
        Payload::Tuple(types) => types.iter().enumerate().map(|(number, (ty, _))| (number.to_string(), ty)).collect(),
        Payload::Named(fields) => fields.iter().map(|field| (field.name.clone(), &field.ty)).collect(),
    }
}

fn of_item(path: &str) -> String {
    format!("{path}[]")
}

fn of_entry(path: &str) -> String {
    format!("{path}{{}}")
}

fn within(path: &str, name: &str) -> String {
    format!("{path}.{name}")
}
