//! What written types stand for, across files. In: a folder and a [`Written`] of one of its files. Out: a [`DeclaredType`].

use std::{collections::BTreeMap, rc::Rc};

use tierup_codegen::{DeclaredType, ServerFolder};

use super::{
    place::meant,
    syntax::{Member, Module, Written, module},
};

/// Reads each file once.
pub(super) struct Types<'f> {
    folder: &'f dyn ServerFolder,
    modules: BTreeMap<String, Option<Rc<Module>>>,
    /// The names that are being read, with their files: a type that contains itself has no end.
    within: Vec<(String, String)>,
}

impl<'f> Types<'f> {
    pub(super) fn new(folder: &'f dyn ServerFolder) -> Types<'f> {
        Types { folder, modules: BTreeMap::new(), within: Vec::new() }
    }

    pub(super) fn module(&mut self, file: &str) -> Option<Rc<Module>> {
        if !self.modules.contains_key(file) {
            let read = self.folder.read(file).and_then(|text| module(&text, file)).map(Rc::new);
            self.modules.insert(file.to_owned(), read);
        }
        self.modules[file].clone()
    }

    pub(super) fn read(&mut self, file: &str, ty: &Written) -> DeclaredType {
        let refused = |why: &str| DeclaredType::Refused(why.to_owned());
        match ty {
            Written::Text => DeclaredType::Text,
            Written::Bool => DeclaredType::Bool,
            Written::Number => DeclaredType::Number,
            Written::BigInt => DeclaredType::Whole { bits: 64, signed: true },
            Written::Nothing => DeclaredType::Optional(Box::new(DeclaredType::Seen)),
            Written::Literal(text) => DeclaredType::Choice(vec![text.clone()]),
            Written::List(of) => DeclaredType::List(Box::new(self.read(file, of))),
            Written::Map(of) => DeclaredType::Map(Box::new(self.read(file, of))),
            Written::Object(members) => self.record(file, members),
            Written::Union(all) => self.union(file, all),
            Written::All(all) => self.all(file, all),
            Written::Missing => DeclaredType::Seen,
            Written::Refused(why) => refused(why),
            Written::Named(name, arguments) => self.named(file, name, arguments),
            Written::Imported((from, name)) => match meant(self.folder, file, from) {
                Some(other) => self.named(&other, name, &[]),
                None => DeclaredType::Refused(not_found(name)),
            },
        }
    }

    fn record(&mut self, file: &str, members: &[Member]) -> DeclaredType {
        DeclaredType::Record(members.iter().map(|one| (one.name.clone(), self.member(file, one))).collect())
    }

    /// A field or a parameter.
    pub(super) fn member(&mut self, file: &str, one: &Member) -> DeclaredType {
        let ty = self.read(file, &one.ty);
        if one.optional { optional(ty) } else { ty }
    }

    fn union(&mut self, file: &str, all: &[Written]) -> DeclaredType {
        let (nothing, some): (Vec<_>, Vec<_>) = all.iter().partition(|one| **one == Written::Nothing);
        let mut merged: Vec<DeclaredType> = Vec::new();
        let mut is_optional = !nothing.is_empty();
        for one in some {
            let ty = match self.read(file, one) {
                DeclaredType::Optional(of) => {
                    is_optional = true;
                    *of
                }
                ty => ty,
            };
            match ty {
                DeclaredType::Choice(more) => {
                    let known = merged.iter_mut().find_map(|ty| match ty {
                        DeclaredType::Choice(known) => Some(known),
                        _ => None,
                    });
                    match known {
                        Some(known) => more.into_iter().for_each(|text| {
                            if !known.contains(&text) {
                                known.push(text);
                            }
                        }),
                        None => merged.push(DeclaredType::Choice(more)),
                    }
                }
                ty if merged.contains(&ty) => {}
                ty => merged.push(ty),
            }
        }
        // `string` holds every literal.
        if merged.contains(&DeclaredType::Text) {
            merged.retain(|ty| !matches!(ty, DeclaredType::Choice(_)));
        }
        let ty = match merged.len() {
            0 => DeclaredType::Seen,
            1 => merged.remove(0),
            _ => {
                let words: Vec<_> = merged.iter().map(words).collect();
                DeclaredType::Refused(format!(
                    "a union of {}: give the function one type, or an object with a field for each",
                    words.join(" and ")
                ))
            }
        };
        if is_optional { optional(ty) } else { ty }
    }

    /// The fields of all parts.
    fn all(&mut self, file: &str, all: &[Written]) -> DeclaredType {
        let mut fields: Vec<(String, DeclaredType)> = Vec::new();
        for one in all {
            match self.read(file, one) {
                DeclaredType::Record(more) => {
                    for (name, ty) in more {
                        match fields.iter_mut().find(|(known, _)| *known == name) {
                            // What extends an interface may narrow its fields.
                            Some(known) => known.1 = ty,
                            None => fields.push((name, ty)),
                        }
                    }
                }
                why @ DeclaredType::Refused(_) => return why,
                _ => return DeclaredType::Refused("an intersection of other types than objects".to_owned()),
            }
        }
        DeclaredType::Record(fields)
    }

    fn named(&mut self, file: &str, name: &str, arguments: &[Written]) -> DeclaredType {
        if let Some((file, ty)) = self.definition(file, name, 0) {
            let place = (file.clone(), name.to_owned());
            if self.within.contains(&place) {
                return DeclaredType::Refused(format!("a `{name}`, which contains itself"));
            }
            self.within.push(place);
            let ty = self.read(&file, &ty);
            self.within.pop();
            return ty;
        }
        match (name, arguments) {
            ("Array" | "ReadonlyArray", [of]) => DeclaredType::List(Box::new(self.read(file, of))),
            ("Readonly", [of]) => self.read(file, of),
            ("NonNullable", [of]) => present(self.read(file, of)),
            ("Required", [of]) => match self.read(file, of) {
                DeclaredType::Record(fields) => {
                    DeclaredType::Record(fields.into_iter().map(|(name, ty)| (name, present(ty))).collect())
                }
                other => other,
            },
            ("Promise", [of]) => self.read(file, of),
            // As older comments spell them.
            ("String", []) => DeclaredType::Text,
            ("Number", []) => DeclaredType::Number,
            ("Boolean", []) => DeclaredType::Bool,
            ("Object", []) => DeclaredType::Seen,
            ("Array", []) => DeclaredType::List(Box::new(DeclaredType::Seen)),
            ("Record" | "Object", [Written::Text, of]) => DeclaredType::Map(Box::new(self.read(file, of))),
            ("Partial", [of]) => match self.read(file, of) {
                DeclaredType::Record(fields) => {
                    DeclaredType::Record(fields.into_iter().map(|(name, ty)| (name, optional(ty))).collect())
                }
                other => other,
            },
            ("Buffer" | "Uint8Array", _) => DeclaredType::Bytes,
            // Each key is there.
            ("Record", [keys, of]) => match self.read(file, keys) {
                DeclaredType::Choice(names) => {
                    let of = self.read(file, of);
                    DeclaredType::Record(names.into_iter().map(|name| (name, of.clone())).collect())
                }
                _ => refused_record(),
            },
            (name, _) => DeclaredType::Refused(match name {
                "Map" | "ReadonlyMap" => {
                    "a `Map`: pass a `Record<string, …>` (`Object.fromEntries`), which is a map in Rust".to_owned()
                }
                "Set" | "ReadonlySet" => "a `Set`: pass an array (`[...set]`)".to_owned(),
                "Date" => "a `Date`: pass its `getTime()`, a number, or its `toISOString()`, a text".to_owned(),
                _ if self.is_generic(file, name) => {
                    format!("a `{name}`, which has type parameters: write the type that it has here")
                }
                _ => not_found(name),
            }),
        }
    }

    fn is_generic(&mut self, file: &str, name: &str) -> bool {
        self.module(file).is_some_and(|module| module.generic.iter().any(|one| one == name))
    }

    /// Where a name is defined, and as what.
    fn definition(&mut self, file: &str, name: &str, depth: usize) -> Option<(String, Written)> {
        const MOST: usize = 16;
        let module = self.module(file).filter(|_| depth < MOST)?;
        if let Some(ty) = module.types.get(name) {
            return Some((file.to_owned(), ty.clone()));
        }
        if let Some(here) = module.renamed.get(name) {
            return self.definition(file, here, depth + 1);
        }
        if let Some((from, there)) = module.elsewhere.get(name) {
            let other = meant(self.folder, file, from)?;
            return self.definition(&other, there, depth + 1);
        }
        module.all_of.iter().find_map(|from| {
            let other = meant(self.folder, file, from)?;
            self.definition(&other, name, depth + 1)
        })
    }
}

fn not_found(name: &str) -> String {
    format!("a `{name}`, whose declaration tierup does not find")
}

fn refused_record() -> DeclaredType {
    DeclaredType::Refused(
        "a `Record` whose keys are neither `string` nor literals: make it `Record<string, …>`".to_owned(),
    )
}

/// Without `null` and `undefined`.
fn present(ty: DeclaredType) -> DeclaredType {
    match ty {
        DeclaredType::Optional(of) => *of,
        ty => ty,
    }
}

fn optional(ty: DeclaredType) -> DeclaredType {
    match ty {
        DeclaredType::Optional(_) | DeclaredType::Refused(_) => ty,
        ty => DeclaredType::Optional(Box::new(ty)),
    }
}

fn words(ty: &DeclaredType) -> &str {
    match ty {
        DeclaredType::Text | DeclaredType::Choice(_) => "text",
        DeclaredType::Bool => "a boolean",
        DeclaredType::Bytes => "bytes",
        DeclaredType::Number | DeclaredType::Float | DeclaredType::Whole { .. } => "a number",
        DeclaredType::List(_) => "a list",
        DeclaredType::Map(_) => "a map",
        DeclaredType::Record(_) => "an object",
        DeclaredType::Optional(_) | DeclaredType::Seen => "any value",
        DeclaredType::Refused(why) => why,
    }
}
