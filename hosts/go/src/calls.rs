//! `calls.go`: calls whose arguments and answers are as they are encoded (the driver's, the golden one), and calls that
//! are recorded (`0:free`).

use std::fmt::Write as _;

use tierup_model::{Function, Interface, Type};

use crate::codec::Codec;
use crate::names::{FunctionNames, Names};
use crate::source::{HEADER, Types};

/// The file's source.
pub(crate) fn calls(interface: &Interface, names: &Names, package: &str, module: &str) -> String {
    let codec = Codec { types: Types { interface, names, qualifier: "" } };
    let mut text = format!(
        "{HEADER}package {package}\n\nimport (\n\t\"fmt\"\n\t\"time\"\n\n\t\"{module}/internal/free\"\n\
         \t\"{module}/internal/wire\"\n)\n\n\
         // tierupInvoke calls a function by its number, through the package's own methods.\n\
         func (binding *Binding) tierupInvoke(function int, arguments []byte, repeat int) ([]byte, time.Duration, error) {{\n\
         \tfrom := wire.NewReader(arguments)\n\tswitch function {{\n"
    );
    let all = || interface.functions.iter().zip(&names.functions).enumerate();
    for (number, (function, names)) in all() {
        text += &invoke(number, function, names, &codec);
    }
    text += "\t}\n\treturn nil, 0, &ArgumentError{fmt.Sprintf(\"there is no function %d\", function)}\n}\n\n\
             // tierupFree records what the functions answer, and replays it.\n\
             func (own *Functions) tierupFree(recorder *free.Recorder) *Functions {\n\treplayed := new(Functions)\n";
    for (number, (function, names)) in all() {
        text += &replay(number, function, names, &codec);
    }
    text + "\treturn replayed\n}\n"
}

/// `argument0, argument1`.
fn arguments(function: &Function) -> String {
    (0..function.parameters.len()).map(|number| format!("argument{number}")).collect::<Vec<_>>().join(", ")
}

fn invoke(number: usize, function: &Function, names: &FunctionNames, codec: &Codec<'_>) -> String {
    let mut text = format!("\tcase {number}:\n");
    for (number, parameter) in function.parameters.iter().enumerate() {
        let _ = writeln!(text, "\t\targument{number} := {}", codec.read(&parameter.ty));
    }
    let call = format!("binding.{}({})", names.name, arguments(function));
    text += "\t\tif err := tierupArguments(from); err != nil {\n\t\t\treturn nil, 0, err\n\t\t}\n";
    let _ = writeln!(
        text,
        "\t\treturn tierupRepeat(repeat, {}, {})",
        closure(function, &call, codec),
        writer(function, codec)
    );
    text
}

fn replay(number: usize, function: &Function, names: &FunctionNames, codec: &Codec<'_>) -> String {
    let name = &names.name;
    let parameters: Vec<_> = function
        .parameters
        .iter()
        .enumerate()
        .map(|(number, parameter)| format!("argument{number} {}", codec.types.of(&parameter.ty)))
        .collect();
    let mut text = format!(
        "\treplayed.{name} = func({}) {} {{\n",
        parameters.join(", "),
        codec.types.output(function.output.ty.as_ref())
    );
    let (begin, end) = match function.output.ty {
        Some(_) => ("return ", ""),
        None => ("_, err := ", "\t\treturn err\n"),
    };
    let write: String = function
        .parameters
        .iter()
        .enumerate()
        .map(|(number, parameter)| {
            format!("\t\t\t{}\n", codec.write(&parameter.ty, &format!("argument{number}"), "to", "to"))
        })
        .collect();
    let write = if write.is_empty() {
        "func(*wire.Writer) {}".to_owned()
    } else {
        format!("func(to *wire.Writer) {{\n{write}\t\t}}")
    };
    let call = closure(function, &format!("own.{name}({})", arguments(function)), codec);
    let reader = function.output.ty.as_ref().map_or_else(|| "tierupNothingRead".to_owned(), |ty| codec.reader(ty));
    let _ = write!(
        text,
        "\t\t{begin}free.Replay(recorder, {number}, {write}, {call}, {}, {reader})\n{end}\t}}\n",
        writer(function, codec)
    );
    text
}

/// A function that makes a call, in lines of its own: gofmt breaks long ones.
fn closure(function: &Function, call: &str, codec: &Codec<'_>) -> String {
    match &function.output.ty {
        Some(ty) => format!("func() ({}, error) {{\n\t\t\treturn {call}\n\t\t}}", codec.types.of(ty)),
        None => format!("tierupNothing(func() error {{\n\t\t\treturn {call}\n\t\t}})"),
    }
}

fn writer(function: &Function, codec: &Codec<'_>) -> String {
    function.output.ty.as_ref().map_or_else(|| "tierupNothingWritten".to_owned(), |ty: &Type| codec.writer(ty))
}
