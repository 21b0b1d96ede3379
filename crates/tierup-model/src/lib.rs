//! Reads the interface of a plain Rust crate from its source text.
//!
//! In: the texts of the crate's files (through [`Sources`]) and the names of the functions that hosts may call.
//! Out: an [`Interface`], or all problems that prevent one, as [`Diagnostic`]s.
//!
//! Nothing is compiled and nothing is run, so types are known only as far as their names tell. That is enough because
//! `rustc` is the referee: the shims that are generated from an interface assert what it says. Items that macros make
//! are not seen. `#[cfg]` is not evaluated, except that items for tests only are left out.
//!
//! Two passes. Syntax: `outline` parses a file, `load` follows `mod` from file to file into a `tree`. Types: `scope`
//! finds what each module's names stand for, `public` by which paths other crates reach them, and a `reader` goes from
//! the `exports` through `functions`, `types` and `definitions`. `refusals` decides which types are refused. The text
//! is in `functions` (signatures: generic, variadic) or `reader` (types: `cannot_cross`); `advice` has the hints.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod advice;
mod cfg;
mod definitions;
mod docs;
mod exports;
mod fields;
mod folders;
mod follow;
mod functions;
mod interface;
mod known;
mod load;
mod meaning;
mod modules;
mod outline;
mod public;
mod reader;
mod refusals;
mod room;
mod scope;
mod tree;
mod types;

use tierup_diagnostic::Diagnostic;

pub use interface::*;
pub use load::{CrateInfo, Sources};

/// Reads what `export` names: functions at the crate's root (`area`) or by their path in it (`shapes::area`).
///
/// ```
/// # use std::collections::BTreeMap;
/// # use tierup_model::{CrateInfo, Type, read_interface};
/// # let info = CrateInfo { package: "images".into(), library: "images".into(), version: "0.1.0".into(), root: "src/lib.rs".into() };
/// let text = "pub fn render(text: &str) -> Result<Vec<u8>, String> { todo!() }";
/// let sources = BTreeMap::from([("src/lib.rs".to_string(), text.to_string())]);
///
/// let interface = read_interface(&info, &["render".to_string()], &sources).unwrap();
/// assert_eq!(interface.functions[0].path, "::images::render");
/// assert_eq!(interface.functions[0].output.ty, Some(Type::Bytes));
///
/// let problems = read_interface(&info, &["draw".to_string()], &sources).unwrap_err();
/// assert_eq!(problems[0].message, "there is no function `draw` in this crate");
/// ```
///
/// # Errors
/// All problems of all exports, each once, sorted by their place. Problems without a place come first.
pub fn read_interface(
    info: &CrateInfo,
    export: &[String],
    sources: &dyn Sources,
) -> Result<Interface, Vec<Diagnostic>> {
    let read = room::with_room(sources, |sources| read(info, export, sources));
    read.unwrap_or_else(|error| Err(vec![Diagnostic::new(format!("no thread to read on: {error}"))]))
}

fn read(info: &CrateInfo, export: &[String], sources: &dyn Sources) -> Result<Interface, Vec<Diagnostic>> {
    let tree = load::load(info, sources).map_err(sorted)?;
    let scopes = scope::Scopes::new(&tree);
    let public = public::PublicPaths::new(&tree, &scopes);
    let mut reader = reader::Reader::new(&info.library, &tree, &scopes, &public);
    let functions = reader.functions(export);
    if !reader.problems.is_empty() {
        return Err(sorted(reader.problems));
    }
    Ok(Interface {
        package: info.package.clone(),
        library: info.library.clone(),
        version: info.version.clone(),
        docs: docs::docs(&tree.attributes),
        functions,
        definitions: reader.definitions,
        alternatives: Vec::new(),
    })
}

fn sorted(mut problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let place =
        |problem: &Diagnostic| problem.place.as_ref().map(|place| (place.file.clone(), place.line, place.column));
    problems.sort_by_key(|problem| (place(problem), problem.export, problem.message.clone()));
    problems.dedup_by(|a, b| a.place == b.place && a.message == b.message);
    problems
}
