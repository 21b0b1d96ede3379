//! Refused types: types of other crates, types that cannot be found, and types that are recognized by their syntax.

use crate::advice::{self, Advice};
use crate::known;
use crate::meaning::Meaning;
use crate::reader::{MAX_DEPTH, Reader, Written, text_of};
use crate::scope::{Namespace, Target};
use crate::tree::{ItemId, ModuleId, Path};
use tierup_diagnostic::nearest;

impl<'a> Reader<'a> {
    pub(crate) fn refuse_external(&mut self, written: &Written<'a>, path: &[String], arguments: &[Written<'a>]) {
        let name = path.last().map_or("", String::as_str);
        let is_standard = known::is_standard(path);
        if let ("Box" | "Rc" | "Arc", true, Some(argument)) = (name, is_standard, arguments.first()) {
            // Without the box, the type would contain itself. Reports that instead, at once.
            if let Some(item) = self.open_definition(argument) {
                return self.refuse_recursion(item, written);
            }
        }
        let Advice { reason, hint } = match advice::standard(name) {
            Some(advice) if is_standard => advice,
            _ if is_standard => Advice {
                reason: "hosts have no counterpart for this type of the standard library",
                hint: "define a struct with the fields that you need in this crate, and convert it here",
            },
            _ => advice::external(name),
        };
        self.cannot_cross(written, reason, with_argument(hint, arguments));
    }

    /// The definition of a type, if that definition is being read.
    fn open_definition(&mut self, written: &Written<'a>) -> Option<ItemId> {
        // `type A = Box<A>` would otherwise lead here again and again.
        if self.depth >= MAX_DEPTH {
            return None;
        }
        let reported = self.problems.len();
        self.depth += 1;
        let meaning = self.meaning(written);
        self.depth -= 1;
        self.problems.truncate(reported);
        match meaning {
            Some(Meaning::Defined(item)) if self.open.contains(&item) => Some(item),
            _ => None,
        }
    }

    pub(crate) fn refuse_missing(&mut self, written: &Written<'a>, path: &Path) {
        let Some((name, modules)) = path.segments.split_last() else { return };
        if let (true, Some(advice)) = (modules.is_empty(), advice::standard(name)) {
            return self.cannot_cross(written, advice.reason, with_argument(advice.hint, &[]));
        }
        let parent = Path { segments: modules.to_vec(), ..path.clone() };
        let module = match self.scopes.resolve(written.context.module, &parent, Namespace::Types) {
            Some(Target::Module(module)) => module,
            _ => written.context.module,
        };
        let hint = self.where_to_find(module, name);
        self.refuse(written, format!("there is no type `{}` here", path.segments.join("::")), "", hint);
    }

    fn where_to_find(&self, module: ModuleId, name: &str) -> String {
        let scope = self.scopes.scope(module);
        if let Some(import) = scope.unresolved.get(name) {
            let import = import.segments.join("::");
            return format!(
                "it is imported from `{import}`, which tierup cannot read. tierup does not expand macros: define the type \
                 without a macro"
            );
        }
        if matches!(name, "HashMap" | "BTreeMap") {
            return format!("add `use std::collections::{name};`");
        }
        let own = scope.names.iter().filter(|((namespace, _), binding)| {
            *namespace == Namespace::Types && !matches!(binding.target, Target::Module(_))
        });
        let own = own.map(|((_, name), _)| name.as_str());
        let usual = ["String", "Vec", "Option", "Result", "HashMap", "BTreeMap", "bool", "usize"];
        if let Some(near) = nearest(name, own.chain(usual)) {
            return format!("did you mean `{near}`?");
        }
        let globs: Vec<_> = self.scopes.external_globs(module).map(|glob| format!("`{glob}::*`")).collect();
        if globs.is_empty() {
            return "import it; if a macro generates it, define it without one, because tierup does not expand macros"
                .to_string();
        }
        let globs = globs.join(" or ");
        format!(
            "if it comes from {globs}: types of other crates are not supported; define a struct with the fields that you need"
        )
    }

    /// Refuses types that are recognized by their syntax alone.
    pub(crate) fn refuse_syntax(&mut self, written: &Written<'a>) {
        let argument = |ty: &syn::Type| text_of(ty);
        let (label, hint) = match written.ty {
            syn::Type::Array(array) => (
                "hosts have no arrays of a fixed length",
                format!("use `Vec<{}>`, and check its length here", argument(&array.elem)),
            ),
            syn::Type::FnPtr(_) => ("code cannot be copied to a host", "pass data instead of a function".to_string()),
            syn::Type::ImplTrait(bounds) => ("`impl Trait` is not a concrete type", of_impl(&bounds.bounds)),
            syn::Type::Macro(_) => ("macros are not expanded", "write the type itself".to_string()),
            syn::Type::Never(_) => {
                ("a function that never returns cannot be called", "return a value, or `()`".to_string())
            }
            syn::Type::Ptr(_) => {
                ("hosts do not share memory with Rust", "use the value itself, or `&[u8]` for bytes".to_string())
            }
            syn::Type::TraitObject(_) => (
                "its type is known only at run time",
                "write the concrete type, or define an enum of the possible types".to_string(),
            ),
            syn::Type::Tuple(_) => ("its parts have no names", "define a struct with named fields".to_string()),
            syn::Type::Path(_) => ("it depends on a trait implementation", "write the concrete type".to_string()),
            _ => ("", "write the type in full".to_string()),
        };
        self.cannot_cross(written, label, hint);
    }
}

/// Replaces the `T` of a hint by the type's own argument.
fn with_argument(hint: &str, arguments: &[Written<'_>]) -> String {
    // A map's `T` is its last argument.
    match arguments.last() {
        Some(argument) => {
            let argument = text_of(argument.ty);
            hint.replace("`T`", &format!("`{argument}`")).replace("T>", &format!("{argument}>"))
        }
        None => hint.replace("`T` itself", "the value itself"),
    }
}

/// A concrete type for `impl Trait`.
fn of_impl<'b>(bounds: impl IntoIterator<Item = &'b syn::TypeParamBound>) -> String {
    let text = bounds.into_iter().map(text_of).collect::<Vec<_>>().join(" + ");
    let compact = text.replace(' ', "");
    let hint = match compact.as_str() {
        text if text.contains("AsRef<[u8]>") || text.contains("Read") => "use `&[u8]`",
        text if text.contains("AsRef<str>") || text.contains("AsRef<Path>") => "use `&str`",
        text if text.contains("Into<String>") || text.contains("ToString") || text.contains("Display") => {
            "use `&str` or `String`"
        }
        text if text.contains("Iterator") => "use `Vec` for parameters and return values",
        text if text.contains("Future") => {
            "return the value itself: tierup keeps the call off the event loop if the host has one"
        }
        text if text.contains("Fn(") || text.contains("FnMut(") || text.contains("FnOnce(") => {
            "pass data instead of a function"
        }
        _ => "write the type itself",
    };
    hint.to_string()
}
