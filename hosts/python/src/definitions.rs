//! `_types.py`: a dataclass for each record and for each case with fields, and an enumeration for each enum whose cases
//! have none.

use tierup_codegen::named::{Named, NamedCase, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;

use crate::source::{Annotations, INDENT, Position, docstring, file, literal};

/// The file's source.
pub(crate) fn types(named: &Named<'_>) -> String {
    let mut body = Source::new(INDENT);
    named.definitions.iter().for_each(|definition| self::definition(&mut body, definition, named));
    let mut source = file("Your records and enums.");
    source.gap(1).add("from __future__ import annotations");
    let mut imports = Source::new(INDENT);
    for module in body.mentioned(["builtins.", "enum."]) {
        imports.add(format!("import {}", module.trim_end_matches('.')));
    }
    if !body.mentioned(["@dataclass"]).is_empty() {
        imports.add("from dataclasses import dataclass");
    }
    let typing = body.mentioned(["Optional[", "Union["]);
    if !typing.is_empty() {
        imports.add(format!("from typing import {}", typing.join(", ").replace('[', "")));
    }
    if !imports.is_empty() {
        source.gap(1).add(imports.text());
    }
    source.into_text() + body.text()
}

fn definition(source: &mut Source, definition: &NamedDefinition<'_>, named: &Named<'_>) {
    let name = &definition.name;
    match &definition.kind {
        NamedKind::Record(fields) => dataclass(source, name, definition.docs, fields, named),
        NamedKind::Words(cases) => enumeration(source, definition, cases),
        NamedKind::Cases(cases) => {
            cases.iter().for_each(|case| dataclass(source, &case.name, case.docs, &case.fields, named));
            let classes: Vec<_> = cases.iter().map(|case| case.name.as_str()).collect();
            source.gap(2).add(format!("{name} = Union[{}]", classes.join(", ")));
            docstring(source, definition.docs);
        }
    }
}

fn dataclass(source: &mut Source, name: &str, docs: &str, fields: &[NamedValue<'_>], named: &Named<'_>) {
    // A field may have the name of another field's type: `bytes: bytes` would shadow the type.
    let taken = fields.iter().map(|field| field.name.as_str()).collect();
    let annotations = Annotations { named, taken };
    source.gap(2).add(format!("@dataclass(frozen=True)\nclass {name}:"));
    source.inside(|source| {
        let has_docs = docstring(source, docs);
        if !has_docs && fields.is_empty() {
            source.add("pass");
        }
        source.gap(usize::from(has_docs && !fields.is_empty()));
        for field in fields {
            source.add(format!("{}: {}", field.name, annotations.of(field.ty, Position::Value)));
            docstring(source, field.docs);
        }
    });
}

/// The enumeration is a `str` too, so JSON and URLs contain its word.
fn enumeration(source: &mut Source, definition: &NamedDefinition<'_>, cases: &[NamedCase<'_>]) {
    source.gap(2).add(format!("class {}(str, enum.Enum):", definition.name));
    source.inside(|source| {
        if docstring(source, definition.docs) {
            source.gap(1);
        }
        for case in cases {
            source.add(format!("{} = {}", case.name, literal(case.rust)));
            docstring(source, case.docs);
        }
        source.gap(1).add("def __str__(self):\n    return self.value");
    });
}
