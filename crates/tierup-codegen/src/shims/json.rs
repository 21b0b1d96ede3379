//! The crate `tierup-json`: JSON to the user's types and back, shared by the command line and the server.
//!
//! The syntax and the types that all projects share are plain Rust files; only `types.rs` is made from the interface.
//! Every file names its neighbours by `super`, so the same files can be a module of an ejected server.

mod types;

use proc_macro2::TokenStream;
use tierup_model::Field;

use self::types::Naming;
use super::manifest;
use crate::{Files, Project, rust};

/// The files that do not depend on the interface, by their names in `src/`.
const RUNTIME: [(&str, &str); 9] = [
    ("lib.rs", include_str!("../../templates/json/lib.rs")),
    ("base64.rs", include_str!("../../templates/json/base64.rs")),
    ("case.rs", include_str!("../../templates/json/case.rs")),
    ("keys.rs", include_str!("../../templates/json/keys.rs")),
    ("problem.rs", include_str!("../../templates/json/problem.rs")),
    ("read.rs", include_str!("../../templates/json/read.rs")),
    ("reader.rs", include_str!("../../templates/json/reader.rs")),
    ("text.rs", include_str!("../../templates/json/text.rs")),
    ("write.rs", include_str!("../../templates/json/write.rs")),
];

/// The statements that read an object with these fields from `from`, and then the value of each. They need `given` and
/// `Problem` of the JSON code.
pub(super) fn read_object(project: &Project, fields: &[Field]) -> (TokenStream, Vec<TokenStream>) {
    types::read_object(fields, Naming::new(project))
}

/// The crate, below `json/`.
pub fn json(project: &Project) -> Files {
    let dependency = rust::dependency(&project.interface, &project.crate_folder);
    let manifest = manifest(&project.interface, "tierup-json", &format!("[dependencies]\n{dependency}\n"));
    let mut files = Files::new().with("json/Cargo.toml", manifest);
    for (name, content) in sources(project, rust::header) {
        files.add(format!("json/src/{name}"), content);
    }
    files
}

/// Adds the reader and writer of JSON to a crate of the user's own as a module: `src/json.rs` and `src/json/`.
pub(super) fn module(project: &Project, files: &mut Files) {
    for (name, content) in sources(project, |what| format!("//! {what}\n\n")) {
        match name {
            "lib.rs" => files.add("src/json.rs", content),
            _ => files.add(format!("src/json/{name}"), content),
        }
    }
}

/// `header` opens the files that are made from the interface.
fn sources(project: &Project, header: fn(&str) -> String) -> impl Iterator<Item = (&'static str, String)> {
    let runtime = RUNTIME.iter().map(|(name, content)| (*name, (*content).to_owned()));
    runtime.chain([("types.rs", types::types(project, header))])
}
