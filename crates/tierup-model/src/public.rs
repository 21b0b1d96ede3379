//! The paths by which other crates can name the items of this one.

use crate::scope::{Namespace, Scopes, Target};
use crate::tree::{ItemId, ModuleId, Tree, Visibility};
use std::collections::{BTreeMap, VecDeque};
use tierup_diagnostic::Diagnostic;

/// The shortest public path of each item that has one. Among equals the place of definition comes first, then the
/// item's own name, then the alphabet.
pub(crate) struct PublicPaths {
    paths: BTreeMap<ItemId, Vec<String>>,
}

impl PublicPaths {
    pub(crate) fn new(tree: &Tree, scopes: &Scopes<'_>) -> Self {
        let mut best: BTreeMap<ItemId, (usize, bool, bool, Vec<String>)> = BTreeMap::new();
        let mut modules: BTreeMap<ModuleId, Vec<String>> = BTreeMap::from([(Tree::ROOT, Vec::new())]);
        let mut queue = VecDeque::from([Tree::ROOT]);
        // Breadth first, so a module's first path is its shortest.
        while let Some(module) = queue.pop_front() {
            let path = modules.get(&module).cloned().unwrap_or_default();
            for ((namespace, name), binding) in &scopes.scope(module).names {
                if binding.visibility != Visibility::Public || *namespace == Namespace::Macros {
                    continue;
                }
                let path: Vec<String> = path.iter().chain([name]).cloned().collect();
                match binding.target {
                    Target::Module(inner) => {
                        modules.entry(inner).or_insert_with(|| {
                            queue.push_back(inner);
                            path
                        });
                    }
                    Target::Item(id) => {
                        let item = tree.item(id);
                        let rank = (path.len(), item.module != module, item.name != *name, path);
                        let known = best.entry(id).or_insert_with(|| rank.clone());
                        if rank < *known {
                            *known = rank;
                        }
                    }
                    Target::External(_) => {}
                }
            }
        }
        PublicPaths { paths: best.into_iter().map(|(id, (.., path))| (id, path)).collect() }
    }

    pub(crate) fn path(&self, item: ItemId) -> Option<&[String]> {
        self.paths.get(&item).map(Vec::as_slice)
    }
}

/// `::library::shapes::r#type`: the path by which any crate that depends on the library names the item.
pub(crate) fn absolute(library: &str, path: &[String]) -> String {
    let names = path.iter().map(|name| as_identifier(name));
    names.fold(format!("::{library}"), |absolute, name| absolute + "::" + &name)
}

/// `type` becomes `r#type`.
fn as_identifier(name: &str) -> String {
    // `gen` is a keyword in edition 2024, in which shims are written, but not for syn.
    if syn::parse_str::<syn::Ident>(name).is_err() || name == "gen" { format!("r#{name}") } else { name.to_string() }
}

/// Why other crates cannot name an item that has no public path.
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
