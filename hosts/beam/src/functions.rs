//! The module that servers call: two functions for each function of the crate, one that returns `{:ok, _}` or
//! `{:error, _}` and one that raises, with the crate's documentation.

use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::source::{Source, fill};
use tierup_model::Type;

use crate::source::{HEADER, INDENT, documentation};
use crate::types::spec;

/// The file's source.
pub(crate) fn functions(named: &Named<'_>, module: &str) -> String {
    let mut source = Source::new(INDENT);
    source.add_as_is(HEADER);
    source.add(format!("defmodule {module} do"));
    source.inside(|source| {
        let docs = match named.interface.docs.trim() {
            "" => format!("The functions of the crate `{}`.", named.interface.package),
            docs => docs.to_owned(),
        };
        documentation(source, "moduledoc", &docs);
        let application = crate::names::application(&named.interface.package);
        source.add_as_is(fill(
            include_str!("../templates/package/fixed.ex"),
            &[("application", &application), ("module", module)],
        ));
        named.functions.iter().for_each(|function| self::function(source, function, named, module));
    });
    source.add("end");
    source.into_text()
}

fn function(source: &mut Source, function: &NamedFunction<'_>, named: &Named<'_>, module: &str) {
    let (name, number) = (&function.name, function.number);
    let types: Vec<_> = function.parameters.iter().map(|parameter| argument(parameter.ty, named, module)).collect();
    let (types, output) = (types.join(", "), function.output.map_or("nil".to_owned(), |ty| spec(ty, named, module)));
    let optional = function.optional_from();
    let parameters = function.arguments().into_iter().enumerate().map(|(place, name)| match place >= optional {
        true => format!("{name} \\\\ nil"),
        false => name.to_owned(),
    });
    let (parameters, arguments) = (parameters.collect::<Vec<_>>().join(", "), function.arguments().join(", "));
    source.gap(1);
    documentation(source, "doc", function.docs);
    source.add(format!(
        "
        @spec {name}({types}) :: {{:ok, {output}}} | {{:error, Exception.t()}}
        def {name}({parameters}), do: {module}.Tierup.Binding.run({number}, [{arguments}])
        "
    ));
    source.gap(1).add(format!("@doc \"The same as `{name}`, but it raises an error rather than returning it.\""));
    source.add(format!(
        "
        @spec {name}!({types}) :: {output}
        def {name}!({parameters}), do: {module}.Tierup.Binding.run!({number}, [{arguments}])
        "
    ));
}

/// The type of a parameter. A whole number is accepted for a float.
fn argument(ty: &Type, named: &Named<'_>, module: &str) -> String {
    match ty {
        Type::F32 | Type::F64 => format!("{} | integer()", spec(ty, named, module)),
        ty => spec(ty, named, module),
    }
}
