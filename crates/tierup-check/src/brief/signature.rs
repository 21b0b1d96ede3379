//! A function's signature and its types, as Rust source. In: the interface. Out: declarations with their docs.

use std::collections::BTreeSet;

use tierup_codegen::rust::identifier;
use tierup_model::{Case, Definition, DefinitionKind, Field, Function, Interface, Payload, Type, without_paths};

/// The declaration of the function without its body, and of the types that it names.
pub(super) fn declarations(function: &Function, interface: &Interface) -> String {
    let mut used = BTreeSet::new();
    let types = function.parameters.iter().map(|parameter| &parameter.ty).chain(&function.output.ty);
    types.for_each(|ty| reach(ty, interface, &mut used));
    let mut text = docs(&function.docs, "");
    text += &head(function);
    text += "\n";
    for index in used {
        text += "\n";
        text += &definition(&interface.definitions[index]);
    }
    text
}

/// `pub fn render(text: &str) -> Result<Vec<u8>, …>;`
fn head(function: &Function) -> String {
    let parameter = |one: &tierup_model::Parameter| format!("{}: {}", identifier(&one.name), one.shown_type());
    let parameters: Vec<String> = function.parameters.iter().map(parameter).collect();
    let value = without_paths(&function.output.rust);
    let output = match (function.output.fallible, &function.output.ty) {
        (true, _) => format!(" -> Result<{value}, impl std::fmt::Display>"),
        (false, None) => String::new(),
        (false, Some(_)) => format!(" -> {value}"),
    };
    format!("pub fn {}({}){output};", identifier(&function.name), parameters.join(", "))
}

/// Adds the definitions that a type contains. They come after those that they contain, and so do their numbers.
fn reach(ty: &Type, interface: &Interface, used: &mut BTreeSet<usize>) {
    match ty {
        Type::Optional(inner) | Type::List(inner) | Type::Map(inner) => reach(inner, interface, used),
        Type::Defined(index) if used.insert(*index) => match &interface.definitions[*index].kind {
            DefinitionKind::Record(fields) => fields.iter().for_each(|field| reach(&field.ty, interface, used)),
            DefinitionKind::Enum(cases) => {
                cases.iter().flat_map(|case| case.payload.types()).for_each(|ty| reach(ty, interface, used));
            }
        },
        _ => {}
    }
}

fn definition(definition: &Definition) -> String {
    let name = identifier(&definition.name);
    let (what, parts) = match &definition.kind {
        DefinitionKind::Record(fields) => ("struct", fields.iter().map(|one| field(one, "pub ")).collect::<String>()),
        DefinitionKind::Enum(cases) => ("enum", cases.iter().map(case).collect()),
    };
    format!("{}pub {what} {name} {{\n{parts}}}\n", docs(&definition.docs, ""))
}

fn field(field: &Field, public: &str) -> String {
    let docs = docs(&field.docs, "    ");
    format!("{docs}    {public}{}: {},\n", identifier(&field.name), without_paths(&field.rust))
}

fn case(case: &Case) -> String {
    let payload = match &case.payload {
        Payload::None => String::new(),
        Payload::Tuple(types) => {
            format!("({})", types.iter().map(|(_, rust)| without_paths(rust)).collect::<Vec<_>>().join(", "))
        }
        Payload::Named(fields) => {
            let named = fields.iter().map(|one| format!("{}: {}", identifier(&one.name), without_paths(&one.rust)));
            format!(" {{ {} }}", named.collect::<Vec<_>>().join(", "))
        }
    };
    format!("{}    {}{payload},\n", docs(&case.docs, "    "), identifier(&case.name))
}

fn docs(docs: &str, indent: &str) -> String {
    docs.lines().map(|line| format!("{indent}/// {line}").trim_end().to_owned() + "\n").collect()
}
