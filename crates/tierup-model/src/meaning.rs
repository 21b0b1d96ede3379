//! Resolves a type as written: looks names up and follows aliases until the type can be judged.

use crate::known::{self, Scalar, StandardType};
use crate::reader::{Context, MAX_DEPTH, Reader, Written, text_of};
use crate::scope::{Namespace, Target};
use crate::tree::{ItemId, ItemKind, ModuleId, Path};
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::{GenericArgument, GenericParam, PathArguments};

/// The outermost layer of a type, after names and aliases are resolved.
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
    /// The `Result` of any crate: `Result<T, E>`, `io::Result<T>`. [`ResultType::value`] is `None` for `fmt::Result`.
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

/// The meaning of a path that is used as a type.
enum Named<'a> {
    Meaning(Meaning<'a>),
    /// Another type to look at: the one behind an alias or a generic parameter.
    Other(Written<'a>),
    /// The problem has been reported.
    Refused,
}

impl<'a> Reader<'a> {
    /// The meaning of a type. `None`: a problem has been reported.
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
                None => self.external(written, &path, arguments),
            },
            Lookup::Module => self.not_a_type(written, "a module"),
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
            Some(Target::Module(_)) => return Lookup::Module,
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
            other => self.not_a_type(written, other.noun()),
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
                let message =
                    format!("`{}` lacks the type for its parameter `{}`", text_of(written.ty), parameter.ident);
                self.refuse(written, message, "", format!("write it in `<…>`, as `type {}` says", alias.ident));
                return Named::Refused;
            };
            Rc::make_mut(&mut context.arguments).insert(parameter.ident.unraw().to_string(), Some(argument));
        }
        Named::Other(context.written(&alias.ty))
    }

    fn known(&mut self, written: &Written<'a>, known: StandardType, arguments: &[Written<'a>]) -> Named<'a> {
        Named::Meaning(match (known, arguments) {
            (StandardType::Scalar(scalar), []) => Meaning::Scalar(scalar),
            (StandardType::Str, []) => Meaning::Str,
            (StandardType::String, []) => Meaning::String,
            (StandardType::Vec, [item]) => Meaning::Vec(item.clone()),
            (StandardType::Option, [value]) => Meaning::Option(value.clone()),
            (StandardType::HashMap, [key, value]) => {
                Meaning::Map(Map { rust: "::std::collections::HashMap", key: key.clone(), value: value.clone() })
            }
            (StandardType::BTreeMap, [key, value]) => {
                Meaning::Map(Map { rust: "::std::collections::BTreeMap", key: key.clone(), value: value.clone() })
            }
            (StandardType::HashMap, [_, _, _]) => {
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

    fn not_a_type(&mut self, written: &Written<'a>, noun: &str) -> Named<'a> {
        let message = format!("`{}` is {noun}, not a type", text_of(written.ty));
        self.refuse(written, message, "", "name a type that tells what data crosses".to_string());
        Named::Refused
    }

    /// A type of another crate. Only `Result` can be used without knowing more about it.
    fn external(&mut self, written: &Written<'a>, path: &[String], arguments: Vec<Written<'a>>) -> Named<'a> {
        let name = path.last().map_or("", String::as_str);
        let is_fmt = known::is_standard(path) && path.iter().any(|module| module == "fmt");
        if name == "Result" && arguments.len() <= 2 && (is_fmt || !arguments.is_empty()) {
            let mut arguments = arguments.into_iter();
            return Named::Meaning(Meaning::Result(ResultType { value: arguments.next(), error: arguments.next() }));
        }
        self.refuse_external(written, path, &arguments);
        Named::Refused
    }
}

enum Lookup {
    Item(ItemId),
    External(Vec<String>),
    Primitive(StandardType),
    Module,
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
