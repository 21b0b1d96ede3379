//! `mod name { … }` and `mod name;`: where the items of a module are.

use crate::cfg;
use crate::folders::{Candidate, Folders};
use crate::load::Loader;
use crate::tree::{ItemKind, ModuleId};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, MetaNameValue, Token};
use tierup_diagnostic::Diagnostic;

/// Far more than any crate has. Only `#[path]` attributes that name the same file repeatedly reach this.
const MAX_MODULES: usize = 20_000;

impl Loader<'_> {
    /// `mod name { … }` and `mod name;`
    pub(crate) fn module(&mut self, parent: ModuleId, mut item: syn::ItemMod, folders: &Folders) {
        let name = item.ident.unraw().to_string();
        let paths = Paths::read(&item.attrs);
        if self.tree.modules.len() >= MAX_MODULES {
            let message = format!("this crate has more than {MAX_MODULES} modules");
            self.refuse_module(parent, &item, message, "does a `#[path]` lead round in circles?");
            self.unread.clear();
            return;
        }
        let (file, items, folders) = match item.content.take() {
            Some((_, items)) => (self.tree.module(parent).file, items, folders.inside(&name, paths.always.as_deref())),
            None => {
                let candidates = paths.candidates(&name, folders);
                let Some((candidate, text)) = self.find(&candidates) else {
                    // A module for some feature or target only may have a file that is generated or shipped with it.
                    if !cfg::is_conditional(&item.attrs) && paths.sometimes.is_empty() {
                        let files: Vec<_> =
                            candidates.iter().map(|candidate| format!("`{}`", candidate.file)).collect();
                        let message = format!("the file of module `{name}` cannot be found");
                        self.refuse_module(parent, &item, message, &format!("it should be {}", files.join(" or ")));
                    }
                    return;
                };
                if self.is_open(parent, &candidate.file) {
                    let message =
                        format!("module `{name}` is in the file `{}`, which it is declared in", candidate.file);
                    self.refuse_module(parent, &item, message, "give it a file of its own");
                    return;
                }
                let file = self.add_file(candidate.file.clone(), text);
                let Some(outline) = self.outline(file) else { return };
                (file, outline.items, candidate.folders.clone())
            }
        };
        let visibility = self.visibility(parent, &item.vis);
        let id = self.add_module(name, Some(parent), visibility, file);
        self.add_item(parent, &item.ident, &item.vis, ItemKind::Module(id));
        self.unread.push((id, items, folders));
    }

    fn find<'c>(&self, candidates: &'c [Candidate]) -> Option<(&'c Candidate, String)> {
        candidates.iter().find_map(|candidate| Some((candidate, self.sources.read(&candidate.file)?)))
    }

    /// Whether a module, or one around it, was read from that file.
    fn is_open(&self, module: ModuleId, file: &str) -> bool {
        let mut module = Some(module);
        while let Some(id) = module {
            let opened = self.tree.module(id);
            if self.tree.files[opened.file.0].path == file {
                return true;
            }
            module = opened.parent;
        }
        false
    }

    fn refuse_module(&mut self, parent: ModuleId, item: &syn::ItemMod, message: String, hint: &str) {
        let place = self.tree.place(parent, item.ident.span());
        self.problems.push(Diagnostic::new(message).at(place).hint(hint));
    }
}

/// The places of a module's file that its attributes name.
struct Paths {
    /// `#[path = "…"]`
    always: Option<String>,
    /// `#[cfg_attr(…, path = "…")]`: for some features or targets.
    sometimes: Vec<String>,
}

impl Paths {
    fn read(attributes: &[Attribute]) -> Self {
        let always = attributes.iter().find_map(|attribute| path(&attribute.meta));
        let conditional = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg_attr"));
        let metas = conditional
            .filter_map(|attribute| attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok());
        let sometimes = metas.filter_map(|metas| metas.iter().skip(1).find_map(path)).collect();
        Paths { always, sometimes }
    }

    fn candidates(&self, name: &str, folders: &Folders) -> Vec<Candidate> {
        if self.always.is_some() {
            return folders.candidates(name, self.always.as_deref());
        }
        let sometimes = self.sometimes.iter().flat_map(|path| folders.candidates(name, Some(path)));
        sometimes.chain(folders.candidates(name, None)).collect()
    }
}

fn path(meta: &Meta) -> Option<String> {
    match meta {
        Meta::NameValue(MetaNameValue { path, value: Expr::Lit(ExprLit { lit: Lit::Str(text), .. }), .. })
            if path.is_ident("path") =>
        {
            Some(text.value())
        }
        _ => None,
    }
}
