//! The user's crate under another name, where the server has a dependency of the same name: a hot crate may well be
//! called `axum`.

use std::{borrow::Cow, path::Path};

use tierup_model::{DefinitionKind, Interface, Payload};

use super::{DEPENDENCIES, SHA2};
use crate::{Project, rust::in_toml};

/// The name of such a crate in the server.
const NAME: &str = "hot";

/// The project, with every path in its interface starting at the name that the server has for the crate.
pub(super) fn renamed(project: &Project) -> Cow<'_, Project> {
    if !is_taken(&project.interface.package) && !is_taken(&project.interface.library) {
        return Cow::Borrowed(project);
    }
    let mut project = project.clone();
    rename(&mut project.interface);
    Cow::Owned(project)
}

/// The line of the server's manifest for the crate in `folder`.
pub(super) fn dependency(interface: &Interface, folder: &Path) -> String {
    let (package, folder) = (&interface.package, in_toml(folder));
    if interface.library == NAME && package != NAME {
        format!("{NAME} = {{ package = {package:?}, path = {folder} }}")
    } else {
        format!("{package} = {{ path = {folder} }}")
    }
}

/// Whether the server has another dependency, or a crate of tierup's, of this name.
fn is_taken(name: &str) -> bool {
    let own = DEPENDENCIES.lines().chain([SHA2, "tierup-json ="]).filter_map(|line| line.split_whitespace().next());
    own.map(as_identifier).any(|own| own == as_identifier(name))
}

fn as_identifier(name: &str) -> String {
    name.replace('-', "_")
}

fn rename(interface: &mut Interface) {
    let start = format!("::{}::", interface.library);
    let change = |text: &mut String| *text = with_start(text, &start);
    for function in &mut interface.functions {
        change(&mut function.path);
        change(&mut function.output.rust);
        for parameter in &mut function.parameters {
            change(&mut parameter.rust);
            if let tierup_model::Passing::Lent { owned } = &mut parameter.passing {
                change(owned);
            }
        }
    }
    for definition in &mut interface.definitions {
        change(&mut definition.path);
        match &mut definition.kind {
            DefinitionKind::Record(fields) => fields.iter_mut().for_each(|field| change(&mut field.rust)),
            DefinitionKind::Enum(cases) => {
                for case in cases {
                    match &mut case.payload {
                        Payload::None => {}
                        Payload::Tuple(types) => types.iter_mut().for_each(|(_, rust)| change(rust)),
                        Payload::Named(fields) => fields.iter_mut().for_each(|field| change(&mut field.rust)),
                    }
                }
            }
        }
    }
    NAME.clone_into(&mut interface.library);
}

/// Paths that start with `start` start with the new name; one in the middle of a path is a module.
fn with_start(text: &str, start: &str) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(start) {
        let (before, found) = rest.split_at(at);
        let is_start = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '>');
        changed.push_str(before);
        if is_start {
            changed.push_str(&format!("::{NAME}::"));
        } else {
            changed.push_str(start);
        }
        rest = &found[start.len()..];
    }
    changed + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_starts_of_paths_change() {
        let check = |text: &str, expected: &str| assert_eq!(with_start(text, "::axum::"), expected);
        check("&[::axum::Item]", "&[::hot::Item]");
        check(
            "::std::collections::HashMap<::std::string::String, ::axum::axum::Item>",
            "::std::collections::HashMap<::std::string::String, ::hot::axum::Item>",
        );
        check("::other::axum::Item", "::other::axum::Item");
    }

    #[test]
    fn dependency_names_are_taken_in_any_spelling() {
        for name in ["axum", "tokio", "hyper-util", "hyper_util", "sha2", "tierup_json"] {
            assert!(is_taken(name), "{name}");
        }
        assert!(!is_taken("images") && !is_taken("hot"));
    }
}
