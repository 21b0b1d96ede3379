//! The types that a package's files declare. In: Go source with comments and strings blanked. Out: the type that each
//! name stands for.

use std::collections::HashMap;

use tierup_codegen::brackets::matching;

/// The type that a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Definition {
    /// `type Basket struct { … }`: names of fields, and their types.
    Struct(Vec<Field>),
    /// `type Cents int64`.
    Of(String),
    /// `type Cents = int64`.
    Alias(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    /// `None` if the struct embeds the type.
    pub(super) name: Option<String>,
    pub(super) ty: String,
}

/// The types of one file's code.
pub(super) fn definitions(code: &str) -> HashMap<String, Definition> {
    let mut found = HashMap::new();
    let mut start = 0;
    for line in code.split_inclusive('\n') {
        // gofmt starts top-level declarations at column one. Those within functions are indented and not read.
        if line.starts_with("type ") {
            let rest = code[start + "type ".len()..].trim_start();
            match matching(rest).filter(|_| rest.starts_with('(')) {
                Some(close) => found.extend(lines(&rest[1..close]).into_iter().filter_map(definition)),
                None => found.extend(lines(rest).first().and_then(|first| definition(first))),
            }
        }
        start += line.len();
    }
    found
}

/// `Basket struct { … }`.
fn definition(spec: &str) -> Option<(String, Definition)> {
    let end = spec.find(|character: char| !character.is_alphanumeric() && character != '_')?;
    let (name, rest) = (spec[..end].to_owned(), spec[end..].trim());
    let body = |rest: &'_ str| {
        Some(rest.strip_prefix("struct")?.trim_start().strip_prefix('{')?.strip_suffix('}')?.to_owned())
    };
    let definition = match (rest.strip_prefix('='), body(rest)) {
        (Some(of), _) => Definition::Alias(of.trim().to_owned()),
        (None, Some(body)) => Definition::Struct(lines(&body).into_iter().flat_map(fields).collect()),
        (None, None) => Definition::Of(rest.to_owned()),
    };
    Some((name, definition))
}

/// `First, Last string`.
fn fields(line: &str) -> Vec<Field> {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || one == '_');
    // The names end at the first space without a comma before it.
    let names_end = line.match_indices(char::is_whitespace).map(|(place, _)| place);
    let apart = names_end.map(|place| line.split_at(place)).find(|(names, _)| !names.trim_end().ends_with(','));
    match apart.filter(|(names, _)| names.split(',').all(|name| is_name(name.trim()))) {
        Some((names, ty)) => {
            let field = |name: &str| Field { name: Some(name.trim().to_owned()), ty: ty.trim().to_owned() };
            names.split(',').map(field).collect()
        }
        None => vec![Field { name: None, ty: line.to_owned() }],
    }
}

/// Splits text into lines. A line that begins within brackets is joined to the one before it.
fn lines(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut start = 0;
    let mut found = Vec::new();
    for (place, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '\n' | ';' if depth == 0 => {
                found.push(&text[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found.into_iter().map(str::trim).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_a_file_are_found() {
        let code = "package a\n\ntype Item struct {\n\tFirst, Last string      \n\tOf  map[string]struct{ A int }\n\n\tBase\n\t*b.Base\n}\n\n\
            func f() {\n\ttype Inner int\n}\n\ntype (\n\tCents int64\n\tSame = Item\n\tNo   struct{}\n\tTwo struct{ A int; B bool }\n)\ntype F func(a,\n\tb int) string\n";
        let found = definitions(code);
        let field = |name: Option<&str>, ty: &str| Field { name: name.map(str::to_owned), ty: ty.to_owned() };
        let mut names: Vec<_> = found.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["Cents", "F", "Item", "No", "Same", "Two"]);
        let item = vec![
            field(Some("First"), "string"),
            field(Some("Last"), "string"),
            field(Some("Of"), "map[string]struct{ A int }"),
            field(None, "Base"),
            field(None, "*b.Base"),
        ];
        assert_eq!(found["Item"], Definition::Struct(item));
        assert_eq!(found["Cents"], Definition::Of("int64".to_owned()));
        assert_eq!(found["Same"], Definition::Alias("Item".to_owned()));
        assert_eq!(found["No"], Definition::Struct(Vec::new()));
        assert_eq!(found["Two"], Definition::Struct(vec![field(Some("A"), "int"), field(Some("B"), "bool")]));
        assert_eq!(found["F"], Definition::Of("func(a,\n\tb int) string".to_owned()));
    }
}
