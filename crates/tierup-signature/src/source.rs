//! The library of a crate whose function the user has yet to write. In: a [`Signature`] and the place of the present
//! function. Out: Rust source that compiles, with a function that returns an error.

use std::fmt::Write as _;

use tierup_codegen::rust::identifier;

use crate::{
    signature::Signature,
    spelled::{Definition, Parts},
};

/// The error that the function returns until it is written.
const NOT_WRITTEN: &str = "not written yet";

/// The source of `src/lib.rs`. `present` is the present function's name, and `origin` its place, such as `price.js:12`.
pub fn library(signature: &Signature, present: &str, origin: &str) -> String {
    let Signature { name, parameters, answer, notes, declared, definitions, .. } = signature;
    let needs_map = answer.contains("BTreeMap<")
        || parameters.iter().any(|parameter| parameter.ty.contains("BTreeMap<"))
        || definitions
            .iter()
            .any(|one| matches!(&one.of, Parts::Fields(all) if all.iter().any(|(_, ty)| ty.contains("BTreeMap<"))));
    let mut text =
        String::from("//! The hot function: plain Rust, that knows nothing of servers, hosts or tierup.\n\n");
    if needs_map {
        text += "use std::collections::BTreeMap;\n\n";
    }
    let _ = writeln!(text, "/// What `{present}` in {origin} does.\n///");
    text += match declared {
        true => "/// The types are those of its declaration.\n",
        false => "/// tierup guessed the types from calls that it saw: check that they hold for all others.\n",
    };
    for note in notes {
        let _ = writeln!(text, "/// {note}.");
    }
    text += "///\n/// # Errors\n/// Until it is written.\n";
    let list: Vec<_> = parameters.iter().map(|parameter| format!("{}: {}", parameter.name, parameter.ty)).collect();
    let _ = writeln!(text, "pub fn {}({}) -> Result<{answer}, String> {{", identifier(name), list.join(", "));
    let names: Vec<_> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let _ = match names[..] {
        [] => Ok(()),
        [one] => writeln!(text, "    let _ = {one};"),
        _ => writeln!(text, "    let _ = ({});", names.join(", ")),
    };
    let _ = writeln!(text, "    Err({NOT_WRITTEN:?}.to_owned())\n}}");
    for Definition { name, of } in definitions {
        let _ = match of {
            Parts::Fields(fields) => {
                let _ = writeln!(text, "\n#[derive(Debug, Clone, PartialEq)]\npub struct {name} {{");
                fields.iter().try_for_each(|(field, ty)| writeln!(text, "    pub {field}: {ty},"))
            }
            Parts::Cases(cases) => {
                let _ =
                    writeln!(text, "\n/// The cases are the texts of the declaration.\n#[allow(non_camel_case_types)]");
                let _ = writeln!(text, "#[derive(Debug, Clone, Copy, PartialEq, Eq)]\npub enum {name} {{");
                cases.iter().try_for_each(|case| writeln!(text, "    {case},"))
            }
        };
        text += "}\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use tierup_codegen::Spelling;

    use crate::{library, seen, signature};

    #[test]
    fn a_new_function_answers_that_it_is_not_written() {
        let written = br#"{ "functions": [{
            "parameters": [
                { "name": "userName", "shapes": [{ "is": "text" }] },
                { "name": "type", "shapes": [{ "is": "list", "of": [
                    { "is": "record", "fields": [["dueDate", { "is": "whole", "signed": false, "large": true }]] }
                ] }] },
                { "name": "callback", "shapes": [{ "is": "absent" }] }
            ],
            "answers": [{ "is": "map", "of": [{ "is": "bytes" }, { "is": "absent" }] }]
        }] }"#;
        let seen = seen(&[written.to_vec()], 1).unwrap().remove(0);
        let signature = signature("findUser", &seen, Spelling::CamelCase).unwrap();
        expect![[r#"
            //! The hot function: plain Rust, that knows nothing of servers, hosts or tierup.

            use std::collections::BTreeMap;

            /// What `findUser` in users.js:3 does.
            ///
            /// tierup guessed the types from calls that it saw: check that they hold for all others.
            /// `callback` was never given, so it is left out.
            ///
            /// # Errors
            /// Until it is written.
            pub fn find_user(user_name: &str, r#type: &[Type]) -> Result<BTreeMap<String, Option<Vec<u8>>>, String> {
                let _ = (user_name, r#type);
                Err("not written yet".to_owned())
            }

            #[derive(Debug, Clone, PartialEq)]
            pub struct Type {
                pub due_date: u32,
            }
        "#]]
        .assert_eq(&library(&signature, "findUser", "users.js:3"));
    }

    #[test]
    fn every_reason_is_reported() {
        let written = br#"{ "functions": [{
            "parameters": [
                { "name": "request", "shapes": [{ "is": "refused", "why": "an object of the class Request" }] },
                { "name": "options", "shapes": [{ "is": "record", "fields": [["HTTPCode", { "is": "bool" }]] }] },
                { "name": "list", "shapes": [{ "is": "list", "of": [] }] }
            ],
            "problems": ["it uses `this`"]
        }] }"#;
        let seen = seen(&[written.to_vec()], 1).unwrap().remove(0);
        let problems = signature("f", &seen, Spelling::CamelCase).unwrap_err();
        expect![[r#"
            it uses `this`
            its argument `request` is an object of the class Request
            its argument `options` is a record whose field `HTTPCode` would be `httpCode` in the package
            its argument `list` is a list that was always empty, so that its elements are not known"#]]
        .assert_eq(&problems.join("\n"));
    }
}
