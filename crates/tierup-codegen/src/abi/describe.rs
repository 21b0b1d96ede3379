//! A canonical text of an interface, and its hash, which a host compares before it trusts a binary.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use tierup_model::{Case, DefinitionKind, Field, Integer, Interface, Payload, Type};

/// Changed whenever the encoding or the calling convention changes.
const ENCODING: &str = "tierup-abi 1";

/// The interface as the encoding sees it: names and types in order, no docs, no paths.
/// Two interfaces with the same text read each other's bytes.
pub fn describe(interface: &Interface) -> String {
    let mut text = format!("{ENCODING}\n");
    for definition in &interface.definitions {
        match &definition.kind {
            DefinitionKind::Record(fields) => {
                line(&mut text, format_args!("record {} {}", definition.name, fields_text(interface, fields)));
            }
            DefinitionKind::Enum(cases) => {
                let cases: Vec<_> = cases.iter().map(|case| case_text(interface, case)).collect();
                line(&mut text, format_args!("enum {} {}", definition.name, cases.join(" | ")));
            }
        }
    }
    for function in &interface.functions {
        let parameters: Vec<_> =
            function.parameters.iter().map(|p| format!("{}: {}", p.name, type_text(interface, &p.ty))).collect();
        let output = function.output.ty.as_ref().map_or("unit".to_owned(), |ty| type_text(interface, ty));
        let fallible = if function.output.fallible { " or error" } else { "" };
        line(&mut text, format_args!("fn {}({}) -> {output}{fallible}", function.name, parameters.join(", ")));
    }
    // A host chooses an alternative by its number, so the list of them is part of the interface.
    for alternative in &interface.alternatives {
        line(&mut text, format_args!("alternative {}", alternative.name));
    }
    text
}

/// The first eight bytes of the SHA-256 of [`describe`], as a big-endian number.
pub fn hash(interface: &Interface) -> u64 {
    let digest = Sha256::digest(describe(interface));
    digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

/// [`hash`] as it is written everywhere: 16 lower-case hex digits.
pub fn hash_text(interface: &Interface) -> String {
    format!("{:016x}", hash(interface))
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{content}");
}

fn fields_text(interface: &Interface, fields: &[Field]) -> String {
    let fields: Vec<_> = fields.iter().map(|f| format!("{}: {}", f.name, type_text(interface, &f.ty))).collect();
    format!("{{{}}}", fields.join(", "))
}

fn case_text(interface: &Interface, case: &Case) -> String {
    match &case.payload {
        Payload::None => case.name.clone(),
        Payload::Tuple(types) => {
            let types: Vec<_> = types.iter().map(|(ty, _)| type_text(interface, ty)).collect();
            format!("{}({})", case.name, types.join(", "))
        }
        Payload::Named(fields) => format!("{}{}", case.name, fields_text(interface, fields)),
    }
}

fn type_text(interface: &Interface, ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".into(),
        // Always 64 bits on the wire, on every machine.
        Type::Integer(Integer::Usize) => "u64".into(),
        Type::Integer(Integer::Isize) => "i64".into(),
        Type::Integer(integer) => integer.rust().into(),
        Type::F32 => "f32".into(),
        Type::F64 => "f64".into(),
        Type::Text => "text".into(),
        Type::Bytes => "bytes".into(),
        Type::Optional(inner) => format!("{}?", type_text(interface, inner)),
        Type::List(inner) => format!("[{}]", type_text(interface, inner)),
        Type::Map(inner) => format!("{{text: {}}}", type_text(interface, inner)),
        Type::Defined(index) => interface.definitions[*index].name.clone(),
    }
}
