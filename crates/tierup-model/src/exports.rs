//! From the entries of `export` to the functions that they name.

use crate::interface::Function;
use crate::reader::Reader;
use crate::scope::{Namespace, Target};
use crate::tree::{ItemId, ItemKind, Path, Tree};
use tierup_diagnostic::Diagnostic;
use tierup_diagnostic::nearest;

struct Export<'e> {
    index: usize,
    entry: &'e str,
    name: String,
    item: ItemId,
}

impl<'a> Reader<'a> {
    /// The functions that can be read. Problems with the others have been reported.
    pub(crate) fn functions(&mut self, entries: &[String]) -> Vec<Function> {
        if entries.is_empty() {
            let hint = "name the functions that hosts call, e.g. `export = [\"render\"]`";
            self.report(Diagnostic::new("no function is exported").hint(hint));
        }
        let mut exports: Vec<Export<'_>> = Vec::new();
        let mut functions = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let Some(export) = self.export(index, entry) else { continue };
            if self.is_repeated(&exports, &export) {
                continue;
            }
            let tree = self.tree;
            if let ItemKind::Function(item) = &tree.item(export.item).kind {
                functions.extend(self.function(export.name.clone(), export.item, item));
            }
            exports.push(export);
        }
        functions
    }

    fn export<'e>(&mut self, index: usize, entry: &'e str) -> Option<Export<'e>> {
        let Some(path) = self.path(entry) else {
            let hint = "write a name (`area`) or a path in the crate (`shapes::area`)";
            let message = format!("`{entry}` is not the path of a function");
            self.report(Diagnostic::new(message).export(index).hint(hint));
            return None;
        };
        let name = path.segments.last().cloned().unwrap_or_default();
        let diagnostic = match self.scopes.resolve(Tree::ROOT, &path, Namespace::Values) {
            Some(Target::Item(item)) if matches!(self.tree.item(item).kind, ItemKind::Function(_)) => {
                return Some(Export { index, entry, name, item });
            }
            Some(Target::Item(item)) => self.not_a_function(entry, item),
            Some(Target::External(path)) => {
                let hint = format!("write a function in this crate that calls `{}`", path.join("::"));
                Diagnostic::new(format!("`{entry}` is of another crate")).hint(hint)
            }
            Some(Target::Module(_)) | None => self.missing(entry, &path, &name),
        };
        self.report(diagnostic.export(index));
        None
    }

    /// An entry as a path from the root. `crate::` and the library's own name are understood.
    fn path(&self, entry: &str) -> Option<Path> {
        let mut segments = Vec::new();
        for segment in entry.trim().split("::") {
            let segment = segment.trim().trim_start_matches("r#");
            let mut characters = segment.chars();
            let is_name = characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
                && characters.all(|c| c.is_alphanumeric() || c == '_');
            if !is_name {
                return None;
            }
            segments.push(segment.to_string());
        }
        let names = &self.scopes.scope(Tree::ROOT).names;
        let is_own = |name: &str| names.contains_key(&(Namespace::Types, name.to_string()));
        if segments.len() > 1 && (segments[0] == "crate" || segments[0] == self.library && !is_own(&segments[0])) {
            segments.remove(0);
        }
        Some(Path { is_absolute: false, segments })
    }

    fn is_repeated(&mut self, exports: &[Export<'_>], export: &Export<'_>) -> bool {
        let Some(other) = exports.iter().find(|other| other.item == export.item || other.name == export.name) else {
            return false;
        };
        let diagnostic = if other.item == export.item {
            let message = if other.entry == export.entry {
                format!("`{}` is exported twice", export.entry)
            } else {
                format!("`{}` and `{}` are the same function, exported twice", other.entry, export.entry)
            };
            Diagnostic::new(message).hint(format!("leave out one `{}`", export.entry))
        } else {
            let message = format!("two exports are called `{}`: `{}` and `{}`", export.name, other.entry, export.entry);
            let hint = format!(
                "rename one, or give it another name at the root: `pub use {} as other_{};`",
                self.tree.item_path(export.item),
                export.name
            );
            Diagnostic::new(message).at(self.place_of(export.item)).hint(hint)
        };
        self.report(diagnostic.export(export.index));
        true
    }

    fn not_a_function(&self, entry: &str, item: ItemId) -> Diagnostic {
        let diagnostic = Diagnostic::new(format!("`{entry}` is {}, not a function", self.tree.item(item).kind.noun()));
        diagnostic.at(self.place_of(item)).hint("export a function that takes or returns what hosts need")
    }

    fn missing(&self, entry: &str, path: &Path, name: &str) -> Diagnostic {
        for namespace in [Namespace::Types, Namespace::Macros] {
            match self.scopes.resolve(Tree::ROOT, path, namespace) {
                Some(Target::Item(item)) => return self.not_a_function(entry, item),
                Some(Target::Module(_)) => {
                    let hint = format!("name a function in it, e.g. `{entry}::area`");
                    return Diagnostic::new(format!("`{entry}` is a module, not a function")).hint(hint);
                }
                _ => {}
            }
        }
        let diagnostic = Diagnostic::new(format!("there is no function `{entry}` in this crate"));
        let parent = Path { segments: path.segments[..path.segments.len() - 1].to_vec(), ..path.clone() };
        if let Some(Target::Item(item)) = self.scopes.resolve(Tree::ROOT, &parent, Namespace::Types) {
            let owner = &self.tree.item(item).name;
            let hint = format!(
                "methods and associated functions cannot be exported: write a function that calls `{owner}::{name}`"
            );
            return diagnostic.hint(hint);
        }
        let functions: Vec<(String, &str)> = self
            .tree
            .item_ids()
            .filter(|&id| matches!(self.tree.item(id).kind, ItemKind::Function(_)))
            .map(|id| (self.tree.item_path(id), self.tree.item(id).name.as_str()))
            .collect();
        let near = nearest(name, functions.iter().map(|(_, name)| *name));
        let near = near.and_then(|near| functions.iter().find(|(_, name)| *name == near));
        diagnostic.hint(match near {
            Some((path, _)) => format!("did you mean `{path}`? (functions that macros make are invisible)"),
            None => "functions that macros make are invisible: write one that calls it".to_string(),
        })
    }
}
