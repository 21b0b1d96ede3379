//! The library of a crate whose function is still to be written. In: a [`Signature`] and where the present function is.
//! Out: Rust source that compiles, and whose function answers an error.

use std::fmt::Write as _;

use tierup_codegen::rust::identifier;

use crate::signature::Signature;

/// What the function answers until it is written.
const NOT_WRITTEN: &str = "not written yet";

/// The source of `src/lib.rs`. `origin` is the present function's place, such as `price.js:12`.
pub fn library(signature: &Signature, present: &str, origin: &str) -> String {
    let Signature { name, parameters, answer, notes, structs, .. } = signature;
    let needs_map = answer.contains("BTreeMap<")
        || parameters.iter().any(|parameter| parameter.ty.contains("BTreeMap<"))
        || structs.iter().flat_map(|one| &one.fields).any(|(_, ty)| ty.contains("BTreeMap<"));
    let mut text = String::from("//! The hot function: plain Rust, that knows nothing of servers, hosts or tierup.\n\n");
    if needs_map {
        text += "use std::collections::BTreeMap;\n\n";
    }
    let _ = writeln!(text, "/// What `{present}` in {origin} does.\n///");
    let _ = writeln!(text, "/// tierup guessed the types from calls that it saw: check that they hold for all others.");
    for note in notes {
        let _ = writeln!(text, "/// {note}.");
    }
    text += "///\n/// # Errors\n/// Until it is written.\n";
    let list: Vec<_> = parameters.iter().map(|parameter| format!("{}: {}", parameter.name, parameter.ty)).collect();
    let _ = writeln!(text, "pub fn {}({}) -> Result<{answer}, String> {{", identifier(name), list.join(", "));
    let names: Vec<_> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    if !names.is_empty() {
        let _ = writeln!(text, "    let _ = ({},);", names.join(", "));
    }
    let _ = writeln!(text, "    Err({NOT_WRITTEN:?}.to_owned())\n}}");
    for one in structs {
        let _ = writeln!(text, "\n#[derive(Debug, Clone, PartialEq)]\npub struct {} {{", one.name);
        for (field, ty) in &one.fields {
            let _ = writeln!(text, "    pub {field}: {ty},");
        }
        text += "}\n";
    }
    text
}
