//! Checks that files of a crate depend on each other in one direction only, so that a reader of one needs only those
//! below it.
//!
//! In: the sources of the workspace's crates. A module and the modules in its folder may depend on each other. Modules
//! side by side may not, neither directly nor through others: shared code belongs in a file below both. Unit tests do
//! not count, and neither does code that is quoted for another program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A module's path from the crate's root, which is empty.
type Module = Vec<String>;

/// The references in a module's source.
#[derive(Default)]
struct Source {
    /// Absolute paths to items or modules.
    paths: BTreeSet<Vec<String>>,
    /// The names that its `use` declarations import, with their absolute paths.
    names: BTreeMap<String, Vec<String>>,
}

/// A path as written, and its name if a `use` declaration imports it.
struct Written {
    path: Vec<String>,
    name: Option<String>,
}

type Crate = BTreeMap<Module, Source>;

#[test]
fn files_side_by_side_form_no_circles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository");
    let folders = ["crates", "hosts"].map(|folder| fs::read_dir(root.join(folder)).expect("it is there"));
    let mut crates: Vec<PathBuf> = folders
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("src"))
        .filter(|path| path.is_dir())
        .collect();
    crates.push(root.join("xtask/src"));
    crates.sort();
    assert!(crates.len() > 10, "{crates:?}");
    for folder in crates {
        let name = shown(root, &folder);
        let found = circles(&read(&folder), &name);
        assert!(found.is_empty(), "{name}\n{}", found.join("\n"));
    }
}

fn shown(root: &Path, folder: &Path) -> String {
    folder.strip_prefix(root).unwrap_or(folder).display().to_string()
}

/// All modules of the crate whose sources are in this folder.
fn read(folder: &Path) -> Crate {
    let mut files = Vec::new();
    walk(folder, &[], &mut files);
    let modules: BTreeSet<Module> = files.iter().map(|(module, _)| module.clone()).collect();
    let mut all = Crate::new();
    for (module, file) in files {
        let text = fs::read_to_string(&file).expect("sources are text");
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut found = BTreeMap::new();
        paths(tokens, &module, &mut found);
        for (here, written) in found {
            let source = all.entry(here.clone()).or_default();
            for Written { path, name } in written {
                let Some(path) = absolute(&path, &here, &modules) else { continue };
                source.names.extend(name.map(|name| (name, path.clone())));
                source.paths.insert(path);
            }
        }
        all.entry(module).or_default();
    }
    all
}

fn walk(folder: &Path, module: &[String], files: &mut Vec<(Module, PathBuf)>) {
    for entry in fs::read_dir(folder).expect("the folder can be read").flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let inside = [module, std::slice::from_ref(&stem)].concat();
        if stem == "tests" {
            continue;
        }
        if path.is_dir() {
            walk(&path, &inside, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let is_root = module.is_empty() && (stem == "lib" || stem == "main");
            files.push((if is_root { Module::new() } else { inside }, path));
        }
    }
}

/// Collects the paths in modules. A module within the file gets an entry of its own.
fn paths(tokens: TokenStream, here: &Module, found: &mut BTreeMap<Module, Vec<Written>>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.to_string() == text);
    let braces = |at: usize| match tokens.get(at) {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    };
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                let is_test = tokens.get(at + 1).is_some_and(is_for_tests);
                at += 2;
                while is_test && at < tokens.len() && !is(at, ";") && braces(at).is_none() {
                    at += 1;
                }
                at += usize::from(is_test);
                continue;
            }
            TokenTree::Ident(ident) => match ident.to_string().as_str() {
                "quote" | "quote_spanned" | "parse_quote" if is(at + 1, "!") => at += 2,
                "mod" => {
                    if let Some(body) = braces(at + 2) {
                        let inside = [here.clone(), vec![tokens[at + 1].to_string()]].concat();
                        paths(body, &inside, found);
                        at += 2;
                    }
                }
                "use" => {
                    let end = (at..tokens.len()).find(|at| is(*at, ";")).unwrap_or(tokens.len());
                    found.entry(here.clone()).or_default().extend(tree(&[], &tokens[at + 1..end]));
                    at = end;
                }
                "crate" | "super" | "self" if is(at + 1, ":") => {
                    let (path, next) = path(&tokens, at);
                    found.entry(here.clone()).or_default().push(Written { path, name: None });
                    at = next;
                    continue;
                }
                _ => {}
            },
            TokenTree::Group(group) => paths(group.stream(), here, found),
            _ => {}
        }
        at += 1;
    }
}

/// Whether this is the content of `#[cfg(test)]` or `#[cfg(all(test, …))]`.
fn is_for_tests(attribute: &TokenTree) -> bool {
    let text = attribute.to_string().replace(' ', "");
    text == "[cfg(test)]" || text.starts_with("[cfg(all(test,")
}

/// The words of the path at `at`, and the index after it.
fn path(tokens: &[TokenTree], mut at: usize) -> (Vec<String>, usize) {
    let mut words = Vec::new();
    while let Some(TokenTree::Ident(word)) = tokens.get(at) {
        words.push(word.to_string());
        at += 1;
        let is_colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        if !(is_colon(at) && is_colon(at + 1)) {
            break;
        }
        at += 2;
    }
    (words, at)
}

/// The paths in one `use` declaration; `before` is the path in front of its braces.
fn tree(before: &[String], tokens: &[TokenTree]) -> Vec<Written> {
    let mut all = Vec::new();
    for branch in tokens.split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')) {
        // `::std` begins with colons.
        let start = branch.iter().position(|token| !matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':'));
        let (words, end) = path(branch, start.unwrap_or(0));
        let mut whole = [before, &words].concat();
        match branch.get(end) {
            Some(TokenTree::Group(group)) => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                all.extend(tree(&whole, &inside));
            }
            Some(TokenTree::Punct(_)) => all.push(Written { path: whole, name: None }),
            rename => {
                if whole.len() > 1 && whole.last().is_some_and(|word| word == "self") {
                    whole.pop();
                }
                let name = match rename {
                    Some(_) => branch.get(end + 1).map(ToString::to_string),
                    None => whole.last().cloned(),
                };
                if !whole.is_empty() {
                    all.push(Written { path: whole, name });
                }
            }
        }
    }
    all
}

/// The absolute path; `None` if it is in another crate.
fn absolute(path: &[String], here: &Module, modules: &BTreeSet<Module>) -> Option<Vec<String>> {
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([&here[..], &path[1..]].concat()),
        "super" => {
            let ups = path.iter().take_while(|word| *word == "super").count();
            Some([&here[..here.len().checked_sub(ups)?], &path[ups..]].concat())
        }
        _ => {
            let inside = [&here[..], path].concat();
            modules.contains(&inside[..=here.len()]).then_some(inside)
        }
    }
}

/// The module that defines an item, found through re-exports.
fn resolved(path: &[String], all: &Crate, hops: u32) -> Module {
    let depth = (0..=path.len()).rev().find(|depth| all.contains_key(&path[..*depth])).unwrap_or(0);
    let (module, rest) = path.split_at(depth);
    let behind = rest.first().and_then(|name| all.get(module)?.names.get(name));
    match behind {
        Some(behind) if hops > 0 && behind[..] != *path => resolved(&[&behind[..], &rest[1..]].concat(), all, hops - 1),
        _ => module.to_vec(),
    }
}

/// A description of each circle.
fn circles(all: &Crate, name: &str) -> Vec<String> {
    // For each folder: which of its modules depend on which, with an example.
    let mut folders: BTreeMap<Module, BTreeMap<(String, String), String>> = BTreeMap::new();
    for (from, source) in all {
        for path in &source.paths {
            let to = resolved(path, all, 8);
            if to.starts_with(from) || from.starts_with(&to) {
                continue;
            }
            let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
            let why = format!("{} uses {}", from.join("/"), path.join("::"));
            let arrow = (from[shared].clone(), to[shared].clone());
            folders.entry(from[..shared].to_vec()).or_default().entry(arrow).or_insert(why);
        }
    }
    let mut found = Vec::new();
    for arrows in folders.values() {
        for ((from, to), why) in arrows {
            if let Some(back) =
                way(arrows, to, from).filter(|_| from < to || !arrows.contains_key(&(to.clone(), from.clone())))
            {
                found.push(format!("{name}: {why}; {}", back.join("; ")));
            }
        }
    }
    found
}

/// The shortest path from one module to another, as reasons.
fn way<'a>(arrows: &'a BTreeMap<(String, String), String>, from: &str, to: &str) -> Option<Vec<&'a str>> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut ways: Vec<(String, Vec<&str>)> = vec![(from.to_owned(), Vec::new())];
    while !ways.is_empty() {
        let mut next = Vec::new();
        for (here, way) in ways {
            if here == to {
                return Some(way);
            }
            for ((_, there), why) in arrows.iter().filter(|((start, _), _)| *start == here) {
                if seen.insert(there) {
                    next.push((there.clone(), [&way[..], &[why.as_str()]].concat()));
                }
            }
        }
        ways = next;
    }
    None
}

/// Tests the check itself: `expected` are the circles in a crate of these files.
#[test]
fn circles_are_found_through_other_files() {
    let check = |files: &[(&str, &str)], expected: &[&str]| {
        let folder = tempfile::tempdir().expect("made");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        assert_eq!(circles(&read(folder.path()), "it"), expected);
    };
    let lib = ("lib.rs", "mod a; mod b; mod c; pub use b::Thing;");
    check(&[lib, ("a.rs", "use crate::b::One;"), ("b.rs", "use super::c;"), ("c.rs", "")], &[]);
    check(
        &[lib, ("a.rs", "use crate::{b::{self, One}};"), ("b.rs", "fn f() { crate::a::g() }"), ("c.rs", "")],
        &["it: a uses b; b uses a::g"],
    );
    // Through a third module, a re-export, and a file in a folder.
    check(
        &[
            lib,
            ("a.rs", "use crate::Thing;"),
            ("b.rs", "use crate::c;"),
            ("c.rs", "mod inner;"),
            ("c/inner.rs", "use super::super::a::Item as Other;"),
        ],
        &[
            "it: a uses Thing; b uses c; c/inner uses a::Item",
            "it: b uses c; c/inner uses a::Item; a uses Thing",
            "it: c/inner uses a::Item; a uses Thing; b uses c",
        ],
    );
    // No circle: inside a folder, in tests, and in quoted code.
    check(
        &[
            lib,
            ("a.rs", "mod inner; use inner::Item; struct Shared;"),
            ("a/inner.rs", "use super::Shared; use crate::b;"),
            ("b.rs", "#[cfg(test)] mod tests { use crate::a; } fn f() { quote!(crate::a::g()) }"),
            ("c.rs", ""),
        ],
        &[],
    );
}
