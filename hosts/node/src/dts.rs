//! `index.d.ts`: the package's types for TypeScript and for editors, with the crate's documentation.
//!
//! What comes out is typed as narrowly as it is (`bigint`, `Buffer`, `null`); what goes in as widely as it may be.
//! A record in which that makes a difference has two types, `Name` and `NameInput`.

use std::fmt::Write as _;

use tierup_model::{Case, Definition, DefinitionKind, Field, Function, Interface, Payload, Type};

use crate::names::{CaseNames, Names, is_inherited, key, literal};

/// Which way a value goes: into Rust or out of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

/// The whole file.
pub(crate) fn declarations(interface: &Interface) -> String {
    let types = Types { interface, names: &Names::of(interface) };
    let mut text =
        String::from("// Made by tierup from the signatures in your crate; changes here are lost at the next build.\n");
    text.push_str("/// <reference types=\"node\" />\n\n");
    if !interface.docs.is_empty() {
        text.push_str(&comment(&interface.docs, ""));
        text.push('\n');
    }
    for (index, definition) in interface.definitions.iter().enumerate() {
        text.push_str(&types.definition(index, definition));
    }
    text.push_str(&types.functions());
    text.push_str(include_str!("../templates/package/fixed.d.ts"));
    for (function, names) in interface.functions.iter().zip(&types.names.functions) {
        // Bound by place: a function may be called `delete`.
        let (property, sync) = (&names.property, &names.sync);
        for (property, place) in [(property, "async"), (sync, "sync")] {
            let bound = format!("tierup_{place}_{}", function.name);
            let _ = writeln!(text, "declare const {bound}: Functions[{}];", literal(property));
            let _ = writeln!(text, "export {{ {bound} as {property} }};");
        }
    }
    text
}

struct Types<'a> {
    interface: &'a Interface,
    names: &'a Names,
}

impl Types<'_> {
    fn definition(&self, index: usize, definition: &Definition) -> String {
        let names = &self.names.definitions[index];
        let mut text = self.one_way(index, definition, Way::Out, &names.output);
        if self.differs(&Type::Defined(index)) {
            text.push_str(&self.one_way(index, definition, Way::In, &names.input));
        }
        text
    }

    fn one_way(&self, index: usize, definition: &Definition, way: Way, name: &str) -> String {
        let mut text = comment(&definition.docs, "");
        let names = &self.names.definitions[index];
        match &definition.kind {
            DefinitionKind::Record(fields) => {
                let _ = writeln!(text, "export interface {name} {{");
                text.push_str(&self.fields(fields, &names.fields, way, "  "));
                text.push_str("}\n\n");
            }
            DefinitionKind::Enum(cases) => {
                let _ = write!(text, "export type {name} =");
                for (case, names) in cases.iter().zip(&names.cases) {
                    let _ =
                        write!(text, "\n{}  | {}", comment(&case.docs, "  "), self.case(definition, case, names, way));
                }
                text.push_str(";\n\n");
            }
        }
        text
    }

    fn case(&self, definition: &Definition, case: &Case, names: &CaseNames, way: Way) -> String {
        let tag = literal(&names.tag);
        if definition.is_plain_enum() {
            return tag;
        }
        match &case.payload {
            Payload::None => format!("{{ type: {tag} }}"),
            Payload::Tuple(types) => match types.as_slice() {
                [(only, _)] => format!("{{ type: {tag}; value: {} }}", self.ty(only, way)),
                several => {
                    let types: Vec<_> = several.iter().map(|(ty, _)| self.ty(ty, way)).collect();
                    format!("{{ type: {tag}; value: [{}] }}", types.join(", "))
                }
            },
            Payload::Named(fields) => {
                let fields = self.fields(fields, &names.fields, way, "        ");
                format!("{{\n      type: {tag};\n      value: {{\n{fields}      }};\n    }}")
            }
        }
    }

    fn fields(&self, fields: &[Field], names: &[String], way: Way, indent: &str) -> String {
        let mut text = String::new();
        for (field, name) in fields.iter().zip(names) {
            text.push_str(&comment(&field.docs, indent));
            let may_lack = way == Way::In && matches!(field.ty, Type::Optional(_));
            let mark = if may_lack { "?" } else { "" };
            let _ = writeln!(text, "{indent}{}{mark}: {};", key(name), self.ty(&field.ty, way));
        }
        text
    }

    fn functions(&self) -> String {
        let mut text = String::from("/** Your functions. */\nexport interface Functions {\n");
        let mut baseline = String::from(
            "/** The server's own functions, tier 0: any of them, synchronous or not. */\nexport interface Baseline {\n",
        );
        for (function, names) in self.interface.functions.iter().zip(&self.names.functions) {
            let parameters = self.parameters(function, &names.parameters, Way::In);
            let output = self.output(function);
            let docs = comment(&function.docs, "  ");
            let (property, sync) = (key(&names.property), key(&names.sync));
            let _ = writeln!(text, "{docs}  {property}({parameters}): Promise<{output}>;");
            let _ = writeln!(text, "{docs}  {sync}({parameters}): {output};");
            if is_inherited(&names.property) {
                // Every object has one already, of another type.
                let _ = writeln!(baseline, "  {property}?: Function;");
            } else {
                let _ = writeln!(baseline, "  {property}?({parameters}): {output} | Promise<{output}>;");
            }
        }
        text.push_str("}\n\n");
        baseline.push_str("}\n\n");
        text + &baseline + &self.baseline()
    }

    /// What `with` takes as a baseline: functions by name, or the only one itself.
    fn baseline(&self) -> String {
        let only = match self.names.functions.as_slice() {
            [only] => format!(" | NonNullable<Baseline[{}]>", literal(&only.property)),
            _ => String::new(),
        };
        format!("/** What `with` takes as a baseline. */\nexport type BaselineOption = Baseline{only};\n\n")
    }

    fn parameters(&self, function: &Function, names: &[String], way: Way) -> String {
        let parameters = &function.parameters;
        // TypeScript lets parameters be left out only at the end.
        let last_needed = parameters.iter().rposition(|parameter| !matches!(parameter.ty, Type::Optional(_)));
        let list = parameters.iter().zip(names).enumerate().map(|(place, (parameter, name))| {
            let mark = if last_needed.is_none_or(|last| place > last) { "?" } else { "" };
            format!("{name}{mark}: {}", self.ty(&parameter.ty, way))
        });
        list.collect::<Vec<_>>().join(", ")
    }

    fn output(&self, function: &Function) -> String {
        function.output.ty.as_ref().map_or_else(|| "void".to_owned(), |ty| self.ty(ty, Way::Out))
    }

    fn ty(&self, ty: &Type, way: Way) -> String {
        match (ty, way) {
            (Type::Bool, _) => "boolean".into(),
            (Type::Integer(integer), Way::Out) if integer.bits() == 64 => "bigint".into(),
            (Type::Integer(integer), Way::In) if integer.bits() == 64 => "bigint | number".into(),
            (Type::Integer(_) | Type::F32 | Type::F64, _) => "number".into(),
            (Type::Text, _) => "string".into(),
            (Type::Bytes, Way::Out) => "Buffer".into(),
            (Type::Bytes, Way::In) => "Uint8Array | ArrayBufferView".into(),
            (Type::Optional(inner), Way::Out) => format!("{} | null", self.ty(inner, way)),
            (Type::Optional(inner), Way::In) => format!("{} | null | undefined", self.ty(inner, way)),
            (Type::List(inner), Way::Out) => format!("Array<{}>", self.ty(inner, way)),
            (Type::List(inner), Way::In) => format!("ReadonlyArray<{}>", self.ty(inner, way)),
            (Type::Map(inner), Way::Out) => format!("{{ [key: string]: {} }}", self.ty(inner, way)),
            (Type::Map(inner), Way::In) => {
                let inner = self.ty(inner, way);
                format!("ReadonlyMap<string, {inner}> | {{ readonly [key: string]: {inner} }}")
            }
            (Type::Defined(index), _) => {
                let names = &self.names.definitions[*index];
                let input = way == Way::In && self.differs(ty);
                if input { names.input.clone() } else { names.output.clone() }
            }
        }
    }

    /// Whether a value may go in in more forms than it comes out in.
    fn differs(&self, ty: &Type) -> bool {
        match ty {
            Type::Bool | Type::F32 | Type::F64 | Type::Text => false,
            Type::Integer(integer) => integer.bits() == 64,
            Type::Bytes | Type::Optional(_) | Type::List(_) | Type::Map(_) => true,
            Type::Defined(index) => match &self.interface.definitions[*index].kind {
                DefinitionKind::Record(fields) => fields.iter().any(|field| self.differs(&field.ty)),
                DefinitionKind::Enum(cases) => cases.iter().any(|case| match &case.payload {
                    Payload::None => false,
                    Payload::Tuple(types) => types.iter().any(|(ty, _)| self.differs(ty)),
                    Payload::Named(fields) => fields.iter().any(|field| self.differs(&field.ty)),
                }),
            },
        }
    }
}

/// Documentation as a JSDoc comment, which none of it can end.
pub(crate) fn comment(docs: &str, indent: &str) -> String {
    if docs.is_empty() {
        return String::new();
    }
    let mut text = format!("{indent}/**\n");
    for line in docs.lines() {
        let line = line.replace("*/", "*\\/");
        // `@` at a line's start would be a tag.
        let line = if line.trim_start().starts_with('@') { line.replacen('@', "\\@", 1) } else { line };
        let _ = writeln!(text, "{}", format!("{indent} * {line}").trim_end());
    }
    text.push_str(indent);
    text.push_str(" */\n");
    text
}

#[cfg(test)]
mod tests {
    use super::comment;

    #[test]
    fn no_documentation_ends_its_comment() {
        assert_eq!(comment("a */ b\n\n@param", "  "), "  /**\n   * a *\\/ b\n   *\n   * \\@param\n   */\n");
    }
}
