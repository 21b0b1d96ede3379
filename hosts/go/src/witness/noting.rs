//! Code that notes a function's calls. In: its declaration. Out: the start of its new body, which passes the arguments
//! on to an inner function that gets the rest of the body. Lines keep their numbers.

use tierup_codegen::brackets::{matching, split};

use crate::{declaration::Declaration, declared::parameters};

/// `None` if a parameter has no name, or if the function does not return one value, with or without an error. Also
/// `None` if it calls `recover`, which works only in a deferred function itself.
pub(super) fn noting(function: usize, declaration: &Declaration<'_>) -> Option<String> {
    let rest = declaration.rest;
    let (close, body) = (matching(rest).filter(|_| rest.starts_with('('))?, declaration.body()?);
    let end = body - 1 + matching(&rest[body - 1..])?;
    if declaration.receiver.is_some() || rest[body..end].contains("recover") {
        return None;
    }
    let names = names(&rest[1..close])?;
    let answers = rest[close + 1..body - 1].trim();
    let answers = match matching(answers).filter(|_| answers.starts_with('(')) {
        Some(close) => parameters(&answers[1..close]).into_iter().map(|(_, ty)| ty).collect(),
        None => vec![answers.to_owned()],
    };
    let (received, error) = match &answers[..] {
        [ty] if !["", "error"].contains(&ty.as_str()) => ("tierupAnswer", ""),
        [ty, error] if ty != "error" && error == "error" => ("tierupAnswer, tierupError", ", tierupError"),
        _ => return None,
    };
    let head = rest[..body].split_whitespace().collect::<Vec<_>>().join(" ");
    let (given, passed) = (names.iter().map(|name| format!(", {name}")).collect::<String>(), names.join(", "));
    Some(format!(
        "tierupWitnessEntered({function}{given}); {received} := tierupWitnessed{function}({passed}); \
         tierupWitnessLeft({function}, tierupAnswer{error}); return {received} }}; func tierupWitnessed{function}{head} "
    ))
}

/// The names of the parameters, if each can be passed on by name.
fn names(list: &str) -> Option<Vec<String>> {
    let parts = split(list, "([{", ")]}");
    let is_named = parts.is_empty() || parts.iter().any(|part| part.contains(char::is_whitespace));
    let named = parameters(list);
    let can_be_passed = |(name, ty): &(String, String)| name != "_" && !ty.starts_with("...");
    (is_named && named.iter().all(can_be_passed)).then(|| named.into_iter().map(|(name, _)| name).collect())
}

#[cfg(test)]
mod tests {
    use tierup_codegen::brackets::blank;

    use super::*;
    use crate::declaration::declaration;

    fn noted(text: &str) -> Option<String> {
        let code = blank(&format!("package shop\n\n{text}\n"));
        noting(3, &declaration(&code, "Label").unwrap())
    }

    #[test]
    fn arguments_are_passed_on_to_the_inner_function() {
        let check = |text: &str, expected: &str| assert_eq!(noted(text).as_deref(), Some(expected), "{text}");
        check(
            "func Label(name, unit string, count int) string { return name }",
            "tierupWitnessEntered(3, name, unit, count); tierupAnswer := tierupWitnessed3(name, unit, count); \
             tierupWitnessLeft(3, tierupAnswer); return tierupAnswer }; \
             func tierupWitnessed3(name, unit string, count int) string { ",
        );
        check(
            "func Label(\n\tname string, // {\n) (label []byte, err error) {\n\treturn\n}",
            "tierupWitnessEntered(3, name); tierupAnswer, tierupError := tierupWitnessed3(name); \
             tierupWitnessLeft(3, tierupAnswer, tierupError); return tierupAnswer, tierupError }; \
             func tierupWitnessed3( name string, ) (label []byte, err error) { ",
        );
        assert!(noted("func Label() string {\n\treturn \"recover\"\n}").unwrap().contains("tierupWitnessed3();"));
    }

    #[test]
    fn calls_that_cannot_be_passed_on_are_not_noted() {
        for text in [
            "func Label(string, int) string {\n}",
            "func Label(_ string) string {\n}",
            "func Label(names ...string) string {\n}",
            "func Label(name string) {\n}",
            "func Label(name string) error {\n}",
            "func Label(name string) (string, int) {\n}",
            "func Label(name string) string {\n\tdefer func() { recover() }()\n}",
            "func (cart Cart) Label(name string) string {\n}",
            "func Label(name string) string",
        ] {
            assert_eq!(noted(text), None, "{text}");
        }
    }
}
