//! `TierupCodec`: writers and readers of records and enums; and, for every type, the expressions that write and read it.

use tierup_codegen::named::{Named, NamedCase, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;
use tierup_codegen::wire;
use tierup_model::{Integer, Type};

use crate::source::{INDENT, Types, file_with_internal};

/// The file's source.
pub(crate) fn codec(named: &Named<'_>, package: &str) -> String {
    let codec = Codec { types: Types { named } };
    let mut body = Source::new(INDENT);
    body.add(
        "
        /** Writes and reads the types of this package, in the encoding that crosses to Rust. */
        final class TierupCodec {
            private TierupCodec() {}
        ",
    );
    body.inside(|body| named.definitions.iter().for_each(|definition| codec.definition(body, definition)));
    body.add("}");
    file_with_internal(package, &body, &["Reader", "Refusal", "Unreadable", "Writer"])
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

    fn name(&self, number: usize) -> &str {
        self.types.named.type_name(number)
    }

    fn definition(&self, source: &mut Source, definition: &NamedDefinition<'_>) {
        let name = &definition.name;
        let (write, read) = match &definition.kind {
            NamedKind::Record(fields) => (
                not_null(name) + &self.write_fields(fields, "value"),
                format!("return new {name}({});", self.read_fields(fields)),
            ),
            NamedKind::Words(_) => {
                source.gap(1).add(format!("private static final {name}[] {name}_CASES = {name}.values();"));
                (not_null(name) + "to.u8(value.ordinal());", read_word(name))
            }
            NamedKind::Cases(cases) => self.cases(name, cases),
        };
        source.gap(1).add(format!("static void write{name}(Writer to, {name} value) {{")).add_inside(write).add("}");
        source.gap(1).add(format!("static {name} read{name}(Reader from) {{")).add_inside(read).add("}");
    }

    fn cases(&self, name: &str, cases: &[NamedCase<'_>]) -> (String, String) {
        let (mut write, mut read) = (Source::piece(), Source::piece());
        read.add("int number = from.u8();\nreturn switch (number) {");
        for case in cases {
            let (number, class) = (case.number, format!("{name}.{}", case.name));
            let start = if number == 0 { "if" } else { "} else if" };
            let binding = if case.fields.is_empty() { "" } else { " of" };
            write.add(format!("{start} (value instanceof {class}{binding}) {{\n    to.u8({number});"));
            write.add_inside(self.write_fields(&case.fields, "of"));
            read.add_inside(format!("case {number} -> new {class}({});", self.read_fields(&case.fields)));
        }
        write.add(format!("}} else {{\n    throw to.refusal(\"expected a {name}, got null\");\n}}"));
        read.add_inside(format!("default -> throw new Unreadable(number + \" is no case of {name}\");")).add("};");
        (write.into_text(), read.into_text())
    }

    /// Statements that write fields. Errors name the field whose value is refused.
    fn write_fields(&self, fields: &[NamedValue<'_>], owner: &str) -> String {
        let mut write = Source::piece();
        for NamedValue { name, ty, .. } in fields {
            if can_be_refused(ty) {
                write.add(format!("place = \".{name}\";"));
            }
            write.add(format!("{};", self.write(ty, &format!("{owner}.{name}()"), "to")));
        }
        if !fields.iter().any(|field| can_be_refused(field.ty)) {
            return write.into_text();
        }
        let mut guarded = Source::piece();
        guarded.add("String place = \"\";\ntry {").add_inside(write.text());
        guarded.add("} catch (Refusal refusal) {\n    throw refusal.within(place);\n}");
        guarded.into_text()
    }

    /// Arguments of a constructor, which Java evaluates from left to right.
    fn read_fields(&self, fields: &[NamedValue<'_>]) -> String {
        let reads: Vec<_> = fields.iter().map(|field| self.read(field.ty, "from")).collect();
        let line = reads.join(", ");
        if line.len() <= 60 { line } else { format!("\n    {}", reads.join(",\n    ")) }
    }
}

/// The start of the code that writes a value that may be null in Java.
fn not_null(name: &str) -> String {
    format!("if (value == null) {{\n    throw to.refusal(\"expected a {name}, got null\");\n}}\n")
}

/// The code that reads an enum whose cases carry nothing.
fn read_word(name: &str) -> String {
    format!(
        "
        int number = from.u8();
        if (number >= {name}_CASES.length) {{
            throw new Unreadable(number + \" is no case of {name}\");
        }}
        return {name}_CASES[number];
        "
    )
}

/// Whether a type has values in Java that cannot be encoded: null, half a character, a number out of range.
pub(crate) fn can_be_refused(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::F32 | Type::F64 => false,
        Type::Integer(integer) => matches!(integer, Integer::U8 | Integer::U16 | Integer::U32),
        _ => true,
    }
}

/// The method of Writer and Reader for a type that needs no function of its own.
fn plain(ty: &Type) -> &'static str {
    match wire::plain(ty) {
        Some("bytes") => "blob",
        Some(name) => name,
        None => unreachable!("composite types are written by what they are made of"),
    }
}
