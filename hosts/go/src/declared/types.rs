//! Go types. In: a type's text, and its package's types. Out: the type, or why tierup cannot encode it.

use std::collections::{BTreeSet, HashMap};

use tierup_codegen::DeclaredType;

use super::definitions::{Definition, Field};

/// Reads types, and collects those for which the generated package has a different Go type.
pub(super) struct Types<'a> {
    definitions: &'a HashMap<String, Definition>,
    /// The types being read now. A type may contain itself.
    open: Vec<String>,
    /// The names, in the source, of types that need a conversion.
    pub(super) converted: BTreeSet<String>,
}

impl<'a> Types<'a> {
    pub(super) fn new(definitions: &'a HashMap<String, Definition>) -> Types<'a> {
        Types { definitions, open: Vec::new(), converted: BTreeSet::new() }
    }

    pub(super) fn read(&mut self, ty: &str) -> DeclaredType {
        let whole = |bits, signed| DeclaredType::Whole { bits, signed };
        match ty {
            "string" => DeclaredType::Text,
            "bool" => DeclaredType::Bool,
            "[]byte" | "[]uint8" => DeclaredType::Bytes,
            "int64" => whole(64, true),
            "uint64" => whole(64, false),
            "int32" | "rune" => whole(32, true),
            "uint32" => whole(32, false),
            "float64" => DeclaredType::Float,
            "int" => self.in_another_form(ty, whole(64, true)),
            "uint" => self.in_another_form(ty, whole(64, false)),
            "int8" | "int16" => self.in_another_form(ty, whole(32, true)),
            "uint8" | "uint16" | "byte" => self.in_another_form(ty, whole(32, false)),
            "float32" => self.in_another_form(ty, DeclaredType::Float),
            _ => self.of_parts(ty),
        }
    }

    fn in_another_form(&mut self, ty: &str, into: DeclaredType) -> DeclaredType {
        self.converted.insert(ty.to_owned());
        into
    }

    fn of_parts(&mut self, ty: &str) -> DeclaredType {
        if let Some(of) = ty.strip_prefix("[]") {
            return DeclaredType::List(Box::new(self.read(of.trim())));
        }
        if let Some(of) = ty.strip_prefix("map[string]") {
            return DeclaredType::Map(Box::new(self.read(of.trim())));
        }
        if let Some(of) = ty.strip_prefix('*').map(str::trim) {
            return match self.read(of) {
                DeclaredType::Refused(why) => DeclaredType::Refused(why),
                DeclaredType::List(_) | DeclaredType::Map(_) | DeclaredType::Bytes | DeclaredType::Optional(_) => {
                    not_read(ty)
                }
                of => DeclaredType::Optional(Box::new(of)),
            };
        }
        match self.definitions.get(ty) {
            Some(_) if self.open.iter().any(|open| open == ty) => {
                DeclaredType::Refused(format!("a `{ty}`, which contains itself"))
            }
            Some(definition) => {
                self.open.push(ty.to_owned());
                let found = self.defined(ty, definition);
                self.open.pop();
                found
            }
            None => not_read(ty),
        }
    }

    fn defined(&mut self, name: &str, definition: &'a Definition) -> DeclaredType {
        match definition {
            Definition::Alias(of) => self.read(of),
            Definition::Of(of) => {
                self.converted.insert(name.to_owned());
                match self.read(of) {
                    // `of` may be an interface whose methods span many lines.
                    DeclaredType::Refused(_) if !self.definitions.contains_key(of) => not_read(name),
                    of => of,
                }
            }
            Definition::Struct(fields) if fields.is_empty() => {
                DeclaredType::Refused(format!("a `{name}`, which has no fields"))
            }
            Definition::Struct(fields) => {
                self.converted.insert(name.to_owned());
                let is_exported = |name: &&String| name.starts_with(|first: char| first.is_uppercase());
                let mut read = Vec::new();
                for Field { name: field, ty } in fields {
                    let Some(field) = field else {
                        return DeclaredType::Refused(format!("a `{name}`, which embeds `{ty}`"));
                    };
                    if !is_exported(&field) {
                        let why =
                            format!("a `{name}`, whose field `{field}` is not exported: it is state that stays in Go");
                        return DeclaredType::Refused(why);
                    }
                    read.push((field.clone(), self.read(ty)));
                }
                DeclaredType::Record(read)
            }
        }
    }
}

fn not_read(ty: &str) -> DeclaredType {
    DeclaredType::Refused(format!("a `{ty}`, which tierup does not read from Go's source"))
}
