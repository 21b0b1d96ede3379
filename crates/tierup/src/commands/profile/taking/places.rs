//! Where the candidates of a profile are in the source. In: their frames and the server's folder. Out: names and files.

use std::path::{Path, PathBuf};

use tierup_codegen::Host;
use tierup_profile::Frame;
use tierup_rows::OnDisk;

/// A candidate with less of the CPU is neither watched nor read.
pub(super) const LEAST: f64 = 0.005;

/// Whether it has a name of its own: `(anonymous)` has none, nor has what the host's compiler names after another.
pub(in crate::commands::profile) fn has_name(host: &dyn Host, frame: &Frame) -> bool {
    !frame.function.starts_with('(') && !host.is_closure(&frame.function)
}

/// The name without the class or namespace that some runtimes put before it, and the count of arguments after it: `Shop.price/2`.
pub(in crate::commands::profile) fn name_of(frame: &Frame) -> &str {
    let name = frame.function.rsplit(['.', ':', '\\']).next().unwrap_or(&frame.function);
    let name = match name.rsplit_once('/') {
        Some((name, arity)) if !name.is_empty() && arity.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    };
    match name.split_once('#') {
        // Without a class, it is a private name.
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

/// The absolute path of a function's file: empty if nobody names one, nothing if it is not there.
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
    fn a_name_has_neither_class_nor_count_of_arguments() {
        let named = |function: &str| name_of(&frame(function)).to_owned();
        assert_eq!(named("Shop.Cart.price?/2"), "price?");
        assert_eq!(named("Shop.Cart#price"), "price");
        assert_eq!(named("Shop\\Cart::price"), "price");
    }

    #[test]
    fn closures_have_no_name() {
        let has_name = |host: &str, function: &str| has_name(crate::hosts::find(host).unwrap(), &frame(function));
        assert!(has_name("beam", "Shop.price/2") && !has_name("beam", "Shop.-price/2-fun-0-/1"));
        assert!(has_name("php", "Shop\\Cart::price") && !has_name("php", "Shop\\{closure}"));
        assert!(has_name("go", "main.price") && !has_name("go", "main.price.func1"));
        assert!(has_name("node", "price") && !has_name("node", "(anonymous)"));
    }
}
