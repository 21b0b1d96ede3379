//! `functions.rb`: the functions as Ruby calls them, with their documentation; and the file that a server requires.

use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::source::Source;

use crate::names;
use crate::signatures::Types;
use crate::source::{HEADER, INDENT, comment, file};

/// The module whose methods are the functions of bindings.
pub(crate) fn functions(named: &Named<'_>) -> String {
    let module = names::module(&named.interface.package);
    let types = Types { named, module: &module };
    let mut source = file("Your functions. Each is counted, and calls its number in the variant that runs.");
    source.gap(1).add("# Your functions, at the tier that runs.");
    source.add(format!("module {module}::Functions")).inside(|source| {
        for (at, function) in named.functions.iter().enumerate() {
            source.gap(usize::from(at > 0));
            method(source, function, &types);
        }
    });
    source.add("end");
    source.into_text()
}

/// The file that a server requires.
pub(crate) fn main(named: &Named<'_>) -> String {
    let package = &named.interface.package;
    let (gem, module) = (names::gem(package), names::module(package));
    let mut source = Source::new(INDENT);
    source.add_as_is(HEADER).gap(1);
    comment(&mut source, &named.interface.docs);
    source.add(format!(
        "
        module {module}
          # @!visibility private
          module Tierup; end
        end

        require_relative \"{gem}/tierup/errors\"
        require_relative \"{gem}/interface\"
        require_relative \"{gem}/functions\"
        require_relative \"{gem}/tierup/default\"

        # Your functions without a baseline.
        class << {module}
        "
    ));
    // A constant, as Ruby takes longer to read a module's instance variables.
    source.inside(|source| {
        for function in &named.functions {
            let call = call(&function.name, function);
            source.add(format!("{} = {module}::Tierup::Default::BINDING.{call}", head(function)));
        }
    });
    source.add("end");
    source.into_text()
}

fn method(source: &mut Source, function: &NamedFunction<'_>, types: &Types<'_>) {
    comment(source, function.docs);
    if !function.docs.trim().is_empty() {
        source.add("#");
    }
    for parameter in &function.parameters {
        source.add(format!("# @param {} [{}]", parameter.name, types.documented(parameter.ty)));
    }
    let output = function.output.map_or_else(|| "nil".to_owned(), |ty| types.documented(ty));
    source.add(format!("# @return [{output}]"));
    if function.rust.output.fallible {
        source.add("# @raise [CallError]");
    }
    source.add(head(function)).inside(|source| {
        source.add("@tierup_calls += 1");
        source.add(format!("@tierup_variant.{}", call(&format!("f{}", function.number), function)));
    });
    source.add("rescue StandardError").add_inside("tierup_failed").add("end");
}

/// `def name(parameters)`.
fn head(function: &NamedFunction<'_>) -> String {
    let optional = function.optional_from();
    let parameter = |(place, name)| if place >= optional { format!("{name} = nil") } else { String::from(name) };
    let parameters: Vec<_> = function.arguments().into_iter().enumerate().map(parameter).collect();
    format!("def {}{}", function.name, in_brackets(&parameters.join(", ")))
}

/// A call of a method with the function's arguments.
fn call(method: &str, function: &NamedFunction<'_>) -> String {
    format!("{method}{}", in_brackets(&function.arguments().join(", ")))
}

fn in_brackets(list: &str) -> String {
    if list.is_empty() { String::new() } else { format!("({list})") }
}
