//! Structs and enums: which can be taken apart and built by generated code, and what they are made of.

use crate::cfg;
use crate::docs::docs;
use crate::interface::{Case, Definition, DefinitionKind, Field, Payload};
use crate::public::absolute;
use crate::reader::{Context, Reader, Written, text_of};
use crate::tree::{ItemId, ItemKind, Tree, Visibility};
use crate::types::Role;
use crate::Diagnostic;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Fields, GenericParam, Generics};

/// A case's number is one byte on the wire.
const MAX_CASES: usize = 256;

/// How far the reading of a definition is.
pub(crate) enum State {
    Open,
    /// Its index.
    Read(usize),
    /// Its problems have been reported.
    Refused,
}

impl<'a> Reader<'a> {
    /// The index of the definition of an item, which is read if it has not been. `None`: it has been reported.
    pub(crate) fn definition(&mut self, item: ItemId, used: &Written<'a>) -> Option<usize> {
        match self.states.get(&item) {
            Some(State::Read(index)) => return Some(*index),
            Some(State::Refused) => return None,
            Some(State::Open) => {
                self.refuse_recursion(item, used);
                return None;
            }
            None => {}
        }
        self.states.insert(item, State::Open);
        self.open.push(item);
        let definition = self.read_definition(item);
        self.open.pop();
        let Some(definition) = definition else {
            self.states.insert(item, State::Refused);
            return None;
        };
        let index = self.definitions.len();
        self.definitions.push(definition);
        self.states.insert(item, State::Read(index));
        Some(index)
    }

    fn refuse_recursion(&mut self, item: ItemId, used: &Written<'a>) {
        let start = self.open.iter().position(|open| *open == item).unwrap_or(0);
        let cycle = self.open[start..].iter().chain([&item]).map(|open| format!("`{}`", self.tree.item(*open).name));
        let cycle = cycle.collect::<Vec<_>>().join(" → ");
        let name = &self.tree.item(item).name;
        let message = format!("`{name}` contains itself: {cycle}");
        let hint = format!("keep all of them in one `Vec<{name}>`, and refer to each by its index there");
        self.refuse(used, message, "recursive types cannot cross to a host", hint);
    }

    fn read_definition(&mut self, id: ItemId) -> Option<Definition> {
        let item = self.tree.item(id);
        let path = self.nameable(id);
        let context = Context { this: Some(id), ..Context::new(item.module) };
        let (docs, kind) = match &item.kind {
            ItemKind::Struct(item) => {
                let is_plain = self.check_plain(id, &item.attrs, &item.generics, "a struct");
                let fields = self.read_struct(id, item, &context);
                (docs(&item.attrs), is_plain.then_some(()).and(fields).map(DefinitionKind::Record))
            }
            ItemKind::Enum(item) => {
                let is_plain = self.check_plain(id, &item.attrs, &item.generics, "an enum");
                let cases = self.read_enum(id, item, &context);
                (docs(&item.attrs), is_plain.then_some(()).and(cases).map(DefinitionKind::Enum))
            }
            other => {
                let message = format!("`{}` is {}", item.name, other.noun());
                let hint = "define an enum: it knows which of its cases it is".to_string();
                self.refuse_at(item.module, item.span, message, "nothing tells which of its fields is set", hint);
                (String::new(), None)
            }
        };
        let path = path?;
        let name = path.last().cloned().unwrap_or_default();
        let path = absolute(self.library, &path);
        let definition = Definition { name, path, docs, kind: kind? };
        if let Some(other) = self.definitions.iter().find(|other| other.name == definition.name) {
            let message = format!("two types are called `{}`: `{}` and `{}`", other.name, other.path, definition.path);
            let hint = format!(
                "rename one, or give it another name at the root: `pub use {} as Other{};`",
                self.tree.item_path(id),
                definition.name
            );
            self.refuse_at(item.module, item.span, message, "the second", hint);
            return None;
        }
        Some(definition)
    }

    /// The path by which other crates can name a type.
    fn nameable(&mut self, id: ItemId) -> Option<Vec<String>> {
        if let Some(path) = self.public.of(id) {
            return Some(path.to_vec());
        }
        let diagnostic = not_nameable(self.tree, id);
        self.report(diagnostic);
        None
    }

    /// No generics, and nothing that keeps other crates from building it.
    fn check_plain(&mut self, id: ItemId, attributes: &[Attribute], generics: &Generics, noun: &str) -> bool {
        let (module, name) = (self.tree.item(id).module, &self.tree.item(id).name);
        if let Some(parameter) = generics.params.first() {
            let (label, hint) = match parameter {
                GenericParam::Lifetime(_) => (
                    "it borrows from something that hosts do not have",
                    "own the data: `String` for `&str`, `Vec<u8>` for `&[u8]`".to_string(),
                ),
                _ => ("not one type but many", format!("write {noun} for each type that `{name}` is used with")),
            };
            let message = format!("`{name}` has parameters, so it cannot cross to a host");
            self.refuse_at(module, generics.params.span(), message, label, hint);
        }
        let exhaustive = self.check_exhaustive(id, attributes, name);
        exhaustive && generics.params.is_empty()
    }

    fn check_exhaustive(&mut self, id: ItemId, attributes: &[Attribute], name: &str) -> bool {
        let Some(attribute) = attributes.iter().find(|attribute| attribute.path().is_ident("non_exhaustive")) else {
            return true;
        };
        let message = format!("`{name}` is `#[non_exhaustive]`, so only this crate can build it");
        let hint = "remove the attribute: the interface is checked at every build".to_string();
        self.refuse_at(self.tree.item(id).module, attribute.span(), message, "", hint);
        false
    }

    fn read_struct(&mut self, id: ItemId, item: &'a syn::ItemStruct, context: &Context<'a>) -> Option<Vec<Field>> {
        let (module, name) = (self.tree.item(id).module, &self.tree.item(id).name);
        let parameters = opaque(&item.generics, context);
        match &item.fields {
            Fields::Named(fields) if !fields.named.is_empty() => {
                let mut is_public = true;
                for field in present(&fields.named) {
                    if let (Some(ident), false) = (&field.ident, matches!(field.vis, syn::Visibility::Public(_))) {
                        let message = format!("the field `{ident}` of `{name}` is not public");
                        let hint = format!("write `pub {ident}: {}`, or define a struct for hosts with public fields only", text_of(&field.ty));
                        self.refuse_at(module, ident.span(), message, "generated code must read and set every field", hint);
                        is_public = false;
                    }
                }
                let fields = self.read_fields(present(&fields.named), &parameters);
                fields.filter(|_| is_public)
            }
            Fields::Unnamed(fields) => {
                let parts = fields.unnamed.iter().enumerate();
                let named = parts.map(|(index, field)| format!("pub field{index}: {}", text_of(&field.ty)));
                let named = named.collect::<Vec<_>>().join(", ");
                let message = format!("`{name}` is a tuple struct");
                let hint = format!("name its fields: `struct {name} {{ {named} }}`");
                self.refuse_at(module, fields.span(), message, "hosts have no names for these fields", hint);
                None
            }
            Fields::Named(_) | Fields::Unit => {
                let message = format!("`{name}` has no fields");
                let hint = "leave it out, or use `bool`".to_string();
                self.refuse_at(module, item.ident.span(), message, "it carries nothing", hint);
                None
            }
        }
    }

    fn read_enum(&mut self, id: ItemId, item: &'a syn::ItemEnum, context: &Context<'a>) -> Option<Vec<Case>> {
        let (module, name) = (self.tree.item(id).module, &self.tree.item(id).name);
        let parameters = opaque(&item.generics, context);
        let variants = || item.variants.iter().filter(|variant| !cfg::is_only_for_tests(&variant.attrs));
        let count = variants().count();
        if count == 0 {
            let message = format!("`{name}` has no cases, so it has no values");
            self.refuse_at(module, item.ident.span(), message, "", "add a case, or leave the type out".to_string());
        }
        if count > MAX_CASES {
            let message = format!("`{name}` has {count} cases, and only {MAX_CASES} can be told apart on the wire");
            self.refuse_at(module, item.ident.span(), message, "", "use a number or text instead".to_string());
        }
        let cases: Vec<_> = variants().map(|variant| self.read_case(id, variant, &parameters)).collect();
        let cases: Option<Vec<Case>> = cases.into_iter().collect();
        cases.filter(|cases| (1..=MAX_CASES).contains(&cases.len()))
    }

    fn read_case(&mut self, id: ItemId, variant: &'a syn::Variant, context: &Context<'a>) -> Option<Case> {
        let name = variant.ident.unraw().to_string();
        let is_exhaustive = self.check_exhaustive(id, &variant.attrs, &name);
        let payload = match &variant.fields {
            Fields::Unit => Some(Payload::None),
            fields if fields.is_empty() => {
                let message = format!("the case `{name}` has brackets with nothing in them");
                let hint = format!("write `{name}`");
                self.refuse_at(context.module, variant.span(), message, "", hint);
                None
            }
            Fields::Unnamed(fields) => {
                let types = present(&fields.unnamed).map(|field| self.read(&context.written(&field.ty), Role::Field));
                let types: Vec<_> = types.collect();
                let types: Option<Vec<_>> = types.into_iter().map(|read| read.map(|read| (read.ty, read.rust))).collect();
                types.map(Payload::Tuple)
            }
            Fields::Named(fields) => self.read_fields(present(&fields.named), context).map(Payload::Named),
        };
        Some(Case { name, docs: docs(&variant.attrs), payload: payload.filter(|_| is_exhaustive)? })
    }

    fn read_fields(&mut self, fields: impl Iterator<Item = &'a syn::Field>, context: &Context<'a>) -> Option<Vec<Field>> {
        let read: Vec<Option<Field>> = fields
            .map(|field| {
                let read = self.read(&context.written(&field.ty), Role::Field)?;
                let name = field.ident.as_ref()?.unraw().to_string();
                Some(Field { name, docs: docs(&field.attrs), ty: read.ty, rust: read.rust })
            })
            .collect();
        read.into_iter().collect()
    }
}

/// The fields outside of tests.
fn present<'a, P>(fields: &'a syn::punctuated::Punctuated<syn::Field, P>) -> impl Iterator<Item = &'a syn::Field> {
    fields.iter().filter(|field| !cfg::is_only_for_tests(&field.attrs))
}

/// Generic parameters have been refused, so types that name them need not be.
pub(crate) fn opaque<'a>(generics: &Generics, context: &Context<'a>) -> Context<'a> {
    let names = generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(parameter) => Some(parameter.ident.unraw().to_string()),
        GenericParam::Const(parameter) => Some(parameter.ident.unraw().to_string()),
        GenericParam::Lifetime(_) => None,
    });
    Context { arguments: names.map(|name| (name, None)).collect::<std::collections::BTreeMap<_, _>>().into(), ..context.clone() }
}

/// Why other crates cannot name an item that no public path leads to.
pub(crate) fn not_nameable(tree: &Tree, id: ItemId) -> Diagnostic {
    let item = tree.item(id);
    let noun = item.kind.noun();
    let noun = noun.split(' ').next_back().unwrap_or(noun);
    let path = tree.item_path(id);
    let diagnostic = Diagnostic::new(format!("`{path}` cannot be named from outside this crate")).at(tree.place_of(id));
    if item.visibility != Visibility::Public {
        let keyword = if noun == "function" { "fn" } else { noun };
        return diagnostic.label("not public").hint(format!("write `pub {keyword} {}`", item.name));
    }
    let mut hidden = Vec::new();
    let mut is_within_reach = true;
    let mut module = item.module;
    while let Some(parent) = tree.module(module).parent {
        let visibility = tree.module(module).visibility;
        if visibility != Visibility::Public {
            hidden.push(format!("`mod {}`", tree.module(module).name));
        }
        is_within_reach &= tree.is_visible(visibility, Tree::ROOT);
        module = parent;
    }
    hidden.reverse();
    let hidden = hidden.join(" and ");
    let file = &tree.files[tree.module(Tree::ROOT).file.0].path;
    let hint = if is_within_reach {
        format!("add `pub use {path};` to {file}, or make {hidden} public")
    } else {
        format!("make {hidden} public, or re-export it from there: `pub use`")
    };
    diagnostic.label("in a private module").hint(hint)
}
