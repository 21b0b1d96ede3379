//! `_functions.py` and `__init__.py`: the functions as Python calls them, with their documentation.

use std::fmt::Write as _;

use tierup_model::{Function, Interface, Type};

use crate::names::{FunctionNames, Names, is_builtin};
use crate::source::{HEADER, docstring, literal};

/// The class that a binding is: a method for each function, and one to await.
pub(crate) fn functions(interface: &Interface) -> String {
    let names = Names::of(interface);
    let mut text =
        format!("{HEADER}\"\"\"Your functions, for whoever knows how to make a call.\"\"\"\n\n\nclass Functions:\n");
    for (number, (function, names)) in interface.functions.iter().zip(&names.functions).enumerate() {
        let FunctionNames { name, parameters } = names;
        let signature = signature(function, parameters, Some("self"));
        let docs = docstring(&function.docs, "        ");
        let arguments = parameters.join(", ");
        let awaited = [&[number.to_string()], parameters.as_slice()].concat().join(", ");
        let _ = write!(
            text,
            "{}    def {name}({signature}):\n{docs}        return self._tierup_calls[{number}]({arguments})\n\n    \
             async def {name}_async({signature}):\n{docs}        \
             return await self._tierup_call_async({awaited})\n",
            if number == 0 { "" } else { "\n" }
        );
    }
    text
}

/// What the package exports.
pub(crate) fn init(interface: &Interface) -> String {
    let names = Names::of(interface);
    let mut text = HEADER.to_owned() + &docstring(&interface.docs, "") + "\n";
    text += "from ._tierup.binding import Binding, bind\n\
             from ._tierup.default import check_health, close, ready\n\
             from ._tierup.default import default as _tierup_default\n\
             from ._tierup.errors import CallError, CallTimeoutError, HealthError, PanicError\n\
             from ._tierup.errors import TransportError, Unavailable\n";
    let classes = classes(interface, &names);
    if !classes.is_empty() {
        let _ = writeln!(text, "from ._types import {}", classes.join(", "));
    }
    let mut all: Vec<&str> = FIXED.to_vec();
    all.extend(classes);
    let own: Vec<String> =
        names.functions.iter().flat_map(|names| [names.name.clone(), format!("{}_async", names.name)]).collect();
    all.extend(own.iter().map(String::as_str).filter(|name| !is_builtin(name)));
    let lines: String = all.iter().map(|name| format!("    {},\n", literal(name))).collect();
    let _ = write!(text, "\n__all__ = [\n{lines}]\n");
    text += "\n\ndef __getattr__(name):\n    if name == \"tier\":\n        return _tierup_default.bound().tier\n    \
             raise AttributeError(f\"module {__name__!r} has no attribute {name!r}\")\n";
    for (number, (function, names)) in interface.functions.iter().zip(&names.functions).enumerate() {
        let FunctionNames { name, parameters } = names;
        let signature = signature(function, parameters, None);
        let docs = docstring(&function.docs, "    ");
        let arguments = parameters.join(", ");
        let _ = write!(
            text,
            "\n\ndef {name}({signature}):\n{docs}    \
             return (_tierup_default.calls or _tierup_default.first_calls())[{number}]({arguments})\n\n\n\
             async def {name}_async({signature}):\n{docs}    \
             return await _tierup_default.bound().{name}_async({arguments})\n"
        );
    }
    text
}

/// What every package exports.
pub(crate) const FIXED: &[&str] = &[
    "Binding",
    "CallError",
    "CallTimeoutError",
    "HealthError",
    "PanicError",
    "TransportError",
    "Unavailable",
    "bind",
    "check_health",
    "close",
    "ready",
];

/// Every class and union of the user's.
pub(crate) fn classes<'a>(interface: &Interface, names: &'a Names) -> Vec<&'a str> {
    let of = interface.definitions.iter().zip(&names.definitions).flat_map(|(definition, names)| {
        // The cases of an enum without fields are members of its class.
        let cases = if definition.is_plain_enum() { &[][..] } else { &names.cases };
        std::iter::once(names.name.as_str()).chain(cases.iter().map(|case| case.name.as_str()))
    });
    of.collect()
}

/// The parameters; those at the end that may be absent may be left out.
fn signature(function: &Function, names: &[String], first: Option<&str>) -> String {
    let optional = optional_from(function);
    let own = names.iter().enumerate().map(|(place, name)| match place >= optional {
        true => format!("{name}=None"),
        false => name.clone(),
    });
    first.map(str::to_owned).into_iter().chain(own).collect::<Vec<_>>().join(", ")
}

/// The place of the first parameter that may be left out with all that follow.
pub(crate) fn optional_from(function: &Function) -> usize {
    let needed = function.parameters.iter().rposition(|parameter| !matches!(parameter.ty, Type::Optional(_)));
    needed.map_or(0, |last| last + 1)
}
