//! HAR: what was read from a recording, recorded again, is read as the same requests.

#![no_main]

use base64::{Engine as _, prelude::BASE64_STANDARD};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use tierup_fuzz::check_requests;
use tierup_requests::{Recording, Request, Set};

fuzz_target!(|text: &str| {
    let recording = Recording::parse("a.har", text, None);
    let Ok(recording) = recording.inspect_err(|problems| problems.iter().for_each(|it| drop(it.to_string()))) else {
        return;
    };
    check_requests(&recording.set);
    let entries: Vec<Value> = sent(&recording.set).map(entry).collect();
    let text = json!({ "log": { "entries": entries } }).to_string();
    let again = Recording::parse("again.har", &text, None).expect("each of them can be recorded");
    assert_eq!((again.host, again.left_out.len()), (recording.host, 0));
    let content = |request: &Request| {
        let Request { method, target, host, headers, body, .. } = request.clone();
        (method, target, host, headers, body)
    };
    assert!(sent(&again.set).map(content).eq(sent(&recording.set).map(content)), "{text}");
});

fn sent(set: &Set) -> impl Iterator<Item = &Request> {
    set.order.iter().map(|index| &set.requests[*index as usize])
}

fn entry(request: &Request) -> Value {
    let headers: Vec<Value> =
        request.headers.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
    let host = request.host.as_deref().unwrap_or_default();
    // A default port is no part of what is read.
    let scheme = if host.ends_with(":80") { "https" } else { "http" };
    let url = format!("{scheme}://{host}{}", request.target);
    let body = json!({ "text": BASE64_STANDARD.encode(&request.body), "encoding": "base64" });
    json!({ "request": { "method": request.method, "url": url, "headers": headers, "postData": body } })
}
