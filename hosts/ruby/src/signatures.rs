//! Types in the notation of RBS (`sig/*.rbs`) and of YARD's tags.

use tierup_codegen::named::{Named, NamedDefinition, NamedFunction, NamedKind, NamedValue};
use tierup_codegen::source::{Source, fill};
use tierup_model::Type;

use crate::interface::symbol;
use crate::names;
use crate::source::{INDENT, comment};

/// Where a type is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// A parameter: all types that are accepted.
    Parameter,
    /// An answer or a field: its exact type.
    Value,
}

pub(crate) struct Types<'a> {
    pub(crate) named: &'a Named<'a>,
    pub(crate) module: &'a str,
}

impl Types<'_> {
    /// The type in RBS. Names start with `::`, as a record may have the name of a Ruby class.
    fn spell(&self, ty: &Type, place: Position) -> String {
        let inner = |ty| self.spell(ty, place);
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::Integer(_) => "::Integer".to_owned(),
            Type::F32 | Type::F64 if place == Position::Parameter => "(::Float | ::Integer)".to_owned(),
            Type::F32 | Type::F64 => "::Float".to_owned(),
            Type::Text | Type::Bytes => "::String".to_owned(),
            // `T??` would be a type of its own.
            Type::Optional(ty) => format!("({} | nil)", inner(ty)),
            Type::List(ty) => format!("::Array[{}]", inner(ty)),
            Type::Map(ty) => format!("::Hash[::String, {}]", inner(ty)),
            Type::Defined(number) => self.defined(*number),
        }
    }

    fn defined(&self, number: usize) -> String {
        let definition = &self.named.definitions[number];
        let name = format!("::{}::{}", self.module, definition.name);
        let one_of = |all: Vec<String>| format!("({})", all.join(" | "));
        if !is_readable(definition) {
            return "untyped".to_owned();
        }
        match &definition.kind {
            NamedKind::Record(_) => name,
            NamedKind::Words(cases) => one_of(cases.iter().map(symbol).collect()),
            NamedKind::Cases(cases) => one_of(cases.iter().map(|case| format!("{name}::{}", case.name)).collect()),
        }
    }

    /// The type in YARD's tags.
    pub(crate) fn documented(&self, ty: &Type) -> String {
        match ty {
            Type::Bool => "Boolean".to_owned(),
            Type::Integer(_) => "Integer".to_owned(),
            Type::F32 | Type::F64 => "Float".to_owned(),
            Type::Text | Type::Bytes => "String".to_owned(),
            Type::Optional(ty) => format!("{}, nil", self.documented(ty)),
            Type::List(ty) => format!("Array<{}>", self.documented(ty)),
            Type::Map(ty) => format!("Hash{{String => {}}}", self.documented(ty)),
            Type::Defined(number) => match &self.named.definitions[*number].kind {
                NamedKind::Words(_) => "Symbol".to_owned(),
                _ => format!("{}::{}", self.module, self.named.definitions[*number].name),
            },
        }
    }
}

/// `sig/*.rbs`: the signatures for type checkers and editors, with the crate's documentation.
pub(crate) fn signatures(named: &Named<'_>) -> String {
    let module = names::module(&named.interface.package);
    let types = Types { named, module: &module };
    let mut source = Source::new(INDENT);
    source.add("# Made by tierup from the signatures in your crate; changes here are lost at the next build.").gap(1);
    comment(&mut source, &named.interface.docs);
    source.add(format!("module {module}")).inside(|source| {
        source.add(fill(include_str!("../templates/package/fixed.rbs"), &[("module", &module)]));
        source.gap(1).add("# Your functions.\nmodule Functions").inside(|source| {
            named.functions.iter().for_each(|function| declaration(source, function, &types));
        });
        source.add("end");
        for definition in named.definitions.iter().filter(|definition| is_readable(definition)) {
            source.gap(1);
            comment(source, definition.docs);
            match &definition.kind {
                NamedKind::Record(fields) => class(source, &definition.name, None, fields, &types),
                NamedKind::Words(cases) => {
                    let words: Vec<_> = cases.iter().map(symbol).collect();
                    source.add(format!("module {}", definition.name));
                    source.add_inside(format!("ALL: ::Array[{}]", words.join(" | "))).add("end");
                }
                NamedKind::Cases(cases) => {
                    source.add(format!("module {}\nend", definition.name));
                    for case in cases {
                        source.gap(1);
                        comment(source, case.docs);
                        let name = format!("{}::{}", definition.name, case.name);
                        let included = format!("::{module}::{}", definition.name);
                        class(source, &name, Some(&included), &case.fields, &types);
                    }
                }
            }
        }
    });
    source.add("end");
    source.into_text()
}

/// Whether RBS can read a type's names. It reads names beyond ASCII only in backquotes, and only for methods.
fn is_readable(definition: &NamedDefinition<'_>) -> bool {
    definition.name.is_ascii() && definition.cases().iter().all(|case| case.name.is_ascii())
}

fn declaration(source: &mut Source, function: &NamedFunction<'_>, types: &Types<'_>) {
    let optional = function.optional_from();
    let parameters = function.parameters.iter().enumerate().map(|(place, parameter)| {
        let mark = if place >= optional { "?" } else { "" };
        format!("{mark}{} `{}`", types.spell(parameter.ty, Position::Parameter), parameter.name)
    });
    let output = function.output.map_or_else(|| "nil".to_owned(), |ty| types.spell(ty, Position::Value));
    source.gap(1);
    comment(source, function.docs);
    let parameters: Vec<_> = parameters.collect();
    source.add(format!("def `{}`: ({}) -> {output}", function.name, parameters.join(", ")));
}

fn class(source: &mut Source, name: &str, included: Option<&str>, fields: &[NamedValue<'_>], types: &Types<'_>) {
    source.add(format!("class {name}")).inside(|source| {
        if let Some(included) = included {
            source.add(format!("include {included}"));
        }
        for field in fields {
            comment(source, field.docs);
            source.add(format!("attr_reader `{}`: {}", field.name, types.spell(field.ty, Position::Value)));
        }
        let (readable, other): (Vec<_>, Vec<_>) = fields.iter().partition(|field| field.name.is_ascii());
        let readable =
            readable.iter().map(|field| format!("{}: {}", field.name, types.spell(field.ty, Position::Value)));
        let all: Vec<_> = readable.chain((!other.is_empty()).then(|| "**untyped".to_owned())).collect();
        source.add(format!("def initialize: ({}) -> void", all.join(", ")));
        source.add("def to_h: () -> ::Hash[::Symbol, untyped]");
        source.add("def deconstruct_keys: (untyped) -> ::Hash[::Symbol, untyped]");
    });
    source.add("end");
}
