//! What a written type is: names are looked up and aliases followed until something stands there that can be judged.

use crate::advice::{self, Advice};
use crate::known::{self, Known, Scalar};
use crate::reader::{Context, MAX_DEPTH, Reader, Written, text_of};
use crate::scope::{Namespace, Target};
use crate::similar;
use crate::tree::{ItemId, ItemKind, ModuleId, Path};
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::{GenericArgument, GenericParam, PathArguments};

/// The outermost layer of a type, once names and aliases are out of the way.
pub(crate) enum Meaning<'a> {
    Unit,
    Scalar(Scalar),
    /// `str`
    Str,
    /// `[T]`
    Slice(Written<'a>),
    Reference(Reference<'a>),
    String,
    Vec(Written<'a>),
    Option(Written<'a>),
    Map(Map<'a>),
    /// Of any crate: `Result<T, E>`, `io::Result<T>`; [`ResultType::value`] is `None` for `fmt::Result`.
    Result(ResultType<'a>),
    Defined(ItemId),
}

pub(crate) struct Reference<'a> {
    pub(crate) to: Written<'a>,
    pub(crate) is_mutable: bool,
    pub(crate) is_static: bool,
}

pub(crate) struct Map<'a> {
    /// `::std::collections::HashMap`
    pub(crate) rust: &'static str,
    pub(crate) key: Written<'a>,
    pub(crate) value: Written<'a>,
}

pub(crate) struct ResultType<'a> {
    pub(crate) value: Option<Written<'a>>,
    pub(crate) error: Option<Written<'a>>,
}

/// What a path in a type's place stands for.
enum Named<'a> {
    Meaning(Meaning<'a>),
    /// Another type to look at: an alias's or a generic parameter's.
    Other(Written<'a>),
    /// Reported.
    Refused,
}

impl<'a> Reader<'a> {
    /// What a type is. `None`: it has been reported.
    pub(crate) fn meaning(&mut self, written: &Written<'a>) -> Option<Meaning<'a>> {
        let start = written;
        let mut written = written.clone();
        for _ in 0..MAX_DEPTH {
            let context = &written.context;
            match written.ty {
                syn::Type::Paren(inner) => written = context.written(&inner.elem),
                syn::Type::Group(inner) => written = context.written(&inner.elem),
                syn::Type::Tuple(tuple) if tuple.elems.is_empty() => return Some(Meaning::Unit),
                syn::Type::Slice(slice) => return Some(Meaning::Slice(context.written(&slice.elem))),
                syn::Type::Reference(reference) => {
                    return Some(Meaning::Reference(Reference {
                        to: context.written(&reference.elem),
                        is_mutable: reference.mutability.is_some(),
                        is_static: reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static"),
                    }));
                }
                syn::Type::Path(path) if path.qself.is_none() => match self.named(&written, &path.path) {
                    Named::Meaning(meaning) => return Some(meaning),
                    Named::Other(other) => written = other,
                    Named::Refused => return None,
                },
                _ => {
                    self.refuse_syntax(&written);
                    return None;
                }
            }
        }
        let message = format!("`{}` is an alias of an alias without end", text_of(start.ty));
        self.refuse(start, message, "", "name a type that is not an alias".to_string());
        None
    }

    fn named(&mut self, written: &Written<'a>, path: &'a syn::Path) -> Named<'a> {
        let context = &written.context;
        let Some(last) = path.segments.last() else { return Named::Refused };
        let plain = Path {
            is_absolute: path.leading_colon.is_some(),
            segments: path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect(),
        };
        let arguments = type_arguments(&last.arguments, context);
        if let [name] = plain.segments.as_slice() {
            match (context.arguments.get(name), context.this) {
                (Some(Some(argument)), _) => return Named::Other(argument.clone()),
                (Some(None), _) => return Named::Refused,
                (None, Some(this)) if name == "Self" => return Named::Meaning(Meaning::Defined(this)),
                _ => {}
            }
        }
        match self.lookup(context.module, &plain) {
            Lookup::Item(id) => self.item(written, id, arguments),
            Lookup::Primitive(known) => self.known(written, known, &arguments),
            Lookup::External(path) => match known::at(&path) {
                Some(known) => self.known(written, known, &arguments),
                None => self.external(written, &path, &arguments),
            },
            Lookup::Missing => {
                self.refuse_missing(written, &plain);
                Named::Refused
            }
        }
    }

    fn lookup(&self, module: ModuleId, path: &Path) -> Lookup {
        match self.scopes.resolve(module, path, Namespace::Types) {
            Some(Target::Item(id)) => return Lookup::Item(id),
            Some(Target::External(path)) => return Lookup::External(path),
            Some(Target::Module(_)) => return Lookup::Missing,
            None => {}
        }
        match path.segments.as_slice() {
            [name] => match (known::in_prelude(name), known::primitive(name)) {
                (Some(path), _) => Lookup::External(path),
                (None, Some(known)) => Lookup::Primitive(known),
                (None, None) => Lookup::Missing,
            },
            _ if self.scopes.starts_outside(module, path) => Lookup::External(path.segments.clone()),
            _ => Lookup::Missing,
        }
    }

    fn item(&mut self, written: &Written<'a>, id: ItemId, arguments: Vec<Written<'a>>) -> Named<'a> {
        let tree = self.tree;
        let item = tree.item(id);
        match &item.kind {
            ItemKind::Alias(alias) => self.alias(written, id, alias, arguments),
            ItemKind::Struct(_) | ItemKind::Enum(_) | ItemKind::Union => Named::Meaning(Meaning::Defined(id)),
            other => {
                let message = format!("`{}` is {}, not a type", text_of(written.ty), other.noun());
                self.refuse(written, message, "", "name a type that tells what data crosses".to_string());
                Named::Refused
            }
        }
    }

    fn alias(
        &mut self,
        written: &Written<'a>,
        id: ItemId,
        alias: &'a syn::ItemType,
        arguments: Vec<Written<'a>>,
    ) -> Named<'a> {
        let mut arguments = arguments.into_iter();
        let mut context = Context::new(self.tree.item(id).module);
        for parameter in &alias.generics.params {
            let GenericParam::Type(parameter) = parameter else { continue };
            let argument = arguments.next().or_else(|| {
                // A default may name the parameters before it.
                parameter.default.as_ref().map(|(_, default)| context.written(default))
            });
            let Some(argument) = argument else {
                let message = format!("`{}` lacks the type for its parameter `{}`", text_of(written.ty), parameter.ident);
                self.refuse(written, message, "", format!("write it in `<…>`, as `type {}` says", alias.ident));
                return Named::Refused;
            };
            Rc::make_mut(&mut context.arguments).insert(parameter.ident.unraw().to_string(), Some(argument));
        }
        Named::Other(context.written(&alias.ty))
    }

    fn known(&mut self, written: &Written<'a>, known: Known, arguments: &[Written<'a>]) -> Named<'a> {
        Named::Meaning(match (known, arguments) {
            (Known::Scalar(scalar), []) => Meaning::Scalar(scalar),
            (Known::Str, []) => Meaning::Str,
            (Known::String, []) => Meaning::String,
            (Known::Vec, [item]) => Meaning::Vec(item.clone()),
            (Known::Option, [value]) => Meaning::Option(value.clone()),
            (Known::HashMap, [key, value]) => Meaning::Map(Map {
                rust: "::std::collections::HashMap",
                key: key.clone(),
                value: value.clone(),
            }),
            (Known::BTreeMap, [key, value]) => Meaning::Map(Map {
                rust: "::std::collections::BTreeMap",
                key: key.clone(),
                value: value.clone(),
            }),
            (Known::HashMap, [_, _, _]) => {
                let hint = "leave out the third parameter, and move the entries into your map here";
                self.cannot_cross(written, "a hasher of its own", hint);
                return Named::Refused;
            }
            _ => {
                let message = format!("`{}` has not the parameters that this type takes", text_of(written.ty));
                self.refuse(written, message, "", "write the types that it is made of in `<…>`".to_string());
                return Named::Refused;
            }
        })
    }

    fn external(&mut self, written: &Written<'a>, path: &[String], arguments: &[Written<'a>]) -> Named<'a> {
        let name = path.last().map_or("", String::as_str);
        let is_standard = path.first().is_some_and(|root| known::is_standard_crate(root));
        let is_fmt = is_standard && path.iter().any(|module| module == "fmt");
        if name == "Result" && arguments.len() <= 2 && (is_fmt || !arguments.is_empty()) {
            let mut arguments = arguments.iter().cloned();
            return Named::Meaning(Meaning::Result(ResultType { value: arguments.next(), error: arguments.next() }));
        }
        let Advice { reason, hint } = match advice::standard(name) {
            Some(advice) if is_standard => advice,
            _ if is_standard => Advice {
                reason: "a type of the standard library that hosts have no counterpart for",
                hint: "define a struct with the fields that you need in this crate, and convert it here",
            },
            _ => advice::external(name),
        };
        self.cannot_cross(written, reason, with_argument(hint, arguments));
        Named::Refused
    }

    fn refuse_missing(&mut self, written: &Written<'a>, path: &Path) {
        let module = written.context.module;
        let name = path.segments.last().map_or("", String::as_str);
        if let (1, Some(advice)) = (path.segments.len(), advice::standard(name)) {
            return self.cannot_cross(written, advice.reason, with_argument(advice.hint, &[]));
        }
        let scope = self.scopes.scope(module);
        let message = format!("there is no type `{}` here", path.segments.join("::"));
        let (label, hint) = if let Some(import) = scope.unresolved.get(&path.segments[0]) {
            let import = import.segments.join("::");
            ("", format!("nothing can be seen at `{import}`, which is imported here (what macros make is invisible): define it without a macro"))
        } else if matches!(name, "HashMap" | "BTreeMap") {
            ("", format!("add `use std::collections::{name};`"))
        } else {
            let names = scope.names.keys().filter(|(namespace, _)| *namespace == Namespace::Types);
            let own = names.map(|(_, name)| name.as_str());
            let near = similar::nearest(name, own.chain(["String", "Vec", "Option", "Result", "HashMap", "BTreeMap"]));
            let globs: Vec<_> = self.scopes.external_globs(module).map(|glob| format!("`{glob}::*`")).collect();
            match near {
                Some(near) => ("", format!("did you mean `{near}`?")),
                None if globs.is_empty() => {
                    ("", "types that macros make are invisible: define it without a macro, or import it".to_string())
                }
                None => {
                    let hint = format!("if it comes from {}: types of other crates cannot cross; define a struct with the fields that you need", globs.join(" or "));
                    ("", hint)
                }
            }
        };
        self.refuse(written, message, label, hint);
    }

    /// Types that are told by their syntax alone.
    fn refuse_syntax(&mut self, written: &Written<'a>) {
        let argument = |ty: &syn::Type| text_of(ty);
        let (label, hint) = match written.ty {
            syn::Type::Array(array) => {
                ("a length that only Rust checks", format!("use `Vec<{}>`, and check its length here", argument(&array.elem)))
            }
            syn::Type::FnPtr(_) => ("code cannot be copied to a host", "pass data instead of a function".to_string()),
            syn::Type::ImplTrait(bounds) => ("not one type but many", of_impl(&bounds.bounds)),
            syn::Type::Macro(_) => ("macros are not expanded", "write the type itself".to_string()),
            syn::Type::Never(_) => ("it never comes back", "return a value, or `()`".to_string()),
            syn::Type::Ptr(_) => ("hosts do not share memory with Rust", "use the value itself, or `&[u8]` for bytes".to_string()),
            syn::Type::TraitObject(_) => ("its type is known only at run time", "name the type, or define an enum of those it can be".to_string()),
            syn::Type::Tuple(_) => ("its parts have no names", "define a struct with named fields".to_string()),
            syn::Type::Path(_) => ("a trait decides what it is", "write the type itself".to_string()),
            _ => ("", "write the type in full".to_string()),
        };
        self.cannot_cross(written, label, hint);
    }
}

enum Lookup {
    Item(ItemId),
    External(Vec<String>),
    Primitive(Known),
    Missing,
}

fn type_arguments<'a>(arguments: &'a PathArguments, context: &Context<'a>) -> Vec<Written<'a>> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return Vec::new() };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(context.written(ty)),
        _ => None,
    });
    types.collect()
}

/// Puts the type's own argument for the `T` of a hint.
fn with_argument(hint: &str, arguments: &[Written<'_>]) -> String {
    match arguments.first() {
        Some(argument) => {
            let argument = text_of(argument.ty);
            hint.replace("`T`", &format!("`{argument}`")).replace("T>", &format!("{argument}>"))
        }
        None => hint.replace("`T` itself", "the value itself"),
    }
}

/// A concrete type for `impl Trait`.
fn of_impl<'b>(bounds: impl IntoIterator<Item = &'b syn::TypeParamBound>) -> String {
    let text = bounds.into_iter().map(text_of).collect::<Vec<_>>().join(" + ");
    let compact = text.replace(' ', "");
    let hint = match compact.as_str() {
        text if text.contains("AsRef<[u8]>") || text.contains("Read") => "use `&[u8]`",
        text if text.contains("AsRef<str>") || text.contains("AsRef<Path>") => "use `&str`",
        text if text.contains("Into<String>") || text.contains("ToString") || text.contains("Display") => "use `&str` or `String`",
        text if text.contains("Iterator") => "use `Vec` for a parameter and for an answer",
        text if text.contains("Future") => "return the value itself: tiers call the function off the event loop where the host has one",
        text if text.contains("Fn(") || text.contains("FnMut(") || text.contains("FnOnce(") => "pass data instead of a function",
        _ => "write the type itself",
    };
    hint.to_string()
}
