//! One request as written: the text between two `###`.

use std::ops::Range;

use tierup_diagnostic::Diagnostic;

use crate::blocks::Block;
use crate::blocks::{is_comment, looks_like_request};
use crate::body::{self, BodyPart};
use crate::headers;
use crate::problems::Problems;
use crate::request_line::{self, RequestLine, trim};
use crate::source::Source;
use crate::text::Text;

/// A request as written, before its variables are replaced.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    /// The name from `# @name`, else the title.
    pub(crate) name: Option<String>,
    pub(crate) request_line: RequestLine,
    pub(crate) headers: Vec<Header>,
    pub(crate) body: Vec<BodyPart>,
}

#[derive(Debug, Clone)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) value: Text,
    /// The line.
    pub(crate) range: Range<usize>,
}

/// `@name = value`
#[derive(Debug, Clone)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) value: Text,
    /// The name with its `@`.
    pub(crate) range: Range<usize>,
}

/// Reads a block. `None` if it holds no request, only comments, definitions or a saved response.
pub(crate) fn read(
    source: &Source,
    block: &Block,
    definitions: &mut Vec<Definition>,
    problems: &mut Problems,
) -> Option<Template> {
    let mut name = None;
    let mut lines = preamble(source, &block.lines, &mut name, definitions, problems);
    let first = lines.first()?;
    if source.text[first.clone()].trim_start().starts_with("HTTP/") {
        return None;
    }
    let request_line = request_line::take(source, &mut lines, problems)?;
    let headers = read_headers(source, &mut lines, &mut name, problems);
    let body = body::read(source, lines, problems);
    Some(Template { name: name.or_else(|| block.title.clone()), request_line, headers, body })
}

/// Reads everything before the request line; returns the lines from the request line on.
fn preamble<'a>(
    source: &Source,
    mut lines: &'a [Range<usize>],
    name: &mut Option<String>,
    definitions: &mut Vec<Definition>,
    problems: &mut Problems,
) -> &'a [Range<usize>] {
    while let Some((line, rest)) = lines.split_first() {
        let text = source.text[line.clone()].trim();
        if text.starts_with('@') {
            definitions.extend(definition(source, line, problems));
        } else if text.starts_with("< ") || text.starts_with("<{%") {
            // A script before the request is not run. Variables that it would set have no value, and their uses are
            // reported.
            lines = body::skip_script(source, lines, problems);
            continue;
        } else if is_comment(text) {
            *name = name.take().or_else(|| name_of(text));
        } else if !text.is_empty() {
            break;
        }
        lines = rest;
    }
    lines
}

fn definition(source: &Source, line: &Range<usize>, problems: &mut Problems) -> Option<Definition> {
    let range = trim(source, line);
    let text = &source.text[range.clone()];
    let split = text.split_once('=').map(|(name, _)| (name[1..].trim(), name.len() + 1));
    let Some((name, value_start)) = split.filter(|(name, _)| !name.is_empty() && !name.contains(char::is_whitespace))
    else {
        let problem = source.problem("this is not the definition of a variable", &range);
        problems.push(problem.hint("write `@name = value`, with a name without spaces"));
        return None;
    };
    let value = trim(source, &(range.start + value_start..range.end));
    let value = Text::parse(source, value, problems).map_literals(unescape);
    Some(Definition { name: name.to_owned(), value, range: range.start..range.start + name.len() + 1 })
}

/// Replaces `\n`, `\r` and `\t`, and removes any other backslash: see "File Variables" in REST Client's README.
fn unescape(literal: &str) -> String {
    let mut plain = String::with_capacity(literal.len());
    let mut characters = literal.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    plain
}

/// Reads headers up to and including the blank line that ends them.
fn read_headers(
    source: &Source,
    lines: &mut &[Range<usize>],
    name: &mut Option<String>,
    problems: &mut Problems,
) -> Vec<Header> {
    let mut headers = Vec::new();
    while let Some((line, rest)) = lines.split_first() {
        let range = trim(source, line);
        let text = &source.text[range.clone()];
        if body::starts_script(text) || body::is_reference(text) {
            break;
        }
        *lines = rest;
        if text.is_empty() {
            break;
        }
        if is_comment(text) {
            *name = name.take().or_else(|| name_of(text));
            continue;
        }
        match text.split_once(':') {
            Some((header, _)) if headers::is_token(header.trim_end()) => {
                let value = trim(source, &(range.start + header.len() + 1..range.end));
                let value = Text::parse(source, value, problems);
                headers.push(Header { name: header.trim_end().to_owned(), value, range });
            }
            _ => problems.push(not_a_header(source, &range)),
        }
    }
    headers
}

fn not_a_header(source: &Source, range: &Range<usize>) -> Diagnostic {
    let text = &source.text[range.clone()];
    let hint = if text.starts_with('@') {
        "write definitions before the request line"
    } else if looks_like_request(text) {
        "put a line `###` between two requests"
    } else {
        "write `Name: value`, and a blank line between the headers and the body"
    };
    source.problem("this is not a header", range).hint(hint)
}

/// `# @name login`, `// @name = login`
fn name_of(comment: &str) -> Option<String> {
    let text = comment.trim_start_matches(['#', '/']).trim_start();
    let name = text.strip_prefix("@name").filter(|rest| rest.starts_with([' ', '\t', '=']))?;
    let name = name.trim_start();
    let name = name.strip_prefix('=').unwrap_or(name).trim();
    (!name.is_empty()).then(|| name.to_owned())
}
