//! `codec.go`: writers and readers of records and enums; and, for every type, the expressions that write and read it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tierup_model::{Definition, DefinitionKind, Integer, Interface, Type};

use crate::names::{DefinitionNames, Names};
use crate::source::{HEADER, Types};

/// The file's source.
pub(crate) fn codec(interface: &Interface, names: &Names, package: &str, module: &str) -> String {
    let codec = Codec { types: Types { interface, names, qualifier: "" } };
    let text: String = interface
        .definitions
        .iter()
        .zip(&names.definitions)
        .map(|(definition, names)| codec.definition(definition, names))
        .chain(codec.inner().into_iter().map(|(suffix, ty)| codec.composite(&suffix, &ty)))
        .collect();
    if text.is_empty() {
        return format!("{HEADER}package {package}\n");
    }
    let fmt = if text.contains("fmt.") { "\t\"fmt\"\n\n" } else { "" };
    format!("{HEADER}package {package}\n\nimport (\n{fmt}\t\"{module}/internal/wire\"\n)\n{text}")
}

pub(crate) struct Codec<'a> {
    pub(crate) types: Types<'a>,
}

impl Codec<'_> {
    /// A statement that writes a value. `method` is what stands before a method of the writer, `writer` the writer itself.
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

    /// What a type's functions are called behind `tierupWrite` and `tierupRead`. A name of the user's starts with a capital
    /// letter, so that none of them is that of another type.
    fn suffix(&self, ty: &Type) -> String {
        match ty {
            Type::Optional(inner) => format!("_optional_{}", self.suffix(inner)),
            Type::List(inner) => format!("_list_{}", self.suffix(inner)),
            Type::Map(inner) => format!("_map_{}", self.suffix(inner)),
            Type::Defined(index) => self.name(*index).to_owned(),
            plain => self::plain(plain).unwrap_or_default().to_owned(),
        }
    }

    /// Every optional type, list and map that is inside another or is an answer, by suffix: those need functions.
    fn inner(&self) -> BTreeMap<String, Type> {
        let interface = self.types.interface;
        let mut found = BTreeMap::new();
        for function in &interface.functions {
            function.parameters.iter().for_each(|parameter| self.collect(&parameter.ty, false, &mut found));
            function.output.ty.iter().for_each(|ty| self.collect(ty, true, &mut found));
        }
        for definition in &interface.definitions {
            types_in(definition).into_iter().for_each(|ty| self.collect(ty, false, &mut found));
        }
        found
    }

    fn collect(&self, ty: &Type, needs_function: bool, found: &mut BTreeMap<String, Type>) {
        if let Type::Optional(inner) | Type::List(inner) | Type::Map(inner) = ty {
            if needs_function {
                found.insert(self.suffix(ty), ty.clone());
            }
            self.collect(inner, true, found);
        }
    }

    fn composite(&self, suffix: &str, ty: &Type) -> String {
        let go = self.types.of(ty);
        format!(
            "\nfunc tierupWrite{suffix}(to *wire.Writer, value {go}) {{\n\t{}\n}}\n\n\
             func tierupRead{suffix}(from *wire.Reader) {go} {{\n\treturn {}\n}}\n",
            self.write(ty, "value", "to", "to"),
            self.read(ty)
        )
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
                    self.write_fields(&types, &names.fields, "\t"),
                    format!("\tvar value {name}\n{}\treturn value\n", self.read_fields(&types, &names.fields, "\t")),
                )
            }
            DefinitionKind::Enum(_) if definition.is_plain_enum() => {
                let table = format!("tierupWordsOf{name}");
                (
                    format!(
                        "\tif int(value) >= len({table}) {{\n\t\tto.Refuse(fmt.Sprintf(\"expected a {name}, got %v\", value))\n\
                         \t\treturn\n\t}}\n\tto.U8(uint8(value))\n"
                    ),
                    format!(
                        "\tvalue := {name}(from.U8())\n\tif int(value) >= len({table}) {{\n\
                         \t\tfrom.Fail(fmt.Sprintf(\"%d is no case of {name}\", uint8(value)))\n\t}}\n\treturn value\n"
                    ),
                )
            }
            DefinitionKind::Enum(cases) => {
                let mut write = String::from("\tswitch value := value.(type) {\n");
                let mut read = String::from("\tswitch number := from.U8(); number {\n");
                for (number, (case, names)) in cases.iter().zip(&names.cases).enumerate() {
                    let types = case.payload.types();
                    let _ = write!(
                        write,
                        "\tcase {}:\n\t\tto.U8({number})\n{}",
                        names.name,
                        self.write_fields(&types, &names.fields, "\t\t")
                    );
                    let _ = write!(
                        read,
                        "\tcase {number}:\n\t\tvar value {}\n{}\t\treturn value\n",
                        names.name,
                        self.read_fields(&types, &names.fields, "\t\t")
                    );
                }
                let _ = write!(
                    write,
                    "\tdefault:\n\t\tto.Refuse(fmt.Sprintf(\"expected a case of {name}, got %T\", value))\n\t}}\n"
                );
                let _ = write!(
                    read,
                    "\tdefault:\n\t\tfrom.Fail(fmt.Sprintf(\"%d is no case of {name}\", number))\n\t\treturn nil\n\t}}\n"
                );
                (write, read)
            }
        };
        format!(
            "\nfunc tierupWrite{name}(to *wire.Writer, value {name}) {{\n{write}}}\n\n\
             func tierupRead{name}(from *wire.Reader) {name} {{\n{read}}}\n"
        )
    }

    fn write_fields(&self, types: &[&Type], names: &[String], indent: &str) -> String {
        let write = types.iter().zip(names).map(|(ty, name)| {
            let write = self.write(ty, &format!("value.{name}"), "to", "to");
            if can_be_refused(ty) {
                format!("{indent}if {write}; to.Refused(\".{name}\") {{\n{indent}\treturn\n{indent}}}\n")
            } else {
                format!("{indent}{write}\n")
            }
        });
        write.collect()
    }

    fn read_fields(&self, types: &[&Type], names: &[String], indent: &str) -> String {
        types.iter().zip(names).map(|(ty, name)| format!("{indent}value.{name} = {}\n", self.read(ty))).collect()
    }
}

/// The types that a definition is made of.
fn types_in(definition: &Definition) -> Vec<&Type> {
    match &definition.kind {
        DefinitionKind::Record(fields) => fields.iter().map(|field| &field.ty).collect(),
        DefinitionKind::Enum(cases) => cases.iter().flat_map(|case| case.payload.types()).collect(),
    }
}

/// Whether Go has values of a type that cannot cross.
pub(crate) fn can_be_refused(ty: &Type) -> bool {
    !matches!(ty, Type::Bool | Type::Integer(_) | Type::F32 | Type::F64)
}

/// The method of Writer and Reader for a type that needs no function of its own.
fn plain(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Bool => "Bool",
        Type::Integer(Integer::I8) => "I8",
        Type::Integer(Integer::I16) => "I16",
        Type::Integer(Integer::I32) => "I32",
        Type::Integer(Integer::I64 | Integer::Isize) => "I64",
        Type::Integer(Integer::U8) => "U8",
        Type::Integer(Integer::U16) => "U16",
        Type::Integer(Integer::U32) => "U32",
        Type::Integer(Integer::U64 | Integer::Usize) => "U64",
        Type::F32 => "F32",
        Type::F64 => "F64",
        Type::Text => "Text",
        Type::Bytes => "Blob",
        Type::Optional(_) | Type::List(_) | Type::Map(_) | Type::Defined(_) => return None,
    })
}
