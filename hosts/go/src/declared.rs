//! Reads the declaration of a function or a method in Go source. In: the files of its package, and its name. Out: its
//! types, or why it cannot move to Rust as it is.

mod definitions;
mod types;

use std::collections::HashMap;

use tierup_codegen::{
    Declared, DeclaredType, ServerFolder, Spelling,
    brackets::{blank, matching, split},
};

use self::{
    definitions::{Definition, definitions},
    types::Types,
};
use crate::declaration::{Declaration, declaration, type_of};

/// Reads a function of a file. The path is relative to the server's folder.
pub(crate) fn declared(folder: &dyn ServerFolder, file: &str, name: &str) -> Result<Declared, String> {
    let text = folder.read(file).ok_or_else(|| format!("{file} cannot be read"))?;
    let way = file.rsplit_once('/').map_or("", |(way, _)| way);
    let mut declared = read(&text, &of_package(folder, way), name)?;
    let package = text.lines().find_map(|line| line.strip_prefix("package "));
    let package = package.and_then(|rest| rest.split_whitespace().next()).unwrap_or("main");
    declared.qualified_name = format!("{package}.{name}");
    let is_exported = name.starts_with(|first: char| first.is_uppercase());
    if is_exported && package != "main" && declared.conversion.is_none() {
        let way = if way.is_empty() { String::new() } else { format!("/{way}") };
        declared.baseline = module(folder).map(|module| format!("{module}{way}.{name}"));
    }
    Ok(declared)
}

/// The files of the package of `module/path.Name` that declare that name.
pub(crate) fn baseline_files(folder: &dyn ServerFolder, name: &str) -> Vec<String> {
    let Some((path, name)) = name.rsplit_once('.') else { return Vec::new() };
    let way = module(folder).and_then(|module| Some(path.strip_prefix(&module)?.trim_start_matches('/').to_owned()));
    let Some(way) = way else { return Vec::new() };
    let mut files = sources(folder, &way);
    files.retain(|file| folder.read(file).is_some_and(|text| text.lines().any(|line| declares(line, name))));
    files.sort();
    files
}

/// Whether a line begins the declaration of this function, type or variable.
fn declares(line: &str, name: &str) -> bool {
    let rest = ["func ", "type ", "var "].iter().find_map(|word| line.strip_prefix(word));
    let after = rest.and_then(|rest| rest.strip_prefix(name));
    after.is_some_and(|after| !after.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}

/// The source files of a package, without tests.
fn sources(folder: &dyn ServerFolder, way: &str) -> Vec<String> {
    let names = folder.names(way).into_iter().filter(|name| name.ends_with(".go") && !name.ends_with("_test.go"));
    names.map(|name| if way.is_empty() { name } else { format!("{way}/{name}") }).collect()
}

/// The types that the files of a folder declare.
fn of_package(folder: &dyn ServerFolder, way: &str) -> HashMap<String, Definition> {
    let texts = sources(folder, way).into_iter().filter_map(|path| folder.read(&path));
    texts.flat_map(|text| definitions(&blank(&text))).collect()
}

/// The path of the server's module.
fn module(folder: &dyn ServerFolder) -> Option<String> {
    let manifest = folder.read("go.mod")?;
    let line = manifest.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    Some(line.split("//").next()?.trim().trim_matches('"').to_owned())
}

fn read(text: &str, definitions: &HashMap<String, Definition>, name: &str) -> Result<Declared, String> {
    let code = blank(text);
    let Declaration { start, receiver, rest } = declaration(&code, name)?;
    let line = code[..start].matches('\n').count() as u32 + 1;
    if rest.starts_with('[') {
        return Err("it has type parameters: tierup needs one type for each argument".to_owned());
    }
    let close = matching(rest).ok_or("its parameters could not be read")?;
    let (mut problems, mut notes) = (Vec::new(), Vec::new());
    let mut types = Types::new(definitions);
    let receiver = receiver.map(|receiver| parameter_of(receiver, &mut problems));
    let parameters: Vec<_> = receiver.into_iter().chain(parameters(&rest[1..close])).collect();
    for (name, _) in parameters.iter().filter(|(_, ty)| ty.starts_with('*')) {
        notes.push(format!("`{name}` is a pointer: what is changed behind it is not seen by who gave it"));
    }
    let parameters = parameters.into_iter().map(|(name, ty)| (name, types.read(&ty))).collect();
    let answer = answer(rest[close + 1..].trim_start(), &mut types, &mut problems);
    let conversion = (!types.converted.is_empty()).then(|| conversion(name, &types));
    let spelling = Spelling::PascalCase;
    let qualified_name = name.to_owned();
    let (baseline, watched, file) = (None, None, None);
    Ok(Declared {
        qualified_name,
        line,
        parameters,
        answer,
        problems,
        notes,
        conversion,
        spelling,
        baseline,
        watched,
        file,
    })
}

/// The hint how to turn the present function into tier 0.
fn conversion(name: &str, types: &Types<'_>) -> String {
    let names: Vec<_> = types.converted.iter().map(|name| format!("`{name}`")).collect();
    format!(
        "For {}, the package has types of its own. Write a function with those, which converts its arguments, calls \
         {name} and converts the answer; it is tier 0.",
        names.join(", ")
    )
}

/// The receiver of a method as its first parameter.
fn parameter_of(receiver: &str, problems: &mut Vec<String>) -> (String, String) {
    let ty = type_of(receiver);
    if let Some(of) = ty.strip_prefix('*') {
        problems.push(format!(
            "it is a method of `{ty}`, which it may change: make it a method of `{of}`, or a function that is given what it needs"
        ));
    }
    let of = ty.trim_start_matches('*').to_owned();
    let name = receiver.split_once(char::is_whitespace).map(|(name, _)| name).filter(|name| *name != "_");
    (name.map_or_else(|| of.to_lowercase(), str::to_owned), of)
}

/// Names and types. In `a, b string`, `a` has the type of `b`.
pub(crate) fn parameters(list: &str) -> Vec<(String, String)> {
    let parts = split(list, "([{", ")]}");
    let words: Vec<Option<(&str, &str)>> =
        parts.iter().map(|part| part.split_once(char::is_whitespace).map(|(name, ty)| (name, ty.trim()))).collect();
    if words.iter().all(Option::is_none) {
        // The list has types only.
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

/// The type of the result without the error, if there is any.
fn answer(after: &str, types: &mut Types<'_>, problems: &mut Vec<String>) -> Option<DeclaredType> {
    let all: Vec<String> = match matching(after).filter(|_| after.starts_with('(')) {
        Some(close) => {
            let list = parameters(&after[1..close]);
            list.into_iter().map(|(_, ty)| ty).collect()
        }
        None => vec![until_the_body(after)],
    };
    let answers: Vec<&String> = all.iter().filter(|ty| !ty.is_empty() && *ty != "error").collect();
    match answers[..] {
        [] => None,
        [one] => Some(types.read(one)),
        _ => {
            problems.push(format!("it answers {} values: Rust answers one", answers.len()));
            Some(types.read(answers[0]))
        }
    }
}

/// The result's type: the text up to the body's brace.
fn until_the_body(after: &str) -> String {
    let line = after.lines().next().unwrap_or_default().trim();
    line.strip_suffix('{').unwrap_or(line.split(" {").next().unwrap_or_default()).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "package shop\n\n// func Price(no bool) {}\nvar text = \"func Price(\"\n\nfunc (s *Shop) Total(n int) int { return n }\n\n\
        func Price(name, kind string, counts []int32,\n\tweights map[string]float64, raw []byte) ([]string, error) {\n\treturn nil, nil\n}\n\n\
        func plain(int, uint8) bool { return true }\nfunc none(a int) error { return nil }\nfunc many() (a, b int, err error) { return }\n\
        func odd(context context.Context, f func(a, b int) string) *Shop {\n}\nfunc generic[T any](a T) T { return a }\n";

    fn read(source: &str, name: &str) -> Result<Declared, String> {
        super::read(source, &definitions(&blank(source)), name)
    }

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
    fn unreadable_declarations_are_refused_with_a_reason() {
        let why = "it is a method of `*Shop`, which it may change: make it a method of `Shop`, or a function that is given what it needs";
        assert_eq!(read(SOURCE, "Total").unwrap().problems, [why]);
        assert!(read(SOURCE, "Cart.Total").unwrap_err().contains("declares no function `Cart.Total`"));
        assert!(read(SOURCE, "generic").unwrap_err().contains("type parameters"));
        assert!(read(SOURCE, "missing").unwrap_err().contains("declares no function `missing`"));
        assert_eq!(read(SOURCE, "many").unwrap().problems, ["it answers 2 values: Rust answers one"]);
        let odd = read(SOURCE, "odd").unwrap();
        let refused = |ty: &DeclaredType| matches!(ty, DeclaredType::Refused(why) if why.contains("does not read"));
        assert!(odd.parameters.len() == 2 && odd.parameters.iter().all(|(_, ty)| refused(ty)), "{odd:?}");
        assert!(refused(&odd.answer.unwrap()));
    }

    const CART: &str = "package shop\n\ntype Cart struct {\n\tItems []Item `json:\"items\"`\n\tCoupon *string\n\tUserID int64\n}\n\n\
        type Item struct{ Price Cents; Names map[string]string }\ntype Cents int64\ntype Same = string\n\
        type Store struct {\n\tName string\n\tdb *sql.DB\n}\ntype Node struct{ Next *Node }\n\n\
        func (cart Cart) Total(code Same) (Cents, error) { return 0, nil }\nfunc (Cents) Total() string { return \"\" }\n\
        func Cheapest(cart *Cart) *Item { return nil }\nfunc (s Store) Find(node Node) string { return \"\" }\n\
        func Same64(a int64, b []string) (float64, error) { return 0, nil }\nfunc Size(a int) int64 { return 0 }\n";

    #[test]
    fn structs_and_methods_are_read() {
        use DeclaredType::*;
        let whole = Whole { bits: 64, signed: true };
        let item = Record(vec![("Price".into(), whole.clone()), ("Names".into(), Map(Box::new(Text)))]);
        let fields =
            [("Items", List(Box::new(item.clone()))), ("Coupon", Optional(Box::new(Text))), ("UserID", whole.clone())];
        let cart = Record(fields.map(|(name, ty)| (name.to_owned(), ty)).to_vec());
        for name in ["Cart.Total", "(Cart).Total"] {
            let total = read(CART, name).unwrap();
            assert_eq!(total.parameters, [("cart".to_owned(), cart.clone()), ("code".to_owned(), Text)]);
            assert_eq!((total.answer, total.problems.len(), total.notes.len()), (Some(whole.clone()), 0, 0));
            let conversion = total.conversion.unwrap();
            assert!(conversion.starts_with("For `Cart`, `Cents`, `Item`, the package has"), "{conversion}");
        }
        assert!(read(CART, "Total").unwrap_err().contains("several methods `Total`: write TYPE.Total"));
        assert_eq!(read(CART, "Cents.Total").unwrap().parameters, [("cents".to_owned(), whole)]);
        let cheapest = read(CART, "Cheapest").unwrap();
        assert_eq!(cheapest.parameters, [("cart".to_owned(), Optional(Box::new(cart)))]);
        assert_eq!(cheapest.answer, Some(Optional(Box::new(item))));
        assert_eq!(cheapest.notes, ["`cart` is a pointer: what is changed behind it is not seen by who gave it"]);
    }

    /// Go does not convert `int` to `int64` implicitly.
    #[test]
    fn a_function_whose_types_the_package_lacks_is_converted() {
        assert_eq!(read(CART, "Same64").unwrap().conversion, None);
        assert!(read(CART, "Size").unwrap().conversion.unwrap().starts_with("For `int`, the package has"));
    }

    #[test]
    fn state_stays_in_go() {
        let [(_, store), (_, node)] = &read(CART, "Find").unwrap().parameters[..] else { panic!("two parameters") };
        let why = "a `Store`, whose field `db` is not exported: it is state that stays in Go";
        assert_eq!(*store, DeclaredType::Refused(why.to_owned()));
        let DeclaredType::Record(fields) = node else { panic!("{node:?}") };
        assert_eq!(fields[0].1, DeclaredType::Refused("a `Node`, which contains itself".to_owned()));
    }
}
