//! Reads the declaration of a function in Go's source. In: the file's text and the function's name. Out: its types, or why it
//! cannot move to Rust as it is.

use tierup_codegen::{
    Declared, DeclaredType, ServerFolder, Spelling,
    brackets::{blank, matching, split},
};

/// The function of a file, whose path is from the server's folder.
pub(crate) fn declared(folder: &dyn ServerFolder, file: &str, name: &str) -> Result<Declared, String> {
    let text = folder.read(file).ok_or_else(|| format!("{file} cannot be read"))?;
    let mut declared = read(&text, name)?;
    let package = text.lines().find_map(|line| line.strip_prefix("package "));
    let package = package.and_then(|rest| rest.split_whitespace().next());
    let is_exported = name.starts_with(|first: char| first.is_uppercase());
    if is_exported && package.is_some_and(|package| package != "main") {
        let way = file.rsplit_once('/').map_or(String::new(), |(way, _)| format!("/{way}"));
        declared.baseline = module(folder).map(|module| format!("{module}{way}.{name}"));
    }
    Ok(declared)
}

/// The path of the server's module.
fn module(folder: &dyn ServerFolder) -> Option<String> {
    let manifest = folder.read("go.mod")?;
    let line = manifest.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    Some(line.split("//").next()?.trim().trim_matches('"').to_owned())
}

fn read(text: &str, name: &str) -> Result<Declared, String> {
    let code = blank(text);
    let (start, rest) = found(&code, name)?;
    let line = code[..start].matches('\n').count() as u32 + 1;
    if rest.starts_with('[') {
        return Err("it has type parameters: tierup needs one type for each argument".to_owned());
    }
    let close = matching(rest).ok_or("its parameters could not be read")?;
    let mut problems = Vec::new();
    let parameters = parameters(&rest[1..close]);
    let after = rest[close + 1..].trim_start();
    let answer = answer(after, &mut problems);
    let parameters = parameters.into_iter().map(|(name, ty)| (name, of(&ty))).collect();
    Ok(Declared { line, parameters, answer, problems, spelling: Spelling::PascalCase, baseline: None })
}

/// Where the function begins, and the code after its name.
fn found<'a>(code: &'a str, name: &str) -> Result<(usize, &'a str), String> {
    let mut start = 0;
    let mut is_method = false;
    for line in code.split_inclusive('\n') {
        // Declarations of functions begin at the start of a line: gofmt sees to it.
        if let Some(rest) = line.strip_prefix("func ") {
            let named = |rest: &str| {
                let rest = rest.trim_start();
                rest.strip_prefix(name).is_some_and(|after| after.trim_start().starts_with(['(', '[']))
            };
            if named(rest) {
                let from = start + code[start..].find(name).unwrap_or_default() + name.len();
                return Ok((start, code[from..].trim_start()));
            }
            let receiver = rest.trim_start();
            is_method |=
                receiver.starts_with('(') && matching(receiver).is_some_and(|close| named(&receiver[close + 1..]));
        }
        start += line.len();
    }
    match is_method {
        true => Err("it is a method: make it a function that is given what it needs".to_owned()),
        false => Err(format!("its file declares no function `{name}`")),
    }
}

/// Names and types: `a, b string` has the type of its last.
fn parameters(list: &str) -> Vec<(String, String)> {
    let parts = split(list, "([{", ")]}");
    let words: Vec<Option<(&str, &str)>> =
        parts.iter().map(|part| part.split_once(char::is_whitespace).map(|(name, ty)| (name, ty.trim()))).collect();
    if words.iter().all(Option::is_none) {
        // Types without names.
        return parts.iter().enumerate().map(|(place, ty)| (format!("arg{place}"), (*ty).to_owned())).collect();
    }
    let mut ty = "";
    let mut found: Vec<(String, String)> = Vec::new();
    for (part, words) in parts.iter().zip(&words).rev() {
        let name = match words {
            Some((name, own)) => {
                ty = own;
                name
            }
            None => part,
        };
        found.push(((*name).to_owned(), ty.to_owned()));
    }
    found.reverse();
    found
}

/// The answer beside an error. `None` if there is none.
fn answer(after: &str, problems: &mut Vec<String>) -> Option<DeclaredType> {
    let types: Vec<String> = match matching(after).filter(|_| after.starts_with('(')) {
        Some(close) => {
            let list = parameters(&after[1..close]);
            list.into_iter().map(|(_, ty)| ty).collect()
        }
        None => vec![until_the_body(after)],
    };
    let answers: Vec<&String> = types.iter().filter(|ty| !ty.is_empty() && *ty != "error").collect();
    match answers[..] {
        [] => None,
        [one] => Some(of(one)),
        _ => {
            problems.push(format!("it answers {} values: Rust answers one", answers.len()));
            Some(of(answers[0]))
        }
    }
}

/// The result's type: the text before the body's brace.
fn until_the_body(after: &str) -> String {
    let line = after.lines().next().unwrap_or_default().trim();
    line.strip_suffix('{').unwrap_or(line.split(" {").next().unwrap_or_default()).trim().to_owned()
}

fn of(ty: &str) -> DeclaredType {
    let whole = |bits, signed| DeclaredType::Whole { bits, signed };
    match ty {
        "string" => DeclaredType::Text,
        "bool" => DeclaredType::Bool,
        "[]byte" | "[]uint8" => DeclaredType::Bytes,
        "int" | "int64" => whole(64, true),
        "uint" | "uint64" => whole(64, false),
        "int8" | "int16" | "int32" | "rune" => whole(32, true),
        "uint8" | "uint16" | "uint32" | "byte" => whole(32, false),
        "float32" | "float64" => DeclaredType::Float,
        _ => match (ty.strip_prefix("[]"), ty.strip_prefix("map[string]")) {
            (Some(of_list), _) => DeclaredType::List(Box::new(of(of_list.trim()))),
            (_, Some(of_map)) => DeclaredType::Map(Box::new(of(of_map.trim()))),
            _ => DeclaredType::Refused(format!("a `{ty}`, which tierup does not read from Go's source")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "package shop\n\n// func Price(no bool) {}\nvar text = \"func Price(\"\n\nfunc (s *Shop) Total(n int) int { return n }\n\n\
        func Price(name, kind string, counts []int32,\n\tweights map[string]float64, raw []byte) ([]string, error) {\n\treturn nil, nil\n}\n\n\
        func plain(int, uint8) bool { return true }\nfunc none(a int) error { return nil }\nfunc many() (a, b int, err error) { return }\n\
        func odd(context context.Context, f func(a, b int) string) *Shop {\n}\nfunc generic[T any](a T) T { return a }\n";

    fn check(name: &str, parameters: &[(&str, DeclaredType)], answer: Option<DeclaredType>, line: u32) {
        let found = read(SOURCE, name).unwrap();
        let expected: Vec<_> = parameters.iter().map(|(name, ty)| ((*name).to_owned(), ty.clone())).collect();
        assert_eq!((found.parameters, found.answer, found.line), (expected, answer, line), "{name}");
    }

    #[test]
    fn a_declaration_is_read() {
        use DeclaredType::*;
        let list = |of: DeclaredType| List(Box::new(of));
        let int32 = Whole { bits: 32, signed: true };
        let parameters = [
            ("name", Text),
            ("kind", Text),
            ("counts", list(int32)),
            ("weights", Map(Box::new(Float))),
            ("raw", Bytes),
        ];
        check("Price", &parameters, Some(list(Text)), 8);
        let (int, byte) = (Whole { bits: 64, signed: true }, Whole { bits: 32, signed: false });
        check("plain", &[("arg0", int.clone()), ("arg1", byte)], Some(Bool), 13);
        check("none", &[("a", int)], None, 14);
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_a_reason() {
        assert!(read(SOURCE, "Total").unwrap_err().contains("it is a method"));
        assert!(read(SOURCE, "generic").unwrap_err().contains("type parameters"));
        assert!(read(SOURCE, "missing").unwrap_err().contains("declares no function `missing`"));
        assert_eq!(read(SOURCE, "many").unwrap().problems, ["it answers 2 values: Rust answers one"]);
        let odd = read(SOURCE, "odd").unwrap();
        let refused = |ty: &DeclaredType| matches!(ty, DeclaredType::Refused(why) if why.contains("does not read"));
        assert!(odd.parameters.len() == 2 && odd.parameters.iter().all(|(_, ty)| refused(ty)), "{odd:?}");
        assert!(refused(&odd.answer.unwrap()));
    }
}
