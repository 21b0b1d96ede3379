//! `_types.py`: a dataclass for each record and for each case that carries something, an enumeration for each enum whose
//! cases carry nothing.

use std::fmt::Write as _;

use tierup_model::{Case, Definition, DefinitionKind, Interface, Payload, Type};

use crate::names::{CaseNames, DefinitionNames, Names};
use crate::source::{Annotations, HEADER, Place, docstring, literal};

/// The file's source.
pub(crate) fn types(interface: &Interface) -> String {
    let names = Names::of(interface);
    let text: String = interface
        .definitions
        .iter()
        .zip(&names.definitions)
        .map(|(definition, own)| self::definition(definition, own, &names.definitions))
        .collect();
    let mut head = format!("{HEADER}\"\"\"Your records and enums.\"\"\"\n\nfrom __future__ import annotations\n");
    let mut modules = Vec::new();
    for (needed, import) in [("builtins.", "import builtins\n"), ("enum.", "import enum\n")] {
        if text.contains(needed) {
            modules.push(import.to_owned());
        }
    }
    if text.contains("@dataclass") {
        modules.push("from dataclasses import dataclass\n".to_owned());
    }
    let typing: Vec<_> = ["Optional", "Union"].into_iter().filter(|name| text.contains(&format!("{name}["))).collect();
    if !typing.is_empty() {
        modules.push(format!("from typing import {}\n", typing.join(", ")));
    }
    if !modules.is_empty() {
        head.push('\n');
        head.extend(modules);
    }
    head + &text
}

fn definition(definition: &Definition, names: &DefinitionNames, all: &[DefinitionNames]) -> String {
    match &definition.kind {
        DefinitionKind::Record(fields) => {
            let fields: Vec<_> = fields.iter().map(|field| (&field.ty, field.docs.as_str())).collect();
            dataclass(&names.name, &definition.docs, &fields, &names.fields, all)
        }
        DefinitionKind::Enum(cases) if definition.is_plain_enum() => enumeration(definition, cases, names),
        DefinitionKind::Enum(cases) => {
            let mut text: String =
                cases.iter().zip(&names.cases).map(|(case, names)| self::case(case, names, all)).collect();
            let classes: Vec<_> = names.cases.iter().map(|case| case.name.as_str()).collect();
            let _ = write!(text, "\n\n{} = Union[{}]\n", names.name, classes.join(", "));
            text + &docstring(&definition.docs, "")
        }
    }
}

fn case(case: &Case, names: &CaseNames, all: &[DefinitionNames]) -> String {
    let fields: Vec<(&Type, &str)> = match &case.payload {
        Payload::None => vec![],
        Payload::Tuple(types) => types.iter().map(|(ty, _)| (ty, "")).collect(),
        Payload::Named(fields) => fields.iter().map(|field| (&field.ty, field.docs.as_str())).collect(),
    };
    dataclass(&names.name, &case.docs, &fields, &names.fields, all)
}

fn dataclass(name: &str, docs: &str, fields: &[(&Type, &str)], names: &[String], all: &[DefinitionNames]) -> String {
    // A field may be called as the type of another: `bytes: bytes` would hide it.
    let annotations = Annotations { definitions: all, taken: names };
    let mut body = docstring(docs, "    ");
    if !body.is_empty() && !fields.is_empty() {
        body.push('\n');
    }
    for ((ty, docs), name) in fields.iter().zip(names) {
        let _ = writeln!(body, "    {name}: {}", annotations.of(ty, Place::Value));
        body += &docstring(docs, "    ");
    }
    if body.is_empty() {
        body.push_str("    pass\n");
    }
    format!("\n\n@dataclass(frozen=True)\nclass {name}:\n{body}")
}

/// A `str` too, so that it is written as its word wherever text is: as JSON, in a URL.
fn enumeration(definition: &Definition, cases: &[Case], names: &DefinitionNames) -> String {
    let mut text = format!("\n\nclass {}(str, enum.Enum):\n", names.name);
    let docs = docstring(&definition.docs, "    ");
    if !docs.is_empty() {
        text += &docs;
        text.push('\n');
    }
    for (case, names) in cases.iter().zip(&names.cases) {
        let _ = writeln!(text, "    {} = {}", names.name, literal(&case.name));
        text += &docstring(&case.docs, "    ");
    }
    text + "\n    def __str__(self):\n        return self.value\n"
}
