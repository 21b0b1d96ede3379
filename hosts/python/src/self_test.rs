//! `tests/interface.py`: the types as data, from which the package's own tests make edge values.

use std::fmt::Write as _;

use tierup_model::{Definition, DefinitionKind, Interface, Type};

use crate::names::{DefinitionNames, Names};
use crate::source::{HEADER, literal};

/// The file's source.
pub(crate) fn interface(interface: &Interface) -> String {
    let names = Names::of(interface);
    let mut text = format!(
        "{HEADER}\"\"\"The types as data, for `edge_values.py`.\"\"\"\n\n\
         # Classes by name with the types of their fields, one for a record and several for an enum; or the name of an\n\
         # enumeration. `(\"defined\", 0)` is the first of them.\nDEFINITIONS = [\n"
    );
    for (definition, names) in interface.definitions.iter().zip(&names.definitions) {
        let _ = writeln!(text, "    {},", self::definition(definition, names));
    }
    text += "]\n\n# The functions with the types of their parameters.\nFUNCTIONS = [\n";
    for (function, names) in interface.functions.iter().zip(&names.functions) {
        let types = list(function.parameters.iter().map(|parameter| &parameter.ty));
        let _ = writeln!(text, "    ({}, {types}),", literal(&names.name));
    }
    text + "]\n"
}

fn definition(definition: &Definition, names: &DefinitionNames) -> String {
    match &definition.kind {
        DefinitionKind::Record(fields) => {
            format!("[({}, {})]", literal(&names.name), list(fields.iter().map(|field| &field.ty)))
        }
        DefinitionKind::Enum(_) if definition.is_plain_enum() => literal(&names.name),
        DefinitionKind::Enum(cases) => {
            let cases: Vec<_> = cases
                .iter()
                .zip(&names.cases)
                .map(|(case, names)| format!("({}, {})", literal(&names.name), list(case.payload.types())))
                .collect();
            format!("[{}]", cases.join(", "))
        }
    }
}

fn list<'a>(types: impl IntoIterator<Item = &'a Type>) -> String {
    let types: Vec<_> = types.into_iter().map(ty).collect();
    format!("[{}]", types.join(", "))
}

fn ty(ty: &Type) -> String {
    match ty {
        Type::Bool => "\"bool\"".into(),
        Type::Integer(integer) => literal(integer.rust()),
        Type::F32 => "\"f32\"".into(),
        Type::F64 => "\"f64\"".into(),
        Type::Text => "\"text\"".into(),
        Type::Bytes => "\"bytes\"".into(),
        Type::Optional(inner) => format!("(\"optional\", {})", self::ty(inner)),
        Type::List(inner) => format!("(\"list\", {})", self::ty(inner)),
        Type::Map(inner) => format!("(\"map\", {})", self::ty(inner)),
        Type::Defined(index) => format!("(\"defined\", {index})"),
    }
}
