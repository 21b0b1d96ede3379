//! The size of the repository: files, lines and functions, and the ways in which it generates text.
//!
//! In: the files that git tracks, as they are on disk. Out: tables for people. Sources are the Rust files of `crates`,
//! `hosts`, `tools` and `xtask`, with their unit tests but without the folders `tests` and `templates`.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::{
    hosts::{self, MINIMAL},
    repository::{answer, root},
};

const SHORT: usize = 60;

/// The category of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Source,
    Template,
    Test,
    Docs,
}

/// A function with a body, and its number of lines from `fn` to the last brace.
#[derive(Debug, PartialEq, Eq)]
struct Function {
    name: String,
    lines: usize,
}

/// The figures of one source file.
#[derive(Default)]
struct Code {
    functions: Vec<Function>,
    /// Lines of the module `tests`.
    test_lines: usize,
}

/// The figures of all files.
#[derive(Default)]
struct Size {
    crates: BTreeSet<String>,
    /// Number of files and lines, by `Kind`.
    amounts: [(usize, usize); 4],
    /// Number of files with unit tests, and of lines in these tests.
    unit_tests: (usize, usize),
    short_files: usize,
    short_lines: usize,
    /// The functions of all sources, with their files.
    functions: Vec<(Function, String)>,
    replaced_words: usize,
    askama: usize,
    quotes: usize,
    /// The maximum number of names that a crate's root exports, and that root.
    exports: (usize, String),
}

/// The table that `cargo xtask size` prints.
pub(crate) fn table() -> String {
    let tracked = answer("git", &["ls-files"]).unwrap_or_default();
    let mut size = Size::default();
    for path in tracked.lines() {
        let Some(kind) = kind(path) else { continue };
        // A file that is deleted but not yet committed does not count.
        if let Ok(bytes) = fs::read(root().join(path)) {
            size.add(path, kind, &String::from_utf8_lossy(&bytes));
        }
    }
    size.shown()
}

/// The table that `cargo xtask host-cost` prints: the minimal host, those that `tierup` lists, and the shared files that name one.
pub(crate) fn of_hosts() -> String {
    let tracked = answer("git", &["ls-files"]).unwrap_or_default();
    let listed = hosts::all().into_iter().map(|host| format!("hosts/{}", host.host));
    let mut text = format!("{:<26}{:>13}{:>13}{:>13}\n", "lines (files)", "Rust", "templates", "tests");
    for folder in std::iter::once(MINIMAL.to_owned()).chain(listed) {
        let [rust, templates, tests] = ["src", "templates", "tests"].map(|part| {
            let below = format!("{folder}/{part}/");
            let files = tracked.lines().filter(|path| path.starts_with(&below));
            let lengths: Vec<usize> =
                files.map(|path| fs::read_to_string(root().join(path)).unwrap_or_default().lines().count()).collect();
            format!("{} ({})", lengths.iter().sum::<usize>(), lengths.len())
        });
        let _ = writeln!(text, "{folder:<26}{rust:>13}{templates:>13}{tests:>13}");
    }
    text.push_str("\nshared files that name a host:\n");
    shared_files().iter().for_each(|file| text.push_str(&format!("  {file}\n")));
    text
}

/// The files outside a host's folder that name its crate, which register it. Lock files are left out, as they
/// follow by themselves; so are tests, fuzz targets, and what only they depend on: a new host does without them.
fn shared_files() -> Vec<String> {
    let arguments = ["grep", "--files-with-matches", "--extended-regexp", "tierup[-_]host[-_][a-z]+", "--", "*.toml"];
    let elsewhere =
        ["*.rs", ":!hosts/*", ":!conformance/*", ":!fuzz/*", ":!xtask/*", ":!crates/*/tests/*", ":!*/tests.rs"];
    let found = answer("git", &[&arguments[..], &elsewhere[..]].concat()).unwrap_or_default();
    found.lines().filter(|file| registers(file)).map(str::to_owned).collect()
}

/// Whether a file names a host's crate outside its dependencies of tests.
fn registers(file: &str) -> bool {
    let text = fs::read_to_string(root().join(file)).unwrap_or_default();
    text.split("[dev-dependencies]")
        .next()
        .is_some_and(|text| text.contains("tierup-host-") || !file.ends_with(".toml"))
}

fn kind(path: &str) -> Option<Kind> {
    if path.ends_with(".md") && !path.contains("/templates/") && !path.contains("/tests/") {
        return Some(Kind::Docs);
    }
    if !["crates/", "hosts/", "tools/", "xtask/"].iter().any(|folder| path.starts_with(folder)) {
        return None;
    }
    let folders = || path.split('/').rev().skip(1);
    if folders().any(|folder| folder == "tests") {
        Some(Kind::Test)
    } else if folders().any(|folder| folder == "templates") {
        Some(Kind::Template)
    } else {
        path.ends_with(".rs").then_some(Kind::Source)
    }
}

impl Size {
    fn add(&mut self, path: &str, kind: Kind, text: &str) {
        let lines = text.lines().count();
        let (files, sum) = &mut self.amounts[kind as usize];
        *files += 1;
        *sum += lines;
        if kind != Kind::Source {
            return;
        }
        self.crates.extend(path.split_once("/src/").map(|(name, _)| name.to_owned()));
        if lines < SHORT {
            self.short_files += 1;
            self.short_lines += lines;
        }
        // `xtask` generates nothing, and this file contains the words that it counts.
        if !path.starts_with("xtask/") {
            self.replaced_words += replaced_words(text);
            self.askama += text.matches("#[template(").count();
            self.quotes += text.matches("quote! {").count() + text.matches("quote!(").count();
        }
        if let Some(root) = path.strip_suffix("/src/lib.rs") {
            let name = root.rsplit('/').next().unwrap_or(root);
            self.exports = std::mem::take(&mut self.exports).max((exports(text), name.to_owned()));
        }
        let code = match path.ends_with("/tests.rs") {
            true => Code { test_lines: lines, ..Code::default() },
            false => code(text),
        };
        if code.test_lines > 0 {
            self.unit_tests = (self.unit_tests.0 + 1, self.unit_tests.1 + code.test_lines);
        }
        self.functions.extend(code.functions.into_iter().map(|function| (function, path.to_owned())));
    }

    fn shown(mut self) -> String {
        let mut text = format!("{:<34}{:>9}{:>9}\n", "", "files", "lines");
        let rows = ["sources", "templates", "tests", "docs"];
        for (name, (files, lines)) in rows.iter().zip(self.amounts) {
            let _ = writeln!(text, "{name:<34}{files:>9}{lines:>9}");
        }
        let [(source_files, source_lines), (template_files, template_lines), ..] = self.amounts;
        let (files, lines) = (source_files + template_files, source_lines + template_lines);
        let _ = writeln!(text, "{:<34}{files:>9}{lines:>9}", "sources and templates");
        let (files, lines) = self.unit_tests;
        let _ = writeln!(text, "{:<34}{files:>9}{lines:>9}", "unit tests in sources");
        let short = format!("sources of under {SHORT} lines");
        let _ = writeln!(text, "{short:<34}{:>9}{:>9}", self.short_files, self.short_lines);

        self.functions.sort_by_key(|(function, _)| function.lines);
        let median = self.functions.get(self.functions.len() / 2).map_or(0, |(function, _)| function.lines);
        let called_of = self.functions.iter().filter(|(function, _)| function.name == "of").count();
        let under_crates = self.crates.iter().filter(|name| name.starts_with("crates/")).count();
        let rest = [
            ("crates, of them in `crates/`", format!("{}, {under_crates}", self.crates.len())),
            ("functions, without unit tests", self.functions.len().to_string()),
            ("median function, lines", median.to_string()),
            ("functions called `of`", called_of.to_string()),
            ("`.replace(\"WORD\", …)`", self.replaced_words.to_string()),
            ("templates of askama", self.askama.to_string()),
            ("`quote!`", self.quotes.to_string()),
            ("most exports of a crate", format!("{} ({})", self.exports.0, self.exports.1)),
        ];
        text.push('\n');
        for (name, value) in rest {
            let _ = writeln!(text, "{name:<34}{value:>18}");
        }
        text.push_str("\nlongest functions, lines:\n");
        for (function, path) in self.functions.iter().rev().take(5) {
            let _ = writeln!(text, "{:>5}  {} in {path}", function.lines, function.name);
        }
        text
    }
}

/// The number of calls that replace a word in capitals, which fills a template by hand.
fn replaced_words(text: &str) -> usize {
    let words =
        text.split(".replace(").skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
    words
        .filter(|word| word.len() > 1 && word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_'))
        .count()
}

/// The number of names in `pub use …;`.
fn exports(text: &str) -> usize {
    let lists = text.split("\npub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let names = |list: &str| match list.split_once('{') {
        Some((_, names)) => names.trim_end_matches('}').split(',').filter(|name| !name.trim().is_empty()).count(),
        None => 1,
    };
    lists.map(names).sum()
}

fn code(text: &str) -> Code {
    let mut found = Code::default();
    if let Ok(tokens) = text.parse() {
        collect(tokens, &mut found);
    }
    found
}

/// Collects functions. Skips unit tests, and macros, as these may hold another program's code.
fn collect(tokens: TokenStream, found: &mut Code) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let word = |place: usize, word: &str| matches!(tokens.get(place), Some(TokenTree::Ident(it)) if it == word);
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        match (token, tokens.get(place + 1)) {
            (TokenTree::Ident(_), Some(TokenTree::Ident(name))) if word(place, "fn") => {
                let is_end = |token: &TokenTree| match token {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    TokenTree::Punct(mark) => mark.as_char() == ';',
                    _ => false,
                };
                if let Some(TokenTree::Group(body)) = tokens[place..].iter().find(|token| is_end(token)) {
                    let lines = body.span_close().end().line + 1 - token.span().start().line;
                    found.functions.push(Function { name: name.to_string(), lines });
                }
                place += 1;
            }
            (TokenTree::Ident(_), Some(TokenTree::Punct(mark)))
                if mark.as_char() == '!' && matches!(tokens.get(place + 2), Some(TokenTree::Group(_))) =>
            {
                place += 2;
            }
            _ if word(place, "mod") && word(place + 1, "tests") => {
                if let Some(TokenTree::Group(tests)) = tokens.get(place + 2) {
                    found.test_lines += tests.span_close().end().line + 1 - token.span().start().line;
                }
                place += 2;
            }
            (TokenTree::Group(group), _) => collect(group.stream(), found),
            _ => {}
        }
        place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_unit_tests_and_macros_are_left_out() {
        let text = "\
fn one() -> u8 { 1 }
impl Trait for Type {
    fn of(
        it: fn(u8),
    ) {
        fn inner() {}
    }
    fn declared();
}
fn quoting() { quote! { fn generated() {} } }
mod tests { fn test() {} }
";
        let names = |text| code(text).functions.into_iter().map(|it| (it.name, it.lines)).collect::<Vec<_>>();
        let expected = [("one", 1), ("of", 5), ("inner", 1), ("quoting", 1)];
        assert_eq!(names(text), expected.map(|(name, lines)| (name.to_owned(), lines)));
        assert_eq!(code("mod tests {\n    fn test() {}\n}\n").test_lines, 3);
    }

    #[test]
    fn exported_names_of_a_root_are_counted() {
        assert_eq!(exports("mod a;\npub use a::{One, Two};\npub use b::three;\npub fn four() {}\n"), 3);
    }

    #[test]
    fn replaced_words_in_capitals_are_counted() {
        assert_eq!(replaced_words(r#"a.replace("NAME", b).replace("x", c).replace( "TWO_WORDS", d)"#), 2);
    }

    #[test]
    fn each_file_counts_once() {
        let paths =
            ["hosts/go/src/lib.rs", "hosts/go/templates/README.md", "crates/a/tests/x/b.rs", "docs/a.md", "a.rs"];
        let kinds = [Some(Kind::Source), Some(Kind::Template), Some(Kind::Test), Some(Kind::Docs), None];
        assert_eq!(paths.map(kind), kinds);
    }

    #[test]
    fn the_repository_has_sources_and_templates() {
        let table = table();
        assert!(table.contains("crates/tierup") && table.lines().count() > 15, "{table}");
    }

    #[test]
    fn every_host_has_rust_and_templates_and_is_named_in_three_shared_files() {
        assert_eq!(shared_files(), ["Cargo.toml", "crates/tierup/Cargo.toml", "crates/tierup/src/hosts.rs"]);
        let table = of_hosts();
        let hosts: Vec<&str> = table.lines().skip(1).take_while(|line| !line.is_empty()).collect();
        assert!(hosts[0].starts_with(MINIMAL) && hosts.len() > 5, "{table}");
        // A host may have no tests in its folder.
        assert!(hosts.iter().all(|host| !host[26..52].contains(" 0 (")), "{table}");
    }
}
