//! The classes with a method for each function: `Rust`, which servers use, and one for each way to make a call.

use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::source::Source;

use crate::names::namespace;
use crate::source::{comment, declared, file, parameters, precise, tags};

/// `Rust.php`. `fixed` is the part that is the same in every package.
pub(crate) fn rust(named: &Named<'_>, fixed: &str) -> String {
    let mut source = file(&namespace(&named.interface.package));
    comment(&mut source, &named.interface.docs, &[]);
    source.add("abstract class Rust\n{").add_inside(fixed);
    source.inside(|source| {
        for function in &named.functions {
            let mut all = tags(named, &function.parameters);
            if let Some(ty) = function.output {
                all.push(format!("@return {}", precise(named, ty)));
            }
            if function.rust.output.fallible {
                all.push("@throws CallException".to_owned());
            }
            source.gap(1);
            comment(source, function.docs, &all);
            source.add(format!("abstract public {};", signature(named, function)));
        }
    });
    source.add("}");
    source.into_text()
}

/// `Internal/Encoded.php`: calls in the byte encoding.
pub(crate) fn encoded(named: &Named<'_>) -> String {
    binding(
        named,
        "Encoded",
        "Calls in the byte encoding, by a variant that carries bytes.",
        "Variant $variant",
        |function| {
            let (number, given) = (function.number, given(function));
            answer(function, &format!("$this->variant->call({number}, Calls::arguments{number}({given}))"))
        },
    )
}

/// `Internal/Native.php`: calls of the extension's functions.
pub(crate) fn native(named: &Named<'_>) -> String {
    extension(named, "Native", "Calls of the extension's functions.", &symbol(named))
}

/// `Internal/Sandboxed.php`: calls of the extension that runs them in the sandbox.
pub(crate) fn sandboxed(named: &Named<'_>) -> String {
    extension(named, "Sandboxed", "Calls of the functions in the sandbox's extension.", &sandbox_symbol(named))
}

/// The variant in an extension: its functions take the arguments unencoded, and it counts these calls itself.
const EXTENSION: &str = "Extension $variant";

fn extension(named: &Named<'_>, class: &str, docs: &str, symbol: &str) -> String {
    binding(named, class, docs, EXTENSION, |function| {
        let (number, given) = (function.number, given(function));
        if function.is_direct() {
            let keyword = if function.output.is_some() { "return " } else { "" };
            return format!("{keyword}\\{symbol}_{number}({given});");
        }
        answer(function, &format!("\\{symbol}_call({number}, Calls::arguments{number}({given}))"))
    })
}

/// `Internal/Baseline.php`: the server's own functions.
pub(crate) fn baseline(named: &Named<'_>) -> String {
    binding(named, "Baseline", "The server's own functions.", "Own $variant", |function| {
        let (number, given) = (function.number, given(function));
        let keyword = if function.output.is_some() { "return " } else { "" };
        format!("{keyword}$this->variant->functions[{number}]({given});")
    })
}

/// `Internal/Free.php`: recorded answers instead of calls of the server's own functions.
pub(crate) fn free(named: &Named<'_>) -> String {
    const DOCS: &str = "Recorded answers in the place of the server's own functions.";
    around(named, "Free", DOCS, "Recorded $variant")
}

/// `Internal/Memoized.php`: the server's own functions behind a cache.
pub(crate) fn memoized(named: &Named<'_>) -> String {
    around(named, "Memoized", "The server's own functions behind a cache of their answers.", "Memo $variant")
}

/// `Internal/Rolled.php`: the calls of pure functions as a part of a rollout.
pub(crate) fn rolled(named: &Named<'_>, pure: &[usize]) -> String {
    const DOCS: &str = "The chosen tier, with the calls of pure functions as a part of a rollout.";
    binding(named, "Rolled", DOCS, "Roll $variant", |function| {
        let (number, name, given) = (function.number, &function.name, given(function));
        let keyword = if function.output.is_some() { "return " } else { "" };
        match pure.contains(&number) {
            true => format!("{keyword}$this->variant->call({number}, [{given}]);"),
            false => format!("{keyword}$this->variant->control->{name}({given});"),
        }
    })
}

/// A class around the server's own functions, which takes arguments as a list.
fn around(named: &Named<'_>, class: &str, docs: &str, variant: &str) -> String {
    binding(named, class, docs, variant, |function| {
        let keyword = if function.output.is_some() { "return " } else { "" };
        format!("{keyword}$this->variant->call({}, [{}]);", function.number, given(function))
    })
}

/// The extension's name, with which the names of its functions begin.
pub(crate) fn symbol(named: &Named<'_>) -> String {
    format!("tierup_{}", named.interface.library.to_lowercase())
}

/// The name of the extension of `2:core`. It never equals a [`symbol`].
pub(crate) fn sandbox_symbol(named: &Named<'_>) -> String {
    format!("tierupcore_{}", named.interface.library.to_lowercase())
}

fn binding(
    named: &Named<'_>,
    class: &str,
    docs: &str,
    variant: &str,
    body: impl Fn(&NamedFunction<'_>) -> String,
) -> String {
    let namespace = namespace(&named.interface.package);
    // The extension counts calls of functions of text and bytes: counting in PHP would take a tenth of such a call.
    let is_extension = variant == EXTENSION;
    let mut source = file(&format!("{namespace}\\Internal"));
    comment(&mut source, docs, &[]);
    source.add(format!("final class {class} extends \\{namespace}\\Rust\n{{"));
    source.add_inside(format!(
        "
        public function __construct(private string $tierupTier, private {variant})
        {{
        }}

        public function tier(): string
        {{
            return $this->tierupTier;
        }}

        public function ready(): void
        {{
            $this->variant->ready();
        }}

        public function close(): void
        {{
            $this->variant->close();
        }}
        "
    ));
    if is_extension {
        source.gap(1).add_inside(
            "protected function tierupCalls(): int\n{\n    return $this->tierupCalls + $this->variant->calls();\n}",
        );
    }
    source.inside(|source: &mut Source| {
        for function in &named.functions {
            source.gap(1).add(format!("public {}\n{{", signature(named, function)));
            source.inside(|source| {
                if !(function.is_direct() && is_extension) {
                    source.add("++$this->tierupCalls;");
                }
                source.add("try {").add_inside(body(function));
                source.add("} catch (\\Throwable $tierupFailure) {");
                source.add_inside("throw $this->tierupFailed($tierupFailure);").add("}");
            });
            source.add("}");
        }
    });
    source.add("}");
    source.into_text()
}

/// A statement that returns the value in an answer's bytes, or throws.
fn answer(function: &NamedFunction<'_>, bytes: &str) -> String {
    let number = function.number;
    match function.output {
        None => format!("Answer::read({bytes})->finish();"),
        Some(_) => format!(
            "$from = Answer::read({bytes});\n$value = Calls::readOutput{number}($from);\n$from->finish();\n\nreturn $value;"
        ),
    }
}

fn given(function: &NamedFunction<'_>) -> String {
    function.arguments().iter().map(|name| format!("${name}")).collect::<Vec<_>>().join(", ")
}

fn signature(named: &Named<'_>, function: &NamedFunction<'_>) -> String {
    let parameters = parameters(named, &function.parameters, "", function.optional_from());
    let output = function.output.map_or("void".to_owned(), |ty| declared(named, ty));
    format!("function {}({}): {output}", function.name, parameters.join(", "))
}
