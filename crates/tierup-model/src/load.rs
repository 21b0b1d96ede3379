//! The first pass: from source texts to a [`Tree`], following `mod name;` from file to file.

use std::collections::{BTreeMap, HashMap};

use proc_macro2::Ident;
use syn::{UseTree, ext::IdentExt};
use tierup_diagnostic::{Diagnostic, Place};

use crate::{
    cfg,
    folders::Folders,
    outline::outline,
    tree::{File, FileId, Import, Item, ItemKind, Module, ModuleId, Other, Path, Tree, Visibility},
};

/// The texts of one crate: from a disk, an editor's buffers or a test's map, as this crate reads no files itself.
pub trait Sources {
    /// The text of a file; `path` is relative to the crate's folder with `/` between its parts, e.g. `src/lib.rs`
    /// (a `#[path]` attribute may lead outside: `../shared/shapes.rs`). `None` if the file does not exist.
    fn read(&self, path: &str) -> Option<String>;
}

impl Sources for HashMap<String, String> {
    fn read(&self, path: &str) -> Option<String> {
        self.get(path).cloned()
    }
}

impl Sources for BTreeMap<String, String> {
    fn read(&self, path: &str) -> Option<String> {
        self.get(path).cloned()
    }
}

/// The crate whose interface is read, as cargo knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrateInfo {
    /// The name of the cargo package, e.g. `near-words`.
    pub package: String,
    /// The name that Rust code uses for its library, e.g. `near_words`.
    pub library: String,
    /// The version of the cargo package, e.g. `0.1.0`.
    pub version: String,
    /// The file that the library starts from, e.g. `src/lib.rs`.
    pub root: String,
}

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
    // A work list instead of recursion, so that no chain of files is too long for the stack.
    while let Some((module, items, folders)) = loader.unread.pop() {
        for item in items {
            loader.item(module, item, &folders);
        }
    }
    if loader.problems.is_empty() { Ok(loader.tree) } else { Err(loader.problems) }
}

pub(crate) struct Loader<'a> {
    pub(crate) sources: &'a dyn Sources,
    pub(crate) tree: Tree,
    pub(crate) problems: Vec<Diagnostic>,
    /// Modules whose items are still to be looked at.
    pub(crate) unread: Vec<(ModuleId, Vec<syn::Item>, Folders)>,
}

impl Loader<'_> {
    pub(crate) fn add_file(&mut self, path: String, text: String) -> FileId {
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_string(),
            None => text,
        };
        self.tree.files.push(File { path, text });
        FileId(self.tree.files.len() - 1)
    }

    pub(crate) fn add_module(
        &mut self,
        name: String,
        parent: Option<ModuleId>,
        visibility: Visibility,
        file: FileId,
    ) -> ModuleId {
        self.tree.modules.push(Module { name, parent, visibility, file, imports: Vec::new() });
        ModuleId(self.tree.modules.len() - 1)
    }

    pub(crate) fn add_item(&mut self, module: ModuleId, name: &Ident, visibility: &syn::Visibility, kind: ItemKind) {
        let visibility = self.visibility(module, visibility);
        self.tree.items.push(Item { name: name.unraw().to_string(), module, visibility, span: name.span(), kind });
    }

    pub(crate) fn outline(&mut self, file: FileId) -> Option<syn::File> {
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

    pub(crate) fn visibility(&self, module: ModuleId, visibility: &syn::Visibility) -> Visibility {
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
                self.tree.modules[module.0].imports.extend(of_use(&item, visibility));
            }
            ExternCrate(item) => {
                let visibility = self.visibility(module, &item.vis);
                self.tree.modules[module.0].imports.push(of_extern_crate(&item, visibility));
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

/// The names that a `use` brings into its module.
fn of_use(item: &syn::ItemUse, visibility: Visibility) -> Vec<Import> {
    let mut imports = Vec::new();
    let start = Path { is_absolute: item.leading_colon.is_some(), segments: Vec::new() };
    collect(&item.tree, start, visibility, &mut imports);
    imports
}

/// `extern crate name as other;` is `use ::name as other;`.
fn of_extern_crate(item: &syn::ItemExternCrate, visibility: Visibility) -> Import {
    let name = item.rename.as_ref().map_or(&item.ident, |(_, rename)| rename);
    let path = if item.ident == "self" {
        Path { is_absolute: false, segments: vec!["crate".to_string()] }
    } else {
        Path { is_absolute: true, segments: vec![item.ident.unraw().to_string()] }
    };
    Import { visibility, path, name: Some(name.unraw().to_string()) }
}

fn collect(tree: &UseTree, mut path: Path, visibility: Visibility, imports: &mut Vec<Import>) {
    match tree {
        UseTree::Path(part) => {
            path.segments.push(part.ident.unraw().to_string());
            collect(&part.tree, path, visibility, imports);
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                collect(tree, path.clone(), visibility, imports);
            }
        }
        UseTree::Glob(_) => imports.push(Import { visibility, path, name: None }),
        UseTree::Name(part) => {
            // `use shapes::{self}` brings `shapes`.
            if part.ident != "self" || path.segments.is_empty() {
                path.segments.push(part.ident.unraw().to_string());
            }
            if let Some(name) = path.segments.last().cloned() {
                imports.push(Import { visibility, path, name: Some(name) });
            }
        }
        UseTree::Rename(part) => {
            if part.ident != "self" || path.segments.is_empty() {
                path.segments.push(part.ident.unraw().to_string());
            }
            // `as _` brings a trait's methods, not a name.
            if part.rename != "_" {
                imports.push(Import { visibility, path, name: Some(part.rename.unraw().to_string()) });
            }
        }
    }
}
