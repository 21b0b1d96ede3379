//! The modules of records and enums: a struct for a record, and a `@type` for an enum, whose values are atoms and
//! tagged tuples.

use tierup_codegen::Files;
use tierup_codegen::named::{Named, NamedCase, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;
use tierup_model::{Payload, Type};

use crate::source::{HEADER, INDENT, atom, documentation, key};

/// The files below the folder of the package's modules, one for each definition.
pub(crate) fn types(named: &Named<'_>, module: &str) -> Files {
    let mut files = Files::new();
    for definition in &named.definitions {
        files.add(format!("types/{}.ex", definition.name), self::definition(definition, named, module));
    }
    files
}

fn definition(definition: &NamedDefinition<'_>, named: &Named<'_>, module: &str) -> String {
    let mut source = Source::new(INDENT);
    source.add_as_is(HEADER);
    source.add(format!("defmodule {module}.{} do", definition.name));
    source.inside(|source| {
        documentation(source, "moduledoc", &described(definition));
        match &definition.kind {
            NamedKind::Record(fields) => {
                let keys: Vec<_> = fields.iter().map(|field| atom(&field.name)).collect();
                let keys = keys.join(", ");
                source.gap(1).add(format!("@enforce_keys [{keys}]\ndefstruct [{keys}]"));
                source.gap(1).add(format!("@type t :: %__MODULE__{{{}}}", members(fields, named, module)));
            }
            NamedKind::Words(cases) | NamedKind::Cases(cases) => {
                let all: Vec<_> = cases.iter().map(|case| self::case(case, named, module)).collect();
                source.gap(1).add(format!("@type t ::\n{}", all.join(" |\n")));
            }
        }
    });
    source.add("end");
    source.into_text()
}

/// The documentation of a type and of its fields or cases.
fn described(definition: &NamedDefinition<'_>) -> String {
    let fields = definition.fields().iter().map(|field| (field.name.as_str(), field.docs));
    let cases = definition.cases().iter().map(|case| (case.name.as_str(), case.docs));
    let parts: Vec<_> = fields
        .chain(cases)
        .filter(|(_, docs)| !docs.trim().is_empty())
        .map(|(name, docs)| format!("- `{}`: {}", atom(name), docs.trim().replace('\n', "\n  ")))
        .collect();
    let own = match definition.docs.trim() {
        "" => format!("`{}` of the crate.", definition.name),
        docs => docs.to_owned(),
    };
    if parts.is_empty() { own } else { format!("{own}\n\n{}", parts.join("\n")) }
}

fn case(case: &NamedCase<'_>, named: &Named<'_>, module: &str) -> String {
    let tag = atom(&case.name);
    match case.payload {
        _ if case.fields.is_empty() => format!("        {tag}"),
        Payload::Named(_) => format!("        {{{tag}, %{{{}}}}}", members(&case.fields, named, module)),
        _ => {
            let types: Vec<_> = case.fields.iter().map(|field| spec(field.ty, named, module)).collect();
            format!("        {{{tag}, {}}}", types.join(", "))
        }
    }
}

fn members(fields: &[NamedValue<'_>], named: &Named<'_>, module: &str) -> String {
    let members = fields.iter().map(|field| format!("{} {}", key(&field.name), spec(field.ty, named, module)));
    members.collect::<Vec<_>>().join(", ")
}

/// The type in the form of a `@spec`.
pub(crate) fn spec(ty: &Type, named: &Named<'_>, module: &str) -> String {
    let inner = |ty: &Type| spec(ty, named, module);
    match ty {
        Type::Bool => "boolean()".to_owned(),
        Type::Integer(integer) => {
            let bits = integer.bits();
            match (integer.is_signed(), bits) {
                (false, 8) => "byte()".to_owned(),
                (false, _) => "non_neg_integer()".to_owned(),
                (true, _) => "integer()".to_owned(),
            }
        }
        Type::F32 | Type::F64 => format!("{module}.Tierup.Wire.float_value()"),
        Type::Text => "String.t()".to_owned(),
        Type::Bytes => "binary()".to_owned(),
        Type::Optional(ty) => format!("{} | nil", inner(ty)),
        Type::List(ty) => format!("[{}]", inner(ty)),
        Type::Map(ty) => format!("%{{optional(String.t()) => {}}}", inner(ty)),
        Type::Defined(number) => format!("{module}.{}.t()", named.type_name(*number)),
    }
}
