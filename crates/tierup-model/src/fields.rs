//! The contents of records and enums: named fields, and cases with or without a payload.

use crate::cfg;
use crate::definitions::opaque;
use crate::docs::docs;
use crate::interface::{Case, Field, Payload};
use crate::reader::{Context, Reader, text_of};
use crate::tree::ItemId;
use crate::types::Role;
use syn::Fields;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

/// A case's number is one byte on the wire.
const MAX_CASES: usize = 256;

impl<'a> Reader<'a> {
    pub(crate) fn read_struct(
        &mut self,
        id: ItemId,
        item: &'a syn::ItemStruct,
        context: &Context<'a>,
    ) -> Option<Vec<Field>> {
        let (module, name) = (self.tree.item(id).module, &self.tree.item(id).name);
        let parameters = opaque(&item.generics, context);
        match &item.fields {
            Fields::Named(fields) => {
                let mut is_public = true;
                for field in present(&fields.named) {
                    if let (Some(ident), false) = (&field.ident, matches!(field.vis, syn::Visibility::Public(_))) {
                        let message = format!("the field `{ident}` of `{name}` is not public");
                        let hint = format!(
                            "write `pub {ident}: {}`, or define a struct for hosts with public fields only",
                            text_of(&field.ty)
                        );
                        self.refuse_at(
                            module,
                            ident.span(),
                            message,
                            "generated code must read and set every field",
                            hint,
                        );
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
            Fields::Unit => {
                let message = format!("`{name}` is a struct without a body");
                let hint = format!("leave it out, or write `struct {name} {{}}` for an empty record");
                self.refuse_at(module, item.ident.span(), message, "it carries nothing", hint);
                None
            }
        }
    }

    pub(crate) fn read_enum(
        &mut self,
        id: ItemId,
        item: &'a syn::ItemEnum,
        context: &Context<'a>,
    ) -> Option<Vec<Case>> {
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
                let types: Option<Vec<_>> =
                    types.into_iter().map(|read| read.map(|read| (read.ty, read.rust))).collect();
                types.map(Payload::Tuple)
            }
            Fields::Named(fields) => self.read_fields(present(&fields.named), context).map(Payload::Named),
        };
        Some(Case { name, docs: docs(&variant.attrs), payload: payload.filter(|_| is_exhaustive)? })
    }

    fn read_fields(
        &mut self,
        fields: impl Iterator<Item = &'a syn::Field>,
        context: &Context<'a>,
    ) -> Option<Vec<Field>> {
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

/// The fields that exist outside of tests.
fn present<P>(fields: &Punctuated<syn::Field, P>) -> impl Iterator<Item = &syn::Field> {
    fields.iter().filter(|field| !cfg::is_only_for_tests(&field.attrs))
}
