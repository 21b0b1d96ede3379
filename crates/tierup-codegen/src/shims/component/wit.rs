//! The WIT package: one interface with every function and type, and the world that exports it.

use std::fmt::Write as _;

use tierup_model::{Case, DefinitionKind, Field, Function, Integer, Interface, Payload, Type};

use super::names::{DefinitionNames, FunctionNames, MemberNames, Names};
use super::{INTERFACE, NO_FIELD, PANICKED};

/// The interface as a WIT package with the world `library`, formatted like hand-written WIT.
///
/// The package has no version: a host's code names the package, and would have to change with every release.
pub fn wit(interface: &Interface) -> String {
    let names = Names::new(interface);
    let mut text = Text::default();
    text.line("// Made by tierup from the signatures in your crate; changes here are lost at the next build.");
    text.line(&format!("package tierup:{};\n", escaped(&names.package)));
    text.line(&format!("interface {INTERFACE} {{"));
    text.indent += 1;
    for (definition, own) in interface.definitions.iter().zip(&names.definitions) {
        match &definition.kind {
            DefinitionKind::Record(fields) => {
                text.docs(&definition.docs);
                record(&mut text, fields, own, &names);
            }
            DefinitionKind::Enum(cases) => {
                payload_records(&mut text, cases, own, &names);
                text.docs(&definition.docs);
                enumeration(&mut text, definition.is_plain_enum(), cases, own, &names);
            }
        }
    }
    for (item, own) in interface.functions.iter().zip(&names.functions) {
        function(&mut text, item, own, &names);
    }
    text.indent -= 1;
    text.text.truncate(text.text.trim_end().len());
    text.line("\n}\n");
    text.docs(&interface.docs);
    text.line("world library {");
    text.line(&format!("    /// Told a panic's message and place, right before the trap that follows it.\n    import {PANICKED}: func(message: string);\n"));
    text.line(&format!("    export {INTERFACE};\n}}"));
    text.text
}

fn record(text: &mut Text, fields: &[Field], own: &DefinitionNames, names: &Names) {
    text.line(&format!("record {} {{", escaped(&own.name)));
    text.indent += 1;
    if fields.is_empty() {
        text.docs("Always false: WIT has no records without fields.");
        text.line(&format!("{NO_FIELD}: bool,"));
    }
    for (field, member) in fields.iter().zip(&own.members) {
        text.docs(&field.docs);
        text.line(&format!("{}: {},", escaped(&member.name), spell(&field.ty, names)));
    }
    text.indent -= 1;
    text.line("}\n");
}

/// A case carries one value in WIT, so named fields go into a record of their own.
fn payload_records(text: &mut Text, cases: &[Case], own: &DefinitionNames, names: &Names) {
    for (case, member) in cases.iter().zip(&own.members) {
        if let (Payload::Named(fields), Some(payload)) = (&case.payload, &member.payload) {
            text.docs(&format!("What `{}` of `{}` carries.", member.name, own.name));
            record(text, fields, payload, names);
        }
    }
}

fn enumeration(text: &mut Text, is_plain: bool, cases: &[Case], own: &DefinitionNames, names: &Names) {
    let keyword = if is_plain { "enum" } else { "variant" };
    text.line(&format!("{keyword} {} {{", escaped(&own.name)));
    text.indent += 1;
    for (case, member) in cases.iter().zip(&own.members) {
        text.docs(&case.docs);
        text.line(&format!("{}{},", escaped(&member.name), payload(case, member, names)));
    }
    text.indent -= 1;
    text.line("}\n");
}

fn payload(case: &Case, member: &MemberNames, names: &Names) -> String {
    match (&case.payload, &member.payload) {
        (Payload::Tuple(types), _) => match types.as_slice() {
            [(ty, _)] => format!("({})", spell(ty, names)),
            types => {
                let types: Vec<_> = types.iter().map(|(ty, _)| spell(ty, names)).collect();
                format!("(tuple<{}>)", types.join(", "))
            }
        },
        (Payload::Named(_), Some(record)) => format!("({})", escaped(&record.name)),
        _ => String::new(),
    }
}

fn function(text: &mut Text, function: &Function, own: &FunctionNames, names: &Names) {
    text.docs(&function.docs);
    let parameters = function.parameters.iter().zip(&own.parameters);
    let parameters: Vec<_> =
        parameters.map(|(parameter, name)| format!("{}: {}", escaped(name), spell(&parameter.ty, names))).collect();
    let value = function.output.ty.as_ref().map(|ty| spell(ty, names));
    let output = match (value, function.output.fallible) {
        (Some(value), true) => format!(" -> result<{value}, string>"),
        (None, true) => " -> result<_, string>".to_owned(),
        (Some(value), false) => format!(" -> {value}"),
        (None, false) => String::new(),
    };
    text.line(&format!("{}: func({}){output};\n", escaped(&own.name), parameters.join(", ")));
}

/// A type as WIT spells it.
fn spell(ty: &Type, names: &Names) -> String {
    match ty {
        Type::Bool => "bool".into(),
        Type::Integer(integer) => spell_integer(*integer).into(),
        Type::F32 => "f32".into(),
        Type::F64 => "f64".into(),
        Type::Text => "string".into(),
        Type::Bytes => "list<u8>".into(),
        Type::Optional(inner) => format!("option<{}>", spell(inner, names)),
        Type::List(inner) => format!("list<{}>", spell(inner, names)),
        // Most hosts are older than WIT's own `map`.
        Type::Map(inner) => format!("list<tuple<string, {}>>", spell(inner, names)),
        Type::Defined(index) => escaped(&names.definitions[*index].name),
    }
}

fn spell_integer(integer: Integer) -> &'static str {
    match integer {
        Integer::I8 => "s8",
        Integer::I16 => "s16",
        Integer::I32 => "s32",
        Integer::I64 | Integer::Isize => "s64",
        Integer::U8 => "u8",
        Integer::U16 => "u16",
        Integer::U32 => "u32",
        Integer::U64 | Integer::Usize => "u64",
    }
}

/// The keywords of WIT, which are allowed as names after a `%`.
const KEYWORDS: &[&str] = &[
    "as", "async", "bool", "borrow", "char", "constructor", "enum", "error-context", "export", "f32", "f64", "flags",
    "from", "func", "future", "import", "include", "interface", "list", "map", "option", "own", "package", "record",
    "resource", "result", "s16", "s32", "s64", "s8", "static", "stream", "string", "tuple", "type", "u16", "u32",
    "u64", "u8", "use", "variant", "with", "world",
];

fn escaped(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("%{name}") } else { name.to_owned() }
}

/// Lines that are being written.
#[derive(Default)]
struct Text {
    text: String,
    indent: usize,
}

impl Text {
    fn line(&mut self, line: &str) {
        let indent = "    ".repeat(if line.starts_with('\n') { 0 } else { self.indent });
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.text, "{indent}{line}");
    }

    fn docs(&mut self, docs: &str) {
        for line in docs.lines() {
            let line: String = line.chars().filter(|char| is_allowed(*char)).collect();
            self.line(format!("/// {line}").trim_end());
        }
    }
}

/// Whether WIT takes a character even in a comment. It refuses controls, overrides of the writing direction
/// (CVE-2021-42574) and characters that Unicode discourages.
fn is_allowed(char: char) -> bool {
    let overrides = matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let discouraged = matches!(
        char,
        '\u{149}' | '\u{673}' | '\u{f77}' | '\u{f79}' | '\u{17a3}' | '\u{17a4}' | '\u{17b4}' | '\u{17b5}'
    );
    char == '\t' || !(overrides || discouraged || char.is_control())
}
