//! `codec.go`: writers and readers of records and enums; and, for every type, the expressions that write and read it.

use tierup_codegen::named::{Named, NamedCase, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;
use tierup_codegen::wire::{self, Place};
use tierup_model::Type;

use crate::source::{Types, file, needs};

/// The file's source.
pub(crate) fn codec(named: &Named<'_>, package: &str, module: &str) -> String {
    let codec = Codec { types: Types { named, qualifier: "" } };
    let mut body = Source::new("\t");
    named.definitions.iter().for_each(|definition| codec.definition(&mut body, definition));
    // Answers and values inside other values are written and read by functions of their own.
    let needs_function = |place| matches!(place, Place::Output | Place::Inside);
    for (suffix, ty) in wire::composites(named, |ty, place| needs_function(place).then(|| codec.suffix(ty))) {
        codec.composite(&mut body, &suffix, ty);
    }
    let mut source = file(package);
    if body.is_empty() {
        return source.into_text().trim_end().to_owned() + "\n";
    }
    source.add("import (").inside(|source| {
        if needs(&body, "fmt") {
            source.add("\"fmt\"").gap(1);
        }
        source.add(format!("\"{module}/internal/wire\""));
    });
    source.add(")");
    source.into_text() + body.text()
}

pub(crate) struct Codec<'a> {
    pub(crate) types: Types<'a>,
}

impl Codec<'_> {
    /// A statement that writes a value. `method` is the prefix of the writer's methods, `writer` the writer itself.
    pub(crate) fn write(&self, ty: &Type, value: &str, method: &str, writer: &str) -> String {
        if let Some(name) = plain(ty) {
            return format!("{method}.{name}({value})");
        }
        match ty {
            Type::Defined(index) => format!("tierupWrite{}({writer}, {value})", self.name(*index)),
            Type::Optional(inner) => {
                let case = if self.types.is_interface(inner) { "Case" } else { "" };
                format!("wire.WriteOptional{case}({writer}, {value}, {})", self.writer(inner))
            }
            Type::List(inner) => format!("wire.WriteList({writer}, {value}, {})", self.writer(inner)),
            Type::Map(inner) => format!("wire.WriteMap({writer}, {value}, {})", self.writer(inner)),
            _ => unreachable!("plain types have methods"),
        }
    }

    /// A function that writes values of a type.
    pub(crate) fn writer(&self, ty: &Type) -> String {
        plain(ty).map_or_else(|| format!("tierupWrite{}", self.suffix(ty)), |name| format!("(*wire.Writer).{name}"))
    }

    /// An expression that reads a value.
    pub(crate) fn read(&self, ty: &Type) -> String {
        if let Some(name) = plain(ty) {
            return format!("from.{name}()");
        }
        match ty {
            Type::Defined(index) => format!("tierupRead{}(from)", self.name(*index)),
            Type::Optional(inner) => {
                let case = if self.types.is_interface(inner) { "Case" } else { "" };
                format!("wire.ReadOptional{case}(from, {})", self.reader(inner))
            }
            Type::List(inner) => format!("wire.ReadList(from, {})", self.reader(inner)),
            Type::Map(inner) => format!("wire.ReadMap(from, {})", self.reader(inner)),
            _ => unreachable!("plain types have methods"),
        }
    }

    /// A function that reads values of a type.
    pub(crate) fn reader(&self, ty: &Type) -> String {
        plain(ty).map_or_else(|| format!("tierupRead{}", self.suffix(ty)), |name| format!("(*wire.Reader).{name}"))
    }

    /// The suffix of a type's functions, after `tierupWrite` and `tierupRead`. A user's type starts with a capital
    /// letter, so no two types share a suffix.
    fn suffix(&self, ty: &Type) -> String {
        match ty {
            Type::Optional(inner) => format!("_optional_{}", self.suffix(inner)),
            Type::List(inner) => format!("_list_{}", self.suffix(inner)),
            Type::Map(inner) => format!("_map_{}", self.suffix(inner)),
            Type::Defined(index) => self.name(*index).to_owned(),
            plain => self::plain(plain).unwrap_or_default(),
        }
    }

    fn composite(&self, source: &mut Source, suffix: &str, ty: &Type) {
        let write = self.write(ty, "value", "to", "to");
        functions(source, suffix, &self.types.spell(ty), &write, &format!("return {}", self.read(ty)));
    }

    fn name(&self, number: usize) -> &str {
        self.types.named.type_name(number)
    }

    fn definition(&self, source: &mut Source, definition: &NamedDefinition<'_>) {
        let name = &definition.name;
        let (write, read) = match &definition.kind {
            NamedKind::Record(fields) => {
                (self.write_fields(fields), format!("var value {name}\n{}return value", self.read_fields(fields)))
            }
            NamedKind::Words(_) => words(name),
            NamedKind::Cases(cases) => self.cases(name, cases),
        };
        functions(source, name, name, &write, &read);
    }

    fn cases(&self, name: &str, cases: &[NamedCase<'_>]) -> (String, String) {
        let (mut write, mut read) = (Source::piece(), Source::piece());
        write.add("switch value := value.(type) {");
        read.add("switch number := from.U8(); number {");
        for NamedCase { number, name, fields, .. } in cases {
            write.add(format!("case {name}:\n    to.U8({number})")).add_inside(self.write_fields(fields));
            read.add(format!("case {number}:\n    var value {name}"));
            read.add_inside(self.read_fields(fields) + "return value");
        }
        write.add(format!(
            r#"
            default:
                to.Refuse(fmt.Sprintf("expected a case of {name}, got %T", value))
            }}
            "#
        ));
        read.add(format!(
            r#"
            default:
                from.Fail(fmt.Sprintf("%d is no case of {name}", number))
                return nil
            }}
            "#
        ));
        (write.into_text(), read.into_text())
    }

    fn write_fields(&self, fields: &[NamedValue<'_>]) -> String {
        let write = fields.iter().map(|NamedValue { name, ty, .. }| {
            let write = self.write(ty, &format!("value.{name}"), "to", "to");
            if can_be_refused(ty) {
                format!("if {write}; to.Refused(\".{name}\") {{\n    return\n}}\n")
            } else {
                format!("{write}\n")
            }
        });
        write.collect()
    }

    fn read_fields(&self, fields: &[NamedValue<'_>]) -> String {
        fields.iter().map(|field| format!("value.{} = {}\n", field.name, self.read(field.ty))).collect()
    }
}

/// A pair of functions, from their bodies.
fn functions(source: &mut Source, suffix: &str, go: &str, write: &str, read: &str) {
    source.gap(1).add(format!("func tierupWrite{suffix}(to *wire.Writer, value {go}) {{")).add_inside(write).add("}");
    source.gap(1).add(format!("func tierupRead{suffix}(from *wire.Reader) {go} {{")).add_inside(read).add("}");
}

/// The bodies for an enum whose cases carry nothing.
fn words(name: &str) -> (String, String) {
    let table = format!("tierupWordsOf{name}");
    let write = format!(
        r#"
        if int(value) >= len({table}) {{
            to.Refuse(fmt.Sprintf("expected a {name}, got %v", value))
            return
        }}
        to.U8(uint8(value))
        "#
    );
    let read = format!(
        r#"
        value := {name}(from.U8())
        if int(value) >= len({table}) {{
            from.Fail(fmt.Sprintf("%d is no case of {name}", uint8(value)))
        }}
        return value
        "#
    );
    (write, read)
}

/// Whether a type has values in Go that cannot be encoded.
pub(crate) fn can_be_refused(ty: &Type) -> bool {
    !matches!(ty, Type::Bool | Type::Integer(_) | Type::F32 | Type::F64)
}

/// The method of Writer and Reader for a type that needs no function of its own.
fn plain(ty: &Type) -> Option<String> {
    wire::plain(ty).map(|name| match name {
        "bytes" => "Blob".to_owned(),
        name => name[..1].to_uppercase() + &name[1..],
    })
}
