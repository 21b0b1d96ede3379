//! `interface.ex`: the types and functions as data, which `wire.ex` reads.

use tierup_codegen::named::{Named, NamedCase, NamedDefinition, NamedFunction, NamedKind, NamedValue};
use tierup_codegen::source::{Source, fill};
use tierup_codegen::{Project, abi, wire};
use tierup_model::{Payload, Type};

use crate::names;
use crate::source::{HEADER, INDENT, atom, bytes, literal};

/// The file's source.
pub(crate) fn interface(project: &Project, named: &Named<'_>, module: &str) -> String {
    let definition = |definition| format!("    {},\n", content(definition, module));
    let definitions: String = named.definitions.iter().map(definition).collect();
    let mut functions = Source::new(INDENT);
    functions.inside(|source| {
        source.inside(|source| {
            let add = |function: &NamedFunction<'_>| add_function(source, function, &project.pure);
            named.functions.iter().for_each(add);
        });
    });
    let filled = fill(
        include_str!("../templates/package/interface.ex"),
        &[
            ("abi", &literal(&abi::hash_text(named.interface))),
            ("alternatives", &named.alternatives(literal)),
            ("application", &atom(&names::application(&named.interface.package))),
            ("definitions", &definitions),
            ("functions", functions.text()),
            ("health", &health(project)),
            ("module", module),
            ("package", &literal(&named.interface.package)),
        ],
    );
    format!("{HEADER}{filled}")
}

fn add_function(source: &mut Source, function: &NamedFunction<'_>, pure: &[usize]) {
    let parameters =
        function.parameters.iter().map(|parameter| format!("{{{}, {}}}", literal(&parameter.name), ty(parameter.ty)));
    source.add(format!(
        "
        %{{
            number: {},
            name: {},
            raising: {},
            parameters: [{}],
            output: {},
            direct: {},
            raw: {},
            pure: {}
        }},
        ",
        function.number,
        atom(&function.name),
        atom(&format!("{}!", function.name)),
        parameters.collect::<Vec<_>>().join(", "),
        function.output.map_or("nil".to_owned(), ty),
        function.is_direct(),
        function.is_raw(),
        pure.contains(&function.number),
    ));
}

fn health(project: &Project) -> String {
    let Some(health) = &project.health else { return "nil".to_owned() };
    let right: Vec<_> = health.sha256.iter().map(|digest| literal(digest)).collect();
    format!("{{{}, {}, [{}]}}", health.function, bytes(&health.arguments), right.join(", "))
}

fn content(definition: &NamedDefinition<'_>, module: &str) -> String {
    let name = &definition.name;
    match &definition.kind {
        NamedKind::Record(record) => format!("{{:record, {module}.{name}, {}}}", fields(record)),
        NamedKind::Words(cases) | NamedKind::Cases(cases) => {
            let cases: Vec<_> =
                cases.iter().map(|case| format!("{{{}, {}}}", atom(&case.name), payload(case))).collect();
            format!("{{:cases, {module}.{name}, [{}]}}", cases.join(", "))
        }
    }
}

fn payload(case: &NamedCase<'_>) -> String {
    match case.payload {
        _ if case.fields.is_empty() => "nil".to_owned(),
        Payload::Named(_) => format!("{{:named, {}}}", fields(&case.fields)),
        _ => {
            let types: Vec<_> = case.fields.iter().map(|field| ty(field.ty)).collect();
            format!("{{:tuple, [{}]}}", types.join(", "))
        }
    }
}

fn fields(values: &[NamedValue<'_>]) -> String {
    let fields: Vec<_> = values.iter().map(|value| format!("{{{}, {}}}", atom(&value.name), ty(value.ty))).collect();
    format!("[{}]", fields.join(", "))
}

fn ty(ty: &Type) -> String {
    match ty {
        Type::Optional(inner) => format!("{{:optional, {}}}", self::ty(inner)),
        Type::List(inner) => format!("{{:list, {}}}", self::ty(inner)),
        Type::Map(inner) => format!("{{:map, {}}}", self::ty(inner)),
        Type::Defined(number) => format!("{{:defined, {number}}}"),
        plain => atom(wire::plain(plain).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_atoms_or_tuples() {
        let list = Type::List(Box::new(Type::Optional(Box::new(Type::Defined(3)))));
        assert_eq!(ty(&list), "{:list, {:optional, {:defined, 3}}}");
        assert_eq!(ty(&Type::Map(Box::new(Type::Text))), "{:map, :text}");
    }
}
