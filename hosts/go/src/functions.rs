//! `functions.go`: the functions as Go calls them, with their documentation; and the struct by which a server hands over
//! its own.

use std::fmt::Write as _;

use tierup_model::{Function, Interface};

use crate::codec::{Codec, can_be_refused};
use crate::direct;
use crate::docs::comment;
use crate::names::{FunctionNames, Names};
use crate::source::{HEADER, Types, columns};

/// The file's source.
pub(crate) fn functions(interface: &Interface, names: &Names, package: &str, module: &str) -> String {
    let codec = Codec { types: Types { interface, names, qualifier: "" } };
    let all = || interface.functions.iter().zip(&names.functions);
    let rows: Vec<_> = all()
        .map(|(function, names)| vec![names.name.clone(), format!("func{}", signature(function, names, &codec.types))])
        .collect();
    let mut text = format!(
        "// Functions are a server's own, as they were before Rust: tier 0. Those that are nil fail when they are called.\n\
         type Functions struct {{\n{}}}\n",
        columns(&rows)
    );
    for (number, (function, names)) in all().enumerate() {
        text += "\n";
        text += &method(number, function, names, &codec);
    }
    // `tierupComplete` answers for what was not handed over.
    text += "\nfunc (own *Functions) tierupComplete() *Functions {\n\tcomplete := *own\n";
    for (function, names) in all() {
        let name = &names.name;
        let types: Vec<_> = function.parameters.iter().map(|parameter| codec.types.of(&parameter.ty)).collect();
        let (output, value) = match &function.output.ty {
            Some(ty) => (format!("(value {}, err error)", codec.types.of(ty)), "value, "),
            None => ("error".to_owned(), ""),
        };
        let _ = write!(
            text,
            "\tif complete.{name} == nil {{\n\t\tcomplete.{name} = func({}) {output} {{\n\
             \t\t\treturn {value}tierupMissing(\"{name}\")\n\t\t}}\n\t}}\n",
            types.join(", ")
        );
    }
    text += "\treturn &complete\n}\n";
    let import = if text.contains("wire.") { format!("import \"{module}/internal/wire\"\n\n") } else { String::new() };
    format!("{HEADER}package {package}\n\n{import}{text}")
}

/// Parameters and what comes back.
pub(crate) fn signature(function: &Function, names: &FunctionNames, types: &Types<'_>) -> String {
    let parameters: Vec<_> = function
        .parameters
        .iter()
        .zip(&names.parameters)
        .map(|(parameter, name)| format!("{name} {}", types.of(&parameter.ty)))
        .collect();
    format!("({}) {}", parameters.join(", "), types.output(function.output.ty.as_ref()))
}

fn method(number: usize, function: &Function, names: &FunctionNames, codec: &Codec<'_>) -> String {
    let FunctionNames { name, parameters } = names;
    let own = format!("binding.own.{name}({})", parameters.join(", "));
    let (own, end) = match &function.output.ty {
        Some(ty) => (format!("tierupOwn({own})"), format!("tierupEnd(crossing, {})", codec.reader(ty))),
        None => (format!("tierupOwnError({own})"), "tierupEndOfNothing(crossing)".to_owned()),
    };
    let direct = direct::tried(number, function, parameters).unwrap_or_default();
    let mut write = String::new();
    for (parameter, name) in function.parameters.iter().zip(parameters) {
        if can_be_refused(&parameter.ty) {
            let _ = writeln!(write, "\tcrossing.Parameter(\"{name}\")");
        }
        let _ = writeln!(write, "\t{}", codec.write(&parameter.ty, name, "crossing", "&crossing.Writer"));
    }
    format!(
        "{}func (binding *Binding) {name}{} {{\n\tif binding.own != nil {{\n\t\treturn {own}\n\t}}\n{direct}\
         \tcrossing := binding.tierupBegin({number})\n{write}\treturn {end}\n}}\n",
        comment(&function.docs, ""),
        signature(function, names, &codec.types)
    )
}
