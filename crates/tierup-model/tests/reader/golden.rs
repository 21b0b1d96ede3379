//! Everything that is accepted and everything that is refused, one fixture each (see `fixtures`).

use crate::fixtures::fixtures;
use std::fmt::Write;
use tierup_diagnostic::Diagnostic;
use tierup_model::*;

#[test]
fn accepted() {
    let mut agrees = true;
    for fixture in fixtures("accepted") {
        let actual = match fixture.read() {
            Ok(interface) => readable(&interface),
            Err(problems) => format!("refused:\n{}", joined(&problems)),
        };
        agrees &= fixture.expect(&actual) && !actual.starts_with("refused");
    }
    assert!(agrees, "see above; UPDATE_EXPECT=1 blesses what is accepted");
}

#[test]
fn refused() {
    let mut agrees = true;
    for fixture in fixtures("refused") {
        let actual = match fixture.read() {
            Ok(interface) => format!("accepted:\n{}", readable(&interface)),
            Err(problems) => joined(&problems),
        };
        agrees &= fixture.expect(&actual) && !actual.starts_with("accepted");
    }
    assert!(agrees, "see above; UPDATE_EXPECT=1 blesses what is refused");
}

fn joined(problems: &[Diagnostic]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect::<Vec<_>>().join("\n")
}

/// `name: type = Rust's spelling`, with what docs say in `|` lines.
fn readable(interface: &Interface) -> String {
    let mut text = docs(&interface.docs, "");
    for function in &interface.functions {
        let Output { ty, rust, fallible } = &function.output;
        let output = ty.as_ref().map_or("()".to_string(), |ty| name(ty, interface));
        let fallible = if *fallible { " or error" } else { "" };
        let _ = writeln!(text, "fn {} = {}", function.name, function.path);
        text += &docs(&function.docs, "  ");
        for Parameter { name: parameter, ty, rust, passing } in &function.parameters {
            let lent = match passing {
                Passing::Value => String::new(),
                Passing::Lent { owned } => format!(", lent from {owned}"),
            };
            let _ = writeln!(text, "  {parameter}: {} = {rust}{lent}", name(ty, interface));
        }
        let _ = writeln!(text, "  -> {output}{fallible} = {rust}");
    }
    for definition in &interface.definitions {
        let keyword = if let DefinitionKind::Record(_) = definition.kind { "record" } else { "enum" };
        let _ = writeln!(text, "{keyword} {} = {}", definition.name, definition.path);
        text += &docs(&definition.docs, "  ");
        match &definition.kind {
            DefinitionKind::Record(fields) => text += &readable_fields(fields, "  ", interface),
            DefinitionKind::Enum(cases) => {
                for case in cases {
                    let _ = writeln!(text, "  case {}", case.name);
                    text += &docs(&case.docs, "    ");
                    match &case.payload {
                        Payload::None => {}
                        Payload::Tuple(types) => {
                            for (ty, rust) in types {
                                let _ = writeln!(text, "    {} = {rust}", name(ty, interface));
                            }
                        }
                        Payload::Named(fields) => text += &readable_fields(fields, "    ", interface),
                    }
                }
            }
        }
    }
    text
}

fn readable_fields(fields: &[Field], indent: &str, interface: &Interface) -> String {
    let fields = fields.iter().map(|field| {
        let ty = name(&field.ty, interface);
        format!("{indent}{}: {ty} = {}\n{}", field.name, field.rust, docs(&field.docs, &format!("{indent}  ")))
    });
    fields.collect()
}

fn docs(docs: &str, indent: &str) -> String {
    docs.lines().map(|line| format!("{indent}| {line}\n")).collect()
}

fn name(ty: &Type, interface: &Interface) -> String {
    match ty {
        Type::Bool => "bool".to_string(),
        Type::Integer(integer) => integer.rust().to_string(),
        Type::F32 => "f32".to_string(),
        Type::F64 => "f64".to_string(),
        Type::Text => "text".to_string(),
        Type::Bytes => "bytes".to_string(),
        Type::Optional(inner) => format!("optional {}", name(inner, interface)),
        Type::List(inner) => format!("list of {}", name(inner, interface)),
        Type::Map(inner) => format!("map of {}", name(inner, interface)),
        Type::Defined(index) => interface.definitions[*index].name.clone(),
    }
}
