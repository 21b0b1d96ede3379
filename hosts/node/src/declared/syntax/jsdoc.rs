//! Reads types in comments of JavaScript. In: the text of a JSDoc comment. Out: the types of the function below it, and
//! the types that the comment defines. Types in braces are TypeScript's, with a few JSDoc spellings.

use oxc_allocator::Allocator;
use oxc_ast::ast::Statement;
use oxc_parser::Parser;
use oxc_span::SourceType;

use super::{FUNCTION, Member, REST, Written, written};

/// The tags of a comment.
#[derive(Debug, Default)]
pub(super) struct Docs {
    pub(super) parameters: Vec<Member>,
    pub(super) answer: Option<Written>,
    /// The type of `@type`, which stands above a variable with a function.
    pub(super) ty: Option<Written>,
    pub(super) is_generic: bool,
    /// The types of `@typedef` and `@callback`.
    pub(super) types: Vec<(String, Written)>,
    /// Imports such as `import { Line } from './line.js'`.
    pub(super) imports: Vec<String>,
}

pub(super) fn docs(comment: &str) -> Docs {
    let mut docs = Docs::default();
    for tag in tags(comment) {
        let (name, rest) = tag.split_at(tag.find(|one: char| !one.is_ascii_alphanumeric()).unwrap_or(tag.len()));
        let (ty, words) = braced(rest.trim());
        let (ty, is_optional) = ty.map_or((Written::Missing, false), type_of);
        let path = words.split_whitespace().next().unwrap_or_default();
        match name {
            "param" | "arg" | "argument" => place(&mut docs.parameters, words, ty, is_optional),
            "property" | "prop" => {
                if let Some(all) = docs.types.last_mut().and_then(|(_, of)| fields(of)) {
                    place(all, words, ty, is_optional);
                }
            }
            "returns" | "return" => docs.answer = Some(ty),
            "type" => docs.ty = Some(ty).filter(|ty| *ty != Written::Missing),
            "template" => docs.is_generic = true,
            "typedef" => docs.types.push((path.to_owned(), ty)),
            "callback" => docs.types.push((path.to_owned(), Written::Refused(FUNCTION))),
            "import" => docs.imports.push(tag),
            _ => {}
        }
    }
    docs
}

/// The tags without their `@`. A tag begins at the start of a line, or after a blank outside of braces.
fn tags(comment: &str) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    for line in comment.lines() {
        let line = line.trim_start().trim_start_matches('*').trim_start();
        let mut before = '\n';
        for one in line.chars().chain(['\n']) {
            if one == '@' && (before == '\n' || depth == 0 && before.is_whitespace()) {
                depth = 0;
                tags.push(String::new());
            } else if let Some(tag) = tags.last_mut() {
                tag.push(one);
            }
            match one {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            before = one;
        }
    }
    tags
}

/// The text in braces, and the text after them.
fn braced(text: &str) -> (Option<&str>, &str) {
    let mut depth = 0;
    for (at, one) in text.char_indices() {
        match one {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match depth {
            0 if at == 0 => break,
            0 => return (Some(&text[1..at]), text[at + 1..].trim_start()),
            _ => {}
        }
    }
    (None, text)
}

/// A type, and whether the value may be left out. A comment that holds no type counts as missing.
fn type_of(text: &str) -> (Written, bool) {
    let text = text.trim();
    if text.starts_with("...") {
        return (Written::Refused(REST), false);
    }
    if text.starts_with("function") {
        return (Written::Refused(FUNCTION), false);
    }
    let plain = text.strip_suffix('=').unwrap_or(text);
    let source = format!("type T = {};", plain.replace(".<", "<"));
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, &source, SourceType::ts()).parse();
    let ty = match &parsed.program.body[..] {
        [Statement::TSTypeAliasDeclaration(alias)] if parsed.diagnostics.is_empty() => written(&alias.type_annotation),
        _ => Written::Missing,
    };
    (ty, plain != text)
}

/// Adds the field or parameter at the start of `words`: `name`, `[name=1]`, or `options.name` in a known one.
fn place(into: &mut Vec<Member>, words: &str, ty: Written, is_optional: bool) {
    // The containing type already says that it is a list.
    let words = words.replace("[]", "");
    let plain = words.trim_start_matches('[').trim_start();
    let path = plain.split(|one: char| one.is_whitespace() || "=]".contains(one)).next().unwrap_or_default();
    let optional = is_optional || plain.len() < words.len();
    let mut all = into;
    let mut names = path.split('.').peekable();
    while let Some(name) = names.next() {
        if names.peek().is_none() {
            all.push(Member { name: name.to_owned(), optional, ty });
            return;
        }
        match all.iter_mut().find(|known| known.name == name).and_then(|known| fields(&mut known.ty)) {
            Some(within) => all = within,
            None => return,
        }
    }
}

/// The fields of an object that is described tag by tag. Before its first field, it was only called `Object`.
fn fields(ty: &mut Written) -> Option<&mut Vec<Member>> {
    if matches!(ty, Written::Missing | Written::Named(..)) {
        *ty = Written::Object(Vec::new());
    }
    match ty {
        Written::Object(all) => Some(all),
        Written::List(of) => fields(of),
        Written::Union(all) => all.iter_mut().find(|one| **one != Written::Nothing).and_then(fields),
        _ => None,
    }
}
