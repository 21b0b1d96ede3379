//! `__init__.pyi`: what type checkers and editors see, with the crate's documentation.

use std::fmt::Write as _;

use tierup_model::{Function, Interface, Parameter};

use crate::functions::{classes, optional_from};
use crate::names::{FunctionNames, Names};
use crate::source::{Annotations, HEADER, Place, docstring};

/// The file's source.
pub(crate) fn stub(interface: &Interface) -> String {
    let names = Names::of(interface);
    let mut methods = String::new();
    let mut plain = String::new();
    // No function has the name of a type: `names.rs` sees to it.
    let annotations = Annotations { definitions: &names.definitions, taken: &[] };
    for (function, own) in interface.functions.iter().zip(&names.functions) {
        methods += &declarations(function, own, &annotations, Some("self"), "    ");
        plain += &declarations(function, own, &annotations, None, "");
    }
    if methods.is_empty() {
        methods.push_str("    ...\n");
    }
    let body = format!(
        "\nclass Functions:\n    \"\"\"Your functions.\"\"\"\n\n{methods}{}{plain}",
        include_str!("../templates/package/fixed.pyi")
    );
    let mut text = HEADER.to_owned() + &docstring(&interface.docs, "") + "\n";
    text.push_str("from collections.abc import Callable, Mapping");
    text.push_str(if body.contains("Sequence[") { ", Sequence\n" } else { "\n" });
    text.push_str("from typing import Any, Optional, Union\n");
    let classes: String =
        classes(interface, &names).iter().map(|name| format!("from ._types import {name} as {name}\n")).collect();
    if !classes.is_empty() {
        let _ = write!(text, "\n{classes}");
    }
    text + &body
}

/// A function, and its form to await.
fn declarations(
    function: &Function,
    names: &FunctionNames,
    annotations: &Annotations<'_>,
    first: Option<&str>,
    indent: &str,
) -> String {
    let optional = optional_from(function);
    let parameter = |(place, (parameter, name)): (usize, (&Parameter, &String))| {
        let default = if place >= optional { " = None" } else { "" };
        format!("{name}: {}{default}", annotations.of(&parameter.ty, Place::Parameter))
    };
    let own = function.parameters.iter().zip(&names.parameters).enumerate().map(parameter);
    let signature = first.map(str::to_owned).into_iter().chain(own).collect::<Vec<_>>().join(", ");
    let output = function.output.ty.as_ref().map_or_else(|| "None".into(), |ty| annotations.of(ty, Place::Value));
    let docs = docstring(&function.docs, &format!("{indent}    "));
    let body = if docs.is_empty() { " ...\n".to_owned() } else { format!("\n{docs}{indent}    ...\n") };
    let name = &names.name;
    format!(
        "{indent}def {name}({signature}) -> {output}:{body}{indent}async def {name}_async({signature}) -> {output}:{body}"
    )
}
