//! Follows `use` imports. They may depend on each other in any order, in chains and in cycles, so they are followed
//! repeatedly until nothing new is found, as in `rustc`.

use crate::scope::{Binding, Namespace, Origin, Scopes, Target};
use crate::tree::{Import, ModuleId, Path, Visibility};

struct Followed {
    is_news: bool,
    is_resolved: bool,
}

impl Scopes<'_> {
    pub(crate) fn follow_imports(&mut self) {
        let tree = self.tree;
        let modules = tree.modules.iter().enumerate();
        let imports: Vec<(ModuleId, &Import)> = modules
            .flat_map(|(index, module)| module.imports.iter().map(move |import| (ModuleId(index), import)))
            .collect();
        let mut paths: Vec<Path> = imports.iter().map(|(_, import)| import.path.clone()).collect();
        let mut is_resolved = vec![false; imports.len()];
        // Each round resolves at least one more link of a chain. The bound stops imports that would oscillate forever.
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
            // Only now is it certain that a path's first name is not one of the crate's own. All such imports are
            // collected before any is applied, so that their order does not matter.
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
}
