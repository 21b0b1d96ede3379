//! `_interface.py`: Python that checks, writes and reads the values of each type, and a table of the functions.
//!
//! A writer checks while it writes; where a value is not what the signature says, the error learns on its way out where
//! it arose, which costs nothing as long as there is none.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tierup_codegen::shims::is_direct;
use tierup_codegen::{Project, abi};
use tierup_model::{Function, Integer, Interface, Type};

use crate::names::{FunctionNames, Names};
use crate::source::{HEADER, bytes, literal, tuple};

mod definitions;

/// The file's source.
pub(crate) fn interface(project: &Project) -> String {
    let interface = &project.interface;
    let codec = Codec { interface, names: &Names::of(interface) };
    let mut body = codec.definitions();
    for (suffix, ty) in codec.composites() {
        body += &codec.composite(&suffix, &ty);
    }
    let mut table = String::from("\n\nFUNCTIONS = (\n");
    for (function, names) in interface.functions.iter().zip(&codec.names.functions) {
        body += &codec.arguments(function, names);
        table += &codec.entry(function, names);
    }
    table.push_str(")\n");
    let health = project.health.as_ref().map_or_else(
        || "None".to_owned(),
        |health| {
            let right: Vec<_> = health.sha256.iter().map(|digest| literal(digest)).collect();
            format!("({}, {}, {})", health.function, bytes(&health.arguments), tuple(&right))
        },
    );
    body += &table;
    let _ = write!(
        body,
        "\n# The golden call of [health] in tierup.toml: the function's number, its arguments, what is right.\n\
         HEALTH = {health}\n"
    );
    format!(
        "{HEADER}\"\"\"Checks, writes and reads the values of each type in the encoding of `wire.py`, and lists the \
         functions.\"\"\"\n\n{}\nPACKAGE = {}\n\n# The hash of the interface: what was built for another one is not \
         called.\nABI = {}\n{body}",
        imports(&body),
        literal(&interface.package),
        literal(&abi::hash_text(interface)),
    )
}

struct Codec<'a> {
    interface: &'a Interface,
    names: &'a Names,
}

impl Codec<'_> {
    /// The function that writes a function's arguments.
    fn arguments(&self, function: &Function, names: &FunctionNames) -> String {
        let name = &function.name;
        if function.parameters.is_empty() {
            return String::new();
        }
        let mut text = format!("\n\ndef _arguments_of_{name}(to, args):\n    place = \"\"\n    try:\n");
        for (number, (parameter, name)) in function.parameters.iter().zip(&names.parameters).enumerate() {
            let write = self.write(&parameter.ty, &format!("args[{number}]"));
            let _ = write!(text, "        place = {}\n        {write}\n", literal(name));
        }
        text + "    except Mismatch as mismatch:\n        raise mismatch.refusal(place) from None\n"
    }

    /// A function's place in the table.
    fn entry(&self, function: &Function, names: &FunctionNames) -> String {
        let output = function.output.ty.as_ref();
        let parameters: Vec<_> = names.parameters.iter().map(|name| literal(name)).collect();
        let reads: Vec<_> = function.parameters.iter().map(|parameter| self.read(&parameter.ty)).collect();
        let is_text = |ty: &Type| if *ty == Type::Text { "True" } else { "False" }.to_owned();
        let direct = match is_direct(function) {
            true => tuple(&function.parameters.iter().map(|parameter| is_text(&parameter.ty)).collect::<Vec<_>>()),
            false => "None".to_owned(),
        };
        let raw = if matches!(output, Some(Type::Text | Type::Bytes)) { "True" } else { "False" };
        let write_arguments = match function.parameters.is_empty() {
            true => "lambda to, args: None".to_owned(),
            false => format!("_arguments_of_{}", function.name),
        };
        let (write, read) = match output {
            Some(ty) => (self.write(ty, "value"), self.read(ty)),
            None => ("None".to_owned(), "None".to_owned()),
        };
        format!(
            "    Function(\n        {},\n        {},\n        direct={direct},\n        raw={raw},\n        \
             write_arguments={write_arguments},\n        read_arguments=lambda source: [{}],\n        \
             write_output=lambda to, value: {write},\n        read_output=lambda source: {read},\n    ),\n",
            literal(&names.name),
            tuple(&parameters),
            reads.join(", "),
        )
    }

    /// An expression that writes `value`.
    fn write(&self, ty: &Type, value: &str) -> String {
        if let Some(kind) = numbers(ty) {
            return format!("to.numbers({kind}, {value})");
        }
        match method(ty) {
            Some(method) => format!("to.{method}({value})"),
            None => format!("_write_{}(to, {value})", self.suffix(ty)),
        }
    }

    /// An expression that reads a value.
    fn read(&self, ty: &Type) -> String {
        if let Some(kind) = numbers(ty) {
            return format!("source.numbers({kind})");
        }
        match method(ty) {
            Some(method) => format!("source.{method}()"),
            None => format!("_read_{}(source)", self.suffix(ty)),
        }
    }

    /// What the type's functions are called behind `_write_` and `_read_`. A name of the user's always comes last and
    /// behind the first `__`, so that none of them is that of another type.
    fn suffix(&self, ty: &Type) -> String {
        match ty {
            Type::Optional(inner) => format!("optional_{}", self.suffix(inner)),
            Type::List(inner) => format!("list_{}", self.suffix(inner)),
            Type::Map(inner) => format!("map_{}", self.suffix(inner)),
            Type::Defined(index) => format!("_{}", self.names.definitions[*index].name),
            plain => method(plain).unwrap_or_default().to_owned(),
        }
    }

    /// Every optional type, list and map in the interface that needs functions, by suffix.
    fn composites(&self) -> BTreeMap<String, Type> {
        let mut composites = BTreeMap::new();
        for function in &self.interface.functions {
            let parameters = function.parameters.iter().map(|parameter| &parameter.ty);
            parameters.chain(&function.output.ty).for_each(|ty| self.collect(ty, &mut composites));
        }
        for definition in &self.interface.definitions {
            definitions::types_in(definition).into_iter().for_each(|ty| self.collect(ty, &mut composites));
        }
        composites
    }

    fn collect(&self, ty: &Type, composites: &mut BTreeMap<String, Type>) {
        if let Type::Optional(inner) | Type::List(inner) | Type::Map(inner) = ty {
            if numbers(ty).is_none() {
                composites.insert(self.suffix(ty), ty.clone());
            }
            self.collect(inner, composites);
        }
    }

    /// The writer and reader of an optional type, a list or a map.
    fn composite(&self, suffix: &str, ty: &Type) -> String {
        let (write, read) = match ty {
            Type::Optional(inner) => (
                format!(
                    "    if value is None:\n        to.case(0)\n        return\n    to.case(1)\n    {}\n",
                    self.write(inner, "value")
                ),
                format!("    return {} if source.bool() else None\n", self.read(inner)),
            ),
            Type::List(inner) => (
                format!(
                    "    items = items_of(value)\n    to.count(len(items))\n    at = 0\n    try:\n        \
                     for at, item in enumerate(items):\n            {}\n    except Mismatch as mismatch:\n        \
                     mismatch.path = f\"[{{at}}]{{mismatch.path}}\"\n        raise\n",
                    self.write(inner, "item")
                ),
                format!("    return [{} for _ in range(source.count())]\n", self.read(inner)),
            ),
            Type::Map(inner) => (
                format!(
                    "    entries = entries_of(value)\n    to.count(len(entries))\n    key = \"\"\n    try:\n        \
                     for key, item in entries:\n            to.text(key)\n            {}\n    \
                     except Mismatch as mismatch:\n        mismatch.path = f\"[{{key!r}}]{{mismatch.path}}\"\n        raise\n",
                    self.write(inner, "item")
                ),
                format!(
                    "    value = {{}}\n    key = None\n    for _ in range(source.count()):\n        \
                     key = source.key(key)\n        value[key] = {}\n    return value\n",
                    self.read(inner)
                ),
            ),
            _ => unreachable!("only optional types, lists and maps are composites"),
        };
        functions(suffix, &write, &read)
    }
}

/// A pair of functions, from their bodies.
fn functions(suffix: &str, write: &str, read: &str) -> String {
    format!("\n\ndef _write_{suffix}(to, value):\n{write}\n\ndef _read_{suffix}(source):\n{read}")
}

/// The method of Writer and Reader for a type that needs no function of its own.
fn method(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Bool => "bool",
        Type::Integer(Integer::Usize) => "u64",
        Type::Integer(Integer::Isize) => "i64",
        Type::Integer(integer) => integer.rust(),
        Type::F32 => "f32",
        Type::F64 => "f64",
        Type::Text => "text",
        Type::Bytes => "bytes",
        Type::Optional(_) | Type::List(_) | Type::Map(_) | Type::Defined(_) => return None,
    })
}

/// The kind of number in a list of numbers, which is written and read in one step.
fn numbers(ty: &Type) -> Option<String> {
    match ty {
        Type::List(inner) if matches!(**inner, Type::Integer(_) | Type::F32 | Type::F64) => {
            method(inner).map(str::to_uppercase)
        }
        _ => None,
    }
}

/// The import lines for what a file names.
fn imports(body: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"');
    let names = |name: &&str| {
        body.match_indices(*name).any(|(at, _)| {
            !body[..at].ends_with(is_part) && !body[at + name.len()..].starts_with(|c: char| is_part(c) && c != '.')
        })
    };
    let mut text = String::new();
    if body.contains("_types.") {
        text.push_str("from . import _types\n");
    }
    let checks = ["Mismatch", "entries_of", "expected", "has_fields", "items_of"];
    let wire = ["F32", "F64", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "Function", "Malformed"];
    for (module, all) in [("checks", &checks[..]), ("wire", &wire[..])] {
        let used: Vec<_> = all.iter().copied().filter(names).collect();
        if !used.is_empty() {
            let _ = writeln!(text, "from ._tierup.{module} import {}", used.join(", "));
        }
    }
    text
}
