//! The class that has the functions, and `Functions`, by which a server hands over its own.

use std::fmt::Write as _;

use tierup_model::{Function, Interface};

use crate::codec::{Codec, can_be_refused};
use crate::definitions::UNSIGNED;
use crate::docs::{comment, parameter};
use crate::names::{FunctionNames, Names};
use crate::source::{HEADER, Types, UTILITIES, imports, is_unsigned_long, literal};

/// The class's source.
pub(crate) fn facade(interface: &Interface, names: &Names, package: &str) -> String {
    let codec = Codec { types: Types { names } };
    let facade = &names.facade;
    let methods: Vec<String> = interface
        .functions
        .iter()
        .zip(&names.functions)
        .enumerate()
        .map(|(number, (function, names))| method(number, function, names, &codec))
        .collect();
    let docs = if interface.docs.trim().is_empty() {
        "Functions in Rust, at the tier that you choose."
    } else {
        &interface.docs
    };
    let body = format!(
        "{}public final class {facade} extends Binding {{\n    private {facade}(Options options) {{\n        super(TierupTiers.load(options));\n    }}\n\n\
         \x20   /** The functions at the tier that TIERUP_TIER names, or else the best that was built. */\n\
         \x20   public static {facade} load() {{\n        return new {facade}(new Options());\n    }}\n\n\
         \x20   /** The same, where tier 0 is the server's own. */\n\
         \x20   public static {facade} load(Functions baseline) {{\n        return new {facade}(new Options().baseline(baseline));\n    }}\n\n\
         \x20   /**\n     * The same, with all that can be chosen. An {{@link UnavailableException}} says what cannot run here; where\n\
         \x20    * TIERUP_FALLBACK=1 the best that can runs instead, and a line on standard error says so.\n     */\n\
         \x20   public static {facade} load(Options options) {{\n        return new {facade}(options);\n    }}\n{}}}\n",
        comment(docs, &[], ""),
        methods.concat()
    );
    let fixed = ["Reader", "Writer"].map(|name| format!("{package}.internal.{name}"));
    let candidates: Vec<&str> = UTILITIES.into_iter().chain(fixed.iter().map(String::as_str)).collect();
    format!("{HEADER}package {package};\n\n{}{body}", imports(&body, &candidates))
}

/// The interface's source. With one function a lambda will do.
pub(crate) fn functions(interface: &Interface, names: &Names, package: &str) -> String {
    let types = Types { names };
    let only = interface.functions.len() == 1;
    let mut body = format!(
        "/** A server's own functions, as they were before Rust: tier 0.{} */\n{}public interface Functions {{\n",
        if only { "" } else { " Those that it has not fail when they are called." },
        if only { "@FunctionalInterface\n" } else { "" }
    );
    for (at, (function, names)) in interface.functions.iter().zip(&names.functions).enumerate() {
        let signature = signature(function, names, &types);
        body.push_str(if at > 0 { "\n" } else { "" });
        body += &comment(&function.docs, &tags(function, names), "    ");
        let _ = match only {
            true => writeln!(body, "    {signature} throws Exception;"),
            false => writeln!(
                body,
                "    default {signature} throws Exception {{\n        throw Binding.missing({});\n    }}",
                literal(&names.name)
            ),
        };
    }
    body += "}\n";
    format!("{HEADER}package {package};\n\n{}{body}", imports(&body, &UTILITIES))
}

/// `String echoText(String text)`.
pub(crate) fn signature(function: &Function, names: &FunctionNames, types: &Types<'_>) -> String {
    let parameters: Vec<_> = function
        .parameters
        .iter()
        .zip(&names.parameters)
        .map(|(parameter, name)| format!("{} {name}", types.of(&parameter.ty)))
        .collect();
    format!("{} {}({})", types.output(function.output.ty.as_ref()), names.name, parameters.join(", "))
}

/// What Java's types do not say.
fn tags(function: &Function, names: &FunctionNames) -> Vec<String> {
    let unsigned = function.parameters.iter().zip(&names.parameters).filter(|(given, _)| is_unsigned_long(&given.ty));
    let mut tags: Vec<String> = unsigned.map(|(_, name)| parameter(name, UNSIGNED)).collect();
    if function.output.ty.as_ref().is_some_and(is_unsigned_long) {
        tags.push(parameter("", UNSIGNED).replace("@param  ", "@return "));
    }
    tags
}

fn method(number: usize, function: &Function, names: &FunctionNames, codec: &Codec<'_>) -> String {
    let FunctionNames { name, parameters } = names;
    let own = format!("own.{name}({})", parameters.join(", "));
    let (own, end) = match &function.output.ty {
        Some(ty) => {
            (format!("return {own};"), format!("return crossing.end(variant, {number}, {});", codec.reader(ty)))
        }
        None => (format!("{own};\n                return;"), format!("crossing.end(variant, {number}, from -> null);")),
    };
    let mut write = String::new();
    for (parameter, name) in function.parameters.iter().zip(parameters) {
        if can_be_refused(&parameter.ty) {
            let _ = writeln!(write, "        to.parameter({});", literal(name));
        }
        let _ = writeln!(write, "        {};", codec.write(&parameter.ty, name, "to"));
    }
    let to = if write.is_empty() { "" } else { "        Writer to = crossing.to;\n" };
    format!(
        "\n{}    public {} {{\n        if (own != null) {{\n            try {{\n                {own}\n\
         \x20           }} catch (Exception e) {{\n                throw own(e);\n            }}\n        }}\n\
         \x20       TierupCrossing crossing = TierupCrossing.begin();\n{to}{write}        {end}\n    }}\n",
        comment(&function.docs, &tags(function, names), "    "),
        signature(function, names, &codec.types)
    )
}
