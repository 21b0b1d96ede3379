//! Finds the candidates of a profile in the source. In: their frames and the server's folder. Out: names and files.

use std::path::{Path, PathBuf};

use tierup_codegen::Host;
use tierup_profile::Frame;
use tierup_rows::OnDisk;

/// The minimum share of the CPU for a candidate to be watched or read.
pub(super) const LEAST: f64 = 0.005;

/// Whether the function has a name of its own: `(anonymous)` is none, and neither is a name that the compiler derived.
pub(in crate::commands::profile) fn has_name(host: &dyn Host, frame: &Frame) -> bool {
    !frame.function.starts_with('(') && !host.is_closure(&frame.function)
}

/// The name without the class or namespace before it and the number of arguments after it, as in `Shop.price/2`.
pub(in crate::commands::profile) fn name_of(frame: &Frame) -> &str {
    let name = frame.function.rsplit(['.', ':', '\\']).next().unwrap_or(&frame.function);
    let name = match name.rsplit_once('/') {
        Some((name, arity)) if !name.is_empty() && arity.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    };
    match name.split_once('#') {
        // An empty class means that the name is private.
        Some((class, method)) if !class.is_empty() => method,
        _ => name,
    }
}

/// The file that declares a function.
pub(super) fn file(host: &dyn Host, folder: &Path, frame: &Frame) -> Option<PathBuf> {
    let file = match &frame.file[..] {
        "" => folder.join(host.source_of(&OnDisk(folder), &frame.function)?),
        file => PathBuf::from(file),
    };
    file.canonicalize().ok()
}

/// The absolute path of a function's file: empty if the stacks name no file, `None` if the file does not exist.
pub(super) fn path(host: &dyn Host, folder: &Path, frame: &Frame) -> Option<String> {
    match file(host, folder, frame) {
        None if frame.file.is_empty() => Some(String::new()),
        path => Some(path.filter(|path| path.is_file())?.display().to_string()),
    }
}

#[cfg(test)]
mod tests {
    use tierup_profile::Kind;

    use super::*;

    fn frame(function: &str) -> Frame {
        Frame { function: function.to_owned(), file: String::new(), line: 0, package: String::new(), kind: Kind::Own }
    }

    #[test]
    fn a_name_excludes_class_and_number_of_arguments() {
        let named = |function: &str| name_of(&frame(function)).to_owned();
        assert_eq!(named("Shop.Cart.price?/2"), "price?");
        assert_eq!(named("Shop.Cart#price"), "price");
        assert_eq!(named("Shop\\Cart::price"), "price");
    }

    #[test]
    fn closures_have_no_name_of_their_own() {
        let has_name = |host: &str, function: &str| has_name(crate::hosts::find(host).unwrap(), &frame(function));
        assert!(has_name("beam", "Shop.price/2") && !has_name("beam", "Shop.-price/2-fun-0-/1"));
        assert!(has_name("php", "Shop\\Cart::price") && !has_name("php", "Shop\\{closure}"));
        assert!(has_name("go", "main.price") && !has_name("go", "main.price.func1"));
        assert!(has_name("node", "price") && !has_name("node", "(anonymous)"));
    }
}
