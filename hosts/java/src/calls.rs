//! `TierupCalls`: calls whose arguments and answers are as they are encoded (the driver's, the golden one), and calls
//! that are recorded (`0:free`).

use std::fmt::Write as _;

use tierup_model::{Function, Interface};

use crate::codec::Codec;
use crate::functions::signature;
use crate::names::{FunctionNames, Names};
use crate::source::{HEADER, Types, UTILITIES, imports};

/// The file's source.
pub(crate) fn calls(interface: &Interface, names: &Names, package: &str) -> String {
    let codec = Codec { types: Types { names } };
    let facade = &names.facade;
    let all = || interface.functions.iter().zip(&names.functions).enumerate();
    let invoke: String =
        all().map(|(number, (function, names))| self::invoke(number, function, names, &codec)).collect();
    let replay: Vec<String> =
        all().map(|(number, (function, names))| self::replay(number, function, names, &codec)).collect();
    let body = format!(
        "/** Calls with arguments and answers as they are encoded, and calls that are recorded. */\n\
         final class TierupCalls {{\n    private TierupCalls() {{}}\n\n\
         \x20   /** Calls a function by its number, through the package's own methods. */\n\
         \x20   static TierupInvoked invoke(Binding binding, int function, byte[] arguments, int repeat) {{\n\
         \x20       {facade} rust = ({facade}) binding;\n        Reader from = new Reader(arguments);\n\
         \x20       switch (function) {{\n{invoke}\
         \x20           default -> throw new Unreadable(\"there is no function \" + function);\n        }}\n    }}\n\n\
         \x20   /** Records what the functions answer, and replays it. */\n\
         \x20   static Functions replayed(Functions own, Recorder recorder) {{\n        return new Functions() {{\n{}        }};\n    }}\n}}\n",
        replay.join("\n")
    );
    let fixed = ["Reader", "Recorder", "Unreadable", "Writer"].map(|name| format!("{package}.internal.{name}"));
    let candidates: Vec<&str> = UTILITIES.into_iter().chain(fixed.iter().map(String::as_str)).collect();
    format!("{HEADER}package {package};\n\n{}{body}", imports(&body, &candidates))
}

/// `argument0, argument1`.
fn arguments(function: &Function) -> String {
    (0..function.parameters.len()).map(|number| format!("argument{number}")).collect::<Vec<_>>().join(", ")
}

fn invoke(number: usize, function: &Function, names: &FunctionNames, codec: &Codec<'_>) -> String {
    let mut text = format!("            case {number} -> {{\n");
    for (number, parameter) in function.parameters.iter().enumerate() {
        let ty = codec.types.of(&parameter.ty);
        let _ = writeln!(text, "                {ty} argument{number} = {};", codec.read(&parameter.ty, "from"));
    }
    text += "                from.finish();\n";
    let call = format!("rust.{}({})", names.name, arguments(function));
    match &function.output.ty {
        Some(ty) => {
            let writer = codec.writer(ty);
            let _ = writeln!(text, "                return TierupInvoked.of(repeat, () -> {call}, {writer});");
        }
        None => {
            let _ = writeln!(
                text,
                "                return TierupInvoked.of(repeat, () -> {{\n                    {call};\n\
                 \x20                   return null;\n                }}, (to, nothing) -> {{}});"
            );
        }
    }
    text + "            }\n"
}

fn replay(number: usize, function: &Function, names: &FunctionNames, codec: &Codec<'_>) -> String {
    let numbered = FunctionNames {
        name: names.name.clone(),
        parameters: (0..function.parameters.len()).map(|number| format!("argument{number}")).collect(),
    };
    let write: String = function
        .parameters
        .iter()
        .enumerate()
        .map(|(number, parameter)| {
            format!("                    {};\n", codec.write(&parameter.ty, &format!("argument{number}"), "to"))
        })
        .collect();
    let write = if write.is_empty() { "to -> {}".to_owned() } else { format!("to -> {{\n{write}                }}") };
    let call = format!("own.{}({})", names.name, arguments(function));
    let body = match &function.output.ty {
        Some(ty) => {
            let (writer, reader) = (codec.writer(ty), codec.reader(ty));
            format!(
                "                return recorder.<{}>replay({number}, {write}, () -> {call}, {writer}, {reader});\n",
                codec.types.boxed(ty)
            )
        }
        None => format!(
            "                recorder.<Object>replay({number}, {write}, () -> {{\n                    {call};\n\
             \x20                   return null;\n                }}, (to, nothing) -> {{}}, from -> null);\n"
        ),
    };
    format!(
        "            @Override\n            public {} throws Exception {{\n{body}            }}\n",
        signature(function, &numbered, &codec.types)
    )
}
