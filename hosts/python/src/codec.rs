//! `_interface.py`: Python that checks, writes and reads the values of each type, and a table of the functions.
//!
//! A writer checks while it writes. If a value does not fit the signature, each caller adds its place to the error.
//! Values that fit cost nothing extra.

use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::source::Source;
use tierup_codegen::{Project, abi, wire};
use tierup_model::Type;

use crate::source::{INDENT, bytes, file, literal, tuple};

mod definitions;

/// The file's source.
pub(crate) fn interface(project: &Project, named: &Named<'_>) -> String {
    let codec = Codec { named };
    let mut body = Source::new(INDENT);
    named.definitions.iter().for_each(|definition| codec.definition(&mut body, definition));
    for (suffix, ty) in wire::composites(named, |ty, _| numbers(ty).is_none().then(|| codec.suffix(ty))) {
        codec.composite(&mut body, &suffix, ty);
    }
    named.functions.iter().for_each(|function| codec.arguments(&mut body, function));
    body.gap(2).add("FUNCTIONS = (");
    body.inside(|body| named.functions.iter().for_each(|function| codec.entry(body, function)));
    body.add(")");
    let health = project.health.as_ref().map_or_else(
        || "None".to_owned(),
        |health| {
            let right: Vec<_> = health.sha256.iter().map(|digest| literal(digest)).collect();
            format!("({}, {}, {})", health.function, bytes(&health.arguments), tuple(&right))
        },
    );
    body.gap(1).add(format!(
        "
        # The golden call of [health] in tierup.toml: the function's number, its arguments, what is right.
        HEALTH = {health}
        "
    ));

    let what =
        "Checks, writes and reads the values of each type in the encoding of `wire.py`, and lists the functions.";
    let mut source = file(what);
    source.gap(1);
    imports(&mut source, &body);
    source.gap(1).add(format!("PACKAGE = {}", literal(&named.interface.package))).gap(1).add(format!(
        "
        # The hash of the interface: what was built for another one is not called.
        ABI = {}

        # The keys of [function.alternatives] in tierup.toml.
        ALTERNATIVES = [{}]

        # The numbers of the functions that tierup.toml declares pure.
        PURE = frozenset([{}])
        ",
        literal(&abi::hash_text(named.interface)),
        named.alternatives(literal),
        project.pure.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
    ));
    source.into_text() + body.text()
}

struct Codec<'a> {
    named: &'a Named<'a>,
}

impl Codec<'_> {
    /// The function that writes a function's arguments.
    fn arguments(&self, source: &mut Source, function: &NamedFunction<'_>) {
        if function.parameters.is_empty() {
            return;
        }
        let mut write = Source::piece();
        for (number, parameter) in function.parameters.iter().enumerate() {
            write.add(format!("place = {}", literal(&parameter.name)));
            write.add(self.write(parameter.ty, &format!("args[{number}]")));
        }
        source.gap(2).add(format!("def _arguments_of_{}(to, args):", function.rust.name)).inside(|source| {
            source.add("place = \"\"\ntry:").add_inside(write.text());
            source.add("except Mismatch as mismatch:\n    raise mismatch.refusal(place) from None");
        });
    }

    /// A function's entry in the table.
    fn entry(&self, source: &mut Source, function: &NamedFunction<'_>) {
        let truth = |value: bool| if value { "True" } else { "False" }.to_owned();
        let parameters: Vec<_> = function.arguments().into_iter().map(literal).collect();
        let reads: Vec<_> = function.parameters.iter().map(|parameter| self.read(parameter.ty)).collect();
        let is_text: Vec<_> = function.parameters.iter().map(|parameter| truth(*parameter.ty == Type::Text)).collect();
        let direct = if function.is_direct() { tuple(&is_text) } else { "None".to_owned() };
        let write_arguments = match function.parameters.is_empty() {
            true => "lambda to, args: None".to_owned(),
            false => format!("_arguments_of_{}", function.rust.name),
        };
        let (write, read) = match function.output {
            Some(ty) => (self.write(ty, "value"), self.read(ty)),
            None => ("None".to_owned(), "None".to_owned()),
        };
        source.add(format!(
            "
            Function(
                {},
                {},
                direct={direct},
                raw={},
                write_arguments={write_arguments},
                read_arguments=lambda source: [{}],
                write_output=lambda to, value: {write},
                read_output=lambda source: {read},
            ),
            ",
            literal(&function.name),
            tuple(&parameters),
            truth(function.is_raw()),
            reads.join(", "),
        ));
    }

    /// An expression that writes `value`.
    fn write(&self, ty: &Type, value: &str) -> String {
        if let Some(kind) = numbers(ty) {
            return format!("to.numbers({kind}, {value})");
        }
        match wire::plain(ty) {
            Some(method) => format!("to.{method}({value})"),
            None => format!("_write_{}(to, {value})", self.suffix(ty)),
        }
    }

    /// An expression that reads a value.
    fn read(&self, ty: &Type) -> String {
        if let Some(kind) = numbers(ty) {
            return format!("source.numbers({kind})");
        }
        match wire::plain(ty) {
            Some(method) => format!("source.{method}()"),
            None => format!("_read_{}(source)", self.suffix(ty)),
        }
    }

    /// The suffix of a type's functions, after `_write_` and `_read_`. A user's name always comes last, after the first
    /// `__`, so no two types share a suffix.
    fn suffix(&self, ty: &Type) -> String {
        match ty {
            Type::Optional(inner) => format!("optional_{}", self.suffix(inner)),
            Type::List(inner) => format!("list_{}", self.suffix(inner)),
            Type::Map(inner) => format!("map_{}", self.suffix(inner)),
            Type::Defined(number) => format!("_{}", self.named.type_name(*number)),
            plain => wire::plain(plain).unwrap_or_default().to_owned(),
        }
    }

    /// The writer and reader of an optional type, a list or a map.
    fn composite(&self, source: &mut Source, suffix: &str, ty: &Type) {
        let (write, read) = match ty {
            Type::Optional(inner) => (
                format!(
                    "
                    if value is None:
                        to.case(0)
                        return
                    to.case(1)
                    {}
                    ",
                    self.write(inner, "value")
                ),
                format!("return {} if source.bool() else None", self.read(inner)),
            ),
            Type::List(inner) => (
                format!(
                    r#"
                    items = items_of(value)
                    to.count(len(items))
                    at = 0
                    try:
                        for at, item in enumerate(items):
                            {}
                    except Mismatch as mismatch:
                        mismatch.path = f"[{{at}}]{{mismatch.path}}"
                        raise
                    "#,
                    self.write(inner, "item")
                ),
                format!("return [{} for _ in range(source.count())]", self.read(inner)),
            ),
            Type::Map(inner) => (
                format!(
                    r#"
                    entries = entries_of(value)
                    to.count(len(entries))
                    key = ""
                    try:
                        for key, item in entries:
                            to.text(key)
                            {}
                    except Mismatch as mismatch:
                        mismatch.path = f"[{{key!r}}]{{mismatch.path}}"
                        raise
                    "#,
                    self.write(inner, "item")
                ),
                format!(
                    "
                    value = {{}}
                    key = None
                    for _ in range(source.count()):
                        key = source.key(key)
                        value[key] = {}
                    return value
                    ",
                    self.read(inner)
                ),
            ),
            _ => unreachable!("only optional types, lists and maps are composites"),
        };
        functions(source, suffix, &write, &read);
    }
}

/// A pair of functions with these bodies.
fn functions(source: &mut Source, suffix: &str, write: &str, read: &str) {
    source.gap(2).add(format!("def _write_{suffix}(to, value):")).add_inside(write);
    source.gap(2).add(format!("def _read_{suffix}(source):")).add_inside(read);
}

/// The kind of number in a list of numbers. Such a list is written and read in one step.
fn numbers(ty: &Type) -> Option<String> {
    match ty {
        Type::List(inner) if matches!(**inner, Type::Integer(_) | Type::F32 | Type::F64) => {
            wire::plain(inner).map(str::to_uppercase)
        }
        _ => None,
    }
}

/// The imports for the names in a body.
fn imports(source: &mut Source, body: &Source) {
    const CHECKS: &[&str] = &["Mismatch", "entries_of", "expected", "items_of", "record_of"];
    const WIRE: &[&str] =
        &["F32", "F64", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "Function", "Malformed"];
    if !body.mentioned(["_types."]).is_empty() {
        source.add("from . import _types");
    }
    for (module, names) in [("checks", CHECKS), ("wire", WIRE)] {
        let used = body.mentioned(names.iter().copied());
        if !used.is_empty() {
            source.add(format!("from ._tierup.{module} import {}", used.join(", ")));
        }
    }
}
