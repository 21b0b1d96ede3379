//! Resolves written types across files. In: a folder and a [`Written`] of one of its files. Out: a [`DeclaredType`].

use std::{collections::BTreeMap, rc::Rc};

use tierup_codegen::{DeclaredType, ServerFolder};

use super::{
    place::meant,
    syntax::{COMPUTED, FUNCTION, METHODS, Member, Module, NAMESPACE, Signature, Written, module},
};

/// Validators derive a type from a value.
const INFERRED: &str = "an inferred type: write it as an interface";

/// The kind of a module's names to search.
type Kind = fn(&Module) -> &BTreeMap<String, Written>;

const TYPES: Kind = |module| &module.types;
const VALUES: Kind = |module| &module.values;

/// Resolves types, and reads each file once.
pub(super) struct Types<'f> {
    folder: &'f dyn ServerFolder,
    modules: BTreeMap<String, Option<Rc<Module>>>,
    /// The names that are being read, with their files, to detect types that contain themselves.
    within: Vec<(String, String)>,
    /// The names of all fields that were read, even those that `Omit` leaves out, as the objects have them.
    pub(super) names: Vec<String>,
}

impl<'f> Types<'f> {
    pub(super) fn new(folder: &'f dyn ServerFolder) -> Types<'f> {
        Types { folder, modules: BTreeMap::new(), within: Vec::new(), names: Vec::new() }
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
            Written::Value(name) => match self.definition(file, name, VALUES, 0) {
                Some((other, ty)) => self.within(&other, &format!("typeof {name}"), &ty),
                None => refused(COMPUTED),
            },
            Written::Keys(of) => match self.read(file, of) {
                DeclaredType::Record(fields) => {
                    DeclaredType::Choice(fields.into_iter().map(|(name, _)| name).collect())
                }
                why @ DeclaredType::Refused(_) => why,
                _ => refused(COMPUTED),
            },
            Written::At(of, index) => self.at(file, of, index),
            Written::Function(_) => refused(FUNCTION),
            Written::Method(_) => refused(METHODS),
            Written::Imported((from, name)) => match meant(self.folder, file, from) {
                Some(other) => self.named(&other, name, &[]),
                None => DeclaredType::Refused(not_found(name)),
            },
        }
    }

    fn record(&mut self, file: &str, members: &[Member]) -> DeclaredType {
        if members.iter().any(|one| matches!(one.ty, Written::Method(_))) {
            return DeclaredType::Refused(METHODS.to_owned());
        }
        let field = |one: &Member| {
            self.names.push(one.name.clone());
            (one.name.clone(), self.member(file, one))
        };
        DeclaredType::Record(members.iter().map(field).collect())
    }

    /// The type of a field or parameter.
    pub(super) fn member(&mut self, file: &str, one: &Member) -> DeclaredType {
        let ty = self.read(file, &one.ty);
        if one.optional { optional(ty) } else { ty }
    }

    fn union(&mut self, file: &str, all: &[Written]) -> DeclaredType {
        let (nothing, some): (Vec<_>, Vec<_>) = all.iter().partition(|one| **one == Written::Nothing);
        let some: Vec<_> = some.into_iter().map(|one| self.read(file, one)).collect();
        any_of(some, !nothing.is_empty())
    }

    /// The type at a key of a record, or at any index of a list.
    fn at(&mut self, file: &str, of: &Written, index: &Written) -> DeclaredType {
        match (self.read(file, of), self.read(file, index)) {
            (why @ DeclaredType::Refused(_), _) => why,
            (DeclaredType::List(of), DeclaredType::Number) => *of,
            (DeclaredType::Map(of), DeclaredType::Text) => *of,
            (DeclaredType::Record(fields), DeclaredType::Choice(names)) => {
                let is_meant = |name: &String| names.contains(name);
                any_of(fields.into_iter().filter(|(name, _)| is_meant(name)).map(|(_, ty)| ty).collect(), false)
            }
            _ => DeclaredType::Refused(COMPUTED.to_owned()),
        }
    }

    /// The head in the type of a function's variable, and the file that contains it.
    pub(super) fn head(&mut self, file: &str, ty: &Written) -> Option<(String, Signature)> {
        const MOST: usize = 16;
        let (mut file, mut ty) = (file.to_owned(), ty.clone());
        for _ in 0..MOST {
            (file, ty) = match ty {
                Written::Function(head) | Written::Method(head) => return Some((file, *head)),
                Written::At(of, key) => match *key {
                    Written::Literal(key) => self.field(&file, &of, &key, 0)?,
                    _ => return None,
                },
                other => self.named_there(&file, &other)?,
            };
        }
        None
    }

    /// The definition of a name without type arguments.
    fn named_there(&mut self, file: &str, ty: &Written) -> Option<(String, Written)> {
        match ty {
            Written::Named(name, arguments) if arguments.is_empty() => self.definition(file, name, TYPES, 0),
            Written::Imported((from, name)) => {
                let other = meant(self.folder, file, from)?;
                self.definition(&other, name, TYPES, 0)
            }
            _ => None,
        }
    }

    /// The written type of an object's field, and the file that contains it.
    fn field(&mut self, file: &str, of: &Written, key: &str, depth: usize) -> Option<(String, Written)> {
        const MOST: usize = 16;
        match of {
            _ if depth > MOST => None,
            Written::Object(members) => {
                let member = members.iter().find(|one| one.name == key)?;
                Some((file.to_owned(), member.ty.clone()))
            }
            Written::All(parts) => parts.iter().rev().find_map(|part| self.field(file, part, key, depth + 1)),
            Written::Map(of) => Some((file.to_owned(), (**of).clone())),
            Written::Named(name, arguments) if name == "Record" && arguments.len() == 2 => {
                Some((file.to_owned(), arguments[1].clone()))
            }
            Written::Named(name, arguments) if name == "Readonly" && arguments.len() == 1 => {
                self.field(file, &arguments[0], key, depth + 1)
            }
            other => {
                let (file, ty) = self.named_there(file, other)?;
                self.field(&file, &ty, key, depth + 1)
            }
        }
    }

    /// The record with the fields of all parts.
    fn all(&mut self, file: &str, all: &[Written]) -> DeclaredType {
        let mut fields: Vec<(String, DeclaredType)> = Vec::new();
        for one in all {
            match self.read(file, one) {
                DeclaredType::Record(more) => {
                    for (name, ty) in more {
                        match fields.iter_mut().find(|(known, _)| *known == name) {
                            // An interface that extends another one may narrow its fields.
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
        if let [Written::Value(_)] = arguments {
            return DeclaredType::Refused(INFERRED.to_owned());
        }
        if let Some((other, ty)) = self.definition(file, name, TYPES, 0) {
            return self.within(&other, name, &ty);
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
            // Older comments use these spellings.
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
            ("Pick" | "Omit", [of, keys]) => match (self.read(file, of), self.read(file, keys)) {
                (DeclaredType::Record(mut fields), DeclaredType::Choice(names)) => {
                    fields.retain(|(field, _)| names.contains(field) == (name == "Pick"));
                    DeclaredType::Record(fields)
                }
                (why @ DeclaredType::Refused(_), _) | (_, why @ DeclaredType::Refused(_)) => why,
                _ => DeclaredType::Refused(COMPUTED.to_owned()),
            },
            ("Exclude" | "Extract", [of, others]) => {
                let (of, others) = (self.read(file, of), self.read(file, others));
                match (present(of), others) {
                    (DeclaredType::Choice(mut all), DeclaredType::Choice(names)) => {
                        all.retain(|text| names.contains(text) == (name == "Extract"));
                        DeclaredType::Choice(all)
                    }
                    _ => DeclaredType::Refused(COMPUTED.to_owned()),
                }
            }
            ("Buffer" | "Uint8Array", _) => DeclaredType::Bytes,
            // A record with an entry for each key.
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
                _ if name.contains('.') => NAMESPACE.to_owned(),
                _ => not_found(name),
            }),
        }
    }

    /// Resolves the type that a name stands for. It must not contain itself.
    fn within(&mut self, file: &str, name: &str, ty: &Written) -> DeclaredType {
        let place = (file.to_owned(), name.to_owned());
        if self.within.contains(&place) {
            return DeclaredType::Refused(format!("a `{name}`, which contains itself"));
        }
        self.within.push(place);
        let ty = self.read(file, ty);
        self.within.pop();
        ty
    }

    fn is_generic(&mut self, file: &str, name: &str) -> bool {
        self.module(file).is_some_and(|module| module.generic.iter().any(|one| one == name))
    }

    /// The file in which a name is defined, and its definition.
    fn definition(&mut self, file: &str, name: &str, kind: Kind, depth: usize) -> Option<(String, Written)> {
        const MOST: usize = 16;
        let module = self.module(file).filter(|_| depth < MOST)?;
        if let Some(ty) = kind(&module).get(name) {
            return Some((file.to_owned(), ty.clone()));
        }
        if let Some(here) = module.renamed.get(name) {
            return self.definition(file, here, kind, depth + 1);
        }
        // `Shop.Line`, where `Shop` is imported.
        let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
        if let Some((from, there)) = module.elsewhere.get(first) {
            let other = meant(self.folder, file, from)?;
            let name = match (&there[..], rest) {
                ("*", rest) => rest?.to_owned(),
                (there, Some(rest)) => format!("{there}.{rest}"),
                (there, None) => there.to_owned(),
            };
            return self.definition(&other, &name, kind, depth + 1);
        }
        module.all_of.iter().find_map(|from| {
            let other = meant(self.folder, file, from)?;
            self.definition(&other, name, kind, depth + 1)
        })
    }
}

/// The type of a value that has any of these types.
fn any_of(all: Vec<DeclaredType>, is_optional: bool) -> DeclaredType {
    let mut merged: Vec<DeclaredType> = Vec::new();
    let mut is_optional = is_optional;
    for ty in all {
        let ty = match ty {
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
    // `string` includes all literals.
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

fn not_found(name: &str) -> String {
    format!("a `{name}`, whose declaration tierup does not find")
}

fn refused_record() -> DeclaredType {
    DeclaredType::Refused(
        "a `Record` whose keys are neither `string` nor literals: make it `Record<string, …>`".to_owned(),
    )
}

/// The type without `null` and `undefined`.
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
