//! The names of each module: its own items, and those that its `use` imports bring (see `follow`).

use crate::known;
use crate::tree::{ItemId, ItemKind, ModuleId, Other, Path, Tree, Visibility};
use std::collections::{BTreeMap, BTreeSet};

/// Rust keeps names of these kinds apart: a function and a struct may have the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Namespace {
    Types,
    Values,
    Macros,
}

/// The item that a name stands for.
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
    pub(crate) origin: Origin,
}

/// Where a binding comes from; a later one wins over an earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Glob(usize),
    Import(usize),
    Own,
}

#[derive(Default)]
pub(crate) struct Scope {
    pub(crate) names: BTreeMap<(Namespace, String), Binding>,
    /// `use some_crate::*`: the imported names are not known, except for a few modules of the standard library.
    pub(crate) external_globs: BTreeSet<Vec<String>>,
    /// Imports that cannot be resolved, which happens where macros make items.
    pub(crate) unresolved: BTreeMap<String, Path>,
}

/// The names of all modules.
pub(crate) struct Scopes<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) scopes: Vec<Scope>,
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

    /// The target of a path in a module. `None`: no item that can be seen.
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
                let binding = Binding { target: target.clone(), visibility: item.visibility, origin: Origin::Own };
                // Of two items with the same name under different `#[cfg]`, the first is kept.
                self.scopes[item.module.0].names.entry((*namespace, item.name.clone())).or_insert(binding);
            }
        }
    }

    pub(crate) fn bind(&mut self, module: ModuleId, name: (Namespace, String), binding: Binding) -> bool {
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
    pub(crate) fn walk(&self, module: ModuleId, path: &Path, namespace: Namespace) -> Option<(Target, Visibility)> {
        let (first, mut rest) = path.segments.split_first()?;
        let space = if rest.is_empty() { namespace } else { Namespace::Types };
        let mut found = match first.as_str() {
            _ if path.is_absolute => (Target::External(vec![first.clone()]), Visibility::Public),
            "crate" => (Target::Module(Tree::ROOT), Visibility::Public),
            "self" => (Target::Module(module), Visibility::Public),
            "super" => (Target::Module(self.tree.module(module).parent?), Visibility::Public),
            name => match self.name(module, name, space) {
                Some(found) => found,
                None if known::is_standard_crate(name) => (Target::External(vec![first.clone()]), Visibility::Public),
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
