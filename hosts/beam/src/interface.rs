//! `interface.ex`: the types and functions as data, which `wire.ex` reads.

use tierup_codegen::named::{Named, NamedCase, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;
use tierup_codegen::{Project, abi, wire};
use tierup_model::{Payload, Type};

use crate::names;
use crate::source::{HEADER, INDENT, atom, bytes, literal};

/// The file's source.
pub(crate) fn interface(project: &Project, named: &Named<'_>, module: &str) -> String {
    let mut source = Source::new(INDENT);
    source.add_as_is(HEADER);
    source.add(format!("defmodule {module}.Tierup.Interface do"));
    source.inside(|source| {
        source.add(
            "
            @moduledoc false
            # The types and functions as data. A type is an atom, or a tuple: {:list, :u8}, {:defined, 0} for the first
            # definition. Fields and parameters are pairs of a name and a type.
            ",
        );
        source.gap(1).add("@definitions [").inside(|source| {
            named.definitions.iter().for_each(|definition| {
                source.add(format!("{},", content(definition, module)));
            });
        });
        source.add("]").gap(1).add("@functions [").inside(|source| {
            for function in &named.functions {
                let parameters = function
                    .parameters
                    .iter()
                    .map(|parameter| format!("{{{}, {}}}", literal(&parameter.name), ty(parameter.ty)));
                let (output, name) = (function.output.map_or("nil".to_owned(), ty), atom(&function.name));
                let raising = atom(&format!("{}!", function.name));
                source.add(format!(
                    "
                    %{{
                        number: {},
                        name: {name},
                        raising: {raising},
                        parameters: [{}],
                        output: {output},
                        direct: {},
                        raw: {}
                    }},
                    ",
                    function.number,
                    parameters.collect::<Vec<_>>().join(", "),
                    function.is_direct(),
                    function.is_raw(),
                ));
            }
        });
        let health = project.health.as_ref().map_or_else(
            || "nil".to_owned(),
            |health| {
                let right: Vec<_> = health.sha256.iter().map(|digest| literal(digest)).collect();
                format!("{{{}, {}, [{}]}}", health.function, bytes(&health.arguments), right.join(", "))
            },
        );
        source.add("]").gap(1).add(format!(
            "
            # The hash of the interface: what was built for another one is not called.
            def abi, do: {}

            # The keys of [function.alternatives] in tierup.toml.
            def alternatives, do: [{}]

            # The crate, and its program.
            def package, do: {}

            def application, do: {}

            # The golden call of [health] in tierup.toml: the function's number, its arguments, what is right.
            def health, do: {health}

            def functions, do: @functions

            for function <- @functions do
                def function(unquote(function.number)), do: unquote(Macro.escape(function))
            end

            # Cases are looked up by their atom to be written, and by their number to be read.
            for {{definition, number}} <- Enum.with_index(@definitions) do
                found =
                    with {{:cases, name, cases}} <- definition do
                        numbered = Enum.with_index(cases)
                        by_tag = Map.new(numbered, fn {{{{tag, payload}}, number}} -> {{tag, {{number, payload}}}} end)
                        {{:cases, name, by_tag, List.to_tuple(cases)}}
                    end

                def definition(unquote(number)), do: unquote(Macro.escape(found))
            end

            def definition(_), do: nil
            ",
            literal(&abi::hash_text(named.interface)),
            named.alternatives(literal),
            literal(&named.interface.package),
            atom(&names::application(&named.interface.package)),
        ));
    });
    source.add("end");
    source.into_text()
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
