//! Splits `use` and `extern crate` into one [`Import`] for each name that they bring.

use crate::tree::{Import, Path, Visibility};
use syn::UseTree;
use syn::ext::IdentExt;

/// The names that a `use` brings into its module.
pub(crate) fn of_use(item: &syn::ItemUse, visibility: Visibility) -> Vec<Import> {
    let mut imports = Vec::new();
    let start = Path { is_absolute: item.leading_colon.is_some(), segments: Vec::new() };
    collect(&item.tree, start, visibility, &mut imports);
    imports
}

/// `extern crate name as other;` is `use ::name as other;`.
pub(crate) fn of_extern_crate(item: &syn::ItemExternCrate, visibility: Visibility) -> Import {
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
