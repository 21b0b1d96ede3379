//! What is sent: no method that the requests file does not have, and no credential where a request is hostile.

use std::sync::{Arc, Mutex};

use super::server::raw_server;
use crate::{run, write};

const REQUESTS: &str = "GET /items?id=1\nAuthorization: Bearer literal-1\nCookie: session=literal-2\nX-Api-Key: literal-3\n\n\
                        ###\nDELETE /items/2?id=2\nAuthorization: Bearer literal-1\n";

/// What a server was sent, with the credentials and without.
fn sent(more: &[&str]) -> (Vec<String>, Vec<String>) {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heads);
    let address = raw_server(move |head, _| {
        kept.lock().unwrap().push(head.join("\n"));
        Some(("200 OK".to_owned(), "hello".to_owned()))
    });
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("requests.http", REQUESTS)]);
    let arguments =
        [&["check", "--url", &address, "--vs", &address, "--requests", "requests.http", "-q"][..], more].concat();
    let said = run(folder.path(), &arguments);
    assert!(said.starts_with("exit code: 0\n"), "{said}");
    let heads = heads.lock().unwrap().clone();
    heads.into_iter().partition(|head| head.contains("literal-"))
}

fn methods(heads: &[String]) -> String {
    let mut methods: Vec<&str> = heads.iter().filter_map(|head| head.split(' ').next()).collect();
    methods.sort_unstable();
    methods.dedup();
    methods.join(" ")
}

#[test]
fn hostile_requests_change_nothing_and_have_no_rights() {
    let (own, hostile) = sent(&["--hostile", "1000"]);
    // The control is asked twice, and the other one once.
    assert_eq!((own.len(), methods(&own)), (6, "DELETE GET".to_owned()), "{own:?}");
    assert!(hostile.len() > 60, "{}", hostile.len());
    assert_eq!(methods(&hostile), "GET HEAD OPTIONS");
}

#[test]
fn unsafe_methods_are_made_when_they_are_asked_for() {
    let (own, hostile) = sent(&["--hostile", "1000", "--hostile-methods"]);
    assert_eq!(own.len(), 6);
    assert_eq!(methods(&hostile), "DELETE GET HEAD OPTIONS PATCH POST PUT TIERUP");
}

#[test]
fn servers_that_run_already_get_the_files_requests_alone() {
    let (own, hostile) = sent(&[]);
    assert_eq!((own.len(), hostile.len()), (6, 0), "{hostile:?}");
}
