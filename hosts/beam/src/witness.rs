//! The witness of servers on the BEAM: its process is told of calls in all others (meta tracing), and counts them.

use tierup_codegen::{Spelling, Types, Watch, Watched, Witness};

use crate::agent::{Agent, binary, flags};

const AGENT: Agent = Agent(&[
    ("tierup_definitions.erl", include_str!("../templates/witness/tierup_definitions.erl")),
    ("tierup_words.erl", include_str!("../templates/witness/tierup_words.erl")),
    ("tierup_shapes.erl", include_str!("../templates/witness/tierup_shapes.erl")),
    ("tierup_json.erl", include_str!("../templates/witness/tierup_json.erl")),
    ("tierup_calls.erl", include_str!("../templates/witness/tierup_calls.erl")),
    ("tierup_witness.erl", include_str!("../templates/witness/tierup_witness.erl")),
]);

pub(crate) fn witness(watch: &Watch<'_>) -> Witness {
    let functions: Vec<_> = watch.functions.iter().map(watched).collect();
    let values = [("functions", &*format!("[{}]", functions.join(", "))), ("key", &binary(watch.key))];
    Witness {
        files: AGENT.files(watch.private, &values),
        preparation: vec![AGENT.compiled()],
        environment: vec![flags(AGENT.started(watch.private, "watch"))],
        in_the_build: false,
        types: Some(Types {
            spelling: Spelling::AsInRust,
            // The module is enough, and only the witness knows its name.
            baselines: watch.functions.iter().map(|_| String::new()).collect(),
        }),
        calls: false,
        hint: "the server must run on Erlang/OTP 25 or newer, as a BEAM that reads ERL_AFLAGS".to_owned(),
    }
}

fn watched(function: &Watched) -> String {
    let line = function.line.map_or_else(|| "none".to_owned(), |line| line.to_string());
    format!("{{{}, {}, {}, {line}}}", binary(&function.file), binary(&function.name), binary(&function.qualified_name))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn any_path_and_name_is_one_binary() {
        let (file, name) = ("/srv/it's \"x\"/shop.ex".to_owned(), "price?".to_owned());
        let functions =
            [Watched { file, qualified_name: "Shop.price?/2".to_owned(), name, line: Some(7), fields: Vec::new() }];
        let witness = witness(&Watch { private: Path::new("/p"), key: "k", functions: &functions, calls: false });
        for (name, content) in witness.files.iter() {
            assert!(!String::from_utf8_lossy(content).contains("}})."), "{name}");
        }
        let agent = String::from_utf8(witness.files.get("tierup_witness.erl").unwrap().to_vec()).unwrap();
        let expected = r#"[{<<"/srv/it's \"x\"/shop.ex"/utf8>>, <<"price?"/utf8>>, <<"Shop.price?/2"/utf8>>, 7}]"#;
        assert!(agent.contains(&format!("-define(FUNCTIONS, {expected}).")), "{agent}");
    }
}
