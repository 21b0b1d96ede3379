//! `TierupInterface`: what the package's fixed files have to know of the interface.

use tierup_codegen::{Project, abi};
use tierup_model::Type;

use crate::names::Names;
use crate::source::{HEADER, bytes_literal, imports, literal};

/// The file's source.
pub(crate) fn interface(project: &Project, names: &Names, package: &str) -> String {
    let interface = &project.interface;
    let functions: Vec<_> =
        names.functions.iter().map(|function| format!("\n            {}", literal(&function.name))).collect();
    let (golden, arguments, is_raw, right) = match &project.health {
        Some(health) => {
            let output = interface.functions[health.function].output.ty.as_ref();
            let right: Vec<_> =
                health.sha256.iter().map(|digest| format!("\n            {}", literal(digest))).collect();
            let is_raw = matches!(output, Some(Type::Text | Type::Bytes));
            (health.function, bytes_literal(&health.arguments), is_raw, right.join(","))
        }
        None => (0, bytes_literal(b""), false, String::new()),
    };
    let hash = abi::hash_text(interface);
    let body = format!(
        "/** The interface that this package was made from. */\nfinal class TierupInterface {{\n\
         \x20   /** Its hash: what was built for another one is not called. */\n    static final long ABI = 0x{hash}L;\n\
         \x20   static final String ABI_TEXT = \"{hash}\";\n    static final String NAME = {};\n\
         \x20   /** The functions in order: a place is a number. */\n    static final List<String> FUNCTIONS = List.of({});\n\n\
         \x20   /** The golden call of [health] in tierup.toml: the function's number. */\n    static final int GOLDEN = {golden};\n\
         \x20   /** Whether its answer itself is hashed rather than its encoding. */\n    static final boolean GOLDEN_IS_RAW = {is_raw};\n\
         \x20   /** What is right. */\n    static final List<String> RIGHT = List.of({right});\n\n\
         \x20   private TierupInterface() {{}}\n\n\
         \x20   static byte[] goldenArguments() {{\n        return {arguments};\n    }}\n}}\n",
        literal(&interface.package),
        functions.join(",")
    );
    let imports = imports(&body, &["java.nio.charset.StandardCharsets", "java.util.List"]);
    format!("{HEADER}package {package};\n\n{imports}{body}")
}
