//! `Interface`, of the package's own tests: the types as data, from which they make edge values.

use tierup_model::{Definition, DefinitionKind, Interface, Type};

use crate::names::{DefinitionNames, Names};
use crate::source::{HEADER, literal};

/// The file's source. It lies in a package of its own, so that no type of the user's is mistaken for one of the tests'.
pub(crate) fn interface(interface: &Interface, names: &Names, package: &str) -> String {
    let definitions = interface.definitions.iter().zip(&names.definitions);
    let definitions = definitions.map(|(definition, names)| self::definition(definition, names, package));
    let functions = interface.functions.iter().zip(&names.functions).map(|(function, names)| {
        let types = list(function.parameters.iter().map(|parameter| &parameter.ty));
        format!("new Signature({}, {types})", literal(&names.name))
    });
    format!(
        "{HEADER}package {package}.selftest;\n\n\
         import static {package}.selftest.Type.Plain.*;\nimport static {package}.selftest.Type.Whole.*;\n\n\
         import {package}.selftest.Type.*;\n\nimport java.util.List;\n\n\
         /** The interface that this package was made from, as data. */\nfinal class Interface {{\n\
         \x20   static final List<Definition> DEFINITIONS = List.of({});\n\n\
         \x20   static final List<Signature> FUNCTIONS = List.of({});\n\n    private Interface() {{}}\n}}\n",
        lines(definitions),
        lines(functions)
    )
}

fn lines(expressions: impl Iterator<Item = String>) -> String {
    expressions.map(|expression| format!("\n            {expression}")).collect::<Vec<_>>().join(",")
}

fn definition(definition: &Definition, names: &DefinitionNames, package: &str) -> String {
    let name = format!("{package}.{}", names.name);
    let case = |name: &str, types: String| format!("new Definition.Case({name}.class, {types})");
    match &definition.kind {
        DefinitionKind::Record(fields) => {
            format!("Definition.of({})", case(&name, list(fields.iter().map(|field| &field.ty))))
        }
        DefinitionKind::Enum(_) if definition.is_plain_enum() => format!("Definition.of({name}.values())"),
        DefinitionKind::Enum(cases) => {
            let cases: Vec<_> = cases
                .iter()
                .zip(&names.cases)
                .map(|(one, names)| case(&format!("{name}.{}", names.name), list(one.payload.types())))
                .collect();
            format!("Definition.of({})", cases.join(", "))
        }
    }
}

fn list<'a>(types: impl IntoIterator<Item = &'a Type>) -> String {
    let types: Vec<_> = types.into_iter().map(ty).collect();
    format!("List.of({})", types.join(", "))
}

fn ty(ty: &Type) -> String {
    match ty {
        Type::Bool => "BOOL".into(),
        Type::Integer(integer) => integer.rust().to_uppercase(),
        Type::F32 => "F32".into(),
        Type::F64 => "F64".into(),
        Type::Text => "TEXT".into(),
        Type::Bytes => "BYTES".into(),
        Type::Optional(inner) => format!("new Maybe({})", self::ty(inner)),
        Type::List(inner) => format!("new Many({})", self::ty(inner)),
        Type::Map(inner) => format!("new Keyed({})", self::ty(inner)),
        Type::Defined(index) => format!("new Defined({index})"),
    }
}
