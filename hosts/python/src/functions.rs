//! `_functions.py` and `__init__.py`: the functions as Python calls them, with their documentation.

use tierup_codegen::named::{Named, NamedFunction, NamedKind};
use tierup_codegen::source::Source;

use crate::names::is_builtin;
use crate::source::{HEADER, INDENT, docstring, file, literal};

/// The base class of a binding: a method for each function, and a coroutine for each.
pub(crate) fn functions(named: &Named<'_>) -> String {
    let mut source = file("Your functions, for whoever knows how to make a call.");
    source.gap(2).add("class Functions:");
    source.inside(|source| {
        for (at, function) in named.functions.iter().enumerate() {
            let (number, name, arguments) = (function.number, &function.name, function.arguments());
            let signature = signature(function, Some("self"));
            let awaited = [&[number.to_string().as_str()], &arguments[..]].concat().join(", ");
            let answer = format!("return self._tierup_calls[{number}]({})", arguments.join(", "));
            source.gap(usize::from(at > 0));
            defined(source, &format!("def {name}({signature})"), function.docs, &answer);
            let answer = format!("return await self._tierup_call_async({awaited})");
            source.gap(1);
            defined(source, &format!("async def {name}_async({signature})"), function.docs, &answer);
        }
    });
    source.into_text()
}

/// `__init__.py`: the package's exports.
pub(crate) fn init(named: &Named<'_>) -> String {
    let mut source = Source::new(INDENT);
    source.add_as_is(HEADER);
    docstring(&mut source, &named.interface.docs);
    source.gap(1).add(
        "
        from ._tierup.binding import Binding, bind
        from ._tierup.default import check_health, close, metrics, ready
        from ._tierup.default import default as _tierup_default
        from ._tierup.errors import CallError, CallTimeoutError, HealthError, PanicError
        from ._tierup.errors import TransportError, Unavailable
        from ._tierup.metrics import Metrics
        ",
    );
    let classes = classes(named);
    if !classes.is_empty() {
        source.add(format!("from ._types import {}", classes.join(", ")));
    }
    source.gap(1).add("__all__ = [");
    source.inside(|source| {
        let own =
            named.functions.iter().flat_map(|function| [function.name.clone(), format!("{}_async", function.name)]);
        let own: Vec<String> = own.filter(|name| !is_builtin(name)).collect();
        for name in FIXED.iter().copied().chain(classes).chain(own.iter().map(String::as_str)) {
            source.add(format!("{},", literal(name)));
        }
    });
    source.add("]").gap(2).add(
        r#"
        def __getattr__(name):
            if name == "tier":
                return _tierup_default.bound().tier
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        "#,
    );
    for function in &named.functions {
        let (number, name, signature) = (function.number, &function.name, signature(function, None));
        let arguments = function.arguments().join(", ");
        let answer = format!("return (_tierup_default.calls or _tierup_default.first_calls())[{number}]({arguments})");
        source.gap(2);
        defined(&mut source, &format!("def {name}({signature})"), function.docs, &answer);
        let answer = format!("return await _tierup_default.bound().{name}_async({arguments})");
        source.gap(2);
        defined(&mut source, &format!("async def {name}_async({signature})"), function.docs, &answer);
    }
    source.into_text()
}

/// The names that every package exports.
pub(crate) const FIXED: &[&str] = &[
    "Binding", "CallError", "CallTimeoutError", "HealthError", "Metrics", "PanicError", "TransportError",
    "Unavailable", "bind", "check_health", "close", "metrics", "ready",
];

/// Every class and union of the interface.
pub(crate) fn classes<'n>(named: &'n Named<'_>) -> Vec<&'n str> {
    let of = named.definitions.iter().flat_map(|definition| {
        // The cases of an enum without fields are members of its class.
        let cases = if matches!(definition.kind, NamedKind::Words(_)) { &[] } else { definition.cases() };
        std::iter::once(definition.name.as_str()).chain(cases.iter().map(|case| case.name.as_str()))
    });
    of.collect()
}

fn defined(source: &mut Source, head: &str, docs: &str, answer: &str) {
    source.add(format!("{head}:"));
    source.inside(|source| {
        docstring(source, docs);
        source.add(answer);
    });
}

/// The parameters. Optional ones at the end have a default.
fn signature(function: &NamedFunction<'_>, first: Option<&str>) -> String {
    let optional = function.optional_from();
    let own = function.arguments().into_iter().enumerate().map(|(place, name)| match place >= optional {
        true => format!("{name}=None"),
        false => name.to_owned(),
    });
    first.map(str::to_owned).into_iter().chain(own).collect::<Vec<_>>().join(", ")
}
