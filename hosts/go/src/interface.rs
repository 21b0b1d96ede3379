//! `interface.go`: what the package's fixed files have to know of the interface.

use tierup_codegen::{Project, abi};
use tierup_model::Type;

use crate::names::Names;
use crate::source::{HEADER, literal};

/// The file's source.
pub(crate) fn interface(project: &Project, names: &Names, package: &str) -> String {
    let interface = &project.interface;
    let functions: String =
        names.functions.iter().map(|function| format!("\t{},\n", literal(function.name.as_bytes()))).collect();
    let (golden, arguments, is_raw, right) = match &project.health {
        Some(health) => {
            let output = interface.functions[health.function].output.ty.as_ref();
            let right: Vec<_> = health.sha256.iter().map(|digest| literal(digest.as_bytes())).collect();
            let is_raw = matches!(output, Some(Type::Text | Type::Bytes));
            (health.function, literal(&health.arguments), is_raw, right.join(", "))
        }
        None => (0, literal(b""), false, String::new()),
    };
    let hash = abi::hash_text(interface);
    format!(
        "{HEADER}package {package}\n\n\
         // The hash of the interface: what was built for another one is not called.\n\
         const tierupABI uint64 = 0x{hash}\n\nconst tierupABIText = \"{hash}\"\n\nconst tierupName = {}\n\n\
         // The functions in order: a place is a number.\nvar tierupFunctions = []string{{\n{functions}}}\n\n\
         // The golden call of [health] in tierup.toml: the function's number, its arguments, whether the answer itself is\n\
         // hashed rather than its encoding, and what is right.\n\
         const tierupGolden = {golden}\n\nconst tierupGoldenArguments = {arguments}\n\n\
         const tierupGoldenIsRaw = {is_raw}\n\nvar tierupRight = []string{{{right}}}\n",
        literal(interface.package.as_bytes())
    )
}
