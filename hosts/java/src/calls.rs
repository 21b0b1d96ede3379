//! `TierupCalls`: calls whose arguments and answers stay encoded (by the driver and the golden call), and calls that
//! are recorded (`0:free`) or cached (`0:memo`).

use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::source::Source;

use crate::codec::Codec;
use crate::functions::signature;
use crate::source::{INDENT, Types, file_with_internal};

/// The file's source.
pub(crate) fn calls(named: &Named<'_>, class: &str, package: &str) -> String {
    let codec = Codec { types: Types { named } };
    let mut body = Source::new(INDENT);
    body.add(format!(
        "
        /** Calls with arguments and answers as they are encoded, and calls with something around them. */
        final class TierupCalls {{
            private TierupCalls() {{}}

            /** Calls a function by its number, through the package's own methods. */
            static TierupInvoked invoke(Binding binding, int function, byte[] arguments, int repeat) {{
                {class} rust = ({class}) binding;
                Reader from = new Reader(arguments);
                switch (function) {{
        "
    ));
    let mut cases = Source::piece();
    named.functions.iter().for_each(|function| invoke(&mut cases, function, &codec));
    cases.add("default -> throw new Unreadable(\"there is no function \" + function);");
    let mut methods = Source::piece();
    for function in &named.functions {
        methods.gap(usize::from(function.number > 0));
        around(&mut methods, function, &codec);
    }
    body.inside(|body| {
        body.inside(|body| {
            body.add_inside(cases.text()).add("}");
        });
        body.add("}").gap(1).add(
            "
            /** The functions with something around them. */
            static Functions around(Functions own, Around around) {
                return new Functions() {
            ",
        );
        body.inside(|body| {
            body.add_inside(methods.text()).add("};");
        });
        body.add("}");
    });
    body.add("}");
    file_with_internal(package, &body, &["Around", "Reader", "Unreadable", "Writer"])
}

/// `argument0`, `argument1`.
fn arguments(function: &NamedFunction<'_>) -> Vec<String> {
    (0..function.parameters.len()).map(|number| format!("argument{number}")).collect()
}

fn invoke(source: &mut Source, function: &NamedFunction<'_>, codec: &Codec<'_>) {
    source.add(format!("case {} -> {{", function.number)).inside(|source| {
        for (parameter, name) in function.parameters.iter().zip(arguments(function)) {
            source.add(format!("{} {name} = {};", codec.types.spell(parameter.ty), codec.read(parameter.ty, "from")));
        }
        source.add("from.finish();");
        let call = format!("rust.{}({})", function.name, arguments(function).join(", "));
        let (call, writer) = match function.output {
            Some(ty) => (format!("() -> {call}"), codec.writer(ty)),
            None => (nothing(&call), "(to, nothing) -> {}".to_owned()),
        };
        source.add(format!("return TierupInvoked.of(repeat, {call}, {writer});"));
    });
    source.add("}");
}

fn around(source: &mut Source, function: &NamedFunction<'_>, codec: &Codec<'_>) {
    let (number, names) = (function.number, arguments(function));
    let values = function.parameters.iter().zip(&names);
    let write: String =
        values.map(|(parameter, name)| format!("    {};\n", codec.write(parameter.ty, name, "to"))).collect();
    let write = if write.is_empty() { "to -> {}".to_owned() } else { format!("to -> {{\n{write}}}") };
    let call = format!("own.{}({})", function.name, names.join(", "));
    let call = match function.output {
        Some(ty) => {
            let (boxed, writer, reader) = (codec.types.boxed(ty), codec.writer(ty), codec.reader(ty));
            format!("return around.<{boxed}>call({number}, {write}, () -> {call}, {writer}, {reader});")
        }
        None => {
            let call = nothing(&call);
            format!("around.<Object>call({number}, {write}, {call}, (to, nothing) -> {{}}, from -> null);")
        }
    };
    source.add(format!("@Override\npublic {} throws Exception {{", signature(function, &names, &codec.types)));
    source.add_inside(call).add("}");
}

/// A call without a value as an expression, where Java requires a value.
fn nothing(call: &str) -> String {
    format!("() -> {{\n    {call};\n    return null;\n}}")
}
