//! The parts of a host's reader and writer of the byte encoding ([`crate::abi`]): a method for each primitive type, and
//! a function for each type made of others.

use std::collections::BTreeMap;

use tierup_model::{Integer, Type};

use crate::named::Named;

/// The encoding's own name of a primitive type (one that is not made of others), for a method of a reader and a writer.
pub fn plain(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Bool => "bool",
        // Always 64 bits on the wire, on every machine.
        Type::Integer(Integer::Usize) => "u64",
        Type::Integer(Integer::Isize) => "i64",
        Type::Integer(integer) => integer.rust(),
        Type::F32 => "f32",
        Type::F64 => "f64",
        Type::Text => "text",
        Type::Bytes => "bytes",
        Type::Optional(_) | Type::List(_) | Type::Map(_) | Type::Defined(_) => return None,
    })
}

/// Where a type stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Parameter,
    Output,
    /// In a record or a case.
    Field,
    /// In an optional type, a list or a map.
    Inside,
}

/// The optional types, lists and maps that `suffix` returns a name for, by that name. Each is listed once, no matter
/// how often and where it occurs. `suffix` returns `None` if a type needs no function of its own at that place.
pub fn composites<'a>(
    named: &Named<'a>,
    suffix: impl Fn(&Type, Place) -> Option<String>,
) -> BTreeMap<String, &'a Type> {
    let mut found = BTreeMap::new();
    let mut visit = |ty: &'a Type, mut place: Place| {
        let mut next = Some(ty);
        while let Some(ty @ (Type::Optional(inner) | Type::List(inner) | Type::Map(inner))) = next {
            found.extend(suffix(ty, place).map(|suffix| (suffix, ty)));
            (next, place) = (Some(&**inner), Place::Inside);
        }
    };
    for function in &named.functions {
        function.parameters.iter().for_each(|parameter| visit(parameter.ty, Place::Parameter));
        function.output.into_iter().for_each(|ty| visit(ty, Place::Output));
    }
    named.definitions.iter().flat_map(|definition| definition.types()).for_each(|ty| visit(ty, Place::Field));
    found
}

#[cfg(test)]
mod tests {
    use tierup_model::{Function, Interface, Output, Parameter, Passing};

    use super::*;
    use crate::named::{Naming, TypeNames};

    struct AsInRust;

    impl Naming for AsInRust {
        fn types(&self, definitions: &[tierup_model::Definition]) -> Vec<TypeNames> {
            definitions.iter().map(|one| TypeNames { name: one.name.clone(), cases: vec![] }).collect()
        }

        fn functions(&self, interface: &Interface, _: &[TypeNames]) -> Vec<String> {
            interface.functions.iter().map(|function| function.name.clone()).collect()
        }

        fn parameters(&self, parameters: &[Parameter]) -> Vec<String> {
            parameters.iter().map(|parameter| parameter.name.clone()).collect()
        }

        fn fields(&self, fields: &[tierup_model::Field]) -> Vec<String> {
            fields.iter().map(|field| field.name.clone()).collect()
        }
    }

    #[test]
    fn composites_are_found_once_wherever_they_stand() {
        let list = |inner: Type| Type::List(Box::new(inner));
        let maybe = |inner: Type| Type::Optional(Box::new(inner));
        let parameter = |ty| Parameter { name: "x".into(), ty, rust: String::new(), passing: Passing::Value };
        let function = Function {
            name: "f".into(),
            path: "::x::f".into(),
            docs: String::new(),
            parameters: vec![parameter(list(maybe(Type::Bool))), parameter(maybe(Type::Bool)), parameter(Type::Text)],
            output: Output { ty: Some(list(Type::Text)), rust: String::new(), fallible: false },
        };
        let interface = Interface {
            package: "x".into(),
            library: "x".into(),
            version: "0.1.0".into(),
            functions: vec![function],
            ..Interface::default()
        };
        let named = Named::new(&interface, &AsInRust);
        let all = composites(&named, |ty, _| Some(format!("{ty:?}")));
        assert_eq!(all.keys().collect::<Vec<_>>(), ["List(Optional(Bool))", "List(Text)", "Optional(Bool)"]);
        let inside = composites(&named, |ty, place| (place == Place::Inside).then(|| format!("{ty:?}")));
        assert_eq!(inside.keys().collect::<Vec<_>>(), ["Optional(Bool)"]);
    }
}
