//! An experiment as JSON: compact, in one order, with text and numbers as JavaScript's `JSON.stringify` writes them.

use md5::{Digest as _, Md5};

use crate::check::Experiment;

/// What stands around a variant's name and share.
const AROUND_A_VARIANT: usize = r#"{"name":"","allocation_percent":100},"#.len();

pub(crate) fn write(experiment: &Experiment<'_>, fingerprint_at: Option<u64>) -> String {
    let names: usize = experiment.variants.iter().map(|variant| variant.name.len() + AROUND_A_VARIANT).sum();
    let mut json = String::with_capacity(experiment.name.len() + names + 64);
    json.push_str(r#"{"name":"#);
    match fingerprint_at {
        Some(seconds) => write_fingerprint(experiment.name, seconds, &mut json),
        None => write_text(experiment.name, &mut json),
    }
    json.push_str(r#","variants":["#);
    let mut number = ryu_js::Buffer::new();
    for (index, variant) in experiment.variants.iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        json.push_str(r#"{"name":"#);
        write_text(variant.name, &mut json);
        json.push_str(r#","allocation_percent":"#);
        json.push_str(number.format(variant.share));
        json.push('}');
    }
    json.push_str("]}");
    json
}

/// The MD5 of a name and a time. It tells experiments apart; it protects nothing.
fn write_fingerprint(name: &str, seconds: u64, json: &mut String) {
    let mut decimal = itoa::Buffer::new();
    let digest = Md5::new().chain_update(name).chain_update("-").chain_update(decimal.format(seconds)).finalize();
    json.push('"');
    json.push_str(const_hex::Buffer::<16>::new().format(&digest.into()));
    json.push('"');
}

/// Most texts hold nothing that JSON must escape.
fn write_text(text: &str, json: &mut String) {
    let must_escape = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    if text.bytes().any(must_escape) {
        json.push_str(&serde_json::Value::from(text).to_string());
    } else {
        json.push('"');
        json.push_str(text);
        json.push('"');
    }
}
