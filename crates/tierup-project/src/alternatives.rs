//! `[function.alternatives]`: other implementations of the exported function, which become rows `3:native#NAME`.

use std::path::Path;

use tierup_codegen::is_plain_word;
use tierup_diagnostic::{Diagnostic, Result};
use tierup_model::{Alternative, CrateInfo, Function, Interface, Sources, read_interface};

use crate::{
    document::{Document, Table, Text},
    loaded::shown,
};

/// The names of the alternatives and the paths of their functions, as they are written.
pub(crate) fn entries(table: &Table<'_>, document: &Document) -> Vec<(Text, Text)> {
    let read = table.entries().filter_map(|(key, value)| {
        let path = table.text_of(&key.value, value)?;
        if is_plain_word(&key.value) {
            return Some((key, path));
        }
        let problem = Diagnostic::new(format!("`{}` is not a valid name of an alternative", key.value));
        document.add(problem.at(document.place(&key.span)).hint("use letters, digits, `-` and `_`"));
        None
    });
    read.collect()
}

/// Reads each alternative's signature, which must equal that of the only exported function.
///
/// # Errors
/// An entry names no function of the crate, or one with another signature.
pub(crate) fn read(
    entries: &[(Text, Text)],
    document: &Document,
    (info, crate_folder): (&CrateInfo, &Path),
    interface: &Interface,
    sources: &dyn Sources,
) -> Result<Vec<Alternative>> {
    let mut alternatives = Vec::new();
    for (name, path) in entries {
        let place = document.place(&path.span);
        let [exported] = &interface.functions[..] else {
            let problem = Diagnostic::new("alternatives need exactly one function in `export`");
            document.add(problem.at(place).hint("with several, nothing says which of them an alternative replaces"));
            break;
        };
        match read_interface(info, std::slice::from_ref(&path.value), sources) {
            Ok(mut read) => {
                // A type holds the number of its definition, so types are comparable only if the definitions are equal.
                let same_types = read.definitions == interface.definitions;
                let function = read.functions.remove(0);
                match difference(exported, &function, same_types) {
                    None => alternatives.push(Alternative { name: name.value.clone(), function }),
                    Some(difference) => document.add(
                        Diagnostic::new(format!(
                            "`{}` is no alternative to `{}`: {difference}",
                            path.value, exported.name
                        ))
                        .at(place)
                        .hint("an alternative has the same parameters, in the same order, and the same result"),
                    ),
                }
            }
            Err(problems) => problems.into_iter().for_each(|mut problem| {
                match &mut problem.place {
                    Some(within) => within.file = shown(&crate_folder.join(&within.file)),
                    None => problem.place = Some(place.clone()),
                }
                document.add(problem);
            }),
        }
    }
    document.result()?;
    Ok(alternatives)
}

/// The first difference between two signatures that a host would see.
fn difference(exported: &Function, other: &Function, same_types: bool) -> Option<String> {
    let (mine, its) = (exported.parameters.len(), other.parameters.len());
    if mine != its {
        return Some(format!("it has {its} parameters rather than {mine}"));
    }
    for (mine, its) in exported.parameters.iter().zip(&other.parameters) {
        if mine.ty != its.ty || !same_types && mine.shown_type() != its.shown_type() {
            return Some(format!("`{}` is `{}` rather than `{}`", its.name, its.shown_type(), mine.shown_type()));
        }
    }
    if exported.output.fallible != other.output.fallible {
        let word = |fallible| if fallible { "can fail" } else { "cannot fail" };
        return Some(format!(
            "it {}, and `{}` {}",
            word(other.output.fallible),
            exported.name,
            word(exported.output.fallible)
        ));
    }
    (exported.output.ty != other.output.ty || !same_types)
        .then(|| format!("it returns `{}` rather than `{}`", other.output.rust, exported.output.rust))
}
