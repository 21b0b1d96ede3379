//! Structs and enums: which of them generated code can take apart and build, and what they contain.

use crate::docs::docs;
use crate::interface::{Definition, DefinitionKind};
use crate::public::{absolute, not_nameable};
use crate::reader::{Context, Reader, State, Written};
use crate::tree::{ItemId, ItemKind};
use std::collections::BTreeMap;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, GenericParam, Generics};

impl<'a> Reader<'a> {
    /// The index of an item's definition, which is read when first used. `None`: a problem has been reported.
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

    pub(crate) fn refuse_recursion(&mut self, item: ItemId, used: &Written<'a>) {
        let start = self.open.iter().position(|open| *open == item).unwrap_or(0);
        let cycle = self.open[start..].iter().chain([&item]).map(|open| format!("`{}`", self.tree.item(*open).name));
        let cycle = cycle.collect::<Vec<_>>().join(" → ");
        let name = &self.tree.item(item).name;
        let message = format!("`{name}` contains itself: {cycle}");
        let hint = format!("store all of them in one `Vec<{name}>`, and refer to each by its index");
        self.refuse(used, message, "recursive types are not supported", hint);
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
                let hint = "define an enum: it stores which variant it holds".to_string();
                self.refuse_at(
                    item.module,
                    item.span,
                    message,
                    "a union does not store which of its fields is set",
                    hint,
                );
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
        if let Some(path) = self.public.path(id) {
            return Some(path.to_vec());
        }
        let diagnostic = not_nameable(self.tree, id);
        self.report(diagnostic);
        None
    }

    /// Checks that an item has no generics, and nothing that keeps other crates from building it.
    fn check_plain(&mut self, id: ItemId, attributes: &[Attribute], generics: &Generics, noun: &str) -> bool {
        let (module, name) = (self.tree.item(id).module, &self.tree.item(id).name);
        if let Some(parameter) = generics.params.first() {
            let (label, hint) = match parameter {
                GenericParam::Lifetime(_) => (
                    "it borrows data, and hosts pass copies",
                    "own the data: `String` for `&str`, `Vec<u8>` for `&[u8]`".to_string(),
                ),
                _ => (
                    "generic types are not supported",
                    format!("write {noun} for each type that `{name}` is used with"),
                ),
            };
            let message = format!("`{name}` has generic or lifetime parameters, which is not supported");
            self.refuse_at(module, generics.params.span(), message, label, hint);
        }
        let exhaustive = self.check_exhaustive(id, attributes, name);
        exhaustive && generics.params.is_empty()
    }

    pub(crate) fn check_exhaustive(&mut self, id: ItemId, attributes: &[Attribute], name: &str) -> bool {
        let Some(attribute) = attributes.iter().find(|attribute| attribute.path().is_ident("non_exhaustive")) else {
            return true;
        };
        let message = format!("`{name}` is `#[non_exhaustive]`, so only this crate can build it");
        let hint = "remove the attribute: the interface is checked at every build".to_string();
        self.refuse_at(self.tree.item(id).module, attribute.span(), message, "", hint);
        false
    }
}

/// Types that name these generic parameters are not refused again, as the parameters already were.
pub(crate) fn opaque<'a>(generics: &Generics, context: &Context<'a>) -> Context<'a> {
    let names = generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(parameter) => Some(parameter.ident.unraw().to_string()),
        GenericParam::Const(parameter) => Some(parameter.ident.unraw().to_string()),
        GenericParam::Lifetime(_) => None,
    });
    let arguments: BTreeMap<_, _> = names.map(|name| (name, None)).collect();
    Context { arguments: arguments.into(), ..context.clone() }
}
