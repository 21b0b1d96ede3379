//! Reads a path: the part of RFC 9535's syntax that [`Path`](crate::Path) supports.

use super::{Reach, Segment, Selector};
use crate::json::{self, Kind, Text};
use crate::location::{Step, is_in_name};

/// The segments of a path, or why it cannot be parsed.
pub(super) fn parse(path: &str) -> Result<Vec<Segment>, String> {
    let mut rest = path.strip_prefix('$').ok_or("a path starts with `$`: `$.items[*].id`")?;
    let mut segments = Vec::new();
    while !rest.is_empty() {
        let (reach, behind) = match rest.strip_prefix("..") {
            Some(behind) => (Reach::Descendant, behind),
            None if rest.starts_with('[') => (Reach::Child, rest),
            None => {
                let behind = rest.strip_prefix('.').ok_or_else(|| unreadable(rest))?;
                if behind.starts_with('[') {
                    return Err(unreadable(rest));
                }
                (Reach::Child, behind)
            }
        };
        let (selector, behind) = match behind.strip_prefix('[') {
            Some(inside) => bracketed(inside)?,
            None => short(behind)?,
        };
        segments.push(Segment { reach, selector });
        rest = behind;
    }
    Ok(segments)
}

/// `name` or `*`, and the rest of the text.
fn short(text: &str) -> Result<(Selector, &str), String> {
    if let Some(rest) = text.strip_prefix('*') {
        return Ok((Selector::All, rest));
    }
    let end = text.find(|c| !is_in_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        return Err("a `.` without a name after it".to_owned());
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(format!("write `[{name}]` for an item, `['{name}']` for a member"));
    }
    if !rest.is_empty() && !rest.starts_with(['.', '[']) {
        return Err(format!("write a name such as `{name}{}` in quotes: `['…']`", &rest[..first_char(rest)]));
    }
    Ok((Selector::Step(Step::Key(Text::from(name).into_owned())), rest))
}

/// The selector after `[`, and the rest of the text after `]`.
fn bracketed(inside: &str) -> Result<(Selector, &str), String> {
    if let Some(rest) = inside.strip_prefix("*]") {
        return Ok((Selector::All, rest));
    }
    if let Some(quote @ ('\'' | '"')) = inside.chars().next() {
        let end = closing(&inside[1..], quote).ok_or("a name without a closing quote")?;
        let name = quoted(&inside[1..1 + end], quote)?;
        let rest = inside[end + 2..].strip_prefix(']').ok_or("a quoted name without `]` after it")?;
        return Ok((Selector::Step(Step::Key(name)), rest));
    }
    let (index, rest) = inside.split_once(']').ok_or("a `[` without `]`")?;
    match index.parse::<usize>() {
        Ok(number) if number.to_string() == index => Ok((Selector::Step(Step::Index(number)), rest)),
        _ => Err(format!("`[{index}]` is neither an index from 0 nor `[*]` nor a name in quotes")),
    }
}

/// The position of the first quote that is not escaped by a backslash.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let is_end = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        is_end.then_some(at)
    })
}

/// The content of a quoted name, whose escapes are those of JSON, and `\'`.
fn quoted(content: &str, quote: char) -> Result<Text<'static>, String> {
    let json = if quote == '\'' { content.replace("\\'", "'").replace('"', "\\\"") } else { content.to_owned() };
    match json::read(format!("\"{json}\"").as_bytes()) {
        Ok(json::Json { kind: Kind::Text(text), .. }) => Ok(text.into_owned()),
        _ => Err(format!("{quote}{content}{quote} is no name: escape as JSON does")),
    }
}

fn unreadable(rest: &str) -> String {
    format!("`{}` where `.name`, `[…]` or `..name` could stand", &rest[..first_char(rest)])
}

fn first_char(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}
