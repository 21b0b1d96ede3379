//! The first pass: from source texts to a [`Tree`], following `mod name;` from file to file.

use crate::cfg;
use crate::folders::{Candidate, Folders};
use crate::imports;
use crate::outline::outline;
use crate::tree::{File, FileId, Item, ItemKind, Module, ModuleId, Other, Tree, Visibility};
use crate::{CrateInfo, Diagnostic, Place, Sources};
use proc_macro2::Ident;
use syn::ext::IdentExt;

/// Far more than any crate has; only `#[path]` attributes that name one file again and again get there.
const MAX_MODULES: usize = 20_000;

/// Reads all files of a crate.
pub(crate) fn load(info: &CrateInfo, sources: &dyn Sources) -> Result<Tree, Vec<Diagnostic>> {
    let mut loader = Loader { sources, tree: Tree::default(), problems: Vec::new(), unread: Vec::new() };
    match sources.read(&info.root) {
        Some(text) => {
            let file = loader.add_file(info.root.clone(), text);
            let module = loader.add_module(String::new(), None, Visibility::Public, file);
            if let Some(outline) = loader.outline(file) {
                loader.tree.attributes = outline.attrs;
                loader.unread.push((module, outline.items, Folders::beside(&info.root)));
            }
        }
        None => loader.problems.push(
            Diagnostic::new(format!("the library's root file `{}` cannot be read", info.root))
                .hint("a hot crate needs a library: `src/lib.rs`, or `path` in the `[lib]` of its Cargo.toml"),
        ),
    }
    // A list of work rather than recursion, so that no chain of files is too long for the stack.
    while let Some((module, items, folders)) = loader.unread.pop() {
        for item in items {
            loader.item(module, item, &folders);
        }
    }
    if loader.problems.is_empty() { Ok(loader.tree) } else { Err(loader.problems) }
}

struct Loader<'a> {
    sources: &'a dyn Sources,
    tree: Tree,
    problems: Vec<Diagnostic>,
    unread: Vec<(ModuleId, Vec<syn::Item>, Folders)>,
}

impl Loader<'_> {
    fn add_file(&mut self, path: String, text: String) -> FileId {
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_string(),
            None => text,
        };
        self.tree.files.push(File { path, text });
        FileId(self.tree.files.len() - 1)
    }

    fn add_module(&mut self, name: String, parent: Option<ModuleId>, visibility: Visibility, file: FileId) -> ModuleId {
        self.tree.modules.push(Module { name, parent, visibility, file, imports: Vec::new() });
        ModuleId(self.tree.modules.len() - 1)
    }

    fn add_item(&mut self, module: ModuleId, name: &Ident, visibility: &syn::Visibility, kind: ItemKind) {
        let visibility = self.visibility(module, visibility);
        self.tree.items.push(Item { name: name.unraw().to_string(), module, visibility, span: name.span(), kind });
    }

    fn outline(&mut self, file: FileId) -> Option<syn::File> {
        let file = &self.tree.files[file.0];
        outline(&file.text)
            .map_err(|unparsed| {
                let range = unparsed.span.map_or(file.text.len()..file.text.len(), |span| span.byte_range());
                self.problems.push(
                    Diagnostic::new(unparsed.message).at(Place::new(&file.path, &file.text, range)).hint(unparsed.hint),
                );
            })
            .ok()
    }

    fn visibility(&self, module: ModuleId, visibility: &syn::Visibility) -> Visibility {
        match visibility {
            syn::Visibility::Public(_) => Visibility::Public,
            syn::Visibility::Inherited => Visibility::Within(module),
            syn::Visibility::Restricted(restricted) if restricted.path.is_ident("self") => Visibility::Within(module),
            syn::Visibility::Restricted(restricted) if restricted.path.is_ident("super") => {
                Visibility::Within(self.tree.module(module).parent.unwrap_or(Tree::ROOT))
            }
            // `pub(in some::module)` is taken as `pub(crate)`: neither reaches other crates.
            syn::Visibility::Restricted(_) => Visibility::Within(Tree::ROOT),
        }
    }

    fn item(&mut self, module: ModuleId, item: syn::Item, folders: &Folders) {
        if cfg::is_only_for_tests(attributes(&item)) {
            return;
        }
        use syn::Item::*;
        match item {
            Fn(item) => {
                let (name, visibility) = (item.sig.ident.clone(), item.vis.clone());
                self.add_item(module, &name, &visibility, ItemKind::Function(Box::new(item)));
            }
            Struct(item) => {
                let (name, visibility) = (item.ident.clone(), item.vis.clone());
                self.add_item(module, &name, &visibility, ItemKind::Struct(Box::new(item)));
            }
            Enum(item) => {
                let (name, visibility) = (item.ident.clone(), item.vis.clone());
                self.add_item(module, &name, &visibility, ItemKind::Enum(Box::new(item)));
            }
            Type(item) => {
                let (name, visibility) = (item.ident.clone(), item.vis.clone());
                self.add_item(module, &name, &visibility, ItemKind::Alias(Box::new(item)));
            }
            Union(item) => self.add_item(module, &item.ident, &item.vis, ItemKind::Union),
            Mod(item) => self.module(module, item, folders),
            Use(item) => {
                let visibility = self.visibility(module, &item.vis);
                self.tree.modules[module.0].imports.extend(imports::of_use(&item, visibility));
            }
            ExternCrate(item) => {
                let visibility = self.visibility(module, &item.vis);
                self.tree.modules[module.0].imports.push(imports::of_extern_crate(&item, visibility));
            }
            Const(item) => self.add_item(module, &item.ident, &item.vis, ItemKind::Other(Other::Constant)),
            Static(item) => self.add_item(module, &item.ident, &item.vis, ItemKind::Other(Other::Static)),
            Trait(item) => self.add_item(module, &item.ident, &item.vis, ItemKind::Other(Other::Trait)),
            TraitAlias(item) => self.add_item(module, &item.ident, &item.vis, ItemKind::Other(Other::Trait)),
            Macro(item) => {
                if let Some(name) = &item.ident {
                    self.add_item(module, name, &syn::Visibility::Inherited, ItemKind::Other(Other::Macro));
                }
            }
            ForeignMod(block) => {
                for item in &block.items {
                    if let syn::ForeignItem::Fn(item) = item {
                        let kind = ItemKind::Other(Other::ForeignFunction);
                        self.add_item(module, &item.sig.ident, &item.vis, kind);
                    }
                }
            }
            _ => {}
        }
    }

    fn module(&mut self, parent: ModuleId, mut item: syn::ItemMod, folders: &Folders) {
        let name = item.ident.unraw().to_string();
        let path = path_attribute(&item.attrs);
        if self.tree.modules.len() >= MAX_MODULES {
            let message = format!("this crate has more than {MAX_MODULES} modules");
            self.refuse_module(parent, &item, message, "does a `#[path]` lead round in circles?");
            self.unread.clear();
            return;
        }
        let (file, items, folders) = match item.content.take() {
            Some((_, items)) => (self.tree.module(parent).file, items, folders.inside(&name, path.as_deref())),
            None => {
                let candidates = folders.candidates(&name, path.as_deref());
                let Some((candidate, text)) = self.find(&candidates) else {
                    // A module for some feature or target only may be in a file that is made or shipped with it.
                    if !cfg::is_conditional(&item.attrs) {
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

    /// Whether a module or one that it is in was read from that file.
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

/// `#[path = "…"]`
fn path_attribute(attributes: &[syn::Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(syn::MetaNameValue {
            path,
            value: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }),
            ..
        }) if path.is_ident("path") => Some(text.value()),
        _ => None,
    })
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    use syn::Item::*;
    match item {
        Const(item) => &item.attrs,
        Enum(item) => &item.attrs,
        ExternCrate(item) => &item.attrs,
        Fn(item) => &item.attrs,
        ForeignMod(item) => &item.attrs,
        Impl(item) => &item.attrs,
        Macro(item) => &item.attrs,
        Mod(item) => &item.attrs,
        Static(item) => &item.attrs,
        Struct(item) => &item.attrs,
        Trait(item) => &item.attrs,
        TraitAlias(item) => &item.attrs,
        Type(item) => &item.attrs,
        Union(item) => &item.attrs,
        Use(item) => &item.attrs,
        _ => &[],
    }
}
