//! `calls.go`: calls whose arguments and answers stay encoded (by the driver and the golden call), and calls that are
//! answered from memory (`0:free`, `0:memo`).

use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::source::Source;

use crate::codec::Codec;
use crate::source::{Types, file};

/// The file's source.
pub(crate) fn calls(named: &Named<'_>, package: &str, module: &str) -> String {
    let codec = Codec { types: Types { named, qualifier: "" } };
    let mut source = file(package);
    source.add(format!(
        r#"
        import (
            "fmt"
            "time"

            "{module}/internal/known"
            "{module}/internal/wire"
        )

        // tierupInvoke calls a function by its number, through the package's own methods.
        func (binding *Binding) tierupInvoke(function int, arguments []byte, repeat int) ([]byte, time.Duration, error) {{
            from := wire.NewReader(arguments)
            switch function {{
        "#
    ));
    source.inside(|source| {
        named.functions.iter().for_each(|function| invoke(source, function, &codec));
        source.add(r#"}"#);
        source.add(r#"return nil, 0, &ArgumentError{fmt.Sprintf("there is no function %d", function)}"#);
    });
    source.add("}").gap(1).add(
        "
        // tierupAround answers calls whose outcome is known from memory.
        func (own *Functions) tierupAround(outcomes known.Outcomes) *Functions {
            around := new(Functions)
        ",
    );
    source.inside(|source| {
        named.functions.iter().for_each(|function| around(source, function, &codec));
        source.add("return around");
    });
    source.add("}");
    source.into_text()
}

/// `argument0, argument1`.
fn arguments(function: &NamedFunction<'_>) -> String {
    (0..function.parameters.len()).map(|number| format!("argument{number}")).collect::<Vec<_>>().join(", ")
}

fn invoke(source: &mut Source, function: &NamedFunction<'_>, codec: &Codec<'_>) {
    source.add(format!("case {}:", function.number)).inside(|source| {
        for (number, parameter) in function.parameters.iter().enumerate() {
            source.add(format!("argument{number} := {}", codec.read(parameter.ty)));
        }
        let call = closure(function, &format!("binding.{}({})", function.name, arguments(function)), codec);
        let writer = writer(function, codec);
        source.add("if err := tierupArguments(from); err != nil {\n    return nil, 0, err\n}");
        source.add(format!("return tierupRepeat(repeat, {call}, {writer})"));
    });
}

/// The function that wraps one of the server's own.
fn around(source: &mut Source, function: &NamedFunction<'_>, codec: &Codec<'_>) {
    let (number, name) = (function.number, &function.name);
    let parameters = || function.parameters.iter().enumerate();
    let typed: Vec<_> = parameters()
        .map(|(number, parameter)| format!("argument{number} {}", codec.types.spell(parameter.ty)))
        .collect();
    let (begin, end) = match function.output {
        Some(_) => ("return ", ""),
        None => ("_, err := ", "return err"),
    };
    let write: String = parameters()
        .map(|(number, parameter)| {
            format!("    {}\n", codec.write(parameter.ty, &format!("argument{number}"), "to", "to"))
        })
        .collect();
    let write = match write.is_empty() {
        true => "func(*wire.Writer) {}".to_owned(),
        false => format!("func(to *wire.Writer) {{\n{write}}}"),
    };
    let call = closure(function, &format!("own.{name}({})", arguments(function)), codec);
    let reader = function.output.map_or_else(|| "tierupNothingRead".to_owned(), |ty| codec.reader(ty));
    let writer = writer(function, codec);
    let output = codec.types.output(function.output);
    source.add(format!("around.{name} = func({}) {output} {{", typed.join(", "))).inside(|source| {
        let call = format!("known.Answer(outcomes, {number}, {write}, {call}, {writer}, {reader})");
        source.add(format!("{begin}{call}")).add(end);
    });
    source.add("}");
}

/// A function literal that makes a call. It spans several lines, as gofmt would break a long one.
fn closure(function: &NamedFunction<'_>, call: &str, codec: &Codec<'_>) -> String {
    match function.output {
        Some(ty) => format!("func() ({}, error) {{\n    return {call}\n}}", codec.types.spell(ty)),
        None => format!("tierupNothing(func() error {{\n    return {call}\n}})"),
    }
}

fn writer(function: &NamedFunction<'_>, codec: &Codec<'_>) -> String {
    function.output.map_or_else(|| "tierupNothingWritten".to_owned(), |ty| codec.writer(ty))
}
