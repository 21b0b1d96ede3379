//! The class that has the functions, and `Functions`, in which a server passes its own.

use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::source::Source;

use crate::codec::{Codec, can_be_refused};
use crate::definitions::UNSIGNED;
use crate::docs::{comment, parameter};
use crate::source::{INDENT, Types, UTILITIES, file, file_with_internal, is_unsigned_long, literal};

/// The class's source.
pub(crate) fn facade(named: &Named<'_>, pure: &[usize], class: &str, package: &str) -> String {
    let codec = Codec { types: Types { named } };
    let docs = match named.interface.docs.trim().is_empty() {
        true => "Functions in Rust, at the tier that you choose.",
        false => &named.interface.docs,
    };
    let mut body = Source::new(INDENT);
    comment(&mut body, docs, &[]);
    body.add(format!("public final class {class} extends Binding {{")).inside(|body| {
        body.add(format!(
            "
            private {class}(Options options) {{
                super(TierupTiers.load(options), {class}::new);
            }}

            private {class}(TierupTiers.Loaded side) {{
                super(side, null);
            }}

            /** The functions at the tier that TIERUP_TIER names, or else the best that was built. */
            public static {class} load() {{
                return new {class}(new Options());
            }}

            /** The functions, with the server's own ones as tier 0. */
            public static {class} load(Functions baseline) {{
                return new {class}(new Options().baseline(baseline));
            }}

            /**
             * The functions, with all options. Throws an {{@link UnavailableException}} if the tier cannot run here. If
             * TIERUP_FALLBACK=1, the best tier that can runs instead, and a line on standard error says so.
             */
            public static {class} load(Options options) {{
                return new {class}(options);
            }}
            "
        ));
        for function in &named.functions {
            method(body, function, pure.contains(&function.number).then_some(class), &codec);
        }
    });
    body.add("}");
    file_with_internal(package, &body, &["Reader", "Writer"])
}

/// The interface's source. A lambda can implement it if it has only one function.
pub(crate) fn functions(named: &Named<'_>, package: &str) -> String {
    let types = Types { named };
    let only = named.functions.len() == 1;
    let mut body = Source::new(INDENT);
    body.add(match only {
        true => "/** A server's own functions, as they were before Rust: tier 0. */\n@FunctionalInterface",
        false => {
            "/** A server's own functions, as they were before Rust: tier 0. Those that it has not fail when they are called. */"
        }
    });
    body.add("public interface Functions {").inside(|body| {
        for function in &named.functions {
            let signature = signature(function, &function.arguments(), &types);
            body.gap(usize::from(function.number > 0));
            comment(body, function.docs, &tags(function));
            body.add(match only {
                true => format!("{signature} throws Exception;"),
                false => format!(
                    "
                    default {signature} throws Exception {{
                        throw Binding.missing({});
                    }}
                    ",
                    literal(&function.name)
                ),
            });
        }
    });
    body.add("}");
    file(package, &body, &UTILITIES)
}

/// `String echoText(String text)`.
pub(crate) fn signature(function: &NamedFunction<'_>, names: &[impl std::fmt::Display], types: &Types<'_>) -> String {
    let parameters = function.parameters.iter().zip(names);
    let parameters: Vec<_> =
        parameters.map(|(parameter, name)| format!("{} {name}", types.spell(parameter.ty))).collect();
    format!("{} {}({})", types.output(function.output), function.name, parameters.join(", "))
}

/// Javadoc tags for facts that Java's types do not express.
fn tags(function: &NamedFunction<'_>) -> Vec<String> {
    let unsigned = function.parameters.iter().filter(|given| is_unsigned_long(given.ty));
    let mut tags: Vec<String> = unsigned.map(|given| parameter(&given.name, UNSIGNED)).collect();
    if function.output.is_some_and(is_unsigned_long) {
        tags.push(parameter("", UNSIGNED).replace("@param  ", "@return "));
    }
    tags
}

/// The method for a function. A pure one takes part in the class's rollout.
fn method(source: &mut Source, function: &NamedFunction<'_>, rolled_in: Option<&str>, codec: &Codec<'_>) {
    let (number, arguments) = (function.number, function.arguments());
    let own = format!("own.{}({})", function.name, arguments.join(", "));
    let (own, end) = match function.output {
        Some(ty) => (format!("return {own};"), format!("return crossing.end(this, {number}, {});", codec.reader(ty))),
        None => (format!("{own};\nreturn;"), format!("crossing.end(this, {number}, from -> null);")),
    };
    source.gap(1);
    comment(source, function.docs, &tags(function));
    source.add(format!("public {} {{", signature(function, &arguments, &codec.types))).inside(|source| {
        source.add("this.counts.calls.increment();");
        if let Some(class) = rolled_in {
            source.add("if (this.roll != null) {").add_inside(rolled(function, class, codec)).add("}");
        }
        source.add("if (own != null) {").inside(|source| {
            source.add("try {").add_inside(own).add("} catch (Throwable e) {\n    throw own(e);\n}");
        });
        source.add("}\nTierupCrossing crossing = TierupCrossing.begin();");
        if !function.parameters.is_empty() {
            source.add("Writer to = crossing.to;");
        }
        source.add(written(function, codec)).add(end);
    });
    source.add("}");
}

/// The statements that write the arguments.
fn written(function: &NamedFunction<'_>, codec: &Codec<'_>) -> String {
    let mut lines = Source::piece();
    for parameter in &function.parameters {
        if can_be_refused(parameter.ty) {
            lines.add(format!("to.parameter({});", literal(&parameter.name)));
        }
        lines.add(format!("{};", codec.write(parameter.ty, &parameter.name, "to")));
    }
    lines.into_text()
}

/// The call during a rollout, for the control or the candidate.
fn rolled(function: &NamedFunction<'_>, class: &str, codec: &Codec<'_>) -> String {
    let call = format!("(({class}) side).{}({})", function.name, function.arguments().join(", "));
    let mut source = Source::piece();
    let returned = function.output.map_or("", |_| "return ");
    let boxed = function.output.map_or_else(|| "Object".to_owned(), |ty| codec.types.boxed(ty));
    source.add(format!("{returned}this.roll.<{boxed}>call({}, to -> {{", function.number));
    source.add_inside(written(function, codec));
    match function.output {
        Some(ty) => source.add(format!("}}, side -> {call}, {});", codec.writer(ty))),
        None => source
            .add("}, side -> {")
            .add_inside(format!("{call};\nreturn null;"))
            .add("}, (to, side) -> {});\nreturn;"),
    };
    source.into_text()
}
