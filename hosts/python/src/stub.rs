//! `__init__.pyi`: the declarations for type checkers and editors, with the crate's documentation.

use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::source::Source;

use crate::functions::classes;
use crate::source::{Annotations, HEADER, INDENT, Position, docstring};

/// The file's source.
pub(crate) fn stub(named: &Named<'_>) -> String {
    // No function has the name of a type: `names.rs` ensures that.
    let annotations = Annotations { named, taken: vec![] };
    let mut body = Source::new(INDENT);
    body.gap(1).add("class Functions:\n    \"\"\"Your functions.\"\"\"").gap(1);
    body.inside(|body| {
        named.functions.iter().for_each(|function| declarations(body, function, &annotations, Some("self")));
        if named.functions.is_empty() {
            body.add("...");
        }
    });
    body.add_as_is(include_str!("../templates/package/fixed.pyi"));
    named.functions.iter().for_each(|function| declarations(&mut body, function, &annotations, None));

    let mut source = Source::new(INDENT);
    source.add_as_is(HEADER);
    docstring(&mut source, &named.interface.docs);
    let collections = [&["Callable", "Mapping"], &body.mentioned(["Sequence"])[..]].concat();
    source.gap(1).add(format!("from collections.abc import {}", collections.join(", ")));
    source.add("from typing import Any, NamedTuple, Optional, Union");
    let classes = classes(named);
    source.gap(usize::from(!classes.is_empty()));
    for name in classes {
        source.add(format!("from ._types import {name} as {name}"));
    }
    source.into_text() + body.text()
}

/// The declarations of a function and its coroutine.
fn declarations(source: &mut Source, function: &NamedFunction<'_>, annotations: &Annotations<'_>, first: Option<&str>) {
    let optional = function.optional_from();
    let own = function.parameters.iter().enumerate().map(|(place, parameter)| {
        let default = if place >= optional { " = None" } else { "" };
        format!("{}: {}{default}", parameter.name, annotations.of(parameter.ty, Position::Parameter))
    });
    let signature = first.map(str::to_owned).into_iter().chain(own).collect::<Vec<_>>().join(", ");
    let output = function.output.map_or_else(|| "None".into(), |ty| annotations.of(ty, Position::Value));
    for (word, ending) in [("def", ""), ("async def", "_async")] {
        let head = format!("{word} {}{ending}({signature}) -> {output}:", function.name);
        if function.docs.trim().is_empty() {
            source.add(format!("{head} ..."));
        } else {
            source.add(head).inside(|source| {
                docstring(source, function.docs);
                source.add("...");
            });
        }
    }
}
