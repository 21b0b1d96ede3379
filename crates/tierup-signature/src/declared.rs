//! Signatures of functions whose types the source declares. In: a [`Declared`]. Out: a [`Signature`], or all reasons
//! why the function cannot move as it is.

use tierup_codegen::{Declared, DeclaredType, Spelling};

use crate::{
    golden::{Golden, golden},
    origin::{SentRequest, origins},
    seen::{Seen, SeenParameter},
    shape::Shape,
    signature::{Signature, of_seen},
};

/// The signature of a function by its name in the host's language. Declared types decide. Calls never contradict a
/// declaration: they only tell whether a number is whole, and the types that are not declared.
///
/// # Errors
/// At least one reason why the function cannot move to Rust as it is.
pub fn signature(name: &str, seen: &Seen, spelling: Spelling) -> Result<Signature, Vec<String>> {
    let Some(declared) = &seen.declared else { return of_seen(name, seen, spelling) };
    let mut whole = Vec::new();
    let parameters = declared.parameters.iter().enumerate().map(|(place, (written, ty))| {
        let seen = seen.parameters.get(place);
        // A destructured parameter has no name.
        let name = seen.map_or(written, |seen| if written.is_empty() { &seen.name } else { written }).clone();
        let shape = narrowed(ty, seen.map(|seen| &seen.shape), &name, &mut whole);
        SeenParameter { name, shape }
    });
    let parameters = parameters.collect();
    let answer = narrowed(&declared.answer, seen.answer.as_ref(), "the answer", &mut whole);
    // A declared answer is known, even if every call threw.
    let answer = Some(answer).filter(|shape| *shape != Shape::Unseen);
    let mut signature = of_seen(name, &Seen { parameters, answer, ..seen.clone() }, spelling)?;
    if !whole.is_empty() {
        let one = if whole.len() == 1 { "It was a whole number" } else { "Each was a whole number" };
        signature.notes.push(format!(
            "Declared as `number`: {}. {one} in all calls that tierup saw; make it `f64` if it need not be one",
            whole.join(", ")
        ));
    }
    signature.notes.extend(declared.notes.iter().cloned());
    Ok(Signature { declared: true, ..signature })
}

/// Narrows a declared type by its values. `place` is its name in notes; `whole` collects numbers that were whole.
fn narrowed(ty: &DeclaredType, seen: Option<&Shape>, place: &str, whole: &mut Vec<String>) -> Shape {
    let seen = match (ty, seen) {
        (DeclaredType::Seen, seen) => return seen.cloned().unwrap_or(Shape::Unseen),
        // A value that was absent, against its declaration, has no shape.
        (DeclaredType::Optional(_), seen) => seen,
        (_, Some(Shape::Optional { of })) => Some(&**of),
        (_, seen) => seen,
    };
    match (ty, seen) {
        (DeclaredType::Number, Some(Shape::Whole { signed, large })) => {
            whole.push(format!("`{place}`"));
            Shape::Whole { signed: *signed, large: *large }
        }
        // A value beyond 63 bits was seen.
        (DeclaredType::Whole { bits: 64, .. }, Some(wide @ Shape::Wide { signed: false })) => wide.clone(),
        (DeclaredType::List(of), Some(Shape::List { of: seen })) => {
            Shape::list(narrowed(of, Some(seen), &format!("{place}[]"), whole))
        }
        (DeclaredType::Map(of), Some(Shape::Map { of: seen })) => {
            Shape::map(narrowed(of, Some(seen), &format!("{place}[…]"), whole))
        }
        (DeclaredType::Optional(of), Some(Shape::Optional { of: seen })) => {
            Shape::optional(narrowed(of, Some(seen), place, whole))
        }
        (DeclaredType::List(of), _) => Shape::list(narrowed(of, None, place, whole)),
        (DeclaredType::Map(of), _) => Shape::map(narrowed(of, None, place, whole)),
        (DeclaredType::Optional(of), seen) => Shape::optional(narrowed(of, seen, place, whole)),
        (DeclaredType::Record(fields), seen) => {
            let known = |name: &String| match seen {
                Some(Shape::Record { fields }) => {
                    fields.iter().find(|(known, _)| known == name).map(|(_, shape)| shape)
                }
                _ => None,
            };
            let field = |(name, ty): &(String, DeclaredType)| {
                (name.clone(), narrowed(ty, known(name), &format!("{place}.{name}"), whole))
            };
            Shape::Record { fields: fields.iter().map(field).collect() }
        }
        (ty, _) => shape(ty),
    }
}

/// The signature of a function by its name in the host's language.
///
/// # Errors
/// At least one reason why the function cannot move to Rust as it is.
pub fn of_declared(name: &str, declared: &Declared) -> Result<Signature, Vec<String>> {
    let nothing = Shape::optional(Shape::Unseen);
    let seen = Seen {
        parameters: parameters(declared),
        answer: Some(declared.answer.as_ref().map_or(nothing, shape)),
        problems: declared.problems.clone(),
        ..Seen::default()
    };
    let mut signature = of_seen(name, &seen, declared.spelling)?;
    signature.notes.extend(declared.notes.iter().cloned());
    Ok(Signature { declared: true, ..signature })
}

/// Whether the function may have a golden call: requests can carry its arguments, and its answer can be hashed.
pub fn can_have_golden(declared: &Declared) -> bool {
    use DeclaredType::*;
    let from_a_request = |ty: &DeclaredType| matches!(ty, Text | Bool | Whole { .. });
    declared.parameters.iter().all(|(_, ty)| from_a_request(ty)) && matches!(declared.answer, Some(Text | Bytes))
}

/// The golden call of such a function. `calls` were recorded without types, `key` is hashed before each value, and
/// `may_be_kept` says whether the values of a request may be written down.
pub fn golden_of_declared(
    declared: &Declared,
    calls: &Seen,
    asked: &[SentRequest],
    key: &str,
    may_be_kept: impl Fn(&SentRequest) -> bool,
) -> Option<Golden> {
    let seen = Seen { parameters: parameters(declared), ..calls.clone() };
    golden(&seen, &origins(&seen, asked, key), asked, may_be_kept)
}

fn parameters(declared: &Declared) -> Vec<SeenParameter> {
    let parameters = declared.parameters.iter();
    parameters.map(|(name, ty)| SeenParameter { name: name.clone(), shape: shape(ty) }).collect()
}

fn shape(ty: &DeclaredType) -> Shape {
    match ty {
        DeclaredType::Text => Shape::Text,
        DeclaredType::Bool => Shape::Bool,
        DeclaredType::Bytes => Shape::Bytes,
        DeclaredType::Float | DeclaredType::Number => Shape::Float,
        DeclaredType::Choice(words) => Shape::Choice { words: words.clone() },
        DeclaredType::Seen => Shape::Unseen,
        DeclaredType::Whole { bits: 64, signed } => Shape::Wide { signed: *signed },
        DeclaredType::Whole { signed, .. } => Shape::Whole { signed: *signed, large: false },
        DeclaredType::List(of) => Shape::list(shape(of)),
        DeclaredType::Map(of) => Shape::map(shape(of)),
        DeclaredType::Optional(of) => Shape::optional(shape(of)),
        DeclaredType::Record(fields) => {
            Shape::Record { fields: fields.iter().map(|(name, ty)| (name.clone(), shape(ty))).collect() }
        }
        DeclaredType::Refused(why) => Shape::Refused { why: why.clone() },
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;
    use crate::{library, seen};

    fn declared(answer: Option<DeclaredType>, problems: Vec<String>) -> Declared {
        let parameters = [
            ("userName", DeclaredType::Text),
            ("limits", DeclaredType::List(Box::new(DeclaredType::Whole { bits: 64, signed: true }))),
            ("weights", DeclaredType::Map(Box::new(DeclaredType::Float))),
        ];
        let parameters = parameters.map(|(name, ty)| (name.to_owned(), ty)).to_vec();
        let (notes, spelling) = (vec!["a note".to_owned()], Spelling::PascalCase);
        let qualified_name = "shop.f".to_owned();
        Declared {
            qualified_name,
            line: 3,
            parameters,
            answer,
            problems,
            notes,
            conversion: None,
            spelling,
            baseline: None,
            watched: None,
            file: None,
        }
    }

    /// A Go struct is converted to that of the package, so its field names may differ.
    #[test]
    fn a_record_has_the_fields_of_its_declaration() {
        let field = |name: &str| (name.to_owned(), DeclaredType::Optional(Box::new(DeclaredType::Text)));
        let answer = |names: &[&str]| Some(DeclaredType::Record(names.iter().map(|name| field(name)).collect()));
        let found = of_declared("Cart.Total", &declared(answer(&["ID", "UserName"]), Vec::new())).unwrap();
        let text = library(&found, "Cart.Total", "cart.go:3");
        assert!(text.contains("    pub id: Option<String>,\n    pub user_name: Option<String>,\n"), "{text}");
        assert!(text.contains("pub fn cart_total(") && text.contains("/// a note.\n"), "{text}");
        let twice = of_declared("f", &declared(answer(&["ID", "Id"]), Vec::new())).unwrap_err();
        assert_eq!(twice, ["its answer is a record with two fields that Rust would call `id`"]);
    }

    #[test]
    fn declared_types_are_taken_as_they_are() {
        let bytes = DeclaredType::Bytes;
        let found = of_declared("FindUser", &declared(Some(bytes), Vec::new())).unwrap();
        let text = library(&found, "FindUser", "users.go:3");
        let head = "pub fn find_user(user_name: &str, limits: &[i64], weights: &BTreeMap<String, f64>) -> Result<Vec<u8>, String>";
        assert!(text.contains(head) && text.contains("/// The types are those of its declaration."), "{text}");
        assert!(!text.contains("guessed"), "{text}");
        assert_eq!(found.in_package, "FindUser");
    }

    #[test]
    fn calls_narrow_numbers_and_never_contradict() {
        let list = |ty| DeclaredType::List(Box::new(ty));
        let optional = |ty| DeclaredType::Optional(Box::new(ty));
        let record = |fields: &[(&str, DeclaredType)]| {
            DeclaredType::Record(fields.iter().map(|(name, ty)| ((*name).to_owned(), ty.clone())).collect())
        };
        let line = record(&[
            ("sku", DeclaredType::Text),
            ("quantity", DeclaredType::Number),
            ("unitPrice", DeclaredType::Number),
        ]);
        let kind = DeclaredType::Choice(vec!["percent".to_owned(), "fixed".to_owned()]);
        let odd = DeclaredType::Choice(vec!["a-b".to_owned()]);
        let parameters = [
            ("lines", list(line)),
            ("coupon", optional(DeclaredType::Text)),
            ("kind", kind),
            ("odd", odd),
            ("free", DeclaredType::Seen),
        ];
        let parameters = parameters.map(|(name, ty)| (name.to_owned(), ty)).to_vec();
        let declared =
            Declared { parameters, spelling: Spelling::CamelCase, ..declared(Some(DeclaredType::Number), Vec::new()) };
        // One call had a text where a number is declared, and no call had a coupon.
        let written = br#"{"functions":[{"parameters":[
            {"name":"lines","shapes":[{"is":"list","of":[{"is":"record","fields":[["quantity",{"is":"whole","signed":false,"large":false}],["unitPrice",{"is":"text"}]]}]}]},
            {"name":"coupon","shapes":[{"is":"absent"}]},{"name":"kind","shapes":[{"is":"bool"}]},
            {"name":"odd","shapes":[{"is":"text"}]},{"name":"free","shapes":[{"is":"bool"}]}],"answers":[]}]}"#;
        let mut seen = seen(&[written.to_vec()], 1).unwrap().remove(0);
        seen.declare(&declared);
        let found = signature("price", &seen, Spelling::CamelCase).unwrap();
        let text = library(&found, "price", "price.ts:3");
        for part in [
            "pub fn price(lines: &[Line], coupon: Option<&str>, kind: Kind, odd: &str, free: bool) -> Result<f64, String>",
            "pub struct Line {\n    pub sku: String,\n    pub quantity: u32,\n    pub unit_price: f64,\n}\n",
            "#[allow(non_camel_case_types)]\n#[derive(Debug, Clone, Copy, PartialEq, Eq)]\npub enum Kind {\n    percent,\n    fixed,\n}\n",
            "/// Declared as `number`: `lines[].quantity`. It was a whole number in all calls that tierup saw; make it `f64`",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    /// Python's annotations are known only in the running server.
    #[test]
    fn a_witness_may_write_declared_types() {
        let written = br#"{"functions":[{"parameters":[{"name":"at","shapes":[{"is":"map","of":[{"is":"text"}]}]}],
            "declared":{"notes":["a note"],"answer":{"is":"optional","of":{"is":"list","of":{"is":"float"}}},"parameters":[["at",
            {"is":"record","of":[["kind",{"is":"choice","of":["a","b"]}],["all",{"is":"map","of":{"is":"seen"}}],
            ["count",{"is":"whole","of":{"bits":64,"signed":true}}],["on",{"is":"bool"}]]}]]}}]}"#;
        let seen = seen(&[br#"{"functions":[{}]}"#.to_vec(), written.to_vec()], 1).unwrap().remove(0);
        let refused = signature("f", &seen, Spelling::AsInRust).unwrap_err();
        let why = "its argument `at` is a record whose field `all` is a map that was always empty, so that its elements are not known";
        assert_eq!(refused, [why]);
        let of = String::from_utf8_lossy(written).replace("seen\"", "text\"").into_bytes();
        let seen = crate::seen(&[of], 1).unwrap().remove(0);
        let text = library(&signature("f", &seen, Spelling::AsInRust).unwrap(), "f", "f.py:1");
        for part in [
            "/// The types are those of its declaration.\n/// a note.\n",
            "pub fn f(at: &At) -> Result<Option<Vec<f64>>, String> {",
            "    pub kind: Kind,\n    pub all: BTreeMap<String, String>,\n    pub count: i64,\n    pub on: bool,\n",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn every_reason_is_reported() {
        let refused = Some(DeclaredType::Refused("a `chan int`".to_owned()));
        let problems = of_declared("f", &declared(refused, vec!["it waits".to_owned()])).unwrap_err();
        assert_eq!(problems, ["it waits", "its answer is a `chan int`"]);
        let nothing = of_declared("f", &declared(None, Vec::new())).unwrap_err();
        assert!(nothing[0].starts_with("it answers nothing"), "{nothing:?}");
    }
    #[test]
    fn a_golden_call_needs_parts_of_requests_and_a_hashed_answer() {
        let of = |ty: DeclaredType, answer: Option<DeclaredType>| {
            let parameters = vec![("name".to_owned(), DeclaredType::Text), ("second".to_owned(), ty)];
            can_have_golden(&Declared { parameters, ..declared(answer, Vec::new()) })
        };
        let whole = || DeclaredType::Whole { bits: 64, signed: true };
        assert!(of(whole(), Some(DeclaredType::Bytes)) && of(DeclaredType::Bool, Some(DeclaredType::Text)));
        assert!(!of(DeclaredType::List(Box::new(whole())), Some(DeclaredType::Text)));
        assert!(!of(whole(), Some(whole())) && !of(whole(), None));
    }

    /// The same request was sent twice, and each called the function once.
    #[test]
    fn a_golden_call_has_the_arguments_of_a_request() {
        let asked = |began: f64| SentRequest {
            method: "GET".to_owned(),
            target: "/?name=tea&count=7".to_owned(),
            body: Vec::new(),
            began,
            ended: began + 9.0,
        };
        let keyed = |value: &str| format!("{:x}", Sha256::digest(format!("key\0{value}")));
        let found = |second: &str, answers: [&str; 2]| {
            let calls =
                [100, 200].map(|at| format!(r#"{{"at":{at},"words":["{}","{}"]}}"#, keyed("tea"), keyed(second)));
            let left =
                [(101, answers[0]), (201, answers[1])].map(|(at, hash)| format!(r#"{{"at":{at},"sha256":"{hash}"}}"#));
            let text = format!(r#"{{"functions":[{{"entered":[{}],"left":[{}]}}]}}"#, calls.join(","), left.join(","));
            let seen = seen(&[text.into_bytes()], 1).unwrap().remove(0);
            let parameters = [("name", DeclaredType::Text), ("count", DeclaredType::Whole { bits: 64, signed: true })];
            let parameters = parameters.map(|(name, ty)| (name.to_owned(), ty)).to_vec();
            let declared = Declared { parameters, ..declared(Some(DeclaredType::Text), Vec::new()) };
            golden_of_declared(&declared, &seen, &[asked(100.0), asked(200.0)], "key", |_| true)
        };
        let golden = found("7", ["ab", "ab"]).unwrap();
        assert_eq!((golden.arguments, golden.sha256), (vec!["\"tea\"".to_owned(), "7".to_owned()], "ab".to_owned()));
        assert_eq!(found("8", ["ab", "ab"]), None);
        assert_eq!(found("7", ["ab", "cd"]), None);
    }
}
