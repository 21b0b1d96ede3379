//! The requests that servers get: no method that the requests file lacks, and no credential in a hostile request.

use std::{
    io::Write as _,
    sync::{Arc, Mutex},
};

use tierup_parity::Methods;

use crate::{check, server::raw_server};

const REQUESTS: &str = "GET /items?id=1\nAuthorization: Bearer literal-1\nCookie: session=literal-2\nX-Api-Key: literal-3\n\n\
                        ###\nDELETE /items/2?id=2\nAuthorization: Bearer literal-1\n";

/// The requests that a server got, with credentials and without.
fn sent(hostile: usize, methods: Methods) -> (Vec<String>, Vec<String>) {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heads);
    let address = raw_server(move |head, _| {
        kept.lock().unwrap().push(head.join("\n"));
        Some(("200 OK".to_owned(), "hello".to_owned()))
    });
    let mut file = tempfile::Builder::new().suffix(".http").tempfile().unwrap();
    file.write_all(REQUESTS.as_bytes()).unwrap();
    let (alike, said) = check(&address, &address, |check, _| {
        (check.hostile, check.methods) = (hostile, methods);
        check.requests = Some(file.path().to_owned());
    });
    assert!(alike, "{said}");
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
fn hostile_requests_are_safe_and_have_no_credentials() {
    let (own, hostile) = sent(1000, Methods::Safe);
    // The control gets each request twice, and the other server once.
    assert_eq!((own.len(), methods(&own)), (6, "DELETE GET".to_owned()), "{own:?}");
    assert!(hostile.len() > 60, "{}", hostile.len());
    assert_eq!(methods(&hostile), "GET HEAD OPTIONS");
}

#[test]
fn unsafe_methods_are_sent_on_request() {
    let (own, hostile) = sent(1000, Methods::Any);
    assert_eq!(own.len(), 6);
    assert_eq!(methods(&hostile), "DELETE GET HEAD OPTIONS PATCH POST PUT TIERUP");
}
