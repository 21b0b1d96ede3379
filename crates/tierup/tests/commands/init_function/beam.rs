//! Elixir and Erlang: types by the calls that the BEAM tells.

use expect_test::expect;

use super::{makes, refuses};
use crate::write;

const REQUESTS: &str = "GET /?text=Green+tea\n\n###\nGET /?text=\n";

#[test]
fn types_of_elixir_are_those_that_were_passed() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("server.ex", include_str!("server.ex")),
            ("lib/words.ex", include_str!("words.ex")),
            ("requests.http", REQUESTS),
            ("temporary/empty", ""),
        ],
    );
    let arguments = |function: &'static str| {
        let prepare = "elixirc lib/words.ex server.ex";
        ["--function", function, "--host", "beam", "--prepare", prepare, "--command", "elixir -e Server.start"]
    };
    makes(folder.path(), &arguments("lib/words.ex:tally"), expect![]);
    makes(folder.path(), &arguments("lib/words.ex:shout"), expect![]);
    // Its answers are `{:ok, …}` and `{:error, …}`.
    makes(folder.path(), &arguments("lib/words.ex:join"), expect![]);
    // It is private, and calls itself.
    makes(folder.path(), &arguments("lib/words.ex:letters"), expect![]);
    makes(folder.path(), &arguments("lib/words.ex:weigh"), expect![]);
    makes(folder.path(), &arguments("lib/words.ex:packed"), expect![]);
    makes(folder.path(), &arguments("lib/words.ex:longest:23"), expect![]);
    refuses(folder.path(), &arguments("lib/words.ex:longest"), expect![]);
    refuses(folder.path(), &arguments("lib/words.ex:bounds"), expect![]);
    refuses(folder.path(), &arguments("lib/words.ex:whisper"), expect![]);
}

#[test]
fn erlang_has_its_functions_watched_too() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("server.erl", include_str!("server.erl")),
            ("words.erl", include_str!("words.erl")),
            ("requests.http", REQUESTS),
            ("temporary/empty", ""),
        ],
    );
    let arguments = |function: &'static str| {
        let command = "erl -noinput -s server";
        ["--function", function, "--host", "beam", "--prepare", "erlc words.erl server.erl", "--command", command]
    };
    makes(folder.path(), &arguments("words.erl:shout"), expect![]);
    refuses(folder.path(), &arguments("words.erl:pair"), expect![]);
}
