//! `TierupCodec`: writers and readers of records and enums; and, for every type, the expressions that write and read it.

use std::fmt::Write as _;

use tierup_model::{Definition, DefinitionKind, Integer, Interface, Type};

use crate::names::{DefinitionNames, Names};
use crate::source::{HEADER, Types, imports};

/// The file's source.
pub(crate) fn codec(interface: &Interface, names: &Names, package: &str) -> String {
    let codec = Codec { types: Types { names } };
    let methods: Vec<String> = interface
        .definitions
        .iter()
        .zip(&names.definitions)
        .map(|(definition, names)| codec.definition(definition, names))
        .collect();
    let body = format!(
        "/** Writes and reads the types of this package, in the encoding that crosses to Rust. */\n\
         final class TierupCodec {{\n    private TierupCodec() {{}}\n{}}}\n",
        methods.concat()
    );
    let fixed = ["Reader", "Refusal", "Unreadable", "Writer"].map(|name| format!("{package}.internal.{name}"));
    let candidates: Vec<&str> = fixed.iter().map(String::as_str).collect();
    format!("{HEADER}package {package};\n\n{}{body}", imports(&body, &candidates))
}

pub(crate) struct Codec<'a> {
    pub(crate) types: Types<'a>,
}

impl Codec<'_> {
    /// A call that writes a value.
    pub(crate) fn write(&self, ty: &Type, value: &str, writer: &str) -> String {
        self.write_at(ty, value, writer, 1)
    }

    fn write_at(&self, ty: &Type, value: &str, writer: &str, depth: usize) -> String {
        match ty {
            Type::Defined(index) => format!("TierupCodec.write{}({writer}, {value})", self.name(*index)),
            Type::Optional(inner) => format!("{writer}.optional({value}, {})", self.writer_at(inner, depth)),
            Type::List(inner) => format!("{writer}.list({value}, {})", self.writer_at(inner, depth)),
            Type::Map(inner) => format!("{writer}.map({value}, {})", self.writer_at(inner, depth)),
            plain => format!("{writer}.{}({value})", self::plain(plain)),
        }
    }

    /// A function that writes values of a type.
    pub(crate) fn writer(&self, ty: &Type) -> String {
        self.writer_at(ty, 1)
    }

    fn writer_at(&self, ty: &Type, depth: usize) -> String {
        match ty {
            Type::Defined(index) => format!("TierupCodec::write{}", self.name(*index)),
            Type::Optional(_) | Type::List(_) | Type::Map(_) => {
                let (to, value) = (format!("to{depth}"), format!("value{depth}"));
                format!("({to}, {value}) -> {}", self.write_at(ty, &value, &to, depth + 1))
            }
            plain => format!("Writer::{}", self::plain(plain)),
        }
    }

    /// An expression that reads a value.
    pub(crate) fn read(&self, ty: &Type, reader: &str) -> String {
        self.read_at(ty, reader, 1)
    }

    fn read_at(&self, ty: &Type, reader: &str, depth: usize) -> String {
        match ty {
            Type::Defined(index) => format!("TierupCodec.read{}({reader})", self.name(*index)),
            Type::Optional(inner) => format!("{reader}.optional({})", self.reader_at(inner, depth)),
            Type::List(inner) => format!("{reader}.list({})", self.reader_at(inner, depth)),
            Type::Map(inner) => format!("{reader}.map({})", self.reader_at(inner, depth)),
            plain => format!("{reader}.{}()", self::plain(plain)),
        }
    }

    /// A function that reads values of a type.
    pub(crate) fn reader(&self, ty: &Type) -> String {
        self.reader_at(ty, 1)
    }

    fn reader_at(&self, ty: &Type, depth: usize) -> String {
        match ty {
            Type::Defined(index) => format!("TierupCodec::read{}", self.name(*index)),
            Type::Optional(_) | Type::List(_) | Type::Map(_) => {
                let from = format!("from{depth}");
                format!("{from} -> {}", self.read_at(ty, &from, depth + 1))
            }
            plain => format!("Reader::{}", self::plain(plain)),
        }
    }

    fn name(&self, index: usize) -> &str {
        &self.types.names.definitions[index].name
    }

    fn definition(&self, definition: &Definition, names: &DefinitionNames) -> String {
        let name = &names.name;
        let (write, read) = match &definition.kind {
            DefinitionKind::Record(fields) => {
                let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
                (
                    format!(
                        "        if (value == null) {{\n            throw to.refusal(\"expected a {name}, got null\");\n        }}\n{}",
                        self.write_fields(&types, &names.fields, "value", "        ")
                    ),
                    format!("        return new {name}({});\n", self.read_fields(&types, "            ")),
                )
            }
            DefinitionKind::Enum(_) if definition.is_plain_enum() => (
                format!(
                    "        if (value == null) {{\n            throw to.refusal(\"expected a {name}, got null\");\n        }}\n\
                     \x20       to.u8(value.ordinal());\n"
                ),
                format!(
                    "        int number = from.u8();\n        if (number >= {name}_CASES.length) {{\n\
                     \x20           throw new Unreadable(number + \" is no case of {name}\");\n        }}\n\
                     \x20       return {name}_CASES[number];\n"
                ),
            ),
            DefinitionKind::Enum(cases) => {
                let mut write = String::new();
                let mut read = String::from("        int number = from.u8();\n        return switch (number) {\n");
                for (number, (case, names)) in cases.iter().zip(&names.cases).enumerate() {
                    let types = case.payload.types();
                    let (start, case) =
                        (if number == 0 { "        if" } else { " else if" }, format!("{name}.{}", names.name));
                    let binding = if types.is_empty() { "" } else { " of" };
                    let _ = write!(
                        write,
                        "{start} (value instanceof {case}{binding}) {{\n            to.u8({number});\n{}        }}",
                        self.write_fields(&types, &names.fields, "of", "            ")
                    );
                    let _ = writeln!(
                        read,
                        "            case {number} -> new {case}({});",
                        self.read_fields(&types, "                ")
                    );
                }
                write +=
                    &format!(" else {{\n            throw to.refusal(\"expected a {name}, got null\");\n        }}\n");
                read += &format!(
                    "            default -> throw new Unreadable(number + \" is no case of {name}\");\n        }};\n"
                );
                (write, read)
            }
        };
        let cases = if definition.is_plain_enum() {
            format!("\n    private static final {name}[] {name}_CASES = {name}.values();\n")
        } else {
            String::new()
        };
        format!(
            "{cases}\n    static void write{name}(Writer to, {name} value) {{\n{write}    }}\n\n\
             \x20   static {name} read{name}(Reader from) {{\n{read}    }}\n"
        )
    }

    /// Statements that write fields; where one can be refused, its name becomes part of the place.
    fn write_fields(&self, types: &[&Type], names: &[String], owner: &str, indent: &str) -> String {
        let write = |ty: &Type, name: &str| format!("{};\n", self.write(ty, &format!("{owner}.{name}()"), "to"));
        if !types.iter().any(|ty| can_be_refused(ty)) {
            return types.iter().zip(names).map(|(ty, name)| format!("{indent}{}", write(ty, name))).collect();
        }
        let mut text = format!("{indent}String place = \"\";\n{indent}try {{\n");
        for (ty, name) in types.iter().zip(names) {
            if can_be_refused(ty) {
                let _ = writeln!(text, "{indent}    place = \".{name}\";");
            }
            let _ = write!(text, "{indent}    {}", write(ty, name));
        }
        text + &format!("{indent}}} catch (Refusal refusal) {{\n{indent}    throw refusal.within(place);\n{indent}}}\n")
    }

    /// Arguments of a constructor, which Java evaluates from left to right.
    fn read_fields(&self, types: &[&Type], indent: &str) -> String {
        let reads: Vec<_> = types.iter().map(|ty| self.read(ty, "from")).collect();
        let line = reads.join(", ");
        if line.len() <= 60 { line } else { format!("\n{indent}{}", reads.join(&format!(",\n{indent}"))) }
    }
}

/// Whether Java has values of a type that cannot cross: null, half a character, a number out of range.
pub(crate) fn can_be_refused(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::F32 | Type::F64 => false,
        Type::Integer(integer) => matches!(integer, Integer::U8 | Integer::U16 | Integer::U32),
        _ => true,
    }
}

/// The method of Writer and Reader for a type that needs no function of its own.
fn plain(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::Integer(Integer::I8) => "i8",
        Type::Integer(Integer::I16) => "i16",
        Type::Integer(Integer::I32) => "i32",
        Type::Integer(Integer::I64 | Integer::Isize) => "i64",
        Type::Integer(Integer::U8) => "u8",
        Type::Integer(Integer::U16) => "u16",
        Type::Integer(Integer::U32) => "u32",
        Type::Integer(Integer::U64 | Integer::Usize) => "u64",
        Type::F32 => "f32",
        Type::F64 => "f64",
        Type::Text => "text",
        Type::Bytes => "blob",
        Type::Optional(_) | Type::List(_) | Type::Map(_) | Type::Defined(_) => {
            unreachable!("composite types are written by what they are made of")
        }
    }
}
