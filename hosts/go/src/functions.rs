//! `functions.go`: the functions as Go calls them, with their documentation; and the struct in which a server passes
//! its own functions.

use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::source::Source;

use crate::codec::{Codec, can_be_refused};
use crate::direct;
use crate::docs::comment;
use crate::source::{Types, columns, file, needs};

/// The file's source.
pub(crate) fn functions(named: &Named<'_>, pure: &[usize], package: &str, module: &str) -> String {
    let codec = Codec { types: Types { named, qualifier: "" } };
    let rows: Vec<_> = named
        .functions
        .iter()
        .map(|function| vec![function.name.clone(), format!("func{}", signature(function, &codec.types))])
        .collect();
    let mut body = Source::new("\t");
    body.add(
        "
        // Functions are a server's own, as they were before Rust: tier 0. A nil function fails when it is called.
        type Functions struct {
        ",
    );
    body.add_inside(columns(&rows)).add("}");
    for function in &named.functions {
        body.gap(1);
        method(&mut body, function, pure.contains(&function.number), &codec);
    }
    // `tierupComplete` fills in the functions that the server did not pass.
    body.gap(1).add("func (own *Functions) tierupComplete() *Functions {").inside(|body| {
        body.add("complete := *own");
        named.functions.iter().for_each(|function| complete(body, function, &codec));
        body.add("return &complete");
    });
    body.add("}");
    let mut source = file(package);
    if needs(&body, "wire") {
        source.add(format!("import \"{module}/internal/wire\"")).gap(1);
    }
    source.into_text() + body.text()
}

fn complete(source: &mut Source, function: &NamedFunction<'_>, codec: &Codec<'_>) {
    let name = &function.name;
    let types: Vec<_> = function.parameters.iter().map(|parameter| codec.types.spell(parameter.ty)).collect();
    let (output, value) = match function.output {
        Some(ty) => (format!("(value {}, err error)", codec.types.spell(ty)), "value, "),
        None => ("error".to_owned(), ""),
    };
    source.add(format!(
        r#"
        if complete.{name} == nil {{
            complete.{name} = func({}) {output} {{
                return {value}tierupMissing("{name}")
            }}
        }}
        "#,
        types.join(", ")
    ));
}

/// Parameters and return types.
fn signature(function: &NamedFunction<'_>, types: &Types<'_>) -> String {
    let parameters = function.parameters.iter();
    let parameters: Vec<_> =
        parameters.map(|parameter| format!("{} {}", parameter.name, types.spell(parameter.ty))).collect();
    format!("({}) {}", parameters.join(", "), types.output(function.output))
}

fn method(source: &mut Source, function: &NamedFunction<'_>, is_pure: bool, codec: &Codec<'_>) {
    let (number, name) = (function.number, &function.name);
    let (own, end) = match function.output {
        Some(ty) => ("tierupOwn", format!("tierupEnd(crossing, {})", codec.reader(ty))),
        None => ("tierupOwnOfNothing", "tierupEndOfNothing(crossing)".to_owned()),
    };
    let call = format!("binding.own.{name}({})", function.arguments().join(", "));
    let output = codec.types.output(function.output);
    comment(source, function.docs);
    source.add(format!("func (binding *Binding) {name}{} {{", signature(function, &codec.types))).inside(|source| {
        source.add("binding.counts.called()");
        if is_pure {
            source.add("if binding.roll != nil {").add_inside(rolled(function, codec)).add("}");
        }
        source.add(format!(
            "
            if binding.own != nil {{
                return {own}(binding, func() {output} {{
                    return {call}
                }})
            }}
            "
        ));
        source.add(direct::tried(function).unwrap_or_default());
        source.add(format!("crossing := binding.tierupBegin({number})"));
        source.add(arguments(function, codec, "&crossing.Writer"));
        source.add(format!("return {end}"));
    });
    source.add("}");
}

/// The statements that write the arguments to `crossing`.
fn arguments(function: &NamedFunction<'_>, codec: &Codec<'_>, writer: &str) -> String {
    let mut lines = String::new();
    for parameter in &function.parameters {
        if can_be_refused(parameter.ty) {
            lines += &format!("crossing.Parameter(\"{}\")\n", parameter.name);
        }
        lines += &codec.write(parameter.ty, &parameter.name, "crossing", writer);
        lines.push('\n');
    }
    lines
}

/// The call during a rollout, for the control or the candidate.
fn rolled(function: &NamedFunction<'_>, codec: &Codec<'_>) -> String {
    let (number, output) = (function.number, codec.types.output(function.output));
    let call = format!("binding.{}({})", function.name, function.arguments().join(", "));
    let (rolled, write) = match function.output {
        Some(ty) => ("tierupRolled", format!(", {}", codec.writer(ty))),
        None => ("tierupRolledOfNothing", String::new()),
    };
    let arguments = match function.parameters.is_empty() {
        true => "func(*wire.Writer) {}, ".to_owned(),
        false => {
            let lines = arguments(function, codec, "crossing").replace('\n', "\n    ");
            format!("func(crossing *wire.Writer) {{\n    {}\n}}, ", lines.trim_end())
        }
    };
    format!(
        "return {rolled}(binding.roll, {number}, {arguments}func(binding *Binding) {output} {{\n    return {call}\n}}{write})"
    )
}
