//! `test/interface.js`: the types as data, from which the package's own test makes edge values.

use std::fmt::Write as _;

use tierup_model::{Definition, DefinitionKind, Field, Interface, Payload, Type};

use crate::names::{CaseNames, DefinitionNames, Names, literal};

/// The file's source.
pub(crate) fn interface(interface: &Interface) -> String {
    let names = Names::of(interface);
    let mut text = String::from(
        "// Made by tierup from the signatures in your crate; changes here are lost at the next build.\n\
         //\n\
         // The types as data, for edge-values.js.\n\
         'use strict';\n\n\
         /** Records and enums; `{ defined: 0 }` is the first of them. */\n\
         const definitions = [\n",
    );
    for (definition, names) in interface.definitions.iter().zip(&names.definitions) {
        let _ = writeln!(text, "  {},", self::definition(definition, names));
    }
    text += "];\n\n/** The types of each function's parameters. */\nconst functions = [\n";
    for (function, names) in interface.functions.iter().zip(&names.functions) {
        let parameters: Vec<_> = function.parameters.iter().map(|parameter| self::ty(&parameter.ty)).collect();
        let (name, parameters) = (literal(&names.property), parameters.join(", "));
        let _ = writeln!(text, "  {{ name: {name}, parameters: [{parameters}] }},");
    }
    text + "];\n\nmodule.exports = { definitions, functions };\n"
}

fn definition(definition: &Definition, names: &DefinitionNames) -> String {
    match &definition.kind {
        DefinitionKind::Record(fields) => format!("{{ record: {} }}", self::fields(fields, &names.fields)),
        DefinitionKind::Enum(_) if definition.is_plain_enum() => {
            let words: Vec<_> = names.cases.iter().map(|case| literal(&case.tag)).collect();
            format!("{{ words: [{}] }}", words.join(", "))
        }
        DefinitionKind::Enum(cases) => {
            let cases: Vec<_> =
                cases.iter().zip(&names.cases).map(|(case, names)| payload(&case.payload, names)).collect();
            format!("{{ cases: [{}] }}", cases.join(", "))
        }
    }
}

fn payload(payload: &Payload, names: &CaseNames) -> String {
    let tag = literal(&names.tag);
    match payload {
        Payload::None => format!("{{ type: {tag} }}"),
        Payload::Tuple(types) => {
            let types: Vec<_> = types.iter().map(|(ty, _)| self::ty(ty)).collect();
            match types.as_slice() {
                [only] => format!("{{ type: {tag}, one: {only} }}"),
                several => format!("{{ type: {tag}, several: [{}] }}", several.join(", ")),
            }
        }
        Payload::Named(fields) => format!("{{ type: {tag}, record: {} }}", self::fields(fields, &names.fields)),
    }
}

fn fields(fields: &[Field], names: &[String]) -> String {
    let fields: Vec<_> =
        fields.iter().zip(names).map(|(field, name)| format!("[{}, {}]", literal(name), ty(&field.ty))).collect();
    format!("[{}]", fields.join(", "))
}

fn ty(ty: &Type) -> String {
    match ty {
        Type::Bool => "'bool'".into(),
        Type::Integer(integer) => format!("'{}'", integer.rust()),
        Type::F32 => "'f32'".into(),
        Type::F64 => "'f64'".into(),
        Type::Text => "'text'".into(),
        Type::Bytes => "'bytes'".into(),
        Type::Optional(inner) => format!("{{ optional: {} }}", self::ty(inner)),
        Type::List(inner) => format!("{{ list: {} }}", self::ty(inner)),
        Type::Map(inner) => format!("{{ map: {} }}", self::ty(inner)),
        Type::Defined(index) => format!("{{ defined: {index} }}"),
    }
}
