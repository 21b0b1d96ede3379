//! `.http` files: the same text, seed and context make the same requests, and a value of the environment is known as a secret.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tierup_fuzz::check_requests;
use tierup_requests::{Context, Moment, Templates};

/// No text of the fuzzer has it.
const SECRET: &str = "s3cr3t of the environment";

fuzz_target!(|text: &str| {
    // libFuzzer finds it by watching comparisons.
    if text.contains(SECRET) {
        return;
    }
    let Ok(templates) = Templates::parse("a.http", text).map_err(shown) else { return };
    let environment = [("TOKEN".to_owned(), SECRET.to_owned())];
    let files = |path: &str| std::io::Result::Ok(path.as_bytes().to_vec());
    let now = Moment { unix_milliseconds: 1_795_251_845_678, utc_offset_minutes: 60 };
    let context = Context { environment: &environment, files: &files, ..Context::new(now) };
    let Ok(set) = templates.expand(10, 1, &context).map_err(shown) else { return };
    check_requests(&set);
    assert_eq!(templates.expand(10, 1, &context).as_ref(), Ok(&set));
    for request in &set.requests {
        let is_in = request.headers.iter().any(|(_, value)| value.contains(SECRET));
        assert!(!is_in || request.secrets.iter().any(|secret| secret.value == SECRET), "{request:?}");
    }
});

fn shown(problems: Vec<impl ToString>) {
    problems.iter().for_each(|problem| drop(problem.to_string()));
}
