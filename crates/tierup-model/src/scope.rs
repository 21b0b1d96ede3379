//! Which names each module has: its own items, what its `use` imports bring, and through them what other modules have.
//!
//! Imports may depend on each other in any order, in chains and in cycles, so they are followed again and again until
//! nothing new is found, as `rustc` does it.

use crate::known;
use crate::tree::{Import, ItemId, ItemKind, ModuleId, Other, Path, Tree, Visibility};
use std::collections::{BTreeMap, BTreeSet};

/// Rust keeps names of these kinds apart: a function and a struct may be called alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Namespace {
    Types,
    Values,
    Macros,
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Target {
    Module(ModuleId),
    Item(ItemId),
    /// In another crate, by its path there: `["std", "collections", "HashMap"]`.
    External(Vec<String>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Binding {
    pub(crate) target: Target,
    pub(crate) visibility: Visibility,
    origin: Origin,
}

/// Where a binding comes from; a later one wins over an earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Glob(usize),
    Import(usize),
    Own,
}

#[derive(Default)]
pub(crate) struct Scope {
    pub(crate) names: BTreeMap<(Namespace, String), Binding>,
    /// `use some_crate::*`: what that brings is not known, except for a few modules of the standard library.
    external_globs: BTreeSet<Vec<String>>,
    /// Imports that lead nowhere, which happens where macros make items.
    pub(crate) unresolved: BTreeMap<String, Path>,
}

/// The names of all modules.
pub(crate) struct Scopes<'a> {
    tree: &'a Tree,
    scopes: Vec<Scope>,
}

impl<'a> Scopes<'a> {
    pub(crate) fn new(tree: &'a Tree) -> Self {
        let mut scopes = Scopes { tree, scopes: tree.modules.iter().map(|_| Scope::default()).collect() };
        scopes.add_own_items();
        scopes.follow_imports();
        scopes
    }

    pub(crate) fn scope(&self, module: ModuleId) -> &Scope {
        &self.scopes[module.0]
    }

    /// What a path means in a module. `None`: nothing that can be seen.
    pub(crate) fn resolve(&self, module: ModuleId, path: &Path, namespace: Namespace) -> Option<Target> {
        self.walk(module, path, namespace).map(|(target, _)| target)
    }

    /// The crates and modules outside this one from which a module imports everything.
    pub(crate) fn external_globs(&self, module: ModuleId) -> impl Iterator<Item = String> {
        self.scope(module).external_globs.iter().map(|path| path.join("::"))
    }

    fn add_own_items(&mut self) {
        for (index, item) in self.tree.items.iter().enumerate() {
            let target = match item.kind {
                ItemKind::Module(id) => Target::Module(id),
                _ => Target::Item(ItemId(index)),
            };
            for namespace in namespaces(&item.kind) {
                let binding =
                    Binding { target: target.clone(), visibility: item.visibility, origin: Origin::Own };
                // The first of two that `#[cfg]` tells apart.
                self.scopes[item.module.0].names.entry((*namespace, item.name.clone())).or_insert(binding);
            }
        }
    }

    fn follow_imports(&mut self) {
        let tree = self.tree;
        let modules = tree.modules.iter().enumerate();
        let imports: Vec<(ModuleId, &Import)> = modules
            .flat_map(|(index, module)| module.imports.iter().map(move |import| (ModuleId(index), import)))
            .collect();
        let mut paths: Vec<Path> = imports.iter().map(|(_, import)| import.path.clone()).collect();
        let mut is_resolved = vec![false; imports.len()];
        // Each round resolves at least one more link of a chain; the bound is for what could swing for ever.
        for _ in 0..2 * imports.len() + 2 {
            let mut has_news = false;
            for (index, (module, import)) in imports.iter().enumerate() {
                let followed = self.follow(index, *module, import, &paths[index]);
                has_news |= followed.is_news;
                is_resolved[index] |= followed.is_resolved;
            }
            if has_news {
                continue;
            }
            // Only now is it sure that a first name is none of the crate's own. Found first, applied after, so that
            // the order of imports does not matter.
            let external: Vec<usize> = (0..imports.len())
                .filter(|&index| !is_resolved[index] && self.starts_outside(imports[index].0, &paths[index]))
                .collect();
            if external.is_empty() {
                break;
            }
            for index in external {
                paths[index].is_absolute = true;
            }
        }
        for (index, (module, import)) in imports.iter().enumerate() {
            if let (false, Some(name)) = (is_resolved[index], &import.name) {
                self.scopes[module.0].unresolved.insert(name.clone(), import.path.clone());
            }
        }
    }

    fn follow(&mut self, index: usize, module: ModuleId, import: &Import, path: &Path) -> Followed {
        let mut followed = Followed { is_news: false, is_resolved: false };
        match &import.name {
            Some(name) => {
                for namespace in [Namespace::Types, Namespace::Values, Namespace::Macros] {
                    let Some((target, visibility)) = self.walk(module, path, namespace) else { continue };
                    let visibility = self.tree.narrower(import.visibility, visibility);
                    let binding = Binding { target, visibility, origin: Origin::Import(index) };
                    followed.is_resolved = true;
                    followed.is_news |= self.bind(module, (namespace, name.clone()), binding);
                }
            }
            None => match self.resolve(module, path, Namespace::Types) {
                Some(Target::Module(from)) => {
                    followed.is_resolved = true;
                    followed.is_news = from != module && self.copy(index, module, import.visibility, from);
                }
                Some(Target::External(path)) => {
                    followed.is_resolved = true;
                    followed.is_news = self.scopes[module.0].external_globs.insert(path);
                }
                Some(Target::Item(_)) | None => {}
            },
        }
        followed
    }

    /// `use from::*`
    fn copy(&mut self, index: usize, module: ModuleId, visibility: Visibility, from: ModuleId) -> bool {
        let names = self.scope(from).names.iter();
        let copies: Vec<_> = names
            .filter(|(_, binding)| self.tree.is_visible(binding.visibility, module))
            .map(|(name, binding)| {
                let visibility = self.tree.narrower(visibility, binding.visibility);
                (name.clone(), Binding { target: binding.target.clone(), visibility, origin: Origin::Glob(index) })
            })
            .collect();
        let globs = self.scope(from).external_globs.clone();
        let mut is_news = false;
        for (name, binding) in copies {
            is_news |= self.bind(module, name, binding);
        }
        for glob in globs {
            is_news |= self.scopes[module.0].external_globs.insert(glob);
        }
        is_news
    }

    fn bind(&mut self, module: ModuleId, name: (Namespace, String), binding: Binding) -> bool {
        let tree = self.tree;
        let names = &mut self.scopes[module.0].names;
        let is_better = match names.get(&name) {
            None => true,
            Some(old) if old.origin == binding.origin => *old != binding,
            Some(old) if old.origin.is_glob() && binding.origin.is_glob() => {
                let narrower = tree.narrower(old.visibility, binding.visibility);
                old.target == binding.target && old.visibility != binding.visibility && narrower == old.visibility
            }
            Some(old) => old.origin.is_glob(),
        };
        if is_better {
            names.insert(name, binding);
        }
        is_better
    }

    /// The target of a path and who can see its last name.
    fn walk(&self, module: ModuleId, path: &Path, namespace: Namespace) -> Option<(Target, Visibility)> {
        let (first, mut rest) = path.segments.split_first()?;
        let space = if rest.is_empty() { namespace } else { Namespace::Types };
        let mut found = match first.as_str() {
            _ if path.is_absolute => (Target::External(vec![first.clone()]), Visibility::Public),
            "crate" => (Target::Module(Tree::ROOT), Visibility::Public),
            "self" => (Target::Module(module), Visibility::Public),
            "super" => (Target::Module(self.tree.module(module).parent?), Visibility::Public),
            name => match self.name(module, name, space) {
                Some(found) => found,
                None if known::is_standard_crate(name) => {
                    (Target::External(vec![first.clone()]), Visibility::Public)
                }
                None => return None,
            },
        };
        while let Some((segment, after)) = rest.split_first() {
            let space = if after.is_empty() { namespace } else { Namespace::Types };
            found = match found.0 {
                Target::Module(id) if segment == "super" => {
                    (Target::Module(self.tree.module(id).parent?), Visibility::Public)
                }
                Target::Module(id) => self.name(id, segment, space)?,
                Target::External(mut path) => {
                    path.push(segment.clone());
                    (Target::External(path), Visibility::Public)
                }
                Target::Item(_) => return None,
            };
            rest = after;
        }
        Some(found)
    }

    fn name(&self, module: ModuleId, name: &str, namespace: Namespace) -> Option<(Target, Visibility)> {
        let scope = self.scope(module);
        if let Some(binding) = scope.names.get(&(namespace, name.to_string())) {
            return Some((binding.target.clone(), binding.visibility));
        }
        let glob = scope.external_globs.iter().find(|glob| known::glob_brings(glob, name))?;
        let path = glob.iter().cloned().chain([name.to_string()]).collect();
        (namespace == Namespace::Types).then_some((Target::External(path), Visibility::Public))
    }

    /// Whether a path can only start at another crate.
    pub(crate) fn starts_outside(&self, module: ModuleId, path: &Path) -> bool {
        let Some(first) = path.segments.first() else { return false };
        let is_keyword = matches!(first.as_str(), "crate" | "self" | "super" | "Self");
        !path.is_absolute && !is_keyword && self.name(module, first, Namespace::Types).is_none()
    }
}

struct Followed {
    is_news: bool,
    is_resolved: bool,
}

impl Origin {
    fn is_glob(self) -> bool {
        matches!(self, Origin::Glob(_))
    }
}

fn namespaces(kind: &ItemKind) -> &'static [Namespace] {
    match kind {
        ItemKind::Function(_) => &[Namespace::Values],
        ItemKind::Struct(item) => match item.fields {
            syn::Fields::Named(_) => &[Namespace::Types],
            // Their constructors are values.
            syn::Fields::Unnamed(_) | syn::Fields::Unit => &[Namespace::Types, Namespace::Values],
        },
        ItemKind::Enum(_) | ItemKind::Union | ItemKind::Alias(_) | ItemKind::Module(_) => &[Namespace::Types],
        ItemKind::Other(Other::Trait) => &[Namespace::Types],
        ItemKind::Other(Other::Macro) => &[Namespace::Macros],
        ItemKind::Other(Other::Constant | Other::Static | Other::ForeignFunction) => &[Namespace::Values],
    }
}
