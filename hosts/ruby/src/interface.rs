//! `interface.rb`: the types and functions as objects of `wire.rb`, the interface's hash and its golden call.

use tierup_codegen::named::{Named, NamedCase, NamedDefinition, NamedFunction, NamedKind, NamedValue};
use tierup_codegen::source::Source;
use tierup_codegen::{Project, abi, wire};
use tierup_model::Type;

use crate::names;
use crate::source::{bytes, file, literal};

/// The file's source.
pub(crate) fn interface(project: &Project, named: &Named<'_>) -> String {
    let module = names::module(&named.interface.package);
    let mut source = file("The types and functions, each with how its values are checked, written and read.");
    source.gap(1).add("require_relative \"types\"\nrequire_relative \"tierup/wire\"").gap(1);
    source.add(format!("module {module}::Tierup")).inside(|source| {
        source.add(format!(
            "
            PACKAGE = {}

            # The hash of the interface: what was built for another one is not called.
            ABI = {}

            # The keys of [function.alternatives] in tierup.toml.
            ALTERNATIVES = [{}].freeze
            ",
            literal(&named.interface.package),
            literal(&abi::hash_text(named.interface)),
            named.alternatives(literal)
        ));
        if !named.definitions.is_empty() {
            source.gap(1).add("# Made before they are filled, as types may contain each other.");
        }
        for definition in &named.definitions {
            source.add(format!("d{} = Wire::{}.new", definition.number, kind(definition)));
        }
        for definition in &named.definitions {
            filled(source, definition, &module);
        }
        source.gap(1).add("FUNCTIONS = [").inside(|source| {
            named.functions.iter().for_each(|function| entry(source, function));
        });
        source.add("].freeze").gap(1);
        let pure: Vec<_> = project.pure.iter().map(usize::to_string).collect();
        source.add("# The numbers of the functions that tierup.toml declares pure.");
        source.add(format!("PURE = [{}].freeze", pure.join(", "))).gap(1);
        source
            .add("# The golden call of [health] in tierup.toml: the function's number, its arguments, what is right.");
        source.add(format!("HEALTH = {}", health(project)));
    });
    source.add("end");
    source.into_text()
}

fn kind(definition: &NamedDefinition<'_>) -> &'static str {
    match definition.kind {
        NamedKind::Record(_) => "Fields",
        NamedKind::Words(_) => "Words",
        NamedKind::Cases(_) => "Cases",
    }
}

fn filled(source: &mut Source, definition: &NamedDefinition<'_>, module: &str) {
    let (number, class) = (definition.number, format!("{module}::{}", definition.name));
    match &definition.kind {
        NamedKind::Record(record) => {
            source.add(format!("d{number}.of({class}, {})", fields(record)));
        }
        NamedKind::Words(cases) => {
            let words: Vec<_> = cases.iter().map(symbol).collect();
            source.add(format!("d{number}.of({class}, [{}])", words.join(", ")));
        }
        NamedKind::Cases(cases) => {
            source.add(format!("d{number}.of({class}, [")).inside(|source| {
                for case in cases {
                    source.add(format!("[{class}::{}, {}],", case.name, fields(&case.fields)));
                }
            });
            source.add("])");
        }
    }
}

/// The symbol of a case without fields.
pub(crate) fn symbol(case: &NamedCase<'_>) -> String {
    format!(":{}", case.name)
}

fn fields(fields: &[NamedValue<'_>]) -> String {
    let all: Vec<_> = fields.iter().map(|field| format!("{}: {}", field.name, ty(field.ty))).collect();
    if all.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", all.join(", ")) }
}

fn entry(source: &mut Source, function: &NamedFunction<'_>) {
    let parameters = function.parameters.iter().map(|one| format!("[{}, {}]", literal(&one.name), ty(one.ty)));
    source.add(format!(
        "Wire::Function.new({}, [{}], output: {}, is_direct: {}, is_raw: {}),",
        literal(&function.name),
        parameters.collect::<Vec<_>>().join(", "),
        function.output.map_or_else(|| "nil".to_owned(), ty),
        function.is_direct(),
        function.is_raw(),
    ));
}

fn ty(ty: &Type) -> String {
    match ty {
        Type::Optional(inner) => format!("Wire::Optional.new({})", self::ty(inner)),
        Type::List(inner) => format!("Wire::List.new({})", self::ty(inner)),
        Type::Map(inner) => format!("Wire::Map.new({})", self::ty(inner)),
        Type::Defined(number) => format!("d{number}"),
        plain => format!("Wire::{}", wire::plain(plain).unwrap_or_default().to_uppercase()),
    }
}

fn health(project: &Project) -> String {
    let Some(health) = &project.health else { return "nil".to_owned() };
    let right: Vec<_> = health.sha256.iter().map(|digest| literal(digest)).collect();
    format!("[{}, {}, [{}]].freeze", health.function, bytes(&health.arguments), right.join(", "))
}
