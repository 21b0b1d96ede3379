//! Reads the declaration of a function in TypeScript, or in JavaScript with JSDoc. In: the server's folder, and the
//! running file or its source. Out: the function's types. Watched calls narrow them: `number` may be whole.

mod place;
mod syntax;
mod types;

use tierup_codegen::{Declared, DeclaredType, ServerFolder, Spelling};

pub(crate) use self::place::{compiled, workspace};
use self::{
    syntax::{Member, Signature, Written},
    types::Types,
};

/// The declared types of a function; `None` if there is no declaration.
///
/// # Errors
/// Why the function's head cannot be read, or has no type that could cross.
pub(crate) fn declared(folder: &dyn ServerFolder, file: &str, name: &str) -> Option<Result<Declared, String>> {
    let mut types = Types::new(folder);
    let sources = place::sources(folder, file);
    let found = sources.iter().find_map(|source| {
        let heads = types.module(source)?.heads(name)?;
        // JavaScript without JSDoc declares no types.
        let is_told = heads.as_ref().map_or(true, |heads| heads.iter().any(Signature::is_typed));
        (place::is_typed(source) || is_told).then_some((source, heads))
    });
    let Some((source, heads)) = found else {
        let mut typed = sources.iter().filter(|source| place::is_typed(source));
        let source = typed.find(|source| folder.read(source).is_some_and(|text| has_word(&text, name)))?;
        return Some(Err(format!(
            "{source} has it where tierup reads no heads: declare it at the top of the file, with its types"
        )));
    };
    let heads = match heads {
        Ok(heads) => heads,
        Err(owners) if place::is_typed(source) => {
            let owners: Vec<_> = owners.iter().map(|owner| format!("`{owner}`")).collect();
            return Some(Err(format!(
                "{source} declares several functions `{name}`, in {}: give this one a name of its own",
                owners.join(" and ")
            )));
        }
        Err(_) => return None,
    };
    let [function] = &heads[..] else {
        return Some(Err(format!(
            "{source} declares `{name}` with several heads: tierup needs one type for each argument"
        )));
    };
    let told = match function.told.as_ref().map(|ty| types.head(source, ty)) {
        Some(None) if !function.is_annotated() => {
            return Some(Err(format!(
                "{source} declares it with a type that tierup does not read: annotate its parameters and its answer"
            )));
        }
        told => told.flatten(),
    };
    if function.is_generic || told.as_ref().is_some_and(|(_, told)| told.is_generic) {
        return Some(Err("it has type parameters: tierup needs one type for each argument".to_owned()));
    }
    let (parameters, answer) = read(&mut types, source, function, told);
    let mut names = Vec::new();
    parameters.iter().map(|(_, ty)| ty).chain([&answer]).for_each(|ty| fields(ty, &mut names));
    types.names.retain(|name| !names.contains(name));
    names.append(&mut types.names);
    Some(Ok(Declared {
        qualified_name: name.to_owned(),
        line: function.line,
        answer: Some(answer),
        parameters,
        problems: Vec::new(),
        notes: Vec::new(),
        conversion: None,
        spelling: Spelling::CamelCase,
        baseline: None,
        watched: Some(names),
        file: Some(source.clone()).filter(|source| source != file || place::is_typed(source)),
    }))
}

/// Parameters and answer: as the function's own head annotates them, otherwise as the type of its variable does.
fn read(
    types: &mut Types<'_>,
    source: &str,
    function: &Signature,
    told: Option<(String, Signature)>,
) -> (Vec<(String, DeclaredType)>, DeclaredType) {
    let Some((other, told)) = told else {
        let parameters = function.parameters.iter().map(|one| (one.name.clone(), types.member(source, one)));
        return (parameters.collect(), types.read(source, &function.answer));
    };
    let own = if function.has_head { &function.parameters } else { &told.parameters };
    let parameters = own.iter().enumerate().map(|(place, one)| match told.parameters.get(place) {
        Some(told) if !function.has_head || one.ty == Written::Missing => {
            let optional = one.optional || told.optional;
            (one.name.clone(), types.member(&other, &Member { optional, ..told.clone() }))
        }
        _ => (one.name.clone(), types.member(source, one)),
    });
    let parameters = parameters.collect();
    let answer = match function.answer {
        Written::Missing => types.read(&other, &told.answer),
        _ => types.read(source, &function.answer),
    };
    (parameters, answer)
}

/// Whether a text contains this name as a whole word.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |one: char| one.is_alphanumeric() || "_$".contains(one);
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

/// The names of all fields of a type.
fn fields(ty: &DeclaredType, names: &mut Vec<String>) {
    match ty {
        DeclaredType::List(of) | DeclaredType::Map(of) | DeclaredType::Optional(of) => fields(of, names),
        DeclaredType::Record(all) => {
            for (name, ty) in all {
                names.push(name.clone());
                fields(ty, names);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
