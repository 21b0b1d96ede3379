use bytes::Bytes;
use serde_json as json;
extern crate chrono;
pub fn f(a: Bytes, b: json::Value, c: chrono::DateTime<chrono::Utc>, d: other::Thing, e: ::hashbrown::HashMap<String, u8>) {}
