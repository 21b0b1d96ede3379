//! `index.d.ts`: the package's types for TypeScript and for editors, with the crate's documentation.
//!
//! Answers are typed as narrowly as possible (`bigint`, `Buffer`, `null`), and arguments as widely as possible. If this
//! makes a difference for a record, it has two types, `Name` and `NameInput`.

use tierup_codegen::named::{Named, NamedCase, NamedDefinition, NamedFunction, NamedKind, NamedValue};
use tierup_codegen::source::Source;
use tierup_model::Type;

use crate::codec::INDENT;
use crate::names::{Carried, carried, input, is_inherited, key, literal, sync};

/// The direction of a value: into Rust or out of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

/// The whole file.
pub(crate) fn declarations(named: &Named<'_>) -> String {
    let types = Types { named };
    let mut source = Source::new(INDENT);
    source.add("// Made by tierup from the signatures in your crate; changes here are lost at the next build.");
    source.add("/// <reference types=\"node\" />").gap(1);
    if !named.interface.docs.is_empty() {
        comment(&mut source, &named.interface.docs);
        source.gap(1);
    }
    named.definitions.iter().for_each(|definition| types.definition(&mut source, definition));
    types.functions(&mut source);
    types.baseline(&mut source);
    source.add_as_is(include_str!("../templates/package/fixed.d.ts"));
    for function in &named.functions {
        // Types are bound by their place, as a function may be called `delete`.
        let properties = [("async", function.name.clone()), ("sync", sync(&function.name))];
        for (place, property) in properties {
            let bound = format!("tierup_{place}_{}", function.rust.name);
            source.add(format!("declare const {bound}: Functions[{}];", literal(&property)));
            source.add(format!("export {{ {bound} as {property} }};"));
        }
    }
    source.into_text()
}

struct Types<'a> {
    named: &'a Named<'a>,
}

impl Types<'_> {
    fn definition(&self, source: &mut Source, definition: &NamedDefinition<'_>) {
        self.one_way(source, definition, Way::Out, &definition.name);
        if self.differs(&Type::Defined(definition.number)) {
            self.one_way(source, definition, Way::In, &input(&definition.name));
        }
    }

    fn one_way(&self, source: &mut Source, definition: &NamedDefinition<'_>, way: Way, name: &str) {
        comment(source, definition.docs);
        match &definition.kind {
            NamedKind::Record(fields) => {
                source.add(format!("export interface {name} {{"));
                source.inside(|source| self.fields(source, fields, way)).add("}");
            }
            NamedKind::Words(cases) => union(source, name, cases, |source, case, end| {
                source.add(format!("| {}{end}", literal(&case.name)));
            }),
            NamedKind::Cases(cases) => {
                union(source, name, cases, |source, case, end| self.case(source, case, way, end))
            }
        }
        source.gap(1);
    }

    /// A case as a part of a union, followed by `end`.
    fn case(&self, source: &mut Source, case: &NamedCase<'_>, way: Way, end: &str) {
        let tag = literal(&case.name);
        let value = match carried(case) {
            Carried::Nothing => {
                source.add(format!("| {{ type: {tag} }}{end}"));
                return;
            }
            Carried::One(ty) => self.ty(ty, way),
            Carried::Several(types) => {
                let types: Vec<_> = types.iter().map(|ty| self.ty(ty, way)).collect();
                format!("[{}]", types.join(", "))
            }
            Carried::Record(fields) => {
                source.add("| {");
                source.inside(|source| {
                    source.inside(|source| {
                        source.add(format!("type: {tag};\nvalue: {{"));
                        source.inside(|source| self.fields(source, fields, way)).add("};");
                    });
                    source.add(format!("}}{end}"));
                });
                return;
            }
        };
        source.add(format!("| {{ type: {tag}; value: {value} }}{end}"));
    }

    fn fields(&self, source: &mut Source, fields: &[NamedValue<'_>], way: Way) {
        for field in fields {
            comment(source, field.docs);
            let may_lack = way == Way::In && matches!(field.ty, Type::Optional(_));
            let mark = if may_lack { "?" } else { "" };
            source.add(format!("{}{mark}: {};", key(&field.name), self.ty(field.ty, way)));
        }
    }

    fn functions(&self, source: &mut Source) {
        source.add("/** Your functions. */\nexport interface Functions {");
        source.inside(|source| {
            for function in &self.named.functions {
                let (parameters, output) = (self.parameters(function), self.output(function));
                comment(source, function.docs);
                source.add(format!("{}({parameters}): Promise<{output}>;", key(&function.name)));
                comment(source, function.docs);
                source.add(format!("{}({parameters}): {output};", key(&sync(&function.name))));
            }
        });
        source.add("}").gap(1);
    }

    /// The type of a baseline for `with`: functions by name, or the only function itself.
    fn baseline(&self, source: &mut Source) {
        source.add("/** The server's own functions, tier 0: any of them, synchronous or not. */");
        source.add("export interface Baseline {");
        for function in &self.named.functions {
            let property = key(&function.name);
            if is_inherited(&function.name) {
                // Every object already has a property with this name, of another type.
                source.add_inside(format!("{property}?: Function;"));
            } else {
                let (parameters, output) = (self.parameters(function), self.output(function));
                source.add_inside(format!("{property}?({parameters}): {output} | Promise<{output}>;"));
            }
        }
        source.add("}").gap(1);
        let only = match self.named.functions.as_slice() {
            [only] => format!(" | NonNullable<Baseline[{}]>", literal(&only.name)),
            _ => String::new(),
        };
        source.add("/** What `with` takes as a baseline. */");
        source.add(format!("export type BaselineOption = Baseline{only};")).gap(1);
    }

    /// The parameters. In TypeScript, only the last ones can be optional.
    fn parameters(&self, function: &NamedFunction<'_>) -> String {
        let optional = function.optional_from();
        let list = function.parameters.iter().enumerate().map(|(place, parameter)| {
            let mark = if place >= optional { "?" } else { "" };
            format!("{}{mark}: {}", parameter.name, self.ty(parameter.ty, Way::In))
        });
        list.collect::<Vec<_>>().join(", ")
    }

    fn output(&self, function: &NamedFunction<'_>) -> String {
        function.output.map_or_else(|| "void".to_owned(), |ty| self.ty(ty, Way::Out))
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
            (Type::Defined(number), _) => {
                let name = self.named.type_name(*number);
                if way == Way::In && self.differs(ty) { input(name) } else { name.to_owned() }
            }
        }
    }

    /// Whether a type accepts more forms of a value than it returns.
    fn differs(&self, ty: &Type) -> bool {
        match ty {
            Type::Bool | Type::F32 | Type::F64 | Type::Text => false,
            Type::Integer(integer) => integer.bits() == 64,
            Type::Bytes | Type::Optional(_) | Type::List(_) | Type::Map(_) => true,
            Type::Defined(number) => self.named.definitions[*number].types().any(|ty| self.differs(ty)),
        }
    }
}

/// An enum. `write` makes each case, and gets the text that follows it.
fn union(
    source: &mut Source,
    name: &str,
    cases: &[NamedCase<'_>],
    mut write: impl FnMut(&mut Source, &NamedCase<'_>, &str),
) {
    source.add(format!("export type {name} ="));
    source.inside(|source| {
        for case in cases {
            comment(source, case.docs);
            write(source, case, if case.number + 1 == cases.len() { ";" } else { "" });
        }
    });
}

/// Adds documentation as a JSDoc comment. Nothing in the text can end the comment.
pub(crate) fn comment(source: &mut Source, docs: &str) {
    if docs.is_empty() {
        return;
    }
    source.add("/**");
    for line in docs.lines() {
        let line = line.replace("*/", "*\\/");
        // At the start of a line, `@` would begin a tag.
        let line = if line.trim_start().starts_with('@') { line.replacen('@', "\\@", 1) } else { line };
        source.add_as_is(format!(" * {line}").trim_end());
    }
    source.add_as_is(" */");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_documentation_ends_its_comment() {
        let mut source = Source::new(INDENT);
        source.inside(|source| comment(source, "a */ b\n\n@param"));
        assert_eq!(source.text(), "  /**\n   * a *\\/ b\n   *\n   * \\@param\n   */\n");
    }
}
